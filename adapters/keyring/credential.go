package keyring

import (
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
