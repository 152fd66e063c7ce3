// Package memory keeps sealed bytes in the process's memory for a while: a ports.NameCache for one machine, and one for each simulated
// world. It is bounded by bytes, runs by the world's clock, and is gone with the process. It cannot read what it keeps, writes nothing to
// disk and starts no goroutine that outlives a call.
//
// It is made of github.com/maypok86/otter/v2 (v2.4.0 or later: earlier ones could lose a write or grow without bound; read 2026-11). Of
// its traps none is stepped into: there are no loaders, no refreshes and no callbacks but the weigher and the time to live,
// which look at nothing but the entry. Without ticks of its clock it cleans up while it is used; what is out of time is
// never returned before that.
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

// Name of the package's fx module.
const Name = "memory"

const (
	overhead  = 160            // bytes that an entry takes beside its value: key, node, slot of the table
	leastRoom = 1 << 16        // bytes; less is no cache
	mostRoom  = int64(1) << 34 // more than an int holds on small machines
)

// Config bounds the cache.
type Config struct {
	MaxBytes int `json:"-"`
}

// Default returns room for 100,000 answers.
func Default() Config { return Config{MaxBytes: 32 << 20} }

// Check returns what is wrong with the configuration, with the value and what is accepted.
func (c Config) Check() error {
	if c.MaxBytes < leastRoom || int64(c.MaxBytes) > mostRoom {
		return fmt.Errorf("memory.max_bytes is %d; accepted: %d to %d", c.MaxBytes, leastRoom, mostRoom)
	}
	return nil
}

// Cache is a ports.NameCache in memory.
type Cache struct {
	cache *otter.Cache[[32]byte, entry]
	most  int // bytes
}

var _ ports.NameCache = (*Cache)(nil)

// entry is a value with the time that it was given.
type entry struct {
	value []byte
	ttl   time.Duration
}

// New makes an empty cache that runs by a world's clock.
func New(cfg Config, clock core.Clock) (*Cache, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	if clock == nil {
		return nil, errors.New("memory: no clock")
	}
	cache, err := otter.New(&otter.Options[[32]byte, entry]{
		MaximumWeight:    uint64(cfg.MaxBytes),                                                        //nolint:gosec // checked above
		Weigher:          func(_ [32]byte, e entry) uint32 { return uint32(len(e.value) + overhead) }, //nolint:gosec // Store bounds it
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[[32]byte, entry]) time.Duration { return e.Value.ttl }),
		Clock:            hands(clock),
		Logger:           &otter.NoopLogger{},
	})
	if err != nil {
		return nil, err
	}
	return &Cache{cache: cache, most: cfg.MaxBytes}, nil
}

// Load returns what was stored last under a key, until its time is up.
func (v *Cache) Load(_ context.Context, key [32]byte) ([]byte, bool) {
	e, ok := v.cache.GetIfPresent(key)
	return slices.Clone(e.value), ok
}

// Store keeps a copy of a value for a while, if it is small enough to leave room for others.
func (v *Cache) Store(_ context.Context, key [32]byte, value []byte, ttl time.Duration) {
	if ttl <= 0 || len(value) > v.most/16 {
		v.cache.Invalidate(key)
		return
	}
	v.cache.Set(key, entry{value: slices.Clone(value), ttl: ttl})
}

// hands is a world's clock as otter reads it.
type hands core.Clock

// NowNano is the world's time in ns since 1970.
func (h hands) NowNano() int64 { return h().UnixNano() }

// Tick is never: nobody ticks in a world whose clock stands still.
func (hands) Tick(time.Duration) <-chan time.Time { return nil }
