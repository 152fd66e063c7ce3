package redis

import (
	"context"
	"time"

	"causeway/ports"
)

// Tiers keep what is stored in two vaults: a near one, which is asked first, and a far one that replicas share. They know what either knows, so
// where the far one is away nothing is lost that was learnt here. What comes from the far one is not kept in the near one: how long it
// is good for is known there alone.
type Tiers struct{ near, far ports.Vault }

var _ ports.Vault = Tiers{}

// NewTiers joins two vaults.
func NewTiers(near, far ports.Vault) Tiers { return Tiers{near, far} }

// Load returns what the first vault knows that knows something.
func (t Tiers) Load(ctx context.Context, key [32]byte) ([]byte, bool) {
	if value, ok := t.near.Load(ctx, key); ok {
		return value, true
	}
	return t.far.Load(ctx, key)
}

// Store stores in both.
func (t Tiers) Store(ctx context.Context, key [32]byte, value []byte, ttl time.Duration) {
	t.near.Store(ctx, key, value, ttl)
	t.far.Store(ctx, key, value, ttl)
}
