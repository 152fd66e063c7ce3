package recipients_test

import (
	"bytes"
	"context"
	"errors"
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

// nameCache is a ports.NameCache in memory.
type nameCache struct {
	clock core.Clock
	slow  bool // operations take until their context ends

	mu     sync.Mutex
	values map[[32]byte]cached
}

type cached struct {
	value []byte
	until time.Time
}

func newNameCache(clock core.Clock) *nameCache {
	return &nameCache{clock: clock, values: map[[32]byte]cached{}}
}

func (c *nameCache) Load(ctx context.Context, key [32]byte) ([]byte, bool) {
	if c.slow {
		<-ctx.Done()
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.values[key]
	return slices.Clone(v.value), ok && c.clock().Before(v.until)
}

func (c *nameCache) Store(ctx context.Context, key [32]byte, value []byte, ttl time.Duration) {
	if c.slow {
		<-ctx.Done()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values[key] = cached{slices.Clone(value), c.clock().Add(ttl)}
}

func (c *nameCache) all() []cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.values))
}

// change changes every value.
func (c *nameCache) change(by func(*cached)) {
	for key, v := range c.values {
		by(&v)
		c.values[key] = v
	}
}

// manual is a clock that the test advances.
type manual struct{ ns atomic.Int64 }

func (m *manual) now() time.Time        { return time.Unix(1795824000, m.ns.Load()) }
func (m *manual) move(by time.Duration) { m.ns.Add(int64(by)) }

// caching is a service with a cache and one provider, whose calls it counts.
type caching struct {
	*recipients.Service
	cfg    recipients.Config
	cache  *nameCache
	clock  manual
	calls  int
	holder core.Private
	err    error
	events []recipients.Resolution
}

func newCaching(t testing.TB, change func(*recipients.Config)) *caching {
	t.Helper()
	c := &caching{holder: "ADA OBI"}
	c.cache = newNameCache(c.clock.now)
	c.cfg = configOf(countries(), resolver{name: "paystack", resolves: always, resolve: func(context.Context, core.AccountQuery) (core.Private, error) {
		c.calls++
		return c.holder, c.err
	}})
	c.cfg.Cache, c.cfg.Clock = c.cache, c.clock.now
	c.cfg.Events.Resolution = func(_ context.Context, e recipients.Resolution) { c.events = append(c.events, e) }
	if change != nil {
		change(&c.cfg)
	}
	c.Service = open(t, c.cfg)
	return c
}

// want resolves a request and checks the result and the number of calls so far.
func (c *caching) want(t *testing.T, req recipients.Request, holder core.Private, calls int) {
	t.Helper()
	got, err := c.Resolve(t.Context(), req)
	if err != nil || got.Holder != holder || c.calls != calls {
		t.Errorf("got %q, %v after %d calls; want %q after %d", got.Holder.Reveal(), err, c.calls, holder.Reveal(), calls)
	}
}

func TestCache_Lifetime(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		holder core.Private
		err    error
		ttl    time.Duration // 0: not cached
	}{
		"found":              {"ADA OBI", nil, 24 * time.Hour},
		"unknown":            {"", errUnknown, 10 * time.Minute},
		"closed":             {"", errClosed, 10 * time.Minute},
		"doubtful not found": {"", errDoubtful, 0},
		"outage":             {"", errDown, 0},
		"unexpected error":   {"", errors.New("odd"), 0},
		"empty name":         {"", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCaching(t, nil)
			c.holder, c.err = test.holder, test.err
			_, first := c.Resolve(t.Context(), nigerian())
			if got := len(c.cache.all()); (got == 1) != (test.ttl > 0) {
				t.Fatalf("%d values are cached", got)
			}
			if test.ttl == 0 {
				return
			}
			c.holder, c.err = "CHANGED", nil
			c.clock.move(test.ttl - time.Second)
			_, err := c.Resolve(t.Context(), nigerian())
			if core.CodeOf(err) != core.CodeOf(first) || c.calls != 1 || !c.events[1].Cached || c.events[1].Provider != "paystack" {
				t.Errorf("got %v after %d calls: %+v", err, c.calls, c.events[1])
			}
			c.clock.move(time.Second)
			c.want(t, nigerian(), "CHANGED", 2)
		})
	}
}

// Requests share a result only if caller, country, channel, bank and number are equal.
func TestCache_Key(t *testing.T) {
	t.Parallel()
	c := newCaching(t, nil)
	calls := 0
	for _, change := range []func(*recipients.Request){
		func(*recipients.Request) {},
		func(r *recipients.Request) { r.Caller = "a" },
		func(r *recipients.Request) { r.AccountNumber = "0123456788" },
		func(r *recipients.Request) { r.BankCode = "100004" },
		func(r *recipients.Request) { r.Channel = "mobile_money" },
		func(r *recipients.Request) { r.Country, r.Currency, r.BankCode = "GH", "GHS", "030100" },
	} {
		req := nigerian()
		change(&req)
		calls++
		c.want(t, req, "ADA OBI", calls)
		c.want(t, req, "ADA OBI", calls)
	}
	req := nigerian()
	req.BankCode, req.AccountNumber, req.Claimed = "000013", " 012-345 6789", "Ada Obi"
	c.want(t, req, "ADA OBI", calls) // the same account
}

// What a provider says about a document is cached for that document only.
func TestCache_Confirmation(t *testing.T) {
	t.Parallel()
	calls := 0
	one := confirms("a", core.Match, nil)
	one.confirm = func(_ context.Context, _ core.AccountQuery, claim core.HolderClaim) (core.NameMatch, error) {
		calls++
		return map[bool]core.NameMatch{true: core.Match, false: core.NoMatch}[claim.Document.Number == "A1"], nil
	}
	cfg := configOf(countries())
	cfg.Confirmers, cfg.Cache = []ports.AccountConfirmer{one}, newNameCache(cfg.Clock)
	s := open(t, cfg)
	for _, document := range []core.Private{"A1", "A1", "A2", "A2", "A1"} {
		req := nigerian()
		req.Claimed, req.DocumentType, req.Document = "Ada Obi", "passport_number", document
		got, err := s.Resolve(t.Context(), req)
		if err != nil || (got.Document == core.Match) != (document == "A1") {
			t.Errorf("%s: got %q, %v", document.Reveal(), got.Document, err)
		}
	}
	if calls != 2 {
		t.Errorf("%d calls, want 2", calls)
	}
}

func TestCache_Encryption(t *testing.T) {
	t.Parallel()
	const shared = "one secret of more than 32 characters"
	for name, test := range map[string]struct {
		change func(*cached)
		second func(*recipients.Config) // of the process that reads
		hit    bool
	}{
		"unchanged":                    {hit: true},
		"a changed bit":                {change: func(v *cached) { v.value[len(v.value)-20] ^= 1 }},
		"a changed nonce":              {change: func(v *cached) { v.value[3] ^= 1 }},
		"cut off":                      {change: func(v *cached) { v.value = v.value[:5] }},
		"foreign":                      {change: func(v *cached) { v.value = bytes.Repeat([]byte("x"), 100) }},
		"kept too long":                {change: func(v *cached) { v.until = v.until.Add(time.Hour) }, second: func(c *recipients.Config) { c.Settings.Cache.Found = time.Nanosecond }},
		"other process, same secret":   {second: func(c *recipients.Config) { c.Entropy = entropy(2) }, hit: true},
		"other secret":                 {second: func(c *recipients.Config) { c.Settings.Key = "another secret of more than 32 characters" }},
		"other process without secret": {second: func(c *recipients.Config) { c.Settings.Key, c.Entropy = "", entropy(2) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCaching(t, func(cfg *recipients.Config) { cfg.Settings.Key = shared })
			c.want(t, nigerian(), "ADA OBI", 1)
			if test.change != nil {
				c.cache.change(test.change)
			}
			if test.second != nil {
				test.second(&c.cfg)
				c.Service = open(t, c.cfg)
			}
			c.clock.move(time.Millisecond)
			want := 2
			if test.hit {
				want = 1
			}
			c.want(t, nigerian(), "ADA OBI", want)
		})
	}
	c := newCaching(t, func(cfg *recipients.Config) { cfg.Settings.Key = shared })
	c.want(t, nigerian(), "ADA OBI", 1)
	other := nigerian()
	other.AccountNumber = "0123456780"
	c.want(t, other, "ADA OBI", 2)
	values := slices.Collect(maps.Keys(c.cache.values))
	a, b := c.cache.values[values[0]], c.cache.values[values[1]]
	c.cache.values[values[0]], c.cache.values[values[1]] = b, a
	c.want(t, nigerian(), "ADA OBI", 3) // a value is bound to its key
	for _, v := range c.cache.all() {
		if text := string(v.value); strings.Contains(text, "ADA") || strings.Contains(text, "paystack") {
			t.Error("a cached value is readable")
		}
	}
}

// A slow cache costs 100 ms for each operation, and its absence costs nothing.
func TestCache_SlowOrOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCaching(t, nil)
		c.cache.slow = true
		start := time.Now()
		c.want(t, nigerian(), "ADA OBI", 1)
		if took := time.Since(start); took != 200*time.Millisecond {
			t.Errorf("took %s", took)
		}
	})
	for _, change := range []func(*recipients.Config){
		func(c *recipients.Config) { c.Cache = nil },
		func(c *recipients.Config) { c.Settings.Cache = recipients.CacheSettings{} },
	} {
		c := newCaching(t, change)
		c.want(t, nigerian(), "ADA OBI", 1)
		c.want(t, nigerian(), "ADA OBI", 2)
	}
}
