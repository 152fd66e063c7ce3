package pairs_test

import (
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

func TestNew_Invalid(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*pairs.Config)
		want   string
	}{
		"no entropy":                    {func(c *pairs.Config) { c.Entropy = nil }, "entropy, rate sources and listings are required"},
		"an unknown listing class":      {func(c *pairs.Config) { c.Listings[0].Class = "x" }, `listing BTC/USD: a currency or its class "x" does not exist`},
		"an unknown currency":           {func(c *pairs.Config) { c.Listings[0].Pair = pair("X/USD") }, "listing X/USD: a currency or its class"},
		"an interval of nothing":        {func(c *pairs.Config) { c.Sources[0].Interval = 0 }, "market BTC/USD: polled every 0s at alpha"},
		"an unknown market class":       {func(c *pairs.Config) { c.Markets[0].Class = "x" }, `market BTC/USD: class "x" does not exist`},
		"a source that does not exist":  {func(c *pairs.Config) { c.Markets[0].Sources = []string{"missing"} }, `market BTC/USD: source "missing" does not exist`},
		"a listing without a market":    {func(c *pairs.Config) { c.Listings[0].Pair = pair("BTC/NGN") }, "listing BTC/NGN: the leg BTC/NGN of its route is no market"},
		"an unknown leg":                {func(c *pairs.Config) { c.Listings[3].Via = "XOF" }, "listing BTC/EUR: the leg BTC/XOF of its route is no market"},
		"an interval above the max age": {func(c *pairs.Config) { c.Sources[0].Interval = 30 * time.Second }, "market BTC/USD: polled every 30s at alpha"},
		"a bound without a market":      {func(c *pairs.Config) { c.Markets[2].Bound, c.MarketClasses[1].Bound = "XOF", dec("0.2") }, "market USDT/NGN: the leg USDT/XOF of its route is no market"},
		"a direct market that is none":  {func(c *pairs.Config) { c.Listings[3].Direct = true }, "listing BTC/EUR: the leg BTC/EUR of its route is no market"},
		"an order that nothing can size": {func(c *pairs.Config) {
			c.Markets, c.Listings = c.Markets[5:], []core.Listing{{Pair: pair("EUR/XOF"), Class: "fiat"}}
			c.Markets[0].Pair = pair("NGN/EUR")
		}, "currency EUR: no way to USD in at most two legs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config()
			_, sources := venuesOf(cfg, nil)
			test.change(&cfg)
			_, err := pairs.New(cfg, sources, (&manualClock{now: noon}).Now)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want it to say %q", err, test.want)
			}
		})
	}
}

func TestNew_ReportsAllFaults(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.Markets[0].Sources = []string{"missing"}
	cfg.Markets[1].Class = "x"
	cfg.Listings[0].Class = "y"
	_, err := pairs.New(cfg, []ports.RateSource{newVenue("alpha", nil)}, nil)
	if err == nil {
		t.Fatal("got no error")
	}
	for _, want := range []string{`source "missing"`, `source "beta"`, `class "x"`, `class "y"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
}

func TestPoll_RequestsOwnMarkets(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := s.venues["beta"].markets
	if len(got) != 2 || got[0] != pair("BTC/USD") || got[1] != pair("USDT/NGN") {
		t.Errorf("beta was polled for %v", got)
	}
}

func TestPoll_SkipsIdleSources(t *testing.T) {
	t.Parallel()
	cfg := config()
	clock := &manualClock{now: noon}
	venues, sources := venuesOf(cfg, clock.Now)
	quoted(venues)
	idle := newVenue("idle", clock.Now)
	s, err := pairs.New(cfg, append(sources, idle), clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	s.Tick(t.Context())
	if idle.polled() != 0 {
		t.Error("it was polled")
	}
	if names := s.Sources(); names[0].Name != "alpha" || names[len(names)-1].Name != "idle" {
		t.Errorf("the sources are not sorted by name: %v", names)
	}
}
