package app

import (
	"context"
	"crypto/sha256"
	"time"

	"causeway/ports"
	"causeway/simulator/world"
)

// callCache is a cache of account names for simulated calls. A call whose outcome was requested
// shares no entry with another one, and no call gets an entry from before a change of its world.
type callCache struct{ ports.NameCache }

func newCallCache(c ports.NameCache) ports.NameCache { return callCache{c} }

// Load returns the value that a call of the same kind stored.
func (c callCache) Load(ctx context.Context, key [32]byte) ([]byte, bool) {
	return c.NameCache.Load(ctx, keyOfCall(ctx, key))
}

// Store keeps a value for calls of the same kind.
func (c callCache) Store(ctx context.Context, key [32]byte, value []byte, ttl time.Duration) {
	c.NameCache.Store(ctx, keyOfCall(ctx, key), value, ttl)
}

func keyOfCall(ctx context.Context, key [32]byte) [32]byte {
	return sha256.Sum256(append(key[:], world.RequestFrom(ctx).CacheKey()...))
}
