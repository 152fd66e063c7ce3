package redis

import (
	"context"
	"encoding/base64"
	"time"

	"github.com/redis/rueidis"

	"causeway/ports"
)

// NameCache is a cache of sealed account names that replicas share. Keys are keyed hashes and values are sealed before
// they come here.
type NameCache struct{ client *Client }

var _ ports.NameCache = NameCache{}

// NewNameCache returns the cache of a server.
func NewNameCache(client *Client) NameCache { return NameCache{client} }

func (c NameCache) key(key [32]byte) string {
	return c.client.cfg.Prefix + "name:" + base64.RawURLEncoding.EncodeToString(key[:])
}

// Load returns the value of a key. A failure is a miss.
func (c NameCache) Load(ctx context.Context, key [32]byte) ([]byte, bool) {
	value, _, ok := c.load(ctx, key)
	return value, ok
}

// load returns the value of a key and how long it has left.
func (c NameCache) load(ctx context.Context, key [32]byte) (value []byte, left time.Duration, ok bool) {
	err := c.client.do(ctx, "cache", func(ctx context.Context, client rueidis.Client) error {
		answers := client.DoMulti(ctx, client.B().Get().Key(c.key(key)).Build(), client.B().Pttl().Key(c.key(key)).Build())
		var err error
		if value, err = answers[0].AsBytes(); err != nil {
			return err
		}
		millis, err := answers[1].AsInt64()
		left = time.Duration(millis) * time.Millisecond
		return err
	})
	return value, left, err == nil
}

// Store sets the value of a key for ttl, or deletes the key if ttl is not positive. Failures are counted by the client.
func (c NameCache) Store(ctx context.Context, key [32]byte, value []byte, ttl time.Duration) {
	_ = c.client.do(ctx, "cache", func(ctx context.Context, client rueidis.Client) error {
		if ttl < time.Millisecond {
			return client.Do(ctx, client.B().Del().Key(c.key(key)).Build()).Error()
		}
		set := client.B().Set().Key(c.key(key)).Value(rueidis.BinaryString(value)).Px(ttl).Build()
		return client.Do(ctx, set).Error()
	})
}

// copied is how long a value of the shared cache stays in the local one, at most.
const copied = time.Minute

// layeredCache looks into a local cache before a shared one.
type layeredCache struct {
	local  ports.NameCache
	shared NameCache
}

// Layered returns a cache that stores values in both caches and reads the local one first, so that values which this
// process stored survive an outage of the shared cache. A value that another process stored is copied to the local one
// for a minute: a value that is replaced meanwhile is seen as late.
func Layered(local ports.NameCache, shared NameCache) ports.NameCache {
	return layeredCache{local, shared}
}

// Load returns the value of a key.
func (c layeredCache) Load(ctx context.Context, key [32]byte) ([]byte, bool) {
	if value, ok := c.local.Load(ctx, key); ok {
		return value, true
	}
	value, left, ok := c.shared.load(ctx, key)
	if ok {
		c.local.Store(ctx, key, value, min(left, copied))
	}
	return value, ok
}

// Store sets the value of a key in both caches.
func (c layeredCache) Store(ctx context.Context, key [32]byte, value []byte, ttl time.Duration) {
	c.local.Store(ctx, key, value, ttl)
	c.shared.Store(ctx, key, value, ttl)
}
