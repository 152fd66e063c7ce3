package porttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"causeway/core"
	"causeway/ports"
)

// keyStores opens several ways to one empty store.
type keyStores func(t *testing.T, n int) []ports.KeyStore

// KeyStore checks the contract of ports.KeyStore. open opens an empty store in n ways, as so many processes would.
func KeyStore(t *testing.T, open func(t *testing.T, n int) []ports.KeyStore) {
	t.Helper()
	s := keyStores(open)
	t.Run("has no keys in the beginning", s.empty)
	t.Run("returns what was made of the keys, in the order in which they were made", s.made)
	t.Run("tells whether anything changed", s.marks)
	t.Run("changes nothing where the edit fails", s.fails)
	t.Run("loses nothing that others change at the same time", s.crowd)
	t.Run("keeps the latest use of each key", s.notes)
	t.Run("gives up when the context is done", s.gone)
}

// storedKey is the n-th key.
func storedKey(n int) core.StoredKey {
	created := time.Date(2026, 11, 21, 12, 0, n, 0, time.UTC)
	return core.StoredKey{
		Key: core.Key{
			ID: fmt.Sprintf("%010d", n), Name: fmt.Sprint("key ", n), Scopes: []string{"resolve-account"},
			Limit: core.RateLimit{Calls: n + 1, Per: time.Minute}, Created: created, Expires: created.Add(time.Hour),
		},
		Hash: core.HashOf(core.Secret(fmt.Sprint("secret ", n))),
	}
}

func addKeys(t *testing.T, s ports.KeyStore, more ...core.StoredKey) {
	t.Helper()
	if err := s.Change(t.Context(), func(keys []core.StoredKey) ([]core.StoredKey, error) { return append(keys, more...), nil }); err != nil {
		t.Fatal(err)
	}
}

func readKeys(t *testing.T, s ports.KeyStore, seen string) ([]core.StoredKey, string) {
	t.Helper()
	keys, mark, err := s.Read(t.Context(), seen)
	if err != nil {
		t.Fatal(err)
	}
	return keys, mark
}

func (open keyStores) empty(t *testing.T) {
	t.Parallel()
	s := open(t, 1)[0]
	if keys, _ := readKeys(t, s, ""); len(keys) > 0 {
		t.Errorf("got %+v", keys)
	}
	if used, err := s.Used(t.Context()); err != nil || len(used) > 0 {
		t.Errorf("used %v, %v", used, err)
	}
}

func (open keyStores) made(t *testing.T) {
	t.Parallel()
	ways := open(t, 2)
	addKeys(t, ways[0], storedKey(2), storedKey(1))
	addKeys(t, ways[1], storedKey(3))
	revoked := storedKey(2)
	revoked.Revoked = revoked.Created.Add(time.Minute)
	err := ways[1].Change(t.Context(), func(keys []core.StoredKey) ([]core.StoredKey, error) {
		keys[1].Revoked = revoked.Revoked
		return keys, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range ways {
		keys, _ := readKeys(t, s, "")
		if got, want := fmt.Sprintf("%+v", keys), fmt.Sprintf("%+v", []core.StoredKey{storedKey(1), revoked, storedKey(3)}); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

func (open keyStores) marks(t *testing.T) {
	t.Parallel()
	ways := open(t, 2)
	addKeys(t, ways[0], storedKey(1))
	_, mark := readKeys(t, ways[1], "")
	if keys, again := readKeys(t, ways[1], mark); keys != nil || again != mark {
		t.Errorf("nothing changed: %+v, %q after %q", keys, again, mark)
	}
	addKeys(t, ways[0], storedKey(2))
	if keys, after := readKeys(t, ways[1], mark); len(keys) != 2 || after == mark {
		t.Errorf("a key was made: %+v, %q after %q", keys, after, mark)
	}
}

func (open keyStores) fails(t *testing.T) {
	t.Parallel()
	s, no := open(t, 1)[0], errors.New("no")
	addKeys(t, s, storedKey(1))
	err := s.Change(t.Context(), func([]core.StoredKey) ([]core.StoredKey, error) { return nil, no })
	if keys, _ := readKeys(t, s, ""); !errors.Is(err, no) || len(keys) != 1 {
		t.Errorf("%v, %+v", err, keys)
	}
}

func (open keyStores) crowd(t *testing.T) {
	t.Parallel()
	const n = 6
	ways, done := open(t, n), make(chan error)
	for i, s := range ways {
		go func() {
			done <- s.Change(t.Context(), func(keys []core.StoredKey) ([]core.StoredKey, error) { return append(keys, storedKey(i)), nil })
		}()
	}
	var errs []error
	for range ways {
		errs = append(errs, <-done)
	}
	if keys, _ := readKeys(t, ways[0], ""); errors.Join(errs...) != nil || len(keys) != n {
		t.Errorf("%d keys of %d, %v", len(keys), n, errs)
	}
}

func (open keyStores) notes(t *testing.T) {
	t.Parallel()
	ways := open(t, 2)
	addKeys(t, ways[0], storedKey(1), storedKey(2))
	at := time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)
	for i, noted := range []map[string]time.Time{
		{storedKey(1).ID: at, storedKey(9).ID: at}, // the second one is not there
		{storedKey(1).ID: at.Add(-time.Hour), storedKey(2).ID: at.Add(time.Hour)},
	} {
		if err := ways[i].Note(t.Context(), noted); err != nil {
			t.Fatal(err)
		}
	}
	used, err := ways[0].Used(t.Context())
	if err != nil || len(used) != 2 || !used[storedKey(1).ID].Equal(at) || !used[storedKey(2).ID].Equal(at.Add(time.Hour)) {
		t.Errorf("got %v, %v", used, err)
	}
}

func (open keyStores) gone(t *testing.T) {
	t.Parallel()
	s := open(t, 1)[0]
	addKeys(t, s, storedKey(1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _, _ = s.Read(ctx, "") // a file may still be read
		_ = s.Change(ctx, func(keys []core.StoredKey) ([]core.StoredKey, error) { return slices.Clone(keys), nil })
	}()
	<-ended
	if keys, _ := readKeys(t, s, ""); len(keys) != 1 {
		t.Errorf("afterwards: %+v", keys)
	}
}
