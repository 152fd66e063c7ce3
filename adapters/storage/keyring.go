package storage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/zap"

	"causeway/core"
	"causeway/ports"
)

const (
	// A revocation takes effect within 5 seconds: after refreshEvery and a short query.
	refreshEvery = time.Second
	// Every fullEvery-th refresh reads all keys, for changes by hand that leave the revision as it is.
	fullEvery  = 3600
	noRevision = -1

	lastUsedEvery = time.Minute
	retryKeyAfter = 2 * time.Second
)

// keyTable is what a KeyRing needs of Keys.
type keyTable interface {
	load(ctx context.Context, seen int64) (keys []storedKey, revision int64, all bool, err error)
	setLastUsed(ctx context.Context, used map[string]time.Time) error
}

// KeyRing is a copy of the API keys in memory, which Run keeps up to date. If the database cannot be
// read, the last good copy stays in use.
//
// A key that was seen revoked stays revoked until the process ends, even if the database is restored
// from an older backup. Keys that were revoked after that backup must be revoked again, because a
// process that starts later does not know about them.
type KeyRing struct {
	table keyTable // nil: there is no database
	log   *zap.Logger

	static atomic.Pointer[map[keyHash]core.Key]
	stale  atomic.Bool  // the last read failed, or there was none
	read   atomic.Int64 // time of the last successful read, Unix nanoseconds; 0: never

	refreshing sync.Mutex // guards the following fields
	outage     outage
	refreshes  int // successful ones
	revision   int64
	revoked    map[string]time.Time // by ID

	mu   sync.Mutex // guards keys and used
	keys map[keyHash]core.Key
	used map[string]time.Time
}

var _ ports.KeyRing = (*KeyRing)(nil)

// NewKeyRing makes a key ring that holds the static keys only, until Refresh or Run reads the
// database. All arguments may be nil.
func NewKeyRing(store *Store, static []core.Secret, log *zap.Logger, reg prometheus.Registerer) *KeyRing {
	if store == nil {
		return newKeyRing(nil, static, orNop(log), reg)
	}
	return newKeyRing(store.Keys(), static, orNop(log), reg)
}

func newKeyRing(table keyTable, static []core.Secret, log *zap.Logger, reg prometheus.Registerer) *KeyRing {
	r := &KeyRing{
		table: table, log: log, revoked: map[string]time.Time{}, keys: map[keyHash]core.Key{}, used: map[string]time.Time{},
	}
	r.SetStatic(static)
	r.stale.Store(table != nil)
	auto := promauto.With(reg)
	r.outage = outage{log, auto.NewCounter(prometheus.CounterOpts{
		Name: "causeway_keys_failures_total",
		Help: "Failed reads of API keys from the database, failed writes of the times of their last use, " +
			"and restored backups.",
	}), false}
	auto.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "causeway_keys_last_read_timestamp_seconds",
		Help: "Time of the last successful read of API keys from the database, as a Unix timestamp; " +
			"0 before the first, or without a database.",
	}, func() float64 { return time.Duration(r.read.Load()).Seconds() })
	return r
}

// SetStatic replaces the keys of the configuration, which are valid for every operation.
func (r *KeyRing) SetStatic(credentials []core.Secret) {
	static := make(map[keyHash]core.Key, len(credentials))
	for i, credential := range credentials {
		hash := hashOf(credential)
		static[hash] = core.Key{
			ID: fmt.Sprintf("config_%d", i+1), Account: "config_" + hash.hex()[:idLength], Name: "auth.keys",
			Scopes: []string{core.AllScopes},
		}
	}
	r.static.Store(&static)
}

// Len returns the number of keys in the database, revoked and expired ones included.
func (r *KeyRing) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.keys)
}

// Find returns the key with the given credential.
func (r *KeyRing) Find(_ context.Context, credential core.Secret) (core.Key, error) {
	hash := hashOf(credential)
	if key, ok := (*r.static.Load())[hash]; ok {
		return key, nil
	}
	key, known, live := r.use(hash, time.Now())
	if live {
		return key, nil
	}
	if !known && r.stale.Load() && wellFormed(credential) {
		const message = "API keys cannot be checked at the moment. Retry later."
		return core.Key{}, core.Errorf(core.Unavailable, message).Retry(retryKeyAfter)
	}
	return core.Key{}, core.Errorf(core.Unauthorized,
		"The API key is unknown, expired or revoked. Check the header Authorization: Bearer <key>.")
}

// use returns the key with a hash, and remembers its use if it is live.
func (r *KeyRing) use(hash keyHash, now time.Time) (key core.Key, known, live bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key, known = r.keys[hash]
	if live = known && key.Live(now); live {
		r.used[key.ID] = now
	}
	return key, known, live
}

// Refresh reads the keys if they changed. It logs the start and the end of an outage.
func (r *KeyRing) Refresh(ctx context.Context) error {
	if r.table == nil {
		return nil
	}
	r.refreshing.Lock()
	defer r.refreshing.Unlock()
	seen := r.revision
	if r.refreshes%fullEvery == 0 {
		seen = noRevision
	}
	keys, revision, all, err := r.table.load(ctx, seen)
	if errors.Is(ctx.Err(), context.Canceled) {
		return err // the process stops
	}
	r.outage.observe(err, "API keys cannot be read; the last known keys stay in use")
	r.stale.Store(err != nil)
	if err != nil {
		return err
	}
	if revision != seen {
		r.update(keys, revision, all)
	}
	r.refreshes++
	r.read.Store(time.Now().UnixNano())
	return nil
}

// update puts keys that changed in use, or all keys, with the revocations that the database may have lost.
func (r *KeyRing) update(stored []storedKey, revision int64, all bool) {
	keys := make(map[keyHash]core.Key, len(stored))
	var restored []string
	for _, s := range stored {
		if !s.Revoked.IsZero() {
			r.revoked[s.ID] = s.Revoked
		} else if at, ok := r.revoked[s.ID]; ok {
			s.Revoked, restored = at, append(restored, s.ID)
		}
		keys[s.hash] = s.Key
	}
	if revision < r.revision || len(restored) > 0 {
		r.outage.failed.Inc()
		r.log.Error("the database was restored from an older state; "+
			"revoke the listed keys again, and any other key revoked since the backup",
			zap.Strings("keys", restored), zap.Int64("revision", revision), zap.Int64("revision_before", r.revision))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if all {
		r.keys = keys
	} else {
		maps.Copy(r.keys, keys)
	}
	r.revision = revision
}

// Run refreshes the keys and stores when they were used last, until ctx is done.
func (r *KeyRing) Run(ctx context.Context) {
	if r.table == nil {
		return
	}
	refresh, flush := time.NewTicker(refreshEvery), time.NewTicker(lastUsedEvery)
	defer refresh.Stop()
	defer flush.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
			defer cancel()
			r.flushLastUsed(last)
			return
		case <-refresh.C:
			_ = r.Refresh(ctx) // logged
		case <-flush.C:
			r.flushLastUsed(ctx)
		}
	}
}

// flushLastUsed stores when keys were used last. After a failure the next flush stores it.
func (r *KeyRing) flushLastUsed(ctx context.Context) {
	r.mu.Lock()
	used := r.used
	r.used = map[string]time.Time{}
	r.mu.Unlock()
	if len(used) == 0 {
		return
	}
	if err := r.table.setLastUsed(ctx, used); err != nil {
		r.outage.failed.Inc()
		r.log.Warn("times of last use of API keys cannot be stored; the keys stay valid", zap.Error(err))
		r.mu.Lock()
		defer r.mu.Unlock()
		maps.Copy(used, r.used)
		r.used = used
	}
}
