package redis_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"causeway/adapters/redis"
	"causeway/adapters/redis/redistest"
	"causeway/core"
)

func newSharing(t *testing.T, c connection) *redis.PriceSharing {
	t.Helper()
	sharing, err := redis.NewPriceSharing(c.Client, redis.SharingTiming{
		SnapshotTTL: 10 * time.Second, Lease: 3 * time.Second, Election: 500 * time.Millisecond, ResignPause: 10 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return sharing
}

// subscribe returns the newest snapshot that a new subscriber received.
func subscribe(t *testing.T, c connection) func() string {
	t.Helper()
	var newest atomic.Value
	newest.Store("")
	store := newSharing(t, c)
	background(t, func(ctx context.Context) {
		store.Subscribe(ctx, func(snapshot []byte) { newest.Store(string(snapshot)) })
	})
	return func() string { return newest.Load().(string) }
}

func TestPriceSharing_Snapshots(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	leader, follower := connect(t, server.URL(), "x:"), connect(t, server.URL(), "x:")
	store, newest := newSharing(t, leader), subscribe(t, follower)
	publish := func(snapshot string) {
		t.Helper()
		await(t, "publication of "+snapshot, func() bool { return store.Publish(t.Context(), []byte(snapshot)) == nil })
	}
	// A snapshot that is published between the read of the stored one and the subscription is missed.
	await(t, "a snapshot", func() bool { publish("\x00one"); return newest() == "\x00one" })
	await(t, "the next snapshot", func() bool { publish("two"); return newest() == "two" })
	late := subscribe(t, connect(t, server.URL(), "x:"))
	await(t, "the stored snapshot at a new subscriber", func() bool { return late() == "two" })
	if other := subscribe(t, connect(t, server.URL(), "y:")); other() != "" {
		t.Errorf("other installation: got %q, want none", other())
	}
	server.Kill()
	await(t, "the outage is noticed", func() bool { return !leader.Up() && !follower.Up() })
	if err := store.Publish(t.Context(), []byte("lost")); core.CodeOf(err) != core.Unavailable {
		t.Errorf("no server: got %v", err)
	}
	server.Start()
	await(t, "a subscriber after a restart", func() bool { publish("three"); return newest() == "three" })
}

// candidate is a process that campaigns.
type candidate struct {
	leads  atomic.Int32 // how many times at once
	resign chan struct{}
	stop   func()
}

func campaign(t *testing.T, url core.Secret) *candidate {
	t.Helper()
	election := newSharing(t, connect(t, url, "x:"))
	c := &candidate{resign: make(chan struct{})}
	c.stop = background(t, func(ctx context.Context) {
		election.Campaign(ctx, func(ctx context.Context) {
			c.leads.Add(1)
			defer c.leads.Add(-1)
			select {
			case <-ctx.Done():
			case <-c.resign:
			}
		})
	})
	return c
}

func TestPriceSharing_Election(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	network := server.Proxy()
	a := campaign(t, network.URL())
	await(t, "the only candidate leads", func() bool { return a.leads.Load() == 1 })
	b := campaign(t, server.URL())

	network.Part()
	await(t, "the other one leads", func() bool { return b.leads.Load() == 1 && a.leads.Load() == 0 })
	network.Join()

	b.resign <- struct{}{}
	await(t, "the other one leads after a resignation", func() bool { return a.leads.Load() == 1 && b.leads.Load() == 0 })

	server.Do("FLUSHALL")
	await(t, "one leads after a flush", func() bool {
		return a.leads.Load()+b.leads.Load() == 1 && server.Do("KEYS", "x:lock*") != ""
	})

	server.Kill()
	await(t, "no one leads without a server", func() bool { return a.leads.Load()+b.leads.Load() == 0 })
	server.Start()
	await(t, "one leads again", func() bool { return a.leads.Load()+b.leads.Load() == 1 })

	leader, other := a, b
	if b.leads.Load() == 1 {
		leader, other = b, a
	}
	leader.stop()
	await(t, "the other one leads after a shutdown", func() bool { return other.leads.Load() == 1 })
}
