package memory_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"causeway/adapters/memory"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

// hands is a clock that the test advances.
type hands struct{ ns atomic.Int64 }

func (h *hands) now() time.Time          { return time.Unix(1795824000, h.ns.Load()) }
func (h *hands) pass(span time.Duration) { h.ns.Add(int64(span)) }

func open(t testing.TB, bytes int, clock core.Clock) *memory.Cache {
	t.Helper()
	v, err := memory.New(bytes, clock)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCache_Contract(t *testing.T) {
	t.Parallel()
	porttest.NameCache(t, porttest.NameCacheSpec{Open: func(t *testing.T) (ports.NameCache, func(time.Duration)) {
		t.Helper()
		clock := &hands{}
		return open(t, 2<<20, clock.now), clock.pass
	}})
}

func key(n int) (out [32]byte) {
	binary.LittleEndian.PutUint64(out[:], uint64(n))
	return out
}

// The bound holds whatever is stored: many small values, large ones, and one that is larger than the cache.
func TestCache_Bounded(t *testing.T) {
	t.Parallel()
	const room, count = 1 << 20, 20_000
	for _, c := range []struct{ size, least int }{{1, 1000}, {200, 1400}, {50_000, 10}, {room / 8, 0}} {
		t.Run(fmt.Sprintf("values of %d bytes", c.size), func(t *testing.T) {
			t.Parallel()
			value := bytes.Repeat([]byte("x"), c.size)
			synctest.Test(t, func(t *testing.T) {
				v := open(t, room, (&hands{}).now)
				for n := range count {
					v.Store(t.Context(), key(n), value, time.Hour)
				}
				synctest.Wait() // evictions follow at once, but not in the same call
				kept := 0
				for n := range count {
					if _, ok := v.Load(t.Context(), key(n)); ok {
						kept++
					}
				}
				if kept*c.size > room || kept < c.least {
					t.Errorf("%d values of %d bytes were kept in %d; want %d at least", kept, c.size, room, c.least)
				}
			})
		})
	}
}

// Entries survive a clock that is set back, and expire when it is set forward.
func TestCache_Clock(t *testing.T) {
	t.Parallel()
	clock := &hands{}
	v := open(t, 1<<20, clock.now)
	v.Store(t.Context(), key(1), []byte("one"), time.Hour)
	clock.pass(-48 * time.Hour)
	if _, ok := v.Load(t.Context(), key(1)); !ok {
		t.Error("clock set back: got a miss, want the entry")
	}
	clock.pass(96 * time.Hour)
	if _, ok := v.Load(t.Context(), key(1)); ok {
		t.Error("a day after expiry: got the entry, want a miss")
	}
}

// A synctest bubble does not end while a goroutine runs in it.
func TestCache_NoGoroutines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := open(t, 1<<20, time.Now)
		for n := range 10_000 {
			v.Store(t.Context(), key(n), []byte("value"), time.Minute)
		}
	})
}

func TestNew(t *testing.T) {
	t.Parallel()
	if _, err := memory.New(1, time.Now); err == nil || !strings.Contains(err.Error(), "accepted: 65536 or more") {
		t.Errorf("got %v for one byte", err)
	}
	if _, err := memory.New(memory.DefaultBytes, nil); err == nil {
		t.Error("got no error without a clock")
	}
}
