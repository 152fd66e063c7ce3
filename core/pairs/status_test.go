package pairs_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/pairs"
)

// TestRules_Docs checks that docs/pairs.md shows the table that decides the status of a price.
func TestRules_Docs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/pairs.md")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| reason | status | margin | when |\n|---|---|---|---|\n")
	for _, r := range pairs.Rules() {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", r.Reason, r.Status, r.Margin, r.Meaning)
	}
	if !strings.Contains(string(text), table.String()) {
		t.Errorf("docs/pairs.md does not contain this table:\n%s", table.String())
	}
}

func TestStatus_Age(t *testing.T) {
	t.Parallel()
	s := start(t, config())
	fresh := *s.quote(t, "BTCUSD")
	s.hush()
	for _, at := range []struct {
		after  time.Duration
		status pairs.Status
		reason pairs.Reason
		buy    string
	}{
		{10 * time.Second, pairs.Fresh, "", "101510"},
		{11 * time.Second, pairs.Stale, pairs.Aging, "103010"},    // twice the margin
		{35 * time.Second, pairs.Stale, pairs.Degraded, "104510"}, // no vote is live any more: the last rate stays, at three times the margin
		{60 * time.Second, pairs.Stale, pairs.Degraded, "104510"},
		{61 * time.Second, pairs.Halted, pairs.Expired, "104510"},
		{400 * time.Second, pairs.Halted, pairs.Expired, "104510"}, // still listed, at the last price shown
	} {
		s.step(t, noon.Add(at.after).Sub(s.clock.Now()))
		q := s.quote(t, "BTCUSD")
		if q.Status != at.status || q.Reason != at.reason {
			t.Errorf("after %s: got %s %q, want %s %q", at.after, q.Status, q.Reason, at.status, at.reason)
		}
		same(t, at.after.String(), q.Buy, at.buy)
		want := noon.Add(10 * time.Second) // the last instant at which it was fresh
		if at.status == pairs.Fresh {
			want = s.Snapshot().At
		}
		if !q.UpdatedAt.Equal(want) {
			t.Errorf("after %s: updated at %s, want %s", at.after, q.UpdatedAt, want)
		}
	}
	for _, name := range []string{"alpha", "beta", "gamma"} {
		s.venues[name].fail(nil)
	}
	s.step(t, 2*time.Minute)
	if q := s.quote(t, "BTCUSD"); q.Status != pairs.Fresh || !q.Buy.Equal(fresh.Buy) {
		t.Errorf("afterwards: got %+v", q)
	}
}

func TestStatus_OfficialRate(t *testing.T) {
	t.Parallel()
	s := start(t, config())
	s.venues["bank"].fail(outage)
	for _, at := range []struct {
		after time.Duration
		want  pairs.Status
	}{
		{5 * time.Hour, pairs.Fresh},
		{36 * time.Hour, pairs.Fresh},
		{36*time.Hour + 59*time.Second, pairs.Stale},
		{36*time.Hour + 61*time.Second, pairs.Halted},
	} {
		s.step(t, noon.Add(at.after).Sub(s.clock.Now()))
		if q := s.quote(t, "EURUSD"); q.Status != at.want {
			t.Errorf("after %s: got %s, want %s", at.after, q.Status, at.want)
		}
	}
	if q := s.quote(t, "EURUSD"); !q.UpdatedAt.Equal(noon.Add(36 * time.Hour)) {
		t.Errorf("updated at %s", q.UpdatedAt)
	}
	if q := s.quote(t, "EURXOF"); q.Status != pairs.Fresh || !q.FreshUntil.IsZero() {
		t.Errorf("a treaty does not age: got %s until %s", q.Status, q.FreshUntil)
	}
}

func TestExpiry_ClosedDays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		made  string
		fresh time.Duration
	}{
		"made on a Monday":   {"2026-11-16T12:00:00Z", 36 * time.Hour},
		"made on a Friday":   {"2026-11-20T16:00:00Z", 84 * time.Hour},
		"made on a Saturday": {"2026-11-21T06:00:00Z", 78 * time.Hour},

		"made on Thursday 24 December": {"2026-12-24T16:00:00Z", 108 * time.Hour}, // Friday is Christmas Day, the 26th a Saturday: until Tuesday, 04:00
		"made before two days off":     {"2029-12-24T16:00:00Z", 84 * time.Hour},  // a Monday; 25 and 26 December are no weekend
		"made before New Year's Day":   {"2026-12-31T16:00:00Z", 108 * time.Hour}, // a Friday
		"made before Good Friday":      {"2026-04-02T16:00:00Z", 132 * time.Hour}, // Friday to Monday
		"made on Good Friday":          {"2027-03-26T16:00:00Z", 116 * time.Hour},
		"made on Easter Monday":        {"2030-04-22T06:00:00Z", 54 * time.Hour},
		"made before the first of May": {"2025-04-30T16:00:00Z", 108 * time.Hour}, // a Thursday, Friday, and a weekend
		"made before 27 December":      {"2027-12-27T12:00:00Z", 36 * time.Hour},  // a Monday like any other
		"made before Whit Monday":      {"2026-05-22T16:00:00Z", 84 * time.Hour},  // on which TARGET is open
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, err := time.Parse(time.RFC3339, test.made)
			if got := pairs.Expiry(made, 36*time.Hour); err != nil || !got.Equal(made.Add(test.fresh)) {
				t.Errorf("fresh until %s, %v, want %s", got, err, made.Add(test.fresh))
			}
		})
	}
}

func TestStatus_FirstPriceTooOld(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.ListingClasses[0].Fresh, cfg.ListingClasses[0].Stale = time.Second, 2*time.Second
	s := openQuoted(t, cfg)
	s.venues["alpha"].lag = 20 * time.Second
	s.Tick(t.Context())
	q := s.quote(t, "SHIBUSD")
	if q.Status != pairs.Halted || !q.UpdatedAt.Equal(noon.Add(-20*time.Second)) {
		t.Errorf("got %s, updated at %s", q.Status, q.UpdatedAt)
	}
}

func TestSnapshot_OmitsUnpriced(t *testing.T) {
	t.Parallel()
	s := openQuoted(t, config())
	s.venues["alpha"].fail(outage)
	s.venues["bank"].fail(outage) // sizes EUR
	if s.Snapshot() != nil {
		t.Error("there is a snapshot before the first tick")
	}
	s.Tick(t.Context())
	for _, id := range []string{"SHIBUSD", "EURXOF"} {
		if s.Snapshot().Quote(id) != nil || !s.Known(id) {
			t.Errorf("%s has a price, or is not offered", id)
		}
	}
	if s.Known("USDSHIB") {
		t.Error("USDSHIB is offered")
	}
	s.venues["bank"].fail(nil)
	s.step(t, time.Minute)
	s.quote(t, "EURXOF")
}

// TestService_ClockSkew starts with venues whose clocks differ by ten seconds: every pair has a
// price or a reason why not.
func TestService_ClockSkew(t *testing.T) {
	t.Parallel()
	for _, lag := range []time.Duration{10 * time.Second, -10 * time.Second} {
		s := openQuoted(t, config())
		for _, v := range s.venues {
			v.lag = lag
		}
		s.Tick(t.Context())
		priced := 0
		for _, l := range config().Listings {
			if snapshot := s.Snapshot(); snapshot != nil && snapshot.Quote(l.Pair.ID()) != nil {
				priced++
				continue
			}
			missing := s.Missing(l.Pair.ID())
			if !slices.ContainsFunc(missing, func(e pairs.Exclusion) bool { return e.Reason == pairs.Future }) {
				t.Errorf("%s behind: %s has no price, because of %v", lag, l.Pair.ID(), missing)
			}
		}
		if lag > 0 && priced != len(config().Listings) {
			t.Errorf("%s behind: %d of %d pairs have a price", lag, priced, len(config().Listings))
		}
	}
}

func TestStatus_ClockSetBack(t *testing.T) {
	t.Parallel()
	for _, down := range []bool{false, true} {
		s := start(t, config())
		if down {
			s.hush()
		}
		s.step(t, -time.Hour)
		if q := s.quote(t, "BTCUSD"); (q.Status == pairs.Halted) != down || q.UpdatedAt.After(s.clock.Now()) {
			t.Errorf("down: %t: got %s, updated at %s", down, q.Status, q.UpdatedAt)
		}
		for _, v := range s.venues {
			v.fail(nil)
		}
		s.step(t, 2*time.Minute)
		s.want(t, "BTCUSD", pairs.Fresh, "")
	}
}

func TestStatus_MarketClosed(t *testing.T) {
	t.Parallel()
	s := panel(t, "USD/EUR", "official", 1)
	s.clock.advance(5 * 24 * time.Hour) // Saturday
	s.venues["a"].lag = 24 * time.Hour
	s.Tick(t.Context())
	q := s.want(t, "USDEUR", pairs.Fresh, pairs.MarketClosed)
	if got := q.Legs[0].Rate.AsOf; !got.Equal(s.clock.Now().Add(-24 * time.Hour)) {
		t.Errorf("as of %s, want the time of the sheet", got)
	}
}

func TestMargins(t *testing.T) {
	t.Parallel()
	tiers := []core.MarginTier{
		{UpToUSD: dec("1000"), Margin: core.Margin{BuyBPS: 200, SellBPS: 100}}, {Margin: core.Margin{BuyBPS: 120, SellBPS: 300}},
	}
	for _, test := range []struct {
		name      string
		change    func(*pairs.Config)
		buy, sell string
		tiers     int
	}{
		{"class", func(*pairs.Config) {}, "0.015", "0.015", 0},
		{"riskiest leg", func(c *pairs.Config) { c.MarketClasses[0].MarginFloorBPS = 250 }, "0.025", "0.025", 0},
		{"by side", func(c *pairs.Config) {
			c.ListingClasses[0].Tiers = []core.MarginTier{{Margin: core.Margin{BuyBPS: 50, SellBPS: 70}}}
		}, "0.005", "0.007", 0},
		{"by pair", func(c *pairs.Config) { c.Listings[0].Margin = core.Margin{BuyBPS: 30, SellBPS: 40} }, "0.003", "0.004", 0},
		{"by size", func(c *pairs.Config) { c.ListingClasses[0].Tiers = tiers }, "0.02", "0.03", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cfg := config()
			test.change(&cfg)
			s := start(t, cfg)
			q := s.quote(t, "BTCUSD")
			same(t, "buy margin", q.BuyMargin, test.buy)
			same(t, "sell margin", q.SellMargin, test.sell)
			if len(q.Tiers) != test.tiers {
				t.Fatalf("%d tiers, want %d", len(q.Tiers), test.tiers)
			}
			for _, tier := range q.Tiers {
				if tier.Buy.GreaterThan(q.Buy) || tier.Sell.LessThan(q.Sell) {
					t.Errorf("tier up to %s: %s and %s are worse than the listed %s and %s", tier.UpTo, tier.Buy, tier.Sell, q.Buy, q.Sell)
				}
			}
			if test.tiers > 0 {
				same(t, "first tier", q.Tiers[0].UpTo, "0.01")
			}
		})
	}
}

func TestLimits_Payable(t *testing.T) {
	t.Parallel()
	s := start(t, config())
	for _, q := range s.Snapshot().Quotes {
		decimals := map[string]int32{"USD": 2, "EUR": 2, "NGN": 2, "XOF": 0}[q.Pair.Counter]
		for _, l := range []pairs.Limit{q.MinBuy, q.MaxBuy, q.MinSell, q.MaxSell} {
			if !l.Counter.Equal(l.Counter.Truncate(decimals)) || !l.Base.Equal(l.Base.Truncate(q.BaseDecimals)) {
				t.Errorf("%s: the limit of %s for %s cannot be paid", q.ID, l.Base, l.Counter)
			}
		}
	}
}

// dates follows when every pair of a service was fresh last, as its snapshots say.
type dates map[string]*pairs.Quote

// see checks when a snapshot says that its pairs were fresh: now, where they are; else no later
// than their publication or the instant that it stated. Whatever happens to them meanwhile, the
// instant stays the same.
func (d dates) see(t tb, s *pairs.Snapshot) {
	t.Helper()
	for i := range s.Quotes {
		q := &s.Quotes[i]
		before := d[q.ID]
		switch {
		case q.Status == pairs.Fresh:
			if !q.UpdatedAt.Equal(s.At) {
				t.Errorf("%s is fresh, and dated %s in a snapshot of %s", q.ID, q.UpdatedAt, s.At)
			}
		case before == nil:
			if newest := q.Legs[0].Rate.AsOf; q.UpdatedAt.After(newest) {
				t.Errorf("%s never was fresh, and is dated %s, its votes %s", q.ID, q.UpdatedAt, newest)
			}
			continue
		case before.Status == pairs.Fresh:
			if q.UpdatedAt.After(before.FreshUntil) || q.UpdatedAt.Before(before.UpdatedAt) {
				t.Errorf("%s was fresh at %s until %s, and is dated %s", q.ID, before.UpdatedAt, before.FreshUntil, q.UpdatedAt)
			}
		case !q.UpdatedAt.Equal(before.UpdatedAt):
			t.Errorf("%s was fresh last at %s, and then at %s, while it was %s", q.ID, before.UpdatedAt, q.UpdatedAt, q.Status)
		}
		d[q.ID] = q
	}
}
