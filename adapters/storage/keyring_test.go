package storage

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"causeway/core"
)

// fakeTable is a table of keys in memory, which can fail and hang.
type fakeTable struct {
	mu       sync.Mutex
	keys     []storedKey
	revision int64
	loads    int // that returned keys
	err      error
	hang     bool
	used     map[string]time.Time
}

func (f *fakeTable) load(ctx context.Context, seen int64) ([]storedKey, int64, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hang {
		ctx, cancel := context.WithTimeout(ctx, queryTimeout)
		defer cancel()
		<-ctx.Done()
		return nil, 0, false, ctx.Err()
	}
	if f.err != nil || f.revision == seen {
		return nil, f.revision, false, f.err
	}
	f.loads++
	return append([]storedKey(nil), f.keys...), f.revision, true, nil
}

func (f *fakeTable) setLastUsed(_ context.Context, used map[string]time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.used = used
	}
	return f.err
}

// set changes the table.
func (f *fakeTable) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// keyOf returns a row and its credential.
func keyOf(id string) (storedKey, core.Secret) {
	credential := core.Secret(prefix + id + "_" + strings.Repeat("x", secretLength))
	return storedKey{core.Key{ID: id, Scopes: []string{"*"}}, hashOf(credential)}, credential
}

// ringTest is a key ring that runs over a fake table, in a synctest bubble.
type ringTest struct {
	*KeyRing
	t     *testing.T
	table *fakeTable
	logs  *observer.ObservedLogs
}

func runRing(t *testing.T, table *fakeTable) ringTest {
	t.Helper()
	observed, logs := observer.New(zap.InfoLevel)
	ring := newKeyRing(table, []core.Secret{"static-key"}, zap.New(observed), prometheus.NewRegistry())
	r := ringTest{ring, t, table, logs}
	_ = r.Refresh(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return r
}

// want checks the result of Find; an empty code is success.
func (r ringTest) want(when string, credential core.Secret, want core.Code) {
	r.t.Helper()
	if key, err := r.Find(r.t.Context(), credential); core.CodeOf(err) != want {
		r.t.Errorf("%s: got %+v, %v; want %q", when, key, err, want)
	}
}

func (r ringTest) failures() float64 { return value(r.t, r.outage.failed) }

// value returns the value of a counter or a gauge.
func value(t *testing.T, metric prometheus.Collector) float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(metric)
	families, err := registry.Gather()
	if err != nil || len(families) != 1 {
		t.Fatalf("%d metrics, %v", len(families), err)
	}
	m := families[0].GetMetric()[0]
	return m.GetCounter().GetValue() + m.GetGauge().GetValue()
}

func TestKeyRing_Revocation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key, credential := keyOf("0123456789")
		r := runRing(t, &fakeTable{keys: []storedKey{key}, revision: 1})
		r.want("before", credential, "")
		r.table.set(func() { r.table.keys[0].Revoked, r.table.revision = time.Now().Add(time.Hour), 2 })
		time.Sleep(5 * time.Second)
		r.want("5 s later, with a revocation time in the future", credential, core.Unauthorized)
	})
}

func TestKeyRing_Expiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key, credential := keyOf("0123456789")
		key.Expires = time.Now().Add(time.Hour)
		r := runRing(t, &fakeTable{keys: []storedKey{key}, revision: 1})
		r.table.set(func() { r.table.err = errors.New("down") })
		time.Sleep(time.Hour - time.Nanosecond)
		r.want("before", credential, "")
		time.Sleep(time.Nanosecond)
		r.want("after", credential, core.Unauthorized)
	})
}

func TestKeyRing_Outage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key, credential := keyOf("0123456789")
		fresh, freshCredential := keyOf("abcdefghij")
		r := runRing(t, &fakeTable{keys: []storedKey{key}, revision: 1})
		read := r.read.Load()
		r.table.set(func() {
			r.table.err = errors.New("down")
			r.table.keys, r.table.revision = append(r.table.keys, fresh), 2
		})
		time.Sleep(time.Minute)
		r.want("known key", credential, "")
		r.want("key that may be new", freshCredential, core.Unavailable)
		r.want("malformed key", "secret", core.Unauthorized)
		r.want("static key", "static-key", "")
		n, age := r.logs.FilterLevelExact(zap.ErrorLevel).Len(), time.Duration(r.read.Load()-read)
		if n != 1 || r.failures() < 50 || age > 2*time.Second {
			t.Errorf("got %d errors in the log, %v failures, last read %s after the start", n, r.failures(), age)
		}
		r.table.set(func() { r.table.err = nil })
		time.Sleep(5 * time.Second)
		r.want("new key after the outage", freshCredential, "")
		unknown := core.Secret(strings.Replace(credential.Reveal(), "x", "y", 1))
		r.want("unknown key after the outage", unknown, core.Unauthorized)
	})
}

// A ring that never read the database accepts no key and reports unavailable instead of unauthorized.
func TestKeyRing_DownAtStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key, credential := keyOf("0123456789")
		r := runRing(t, &fakeTable{keys: []storedKey{key}, revision: 1, err: errors.New("down")})
		r.want("before the first read", credential, core.Unavailable)
		if got := r.read.Load(); got != 0 {
			t.Errorf("last read %d, want 0", got)
		}
		r.table.set(func() { r.table.err = nil })
		time.Sleep(2 * time.Second)
		r.want("after it", credential, "")
		if got := time.Since(time.Unix(0, r.read.Load())); got > 2*time.Second {
			t.Errorf("got last read %s ago", got)
		}
	})
}

// A query that hangs ends at its timeout, and requests do not wait for it.
func TestKeyRing_Hang(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key, credential := keyOf("0123456789")
		r := runRing(t, &fakeTable{keys: []storedKey{key}, revision: 1})
		r.table.set(func() { r.table.hang = true })
		time.Sleep(time.Minute)
		start := time.Now()
		r.want("during it", credential, "")
		if took := time.Since(start); took != 0 {
			t.Errorf("Find: got %s, want an immediate result", took)
		}
		if n := r.failures(); n < 3 {
			t.Errorf("%v failures, want one per timeout", n)
		}
	})
}

// A database that is restored from a backup does not revive a key that this process saw revoked.
func TestKeyRing_RestoredBackup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key, credential := keyOf("0123456789")
		r := runRing(t, &fakeTable{keys: []storedKey{key}, revision: 7})
		r.table.set(func() { r.table.keys[0].Revoked, r.table.revision = time.Now(), 8 })
		time.Sleep(2 * time.Second)
		r.table.set(func() { r.table.keys[0].Revoked, r.table.revision = time.Time{}, 7 })
		time.Sleep(2 * time.Second)
		r.want("after the restore", credential, core.Unauthorized)
		if n := r.logs.FilterMessageSnippet("older state").Len(); n != 1 || r.failures() != 1 {
			t.Errorf("got %d errors in the log, %v failures", n, r.failures())
		}
	})
}

// A change by hand leaves the revision as it is. It takes effect within about an hour.
func TestKeyRing_ChangeByHand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key, credential := keyOf("0123456789")
		r := runRing(t, &fakeTable{keys: []storedKey{key}, revision: 1})
		r.table.set(func() { r.table.keys[0].Revoked = time.Now() })
		time.Sleep(fullEvery * refreshEvery)
		synctest.Wait()
		r.want("an hour later", credential, core.Unauthorized)
		if r.table.loads != 2 {
			t.Errorf("read all keys %d times, want 2", r.table.loads)
		}
	})
}

func TestKeyRing_LastUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key, credential := keyOf("0123456789")
		idle, _ := keyOf("abcdefghij")
		r := runRing(t, &fakeTable{keys: []storedKey{key, idle}, revision: 1})
		at := time.Now()
		r.want("first", credential, "")
		r.table.set(func() { r.table.err = errors.New("down") })
		time.Sleep(lastUsedEvery + time.Second)
		r.table.set(func() { r.table.err = nil })
		time.Sleep(lastUsedEvery)
		synctest.Wait()
		if len(r.table.used) != 1 || !r.table.used[key.ID].Equal(at) {
			t.Errorf("got %v, want %s", r.table.used, at)
		}
	})
}

func TestKeyRing_StaticKeys(t *testing.T) {
	t.Parallel()
	ring := NewKeyRing(nil, []core.Secret{"key-of-alice", "key-of-bob"}, zap.NewNop(), nil)
	good := func(credential core.Secret) bool {
		key, err := ring.Find(t.Context(), credential)
		if err == nil && (!key.Allows("resolve-account") || strings.Contains(key.ID, "alice")) {
			t.Errorf("got %+v", key)
		}
		return err == nil
	}
	if !good("key-of-alice") || !good("key-of-bob") || good("key-of-carol") || good("") {
		t.Error("wrong keys")
	}
	ring.SetStatic([]core.Secret{"key-of-carol"})
	if good("key-of-alice") || !good("key-of-carol") {
		t.Error("keys were not replaced")
	}
}

func TestKeys_SetLastUsed(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, cfg Config) {
		keys := open(t, cfg).Keys()
		made, _ := create(t, keys)
		at := time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)
		for _, used := range []time.Time{at, at.Add(-time.Hour)} { // of two replicas
			if err := keys.setLastUsed(t.Context(), map[string]time.Time{made.ID: used, "unknown": used}); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := keys.List(t.Context()); err != nil || len(got) != 1 || !got[0].LastUsed.Equal(at) {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

// A process reads only the keys that changed, and all of them if it cannot know which ones did.
func TestKeys_Load(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, cfg Config) {
		store := open(t, cfg)
		keys := store.Keys()
		first, _ := create(t, keys)
		for range 3 {
			create(t, keys)
		}
		ring := refreshed(t, keys)
		for _, test := range []struct {
			name   string
			change func() error
			loaded int
			all    bool
		}{
			{"nothing", func() error { return nil }, 0, false},
			{"create", func() error { create(t, keys); return nil }, 1, false},
			{"rotate", func() error { _, _, err := keys.Rotate(t.Context(), first.ID, time.Hour); return err }, 2, false},
			{"revoke", func() error { return keys.Revoke(t.Context(), first.ID) }, 1, false},
			{"by hand", func() error { execute(t, store, `UPDATE api_keys_revision SET revision = revision + 1`); return nil }, 6, true},
			{"restored", func() error { execute(t, store, `UPDATE api_keys_revision SET revision = 1`); return nil }, 6, true},
		} {
			if err := test.change(); err != nil {
				t.Fatal(err)
			}
			loaded, _, all, err := keys.load(t.Context(), ring.revision)
			if err != nil || len(loaded) != test.loaded || all != test.all {
				t.Errorf("%s: got %d keys, all %t, %v; want %d, %t", test.name, len(loaded), all, err, test.loaded, test.all)
			}
			if err := ring.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		stored, err := keys.List(t.Context())
		if err != nil || len(stored) != ring.Len() || len(stored) != 6 {
			t.Errorf("got %d keys in the ring, %d stored, %v; want 6", ring.Len(), len(stored), err)
		}
	})
}

// BenchmarkKeyRing_Find guards that a request does not wait for the database or allocate.
func BenchmarkKeyRing_Find(b *testing.B) {
	table := &fakeTable{revision: 1}
	var credential core.Secret
	for _, id := range []string{"0123456789", "abcdefghij"} {
		var key storedKey
		key, credential = keyOf(id)
		table.keys = append(table.keys, key)
	}
	ring := newKeyRing(table, nil, zap.NewNop(), nil)
	_ = ring.Refresh(b.Context())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ring.Find(b.Context(), credential); err != nil {
			b.Fatal(err)
		}
	}
}
