package app

import (
	"bytes"
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

// Load returns the value that a call of the same kind stored. If a magic number decided that value, it decides
// this response, too.
func (c callCache) Load(ctx context.Context, key [32]byte) ([]byte, bool) {
	entry, ok := c.NameCache.Load(ctx, keyOfCall(ctx, key))
	applied, value, complete := bytes.Cut(entry, []byte{0})
	if !ok || !complete {
		return nil, false
	}
	world.RequestFrom(ctx).Decide(string(applied))
	return value, true
}

// Store keeps a value for calls of the same kind, after the magic number that decided it.
func (c callCache) Store(ctx context.Context, key [32]byte, value []byte, ttl time.Duration) {
	entry := append([]byte(world.RequestFrom(ctx).AppliedMagic()+"\x00"), value...)
	c.NameCache.Store(ctx, keyOfCall(ctx, key), entry, ttl)
}

func keyOfCall(ctx context.Context, key [32]byte) [32]byte {
	return sha256.Sum256(append(key[:], world.RequestFrom(ctx).CacheKey()...))
}
