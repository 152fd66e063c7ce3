package recipients_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/core/recipients"
	"causeway/ports"
)

// nameCache is a ports.NameCache that never forgets before its time, and shows what it was given.
type nameCache struct {
	clock core.Clock

	mu     sync.Mutex
	values map[[32]byte]kept
	slow   bool // until the context ends
}

type kept struct {
	value []byte
	until time.Time
	ttl   time.Duration
}

func newNameCache(clock core.Clock) *nameCache {
	return &nameCache{clock: clock, values: map[[32]byte]kept{}}
}

func (v *nameCache) Load(ctx context.Context, key [32]byte) ([]byte, bool) {
	if v.slow {
		<-ctx.Done()
		return nil, false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	k, ok := v.values[key]
	if !ok || !v.clock().Before(k.until) {
		return nil, false
	}
	return slices.Clone(k.value), true
}

func (v *nameCache) Store(ctx context.Context, key [32]byte, value []byte, ttl time.Duration) {
	if v.slow {
		<-ctx.Done()
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.values[key] = kept{slices.Clone(value), v.clock().Add(ttl), ttl}
}

func (v *nameCache) all() []kept {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Collect(maps.Values(v.values))
}

// change changes every value that is kept.
func (v *nameCache) change(by func(kept) kept) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for key, k := range v.values {
		v.values[key] = by(k)
	}
}

// swap gives each of two values to the other's key.
func (v *nameCache) swap() {
	v.mu.Lock()
	defer v.mu.Unlock()
	keys := slices.Collect(maps.Keys(v.values))
	v.values[keys[0]], v.values[keys[1]] = v.values[keys[1]], v.values[keys[0]]
}

// hands is a clock that stands still until it is moved.
type hands struct{ ns atomic.Int64 }

func (h *hands) now() time.Time          { return time.Unix(1795824000, h.ns.Load()) }
func (h *hands) pass(span time.Duration) { h.ns.Add(int64(span)) }

// remembering is a service with a cache and a clock, and counts what its one provider is asked.
type remembering struct {
	*recipients.Service
	cfg   recipients.Config
	cache *nameCache
	hands *hands
	asked atomic.Int64
	says  atomic.Pointer[func() (core.Private, error)]
	told  []recipients.Resolution
}

func remember(t testing.TB, change func(*recipients.Config)) *remembering {
	t.Helper()
	r := &remembering{hands: &hands{}}
	r.cache = newNameCache(r.hands.now)
	r.say("ADA OBI", nil)
	one := resolver{name: "paystack", resolves: always, resolve: func(context.Context, core.AccountQuery) (core.Private, error) {
		r.asked.Add(1)
		return (*r.says.Load())()
	}}
	r.cfg = configOf(countries(), one)
	r.cfg.Cache, r.cfg.Clock = r.cache, r.hands.now
	r.cfg.Events.Resolution = func(_ context.Context, e recipients.Resolution) { r.told = append(r.told, e) }
	if change != nil {
		change(&r.cfg)
	}
	r.Service = open(t, r.cfg)
	return r
}

func (r *remembering) say(name core.Private, err error) {
	says := func() (core.Private, error) { return name, err }
	r.says.Store(&says)
}

// wantAsked resolves and checks what comes of it, and how often the provider was asked in all.
func (r *remembering) wantAsked(t *testing.T, req recipients.Request, name string, code core.Code, asked int64) {
	t.Helper()
	got, err := r.Resolve(t.Context(), req)
	if core.CodeOf(err) != code || got.Holder.Reveal() != name || r.asked.Load() != asked {
		t.Errorf("got %q, %v, asked %d times; want %q, %q, %d times", got.Holder.Reveal(), err, r.asked.Load(), name, code, asked)
	}
}

func TestRemembered(t *testing.T) {
	t.Parallel()
	t.Run("a holder for a day", func(t *testing.T) {
		t.Parallel()
		r := remember(t, nil)
		r.wantAsked(t, nigerian(), "ADA OBI", "", 1)
		r.say("SOMEBODY ELSE", nil)
		r.hands.pass(24*time.Hour - time.Second)
		r.wantAsked(t, nigerian(), "ADA OBI", "", 1)
		r.hands.pass(time.Second)
		r.wantAsked(t, nigerian(), "SOMEBODY ELSE", "", 2)
		if first, second := r.told[0], r.told[1]; first.Cached || !second.Cached || second.Provider != "paystack" || second.Outcome != recipients.Found {
			t.Errorf("told %+v and %+v", first, second)
		}
	})
	t.Run("that there is none for ten minutes, and which", func(t *testing.T) {
		t.Parallel()
		for absence, message := range map[core.Absence]string{"": "No account with this number exists", core.ClosedAccount: "The account is closed or dormant"} {
			r := remember(t, nil)
			r.say("", core.Errorf(core.NotFound, "No").Because(absence))
			r.wantAsked(t, nigerian(), "", core.NotFound, 1)
			r.say("ADA OBI", nil)
			r.hands.pass(10*time.Minute - time.Second)
			r.wantAsked(t, nigerian(), "", core.NotFound, 1)
			if _, err := r.Resolve(t.Context(), nigerian()); err == nil || !strings.Contains(err.Error(), "not_found: "+message) {
				t.Errorf("got %v, want %s", err, message)
			}
			r.hands.pass(time.Second)
			r.wantAsked(t, nigerian(), "ADA OBI", "", 2)
		}
	})
	t.Run("that there seems to be none, never", func(t *testing.T) {
		t.Parallel()
		r := remember(t, nil)
		for i := range int64(2) {
			r.say("", core.Errorf(core.NotFound, "Could not resolve").Because(core.DoubtfulNone))
			r.wantAsked(t, nigerian(), "", core.NotFound, i+1)
		}
		if n := len(r.cache.all()); n != 0 {
			t.Errorf("%d values are kept", n)
		}
	})
	t.Run("what could not be told, never", func(t *testing.T) {
		t.Parallel()
		r := remember(t, nil)
		for i, err := range []error{core.Errorf(core.Unavailable, "down"), core.Errorf(core.Unauthorized, "key"), context.Canceled, fmt.Errorf("odd"), nil} {
			r.say("", err) // without an error: an empty name
			r.wantAsked(t, nigerian(), "", core.Unavailable, int64(i+1))
		}
		if n := len(r.cache.all()); n != 0 {
			t.Errorf("%d values are kept", n)
		}
	})
	t.Run("by the caller and the account", func(t *testing.T) {
		t.Parallel()
		r := remember(t, nil)
		asked := int64(0)
		for _, change := range []func(*recipients.Request){
			func(*recipients.Request) {},
			func(q *recipients.Request) { q.Caller = "a" },
			func(q *recipients.Request) { q.Caller = "b" },
			func(q *recipients.Request) { q.AccountNumber = "0123456788" },
			func(q *recipients.Request) { q.BankCode = "100004" },
			func(q *recipients.Request) { q.Channel = "mobile_money" },
			func(q *recipients.Request) {
				q.Country, q.Currency, q.BankCode = "GH", "GHS", "030100"
			},
		} {
			req := nigerian()
			change(&req)
			asked++
			r.wantAsked(t, req, "ADA OBI", "", asked)
			r.wantAsked(t, req, "ADA OBI", "", asked)
		}
		req := nigerian()
		req.BankCode, req.AccountNumber, req.Claimed = "000013", " 012-345 6789", "Ada Obi"
		r.wantAsked(t, req, "ADA OBI", "", asked) // another spelling, and a claimed name, are the same account
	})
	t.Run("not at all where an operator says so", func(t *testing.T) {
		t.Parallel()
		r := remember(t, func(c *recipients.Config) { c.Settings.Cache = recipients.CacheSettings{} })
		r.wantAsked(t, nigerian(), "ADA OBI", "", 1)
		r.wantAsked(t, nigerian(), "ADA OBI", "", 2)
		r.say("", core.Errorf(core.NotFound, "none"))
		r.wantAsked(t, nigerian(), "", core.NotFound, 3)
		r.wantAsked(t, nigerian(), "", core.NotFound, 4)
	})
	t.Run("without a cache nothing", func(t *testing.T) {
		t.Parallel()
		r := remember(t, func(c *recipients.Config) { c.Cache = nil })
		r.wantAsked(t, nigerian(), "ADA OBI", "", 1)
		r.wantAsked(t, nigerian(), "ADA OBI", "", 2)
	})
	t.Run("not by a cache that keeps too long, nor for a clock that was set back", func(t *testing.T) {
		t.Parallel()
		r := remember(t, nil)
		r.wantAsked(t, nigerian(), "ADA OBI", "", 1)
		r.cache.change(func(k kept) kept { k.until = k.until.Add(1000 * time.Hour); return k })
		r.hands.pass(24 * time.Hour)
		r.wantAsked(t, nigerian(), "ADA OBI", "", 2)
		r.hands.pass(-2 * time.Minute)
		r.wantAsked(t, nigerian(), "ADA OBI", "", 3)
	})
	t.Run("a verdict on a name, for that name alone", func(t *testing.T) {
		t.Parallel()
		asked := 0
		one := confirms("a", core.Match, nil)
		one.confirm = func(_ context.Context, _ core.AccountQuery, claimed core.Private) (core.NameMatch, error) {
			asked++
			if claimed == "Ada Obi" {
				return core.Match, nil
			}
			return core.NoMatch, nil
		}
		cfg := configOf(countries())
		cfg.Confirmers, cfg.Cache = []ports.AccountConfirmer{one}, newNameCache(cfg.Clock)
		s := open(t, cfg)
		for i, claimed := range []core.Private{"Ada Obi", "Ada Obi", "Bola Tinubu", "Bola Tinubu", "Ada Obi"} {
			req := nigerian()
			req.Claimed = claimed
			got, err := s.Resolve(t.Context(), req)
			if err != nil || (got.Match == core.Match) != (claimed == "Ada Obi") || asked > 1+i/2 {
				t.Errorf("%s: got %q, %v, asked %d times", claimed.Reveal(), got.Match, err, asked)
			}
		}
		if asked != 2 {
			t.Errorf("asked %d times, want 2", asked)
		}
	})
}

// What is kept is readable by nobody but the same secret, and moving it to another key makes it useless.
func TestSealed(t *testing.T) {
	t.Parallel()
	const shared = "one secret of more than 32 characters"
	for name, c := range map[string]struct {
		change func(kept) kept
		second func(*recipients.Config)
		hit    bool
	}{
		"as it is":                        {hit: true},
		"a bit of the text changed":       {change: func(k kept) kept { k.value[len(k.value)-20] ^= 1; return k }},
		"a bit of the salt changed":       {change: func(k kept) kept { k.value[0] ^= 1; return k }},
		"a bit of the nonce changed":      {change: func(k kept) kept { k.value[20] ^= 1; return k }},
		"cut off":                         {change: func(k kept) kept { k.value = k.value[:len(k.value)-1]; return k }},
		"cut to nearly nothing":           {change: func(k kept) kept { k.value = k.value[:5]; return k }},
		"something else altogether":       {change: func(k kept) kept { k.value = bytes.Repeat([]byte("x"), 100); return k }},
		"another process, a shared key":   {second: func(c *recipients.Config) { c.Entropy = entropy(2) }, hit: true},
		"another key":                     {second: func(c *recipients.Config) { c.Settings.Key = "another secret of more than 32 characters" }},
		"another process, no key at all":  {second: func(c *recipients.Config) { c.Settings.Key, c.Entropy = "", entropy(2) }},
		"a key that is set by one of two": {second: func(c *recipients.Config) { c.Settings.Key = "" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := remember(t, func(c *recipients.Config) { c.Settings.Key = shared })
			r.wantAsked(t, nigerian(), "ADA OBI", "", 1)
			if c.change != nil {
				r.cache.change(c.change)
			}
			if c.second != nil {
				c.second(&r.cfg)
				r.Service = open(t, r.cfg)
			}
			r.say("ASKED AGAIN", nil)
			if c.hit {
				r.wantAsked(t, nigerian(), "ADA OBI", "", 1)
			} else {
				r.wantAsked(t, nigerian(), "ASKED AGAIN", "", 2)
			}
		})
	}
	t.Run("under another key of the same process", func(t *testing.T) {
		t.Parallel()
		r := remember(t, nil)
		r.wantAsked(t, nigerian(), "ADA OBI", "", 1)
		other := nigerian()
		other.AccountNumber = "0123456780"
		r.say("ANOTHER PERSON", nil)
		r.wantAsked(t, other, "ANOTHER PERSON", "", 2)
		r.cache.swap()
		r.say("ASKED AGAIN", nil)
		r.wantAsked(t, nigerian(), "ASKED AGAIN", "", 3)
		r.wantAsked(t, other, "ASKED AGAIN", "", 4)
	})
	t.Run("a nonce never comes twice, nor shows the cache a name, number or caller", func(t *testing.T) {
		t.Parallel()
		r := remember(t, func(c *recipients.Config) { c.Settings.Key = shared })
		nonces := map[string]bool{}
		for i := range 300 {
			if i%100 == 0 {
				r.cfg.Entropy = entropy(uint64(i + 1)) // a process of its own
				r.Service = open(t, r.cfg)
			}
			req := nigerian()
			req.Caller, req.AccountNumber = "caller-7", core.Private(fmt.Sprintf("01234%05d", i))
			if _, err := r.Resolve(t.Context(), req); err != nil {
				t.Fatal(err)
			}
		}
		for _, k := range r.cache.all() {
			nonces[string(k.value[:28])] = true
			for _, planted := range []string{"ADA", "01234", "caller-7", "paystack", "found"} {
				if bytes.Contains(k.value, []byte(planted)) {
					t.Errorf("%q is in %q", planted, k.value)
				}
			}
		}
		if len(nonces) != 300 {
			t.Errorf("%d nonces of 300 values", len(nonces))
		}
	})
}

// A cache that hangs costs a moment, no answer.
func TestAVaultThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newNameCache(time.Now)
		v.slow = true
		cfg := configOf(countries(), answers("one", "ADA OBI", nil))
		cfg.Cache = v
		s := open(t, cfg)
		start := time.Now()
		if got, err := s.Resolve(t.Context(), nigerian()); err != nil || got.Holder.Reveal() != "ADA OBI" {
			t.Errorf("got %q, %v", got.Holder.Reveal(), err)
		}
		if took := time.Since(start); took > 200*time.Millisecond {
			t.Errorf("took %s", took)
		}
	})
}

// A cache may give back anything: it is never taken for an answer.
func FuzzWhatAVaultGives(f *testing.F) {
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0}, 44))
	f.Add([]byte(`{"o":"found","n":"EVE","p":"paystack","a":1795824000000}`))
	f.Fuzz(func(t *testing.T, value []byte) {
		r := remember(t, nil)
		r.wantAsked(t, nigerian(), "ADA OBI", "", 1)
		r.cache.change(func(k kept) kept { k.value = value; return k })
		r.say("ASKED AGAIN", nil)
		r.wantAsked(t, nigerian(), "ASKED AGAIN", "", 2)
	})
}
