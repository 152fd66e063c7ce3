package keyring

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"causeway/core"
)

// A credential is "ck_", the key's id, "_" and the secret: ck_7f3k9x2m4p_…. The id says which key is meant, so that one hash is
// compared and not all of them; the prefix lets scanners of source code find a leaked one.
const (
	prefix       = "ck_"
	idLength     = 10 // 50 bits: ids do not collide, and are no secret
	secretLength = 52 // 260 bits
	alphabet     = "0123456789abcdefghjkmnpqrstvwxyz"
)

// digest is what is kept of a credential. The secret is random and long, so that a plain hash cannot be searched.
type digest [sha256.Size]byte

func digestOf(credential core.Secret) digest { return sha256.Sum256([]byte(credential.Reveal())) }

// MarshalText writes the digest in JSON.
func (d digest) MarshalText() ([]byte, error) {
	return []byte("sha256:" + hex.EncodeToString(d[:])), nil
}

// UnmarshalText reads the digest in JSON.
func (d *digest) UnmarshalText(text []byte) error {
	hash, ok := strings.CutPrefix(string(text), "sha256:")
	raw, err := hex.DecodeString(hash)
	if !ok || err != nil || len(raw) != len(d) {
		return errHash
	}
	copy(d[:], raw)
	return nil
}

// idOf reads the id out of a credential; "" where it has no credential's form.
func idOf(credential core.Secret) string {
	rest, ok := strings.CutPrefix(credential.Reveal(), prefix)
	if !ok || len(rest) != idLength+1+secretLength || rest[idLength] != '_' {
		return ""
	}
	return rest[:idLength]
}

// letters draws n letters of the alphabet.
func letters(entropy core.Entropy, n int) string {
	out := make([]byte, 0, n)
	for len(out) < n {
		for bits, left := entropy(), 12; left > 0 && len(out) < n; bits, left = bits>>5, left-1 {
			out = append(out, alphabet[bits&31])
		}
	}
	return string(out)
}
