package keyring_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"causeway/adapters/keyring"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

// sequence is entropy that never repeats.
func sequence() core.Entropy {
	var mu sync.Mutex
	state := uint64(1)
	return func() uint64 {
		mu.Lock()
		defer mu.Unlock()
		state = state*6364136223846793005 + 1442695040888963407
		return state ^ state>>29
	}
}

func place(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "keys.json")
}

func open(t *testing.T, path string, told func(error)) *keyring.Ring {
	t.Helper()
	ring, err := keyring.Open(t.Context(), keyring.File(path), nil, time.Now, told)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// faults are those that a ring told of. One goroutine of it may tell while a test reads what another one told before.
type faults struct {
	mu   sync.Mutex
	told []error
}

func (f *faults) tell(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.told = append(f.told, err)
}

func (f *faults) all() []error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.told)
}

func create(t *testing.T, keeper *keyring.Keeper, key core.Key) (core.Key, core.Secret) {
	t.Helper()
	made, credential, err := keeper.Create(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return made, credential
}

func payouts() core.Key {
	return core.Key{Name: "payouts", Scopes: []string{"resolve-account"}, Limit: core.RateLimit{Calls: 60, Per: time.Minute}}
}

func TestFile(t *testing.T) {
	t.Parallel()
	porttest.KeyStore(t, func(t *testing.T, n int) []ports.KeyStore {
		t.Helper()
		return slices.Repeat([]ports.KeyStore{keyring.File(place(t))}, n)
	})
}

func TestFind(t *testing.T) {
	t.Parallel()
	path := place(t)
	keeper := keyring.NewKeeper(keyring.File(path), time.Now, sequence())
	made, credential := create(t, keeper, payouts())
	_, other := create(t, keeper, core.Key{Name: "other", Scopes: []string{"*"}})
	ring := open(t, path, nil)

	got, err := ring.Find(t.Context(), credential)
	if err != nil || got.ID != made.ID || got.Name != "payouts" || got.Limit.String() != "60/m" || !got.Allows("resolve-account") || got.Allows("list-pairs") {
		t.Fatalf("got %+v, %v", got, err)
	}
	text := credential.Reveal()
	for name, wrong := range map[string]string{
		"nothing": "", "a word": "secret", "another prefix": "sk_" + text[3:], "another id": "ck_0000000000" + text[13:],
		"the secret of another key": text[:14] + other.Reveal()[14:], "a character less": text[:len(text)-1], "a character more": text + "0",
		"the last character changed": text[:len(text)-1] + "!", "the id alone": text[:13],
	} {
		if key, err := ring.Find(t.Context(), core.Secret(wrong)); core.CodeOf(err) != core.Unauthorized {
			t.Errorf("%s: got %+v, %v; want a refusal", name, key, err)
		} else if wrong != "" && strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: the error shows it", name)
		}
	}
}

func TestFileKeepsNoCredential(t *testing.T) {
	t.Parallel()
	path := place(t)
	_, credential := create(t, keyring.NewKeeper(keyring.File(path), time.Now, sequence()), payouts())
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if secret := credential.Reveal()[14:]; strings.Contains(string(text), secret) {
		t.Error("the file holds the secret")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v; want its owner's alone", info.Mode(), err)
	}
	if printed := fmt.Sprintf("%v %+v %#v %s", credential, credential, credential, credential); strings.Contains(printed, credential.Reveal()) {
		t.Error("a credential prints itself")
	}
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := place(t)
		key := payouts()
		key.Expires = time.Now().Add(time.Hour)
		_, credential := create(t, keyring.NewKeeper(keyring.File(path), time.Now, sequence()), key)
		ring := open(t, path, nil)
		time.Sleep(time.Hour - time.Nanosecond)
		if _, err := ring.Find(t.Context(), credential); err != nil {
			t.Errorf("before: %v", err)
		}
		time.Sleep(time.Nanosecond)
		if _, err := ring.Find(t.Context(), credential); core.CodeOf(err) != core.Unauthorized {
			t.Errorf("after: %v", err)
		}
	})
}

// running runs the ring until the test ends.
func running(t *testing.T, ring *keyring.Ring) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); ring.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
}

func TestRevocationIsLiveWithinFiveSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := place(t)
		keeper := keyring.NewKeeper(keyring.File(path), time.Now, sequence())
		made, credential := create(t, keeper, payouts())
		ring := open(t, path, func(err error) { t.Error(err) })
		running(t, ring)
		if _, err := ring.Find(t.Context(), credential); err != nil {
			t.Fatal(err)
		}
		if err := keeper.Revoke(t.Context(), made.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if _, err := ring.Find(t.Context(), credential); core.CodeOf(err) != core.Unauthorized {
			t.Errorf("five seconds after it was revoked: %v", err)
		}
	})
}

// lender is a store that is there while somebody says so.
type lender struct {
	ports.KeyStore
	away atomic.Bool
}

func (l *lender) Read(ctx context.Context, seen string) ([]core.StoredKey, string, error) {
	if l.away.Load() {
		return nil, "", core.Errorf(core.Unavailable, "away")
	}
	return l.KeyStore.Read(ctx, seen)
}

func TestStoreThatCannotBeReached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &lender{KeyStore: keyring.File(place(t))}
		store.away.Store(true)
		keeper := keyring.NewKeeper(store.KeyStore, time.Now, sequence())
		made, credential := create(t, keeper, payouts())
		var told faults
		ring, err := keyring.Open(t.Context(), store, nil, time.Now, told.tell)
		if err != nil {
			t.Fatal(err)
		}
		running(t, ring)
		find := func(when string, credential core.Secret, want core.Code) {
			t.Helper()
			if _, err := ring.Find(t.Context(), credential); core.CodeOf(err) != want {
				t.Errorf("%s: got %v, want %q", when, err, want)
			}
		}
		find("before the store was ever read", credential, core.Unavailable)
		find("and what is no credential", "secret", core.Unauthorized)
		store.away.Store(false)
		ring.Join(t.Context())
		find("once it can be read", credential, "")
		store.away.Store(true)
		_, late := create(t, keeper, payouts())
		if err := keeper.Revoke(t.Context(), made.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		find("a known key, away", credential, "")
		find("one that may be new, away", late, core.Unavailable)
		find("a known key with another secret", credential[:20]+"0000"+credential[24:], core.Unauthorized)
		store.away.Store(false)
		time.Sleep(5 * time.Second)
		find("one that was revoked meanwhile, five seconds after the store is back", credential, core.Unauthorized)
		find("one that was made meanwhile", late, "")
		if len(told.all()) != 1 {
			t.Errorf("told %v, want the outage once", told.all())
		}
	})
}

func TestPlan(t *testing.T) {
	t.Parallel()
	path := place(t)
	keeper := keyring.NewKeeper(keyring.File(path), time.Now, sequence())
	_, first := create(t, keeper, payouts())
	ring, err := keyring.Open(t.Context(), keyring.File(path), []core.Secret{"alice"}, time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	good := func(credential core.Secret) bool {
		_, err := ring.Find(t.Context(), credential)
		return err == nil
	}
	_, second := create(t, keeper, payouts())
	change, err := ring.Plan(t.Context(), []core.Secret{"bob"})
	if err != nil {
		t.Fatal(err)
	}
	if !good("alice") || good("bob") || good(second) {
		t.Error("a plan changed something")
	}
	change()
	if good("alice") || !good("bob") || !good(first) || !good(second) {
		t.Error("a plan that was carried out changed nothing")
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ring.Plan(t.Context(), nil); err == nil || !good("bob") || !good(first) {
		t.Errorf("a file that is none: %v", err)
	}
}

func TestFixedCredentials(t *testing.T) {
	t.Parallel()
	ring, err := keyring.Open(t.Context(), nil, []core.Secret{"key-of-alice", "key-of-bob"}, time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	alice, err := ring.Find(t.Context(), "key-of-alice")
	if err != nil || !alice.Allows("resolve-account") || strings.Contains(alice.ID, "alice") {
		t.Errorf("got %+v, %v", alice, err)
	}
	if bob, err := ring.Find(t.Context(), "key-of-bob"); err != nil || bob.ID == alice.ID {
		t.Errorf("got %+v, %v", bob, err)
	}
	if key, err := ring.Find(t.Context(), "key-of-carol"); core.CodeOf(err) != core.Unauthorized {
		t.Errorf("got %+v, %v", key, err)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := place(t)
		keeper := keyring.NewKeeper(keyring.File(path), time.Now, sequence())
		made, before := create(t, keeper, payouts())
		fresh, after, err := keeper.Rotate(t.Context(), made.ID, time.Hour)
		if err != nil || fresh.ID == made.ID || fresh.Name != made.Name || fresh.Limit != made.Limit {
			t.Fatalf("%+v, %v", fresh, err)
		}
		ring := open(t, path, nil)
		for _, credential := range []core.Secret{before, after} {
			if _, err := ring.Find(t.Context(), credential); err != nil {
				t.Errorf("in the overlap: %v", err)
			}
		}
		time.Sleep(time.Hour)
		if _, err := ring.Find(t.Context(), before); core.CodeOf(err) != core.Unauthorized {
			t.Errorf("the old one after the overlap: %v", err)
		}
		if _, err := ring.Find(t.Context(), after); err != nil {
			t.Errorf("the new one: %v", err)
		}
		if _, _, err := keeper.Rotate(t.Context(), made.ID, time.Hour); err == nil {
			t.Error("an expired key was rotated")
		}
	})
}

func TestBadFileLeavesTheKeysAsTheyWere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := place(t)
		_, credential := create(t, keyring.NewKeeper(keyring.File(path), time.Now, sequence()), payouts())
		var told faults
		ring := open(t, path, told.tell)
		running(t, ring)
		if err := os.WriteFile(path, []byte(`{"keys":[{"id":"`), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if _, err := ring.Find(t.Context(), credential); err != nil {
			t.Errorf("the key is gone: %v", err)
		}
		if len(told.all()) != 1 || !strings.Contains(told.all()[0].Error(), path) {
			t.Errorf("told %v, want the fault once, with the file's name", told.all())
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	const hash = `"sha256:` + "1111111111111111111111111111111111111111111111111111111111111111" + `"`
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":           {"keys:", "not what"},
		"no id":             {`{"keys":[{"name":"a","hash":` + hash + `}]}`, "no id"},
		"one id twice":      {`{"keys":[{"id":"0000000000","hash":` + hash + `},{"id":"0000000000","hash":` + hash + `}]}`, "two keys have the id"},
		"no hash":           {`{"keys":[{"id":"0000000000"}]}`, "no hash"},
		"a hash that is no": {`{"keys":[{"id":"0000000000","hash":"md5:12"}]}`, "sha256:"},
		"a rate that is no": {`{"keys":[{"id":"0000000000","hash":` + hash + `,"rate":"lots"}]}`, "not a rate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := place(t)
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := keyring.Open(t.Context(), keyring.File(path), nil, time.Now, nil); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want it to say %q", err, c.want)
			}
		})
	}
}

func TestKeeperRefuses(t *testing.T) {
	t.Parallel()
	keeper := keyring.NewKeeper(keyring.File(place(t)), time.Now, sequence())
	for name, key := range map[string]core.Key{
		"no name":          {Scopes: []string{"*"}},
		"an endless name":  {Name: strings.Repeat("x", 101), Scopes: []string{"*"}},
		"101 of two bytes": {Name: strings.Repeat("é", 101), Scopes: []string{"*"}},
		"no scopes":        {Name: "a"},
		"expired already":  {Name: "a", Scopes: []string{"*"}, Expires: time.Now().Add(-time.Hour)},
		"a second line":    {Name: "a\nb", Scopes: []string{"*"}},
		"colours":          {Name: "a\x1b[31m", Scopes: []string{"*"}},
		"another way":      {Name: "a\u202eb", Scopes: []string{"*"}},
		"no text":          {Name: "a\xff", Scopes: []string{"*"}},
	} {
		if made, _, err := keeper.Create(t.Context(), key); err == nil {
			t.Errorf("%s: made %+v", name, made)
		}
	}
	made, _ := create(t, keeper, payouts())
	if _, _, err := keeper.Rotate(t.Context(), made.ID, -time.Hour); err == nil || !strings.Contains(err.Error(), "-1h") {
		t.Errorf("an overlap below zero: %v", err)
	}
	if listed, err := keeper.List(t.Context()); err != nil || len(listed) != 1 || !listed[0].Expires.IsZero() {
		t.Errorf("it was rotated all the same: %+v, %v", listed, err)
	}
	for name, err := range map[string]error{
		"revoked": keeper.Revoke(t.Context(), "0000000000"),
		"rotated": func() error { _, _, err := keeper.Rotate(t.Context(), "0000000000", 0); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "causeway keys list") {
			t.Errorf("a key that is not there was %s: %v", name, err)
		}
	}
}

func TestTheLengthOfANameIsInCharacters(t *testing.T) {
	t.Parallel()
	keeper, name := keyring.NewKeeper(keyring.File(place(t)), time.Now, sequence()), strings.Repeat("é", 100)
	if made, _ := create(t, keeper, core.Key{Name: name, Scopes: []string{"*"}}); made.Name != name {
		t.Errorf("it is called %s", made.Name)
	}
}

func TestListSaysWhenAKeyWasLastUsed(t *testing.T) {
	t.Parallel()
	path := place(t)
	keeper := keyring.NewKeeper(keyring.File(path), time.Now, sequence())
	_, credential := create(t, keeper, payouts())
	create(t, keeper, core.Key{Name: "idle", Scopes: []string{"*"}})
	ring := open(t, path, nil)
	if _, err := ring.Find(t.Context(), credential); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ring.Run(ctx) // writes down and ends
	listed, err := keeper.List(t.Context())
	if err != nil || len(listed) != 2 || listed[0].Name != "payouts" || time.Since(listed[0].LastUsed) > time.Hour || !listed[1].LastUsed.IsZero() {
		t.Errorf("got %+v, %v", listed, err)
	}
}

func TestKeepersWorkOneAfterTheOther(t *testing.T) {
	t.Parallel()
	path := place(t)
	entropy := sequence()
	var all sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		all.Go(func() {
			_, _, errs[i] = keyring.NewKeeper(keyring.File(path), time.Now, entropy).Create(t.Context(), core.Key{Name: fmt.Sprint("key ", i), Scopes: []string{"*"}})
		})
	}
	all.Wait()
	listed, err := keyring.NewKeeper(keyring.File(path), time.Now, entropy).List(t.Context())
	if err := errors.Join(append(errs, err)...); err != nil || len(listed) != len(errs) {
		t.Errorf("%d keys of %d, %v", len(listed), len(errs), err)
	}
}

func FuzzFile(f *testing.F) {
	f.Add(`{"keys":[{"id":"0000000000","hash":"sha256:00","scopes":["*"],"rate":"5/m","expires":"2027-01-01T00:00:00Z"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := place(t)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		ring, err := keyring.Open(t.Context(), keyring.File(path), nil, time.Now, nil)
		if err != nil {
			return
		}
		if key, err := ring.Find(t.Context(), core.Secret("ck_0000000000_"+strings.Repeat("0", 52))); err == nil {
			t.Errorf("a guess found %+v", key)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	path := filepath.Join(b.TempDir(), "keys.json")
	keeper := keyring.NewKeeper(keyring.File(path), time.Now, sequence())
	var credential core.Secret
	for range 100 {
		var err error
		if _, credential, err = keeper.Create(b.Context(), core.Key{Name: "a", Scopes: []string{"*"}}); err != nil {
			b.Fatal(err)
		}
	}
	ring, err := keyring.Open(b.Context(), keyring.File(path), nil, time.Now, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ring.Find(b.Context(), credential); err != nil {
			b.Fatal(err)
		}
	}
}
