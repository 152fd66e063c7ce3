package ports

import (
	"context"
	"time"
)

// NameCache keeps sealed account names for a limited time. It cannot read them: callers seal values
// and hash keys.
//
// Load returns the last value stored under a key until it expires; the caller owns the bytes. Store
// keeps a copy of a value for ttl; a ttl of zero or less deletes the key. A cache is bounded and
// may drop any value at any time, but never returns the value of another key. A cache that fails
// reports a miss, ignores Store, and counts the failure in a metric.
//
// Both are safe for concurrent use and return promptly, at the latest when ctx ends.
type NameCache interface {
	Load(ctx context.Context, key [32]byte) ([]byte, bool)
	Store(ctx context.Context, key [32]byte, value []byte, ttl time.Duration)
}
