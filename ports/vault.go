package ports

import (
	"context"
	"time"
)

// Vault keeps bytes for a while without knowing what they are: whoever stores them seals them first.
//
// Load returns what was stored last under a key, until its time is up; the bytes are the caller's own. Store keeps a copy of a value for
// ttl and no longer; a ttl of zero or less keeps nothing, and what was stored before under that key is gone. A vault is bounded, and may
// forget anything at any time; it never mixes keys up. One that cannot be reached, or fails, forgets: Load says false, Store does nothing, and
// the vault counts that in a metric of its own. Both are safe for concurrent use and return promptly, and when ctx is done at the latest.
type Vault interface {
	Load(ctx context.Context, key [32]byte) ([]byte, bool)
	Store(ctx context.Context, key [32]byte, value []byte, ttl time.Duration)
}
