// Package memory holds stores in the memory of the process: a cache of sealed account names, bounded in
// bytes, and the deposit addresses and transactions of simulated worlds.
// The cache implements ports.NameCache over github.com/maypok86/otter.
package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/maypok86/otter/v2"

	"causeway/core"
	"causeway/ports"
)

// DefaultBytes is the size of a cache of about 100,000 names.
const DefaultBytes = 32 << 20

const (
	overhead = 160     // bytes of an entry besides its value: key, node and slot in the table
	minBytes = 1 << 16 // of a cache

	// A value may take up to 1/maxShare of the cache, so that one does not evict all others.
	maxShare = 16
)

// Cache is a cache in memory.
type Cache struct {
	// An interface, because Go compiles all methods of a generic type again in each package that uses
	// a type with such a field.
	cache interface {
		GetIfPresent(key [32]byte) (entry, bool)
		Set(key [32]byte, e entry) (entry, bool)
		Invalidate(key [32]byte) (entry, bool)
	}
	maxBytes int
}

var _ ports.NameCache = (*Cache)(nil)

type entry struct {
	value []byte
	ttl   time.Duration
}

// New returns an empty cache. Entries expire by the clock, which is virtual in a sandbox.
func New(maxBytes int, clock core.Clock) (*Cache, error) {
	if maxBytes < minBytes {
		return nil, fmt.Errorf("memory: %d bytes are too few; accepted: %d or more", maxBytes, minBytes)
	}
	if clock == nil {
		return nil, errors.New("memory: no clock")
	}
	cache, err := otter.New(&otter.Options[[32]byte, entry]{
		MaximumWeight: uint64(maxBytes),
		Weigher: func(_ [32]byte, e entry) uint32 {
			return uint32(len(e.value) + overhead) //nolint:gosec // bounded by Store
		},
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[[32]byte, entry]) time.Duration { return e.Value.ttl }),
		Clock:            otterClock(clock),
		Logger:           &otter.NoopLogger{},
	})
	if err != nil {
		return nil, err
	}
	return &Cache{cache, maxBytes}, nil
}

// Load returns the value of a key until it expires.
func (c *Cache) Load(_ context.Context, key [32]byte) ([]byte, bool) {
	e, ok := c.cache.GetIfPresent(key)
	return slices.Clone(e.value), ok
}

// Store sets the value of a key for ttl. It deletes the key if ttl is not positive or the value is too large.
func (c *Cache) Store(_ context.Context, key [32]byte, value []byte, ttl time.Duration) {
	if ttl <= 0 || len(value) > c.maxBytes/maxShare {
		c.cache.Invalidate(key)
		return
	}
	c.cache.Set(key, entry{slices.Clone(value), ttl})
}

// otterClock is a clock as otter reads it.
type otterClock core.Clock

// NowNano returns the time in nanoseconds since 1970.
func (c otterClock) NowNano() int64 { return c().UnixNano() }

// Tick returns no channel: a virtual clock has no ticks. Otter then removes expired entries while it is used, and never
// returns one.
func (otterClock) Tick(time.Duration) <-chan time.Time { return nil }
