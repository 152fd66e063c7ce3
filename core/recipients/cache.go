package recipients

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"causeway/core"
	"causeway/ports"
)

const (
	cacheTimeout = 100 * time.Millisecond // of one operation
	maxSkew      = time.Minute            // between the clocks of replicas
)

// cache keeps certain results, encrypted, in a store that cannot read them.
type cache struct {
	names    ports.NameCache // nil: nothing is cached
	vault    *vault
	clock    core.Clock
	settings CacheSettings
}

// entry is the plaintext of a cached result. It must not be printed.
type entry struct {
	Outcome  Outcome        `json:"o"`
	Name     string         `json:"n,omitempty"`
	Match    core.NameMatch `json:"m,omitempty"`
	Absence  core.Absence   `json:"w,omitempty"`
	Provider string         `json:"p"`
	At       int64          `json:"a"` // in ms since 1970, by the world's clock
}

// load returns the result that is cached under a key. Entries that are damaged or too old do not
// count.
func (c *cache) load(ctx context.Context, key [32]byte) (result, bool) {
	if c.names == nil {
		return result{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, cacheTimeout)
	defer cancel()
	sealed, ok := c.names.Load(ctx, key)
	if !ok {
		return result{}, false
	}
	var e entry
	if json.Unmarshal(c.vault.open(key, sealed), &e) != nil {
		return result{}, false
	}
	age := c.clock().Sub(time.UnixMilli(e.At))
	if age < -maxSkew || age >= c.ttl(e.Outcome) {
		return result{}, false
	}
	return result{
		outcome: e.Outcome, holder: core.Private(e.Name), match: e.Match, absence: e.Absence,
		provider: e.Provider, cached: true, cause: errors.New(e.Provider + ": cached"),
	}, true
}

// save caches a result if it is certain.
func (c *cache) save(ctx context.Context, key [32]byte, r result) {
	ttl := c.ttl(r.outcome)
	if c.names == nil || ttl <= 0 || r.absence == core.DoubtfulNone || r.absence == core.SharedNone {
		return
	}
	text, err := json.Marshal(entry{
		r.outcome, r.holder.Reveal(), r.match, r.absence, r.provider, c.clock().UnixMilli(),
	})
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, cacheTimeout)
	defer cancel()
	c.names.Store(ctx, key, c.vault.seal(key, text), ttl)
}

// ttl returns how long results with an outcome are cached.
func (c *cache) ttl(o Outcome) time.Duration {
	return map[Outcome]time.Duration{Found: c.settings.Found, NotFound: c.settings.NotFound}[o]
}

// vault hashes and encrypts what identifies people, so that caches and logs cannot read it. Hashes
// are HMAC-SHA-256. Values are AES-256-GCM with random nonces, which is safe for 2^32 values per
// key: at 1,000 resolutions a second, 49 days. Replicas with the same secret read each other's
// values.
type vault struct {
	index   []byte
	names   cipher.AEAD
	lookups cipher.AEAD // records of the guard
}

// newVault derives the keys from a secret that replicas share, or from a random one.
func newVault(shared core.Secret, entropy core.Entropy) (*vault, error) {
	secret := []byte(shared.Reveal())
	for shared == "" && len(secret) < keySize {
		secret = binary.LittleEndian.AppendUint64(secret, entropy())
	}
	index, err := hkdf.Key(sha256.New, secret, nil, "causeway recipients index v1", keySize)
	if err != nil {
		return nil, err
	}
	names, err := newCipher(secret, "causeway recipients names v2")
	if err != nil {
		return nil, err
	}
	lookups, err := newCipher(secret, "causeway recipients lookups v1")
	return &vault{index, names, lookups}, err
}

const keySize = 32

// newCipher returns a cipher with a key for one purpose.
func newCipher(secret []byte, purpose string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, purpose, keySize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// hash returns the keyed hash of parts, the first of which names what is hashed. The length of each
// part is also hashed, so that different lists never look the same.
func (v *vault) hash(parts ...string) [32]byte {
	mac := hmac.New(sha256.New, v.index)
	for _, part := range parts {
		mac.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		mac.Write([]byte(part))
	}
	return [32]byte(mac.Sum(nil))
}

// text returns a keyed hash for logs.
func (v *vault) text(parts ...string) string {
	h := v.hash(parts...)
	return hex.EncodeToString(h[:16])
}

// seal encrypts a value. It can be opened under the same key only.
func (v *vault) seal(key [32]byte, value []byte) []byte {
	return v.names.Seal(nil, nil, value, key[:]) //nolint:gosec // the cipher draws the nonce
}

// open returns the value that was sealed under a key, or nil if it was changed.
func (v *vault) open(key [32]byte, sealed []byte) []byte {
	value, err := v.names.Open(nil, nil, sealed, key[:])
	if err != nil {
		return nil
	}
	return value
}

// sealLookups encrypts records of the guard.
func (v *vault) sealLookups(records []byte) []byte {
	return v.lookups.Seal(nil, nil, records, nil) //nolint:gosec // the cipher draws the nonce
}

// openLookups returns records that were sealed with the same secret, or nil.
func (v *vault) openLookups(sealed []byte) []byte {
	records, err := v.lookups.Open(nil, nil, sealed, nil)
	if err != nil {
		return nil
	}
	return records
}
