package redis_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"causeway/adapters/redis"
	"causeway/adapters/redis/redistest"
	"causeway/ports"
	"causeway/ports/porttest"
)

// drawer is a vault in memory whose time a test lets pass.
type drawer struct {
	mu    sync.Mutex
	now   time.Duration
	there map[[32]byte]kept
}

type kept struct {
	value string
	until time.Duration
}

func (d *drawer) Load(_ context.Context, key [32]byte) ([]byte, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.there[key]; k.until > d.now {
		return []byte(k.value), true
	}
	return nil, false
}

func (d *drawer) Store(_ context.Context, key [32]byte, value []byte, ttl time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.there[key] = kept{string(value), d.now + ttl}
}

func (d *drawer) pass(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now += by
}

func TestTiers(t *testing.T) {
	t.Parallel()
	porttest.Vault(t, porttest.Safe{Open: func(*testing.T) (ports.Vault, func(time.Duration)) {
		near, far := &drawer{there: map[[32]byte]kept{}}, &drawer{there: map[[32]byte]kept{}}
		return redis.NewTiers(near, far), func(by time.Duration) { near.pass(by); far.pass(by) }
	}})
}

// What one replica learns the others know, and each knows what it learnt when the server is gone.
func TestReplicasShareWhatTheyLearn(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	open := func() ports.Vault {
		return redis.NewTiers(&drawer{there: map[[32]byte]kept{}}, redis.NewVault(connect(t, server, "x:")))
	}
	one, two := open(), open()
	key := [32]byte{1}
	one.Store(t.Context(), key, []byte("sealed"), time.Hour)
	await(t, "the other one knows", func() bool {
		got, ok := two.Load(t.Context(), key)
		return ok && string(got) == "sealed"
	})
	server.Kill()
	if got, ok := one.Load(t.Context(), key); !ok || string(got) != "sealed" {
		t.Errorf("who learnt it: %q, %t", got, ok)
	}
	if got, ok := two.Load(t.Context(), key); ok {
		t.Errorf("who did not: %q", got)
	}
	two.Store(t.Context(), key, []byte("again"), time.Hour)
	if got, ok := two.Load(t.Context(), key); !ok || string(got) != "again" {
		t.Errorf("learnt alone: %q, %t", got, ok)
	}
}
