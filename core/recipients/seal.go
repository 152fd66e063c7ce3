package recipients

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"sync/atomic"

	"causeway/core"
)

const (
	keyBytes  = 32
	saltBytes = 16
	sealInfo  = "causeway recipients seal v1"
	indexInfo = "causeway recipients index v1"
)

// seal makes account numbers and names unreadable to whoever keeps them. Names of accounts are HMAC-SHA-256, values AES-256-GCM.
//
// A nonce never comes twice under one key: each process seals with a key of its own, made of the secret and of a random salt that each
// value carries, and counts. So processes that share a secret read each other's values without agreeing on nonces.
type seal struct {
	secret []byte
	index  []byte
	salt   [saltBytes]byte
	own    cipher.AEAD
	count  atomic.Uint64
}

// newSeal makes the seal of a process, of a secret that it shares with others, or of one that nobody else will ever know.
func newSeal(shared core.Secret, entropy core.Entropy) (*seal, error) {
	drawn := make([]byte, keyBytes+saltBytes)
	for i := 0; i < len(drawn); i += 8 {
		binary.LittleEndian.PutUint64(drawn[i:], entropy())
	}
	s := &seal{secret: drawn[:keyBytes]}
	copy(s.salt[:], drawn[keyBytes:])
	if shared != "" {
		s.secret = []byte(shared.Reveal())
	}
	var err error
	if s.index, err = hkdf.Key(sha256.New, s.secret, nil, indexInfo, keyBytes); err != nil {
		return nil, err
	}
	s.own, err = s.cipher(s.salt[:])
	return s, err
}

// cipher is what the process of a salt seals with.
func (s *seal) cipher(salt []byte) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, s.secret, salt, sealInfo, keyBytes)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// hash is the keyed hash of parts, the first of which says what it is a hash of. Each part's length is hashed with it, so that two lists of
// parts never look the same.
func (s *seal) hash(parts ...string) [32]byte {
	mac := hmac.New(sha256.New, s.index)
	var length [8]byte
	for _, part := range parts {
		binary.LittleEndian.PutUint64(length[:], uint64(len(part)))
		mac.Write(length[:])
		mac.Write([]byte(part))
	}
	return [32]byte(mac.Sum(nil))
}

// text is a keyed hash for the log: long enough that two things never share it.
func (s *seal) text(parts ...string) string {
	h := s.hash(parts...)
	return hex.EncodeToString(h[:16])
}

// lock seals a value for a key: under another key it does not open.
func (s *seal) lock(key [32]byte, value []byte) []byte {
	nonce := make([]byte, s.own.NonceSize())
	binary.BigEndian.PutUint64(nonce[len(nonce)-8:], s.count.Add(1))
	out := make([]byte, 0, saltBytes+len(nonce)+len(value)+s.own.Overhead())
	out = append(out, s.salt[:]...)
	out = append(out, nonce...)
	return s.own.Seal(out, nonce, value, key[:])
}

// open returns what was sealed for a key, if nothing about it was changed.
func (s *seal) open(key [32]byte, sealed []byte) ([]byte, bool) {
	nonce := s.own.NonceSize()
	if len(sealed) < saltBytes+nonce {
		return nil, false
	}
	aead := s.own
	if [saltBytes]byte(sealed) != s.salt {
		var err error
		if aead, err = s.cipher(sealed[:saltBytes]); err != nil {
			return nil, false
		}
	}
	value, err := aead.Open(nil, sealed[saltBytes:saltBytes+nonce], sealed[saltBytes+nonce:], key[:])
	return value, err == nil
}
