package porttest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/ports"
)

// APIKeys is the suite of ports.APIKeyStore and of ports.KeyRing for its keys.
type APIKeys struct {
	// Open opens a new, empty store several times, as several processes do.
	Open func(t *testing.T, processes int) []ports.APIKeyStore
	// Ring returns a key ring that has just read a store.
	Ring func(t *testing.T, store ports.APIKeyStore) ports.KeyRing
}

func newKey() core.Key {
	return core.Key{
		Name: "payouts", Scopes: []string{"resolve-account", "list-pairs"},
		Limit: core.RateLimit{Calls: 60, Per: time.Minute},
	}
}

// Run runs the suite.
func (s APIKeys) Run(t *testing.T) {
	t.Helper()
	run(t, map[string]func(*testing.T){
		"empty": s.empty, "create": s.create, "refused keys": s.refused, "rotate": s.rotate, "revoke": s.revoke,
		"unknown ID": s.unknown, "concurrent changes": s.concurrent, "canceled context": s.canceled,
	})
}

func mustCreate(t *testing.T, store ports.APIKeyStore, key core.Key) (core.Key, core.Secret) {
	t.Helper()
	made, credential, err := store.Create(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return made, credential
}

func mustList(t *testing.T, store ports.APIKeyStore) []core.Key {
	t.Helper()
	keys, err := store.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// find looks a credential up in a new key ring.
func (s APIKeys) find(t *testing.T, store ports.APIKeyStore, credential core.Secret) (core.Key, core.Code) {
	t.Helper()
	key, err := s.Ring(t, store).Find(t.Context(), credential)
	return key, core.CodeOf(err)
}

func (s APIKeys) empty(t *testing.T) {
	store := s.Open(t, 1)[0]
	if keys := mustList(t, store); len(keys) != 0 {
		t.Errorf("got %+v, want no keys", keys)
	}
	if _, code := s.find(t, store, "ck_unknown"); code != core.Unauthorized {
		t.Errorf("got %q, want unauthorized", code)
	}
}

func (s APIKeys) create(t *testing.T) {
	stores := s.Open(t, 2)
	want := newKey()
	want.Expires = time.Now().Add(time.Hour)
	made, credential := mustCreate(t, stores[0], want)
	other, _ := mustCreate(t, stores[1], newKey())
	if made.ID == "" || made.ID == other.ID || made.Created.IsZero() {
		t.Errorf("got %+v and %+v, want different IDs", made, other)
	}
	for _, store := range stores {
		equal(t, "list", []core.Key{made, other}, mustList(t, store))
		got, code := s.find(t, store, credential)
		if diff := cmp.Diff(made, got); code != "" || diff != "" {
			t.Errorf("find: %q (-want +got):\n%s", code, diff)
		}
	}
	text := credential.Reveal()
	last := text[len(text)-1:]
	for name, wrong := range map[string]string{
		"empty": "", "ID alone": text[:len("ck_")+len(made.ID)], "short": text[:len(text)-1], "long": text + "a",
		"other secret": text[:len(text)-1] + strings.Map(func(r rune) rune { return r ^ 1 }, last),
		"upper case":   strings.ToUpper(text),
	} {
		ring := s.Ring(t, stores[0])
		if key, err := ring.Find(t.Context(), core.Secret(wrong)); core.CodeOf(err) != core.Unauthorized ||
			wrong != "" && strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: got %+v, %v; want unauthorized", name, key, err)
		}
	}
}

func (s APIKeys) refused(t *testing.T) {
	store := s.Open(t, 1)[0]
	longest := strings.Repeat("é", 100)
	if made, _ := mustCreate(t, store, core.Key{Name: longest, Scopes: []string{"*"}}); made.Name != longest {
		t.Errorf("got name %s", made.Name)
	}
	for name, key := range map[string]core.Key{
		"no name":       {Scopes: []string{"*"}},
		"long name":     {Name: longest + "é", Scopes: []string{"*"}},
		"line break":    {Name: "a\nb", Scopes: []string{"*"}},
		"escape":        {Name: "a\x1b[31m", Scopes: []string{"*"}},
		"bidi override": {Name: "a\u202eb", Scopes: []string{"*"}},
		"invalid UTF-8": {Name: "a\xff", Scopes: []string{"*"}},
		"no scopes":     {Name: "a"},
		"expired":       {Name: "a", Scopes: []string{"*"}, Expires: time.Now().Add(-time.Hour)},
	} {
		if made, _, err := store.Create(t.Context(), key); err == nil {
			t.Errorf("%s: created %+v", name, made)
		}
	}
	if n := len(mustList(t, store)); n != 1 {
		t.Errorf("got %d keys, want 1", n)
	}
}

func (s APIKeys) rotate(t *testing.T) {
	store := s.Open(t, 1)[0]
	old, before := mustCreate(t, store, newKey())
	fresh, after, err := store.Rotate(t.Context(), old.ID, time.Hour)
	if err != nil || fresh.ID == old.ID || after == before || fresh.Name != old.Name || fresh.Limit != old.Limit ||
		!fresh.Expires.IsZero() || fresh.Account != old.Account || old.Account == "" {
		t.Fatalf("got %+v, %v", fresh, err)
	}
	for _, credential := range []core.Secret{before, after} {
		if _, code := s.find(t, store, credential); code != "" {
			t.Errorf("during the overlap: got %q, want no error", code)
		}
	}
	if left := time.Until(mustList(t, store)[0].Expires); left <= 0 || left > time.Hour {
		t.Errorf("old key: got expiry in %s, want at most 1h", left)
	}
	if _, _, err := store.Rotate(t.Context(), fresh.ID, -time.Hour); err == nil {
		t.Error("negative overlap: got no error, want one")
	}
	if _, _, err := store.Rotate(t.Context(), fresh.ID, 0); err != nil {
		t.Fatal(err)
	}
	if _, code := s.find(t, store, after); code != core.Unauthorized {
		t.Errorf("without an overlap: got %q, want unauthorized", code)
	}
	if _, _, err := store.Rotate(t.Context(), fresh.ID, time.Hour); err == nil {
		t.Error("rotate an expired key: got no error, want one")
	}
	old, _ = mustCreate(t, store, core.Key{Name: "a", Scopes: []string{"*"}, Expires: time.Now().Add(48 * time.Hour)})
	fresh, _, err = store.Rotate(t.Context(), old.ID, 0)
	if err != nil || !fresh.Expires.Equal(fresh.Created.Add(old.Expires.Sub(old.Created))) {
		t.Errorf("rotate a key that expires in 48h: got expiry %v, %v", fresh.Expires, err)
	}
}

func (s APIKeys) revoke(t *testing.T) {
	stores := s.Open(t, 2)
	made, credential := mustCreate(t, stores[0], newKey())
	if err := stores[1].Revoke(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	if _, code := s.find(t, stores[0], credential); code != core.Unauthorized {
		t.Errorf("got %q, want unauthorized", code)
	}
	first := mustList(t, stores[0])[0].Revoked
	if err := stores[0].Revoke(t.Context(), made.ID); err != nil || first.IsZero() ||
		!mustList(t, stores[0])[0].Revoked.Equal(first) {
		t.Errorf("revoked twice: got %v, want the first time %s kept", err, first)
	}
	if _, _, err := stores[0].Rotate(t.Context(), made.ID, time.Hour); err == nil {
		t.Error("rotate a revoked key: got no error, want one")
	}
}

func (s APIKeys) unknown(t *testing.T) {
	store := s.Open(t, 1)[0]
	_, _, err := store.Rotate(t.Context(), "unknown", 0)
	for _, err := range []error{err, store.Revoke(t.Context(), "unknown")} {
		if err == nil || !strings.Contains(err.Error(), "causeway keys list") {
			t.Errorf("got %v, want an error that names causeway keys list", err)
		}
	}
}

func (s APIKeys) concurrent(t *testing.T) {
	const n = 6
	stores := s.Open(t, n)
	shared, _ := mustCreate(t, stores[0], newKey())
	var work sync.WaitGroup
	for i, store := range stores {
		work.Go(func() {
			key := newKey()
			key.Name = fmt.Sprint("key ", i)
			if _, _, err := store.Create(t.Context(), key); err != nil {
				t.Error(err)
			}
			if _, _, err := store.Rotate(t.Context(), shared.ID, time.Hour); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	if got := len(mustList(t, stores[0])); got != 1+2*n {
		t.Errorf("got %d keys, want %d", got, 1+2*n)
	}
}

func (s APIKeys) canceled(t *testing.T) {
	store := s.Open(t, 1)[0]
	made, _ := mustCreate(t, store, newKey())
	ctx := canceled(t)
	if err := store.Revoke(ctx, made.ID); err == nil {
		t.Error("Revoke: got no error, want one")
	}
	if keys := mustList(t, store); !keys[0].Revoked.IsZero() {
		t.Errorf("got %+v, want a key that is not revoked", keys[0])
	}
}
