package pairs_test

import (
	"slices"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/pairs"
)

var outage = core.Errorf(core.Unavailable, "it is unavailable")

// hush makes every book fail; the official rates go on.
func (s *fixture) hush() {
	for _, name := range []string{"alpha", "beta", "gamma"} {
		s.venues[name].fail(outage)
	}
}

func TestStatus_Age(t *testing.T) {
	t.Parallel()
	s := start(t)
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
		if tradable := at.status != pairs.Halted; q.BuySupported != tradable || q.SellSupported != tradable {
			t.Errorf("after %s: %s, but tradable is %t and %t", at.after, q.Status, q.BuySupported, q.SellSupported)
		}
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
	if q := s.quote(t, "BTCUSD"); q.Status != pairs.Fresh || !q.Buy.Equal(fresh.Buy) || !q.BuySupported {
		t.Errorf("afterwards: got %+v", q)
	}
}

func TestVotes_Expire(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.MarketClasses[0].Band, cfg.MarketClasses[0].Jump = dec("0.2"), dec("0")
	cfg.Rules.Wide = dec("0.2")
	s := open(t, cfg)
	quoted(s.venues)
	s.venues["alpha"].set("BTC/USD", "90000")
	s.venues["beta"].set("BTC/USD", "90000")
	s.venues["alpha"].lag, s.venues["beta"].lag = 25*time.Second, 24*time.Second
	s.Tick(t.Context())
	same(t, "at first", s.quote(t, "BTCUSD").Mid, "90000")
	s.hush()
	s.step(t, 7*time.Second) // before any heartbeat
	q := s.quote(t, "BTCUSD")
	same(t, "then", q.Mid, "100000")
	if got := q.Legs[0].Rate; q.Status != pairs.Fresh || len(got.Used) != 1 || len(got.Excluded) != 2 {
		t.Errorf("got %s, used %d, excluded %v", q.Status, len(got.Used), got.Excluded)
	}
}

func TestStatus_WorstLeg(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.Listings = append(cfg.Listings, core.Listing{Pair: pair("USD/NGN"), Via: "USDT", Class: "tail"})
	s := open(t, cfg)
	quoted(s.venues)
	s.Tick(t.Context())
	s.venues["alpha"].fail(outage) // USDT/USD
	for range 35 {
		s.step(t, 2*time.Second)
	}
	if q := s.quote(t, "USDNGN"); q.Status != pairs.Stale || q.Reason != pairs.Degraded || !q.UpdatedAt.Equal(noon.Add(22*time.Second)) { // when it was published as fresh last
		t.Errorf("got %s %q, updated at %s", q.Status, q.Reason, q.UpdatedAt)
	}
	if q := s.quote(t, "USDTNGN"); q.Status != pairs.Fresh {
		t.Errorf("its other leg alone: got %s", q.Status)
	}
}

func TestStatus_HaltedCross(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.Listings = append(cfg.Listings, core.Listing{Pair: pair("USD/NGN"), Via: "USDT", Class: "tail"})
	s := open(t, cfg)
	quoted(s.venues)
	s.Tick(t.Context())
	s.venues["alpha"].fail(outage)
	s.step(t, 121*time.Second)
	halted := *s.quote(t, "USDNGN")
	s.venues["beta"].set("USDT/NGN", "2000")
	s.step(t, 20*time.Second)
	if q := s.quote(t, "USDNGN"); q.Status != pairs.Halted || !q.Buy.Equal(halted.Buy) || !q.Mid.Equal(halted.Mid) {
		t.Errorf("got %s at %s, want it halted at %s", q.Status, q.Buy, halted.Buy)
	}
	same(t, "the living leg", s.quote(t, "USDTNGN").Mid, "2000")
}

func TestStatus_OfficialRate(t *testing.T) {
	t.Parallel()
	s := start(t)
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
			s := open(t, config())
			quoted(s.venues)
			made, err := time.Parse(time.RFC3339, test.made)
			if err != nil {
				t.Fatal(err)
			}
			s.clock.now = made
			s.Tick(t.Context())
			if q := s.quote(t, "EURUSD"); !q.FreshUntil.Equal(made.Add(test.fresh)) {
				t.Errorf("fresh until %s, want %s", q.FreshUntil, made.Add(test.fresh))
			}
		})
	}
}

func TestStatus_FirstPriceTooOld(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.ListingClasses[0].Fresh, cfg.ListingClasses[0].Stale = time.Second, 2*time.Second
	s := open(t, cfg)
	quoted(s.venues)
	s.venues["alpha"].lag = 20 * time.Second
	s.Tick(t.Context())
	q := s.quote(t, "SHIBUSD")
	if q.Status != pairs.Halted || q.BuySupported || q.SellSupported || !q.UpdatedAt.Equal(noon.Add(-20*time.Second)) {
		t.Errorf("got %s, tradable %t and %t, updated at %s", q.Status, q.BuySupported, q.SellSupported, q.UpdatedAt)
	}
}

func TestSnapshot_OmitsUnpriced(t *testing.T) {
	t.Parallel()
	s := open(t, config())
	quoted(s.venues)
	s.venues["alpha"].fail(outage)
	if s.Snapshot() != nil {
		t.Error("there is a snapshot before the first tick")
	}
	s.Tick(t.Context())
	if s.Snapshot().Quote("SHIBUSD") != nil {
		t.Error("SHIBUSD has a price")
	}
	if !s.Known("SHIBUSD") || s.Known("USDSHIB") {
		t.Error("SHIBUSD is on offer, USDSHIB is not")
	}
}

// TestService_ClockSkew starts beside venues whose clocks differ by ten seconds: every pair has a price
// or a reason why not.
func TestService_ClockSkew(t *testing.T) {
	t.Parallel()
	for _, lag := range []time.Duration{10 * time.Second, -10 * time.Second} {
		s := open(t, config())
		quoted(s.venues)
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

func TestSnapshot_OmitsUnsized(t *testing.T) {
	t.Parallel()
	s := open(t, config())
	quoted(s.venues)
	s.venues["bank"].fail(outage) // sizes EUR
	s.venues["alpha"].fail(outage)
	s.Tick(t.Context())
	if s.Snapshot().Quote("EURXOF") != nil {
		t.Error("EURXOF has limits from nowhere")
	}
	s.venues["bank"].fail(nil)
	s.step(t, time.Minute)
	s.quote(t, "EURXOF")
}

func TestStatus_ClockSetBack(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.hush()
	s.step(t, -time.Hour) // the clock is set back
	if q := s.quote(t, "BTCUSD"); q.Status != pairs.Halted || q.UpdatedAt.After(s.clock.Now()) {
		t.Errorf("got %s, updated at %s", q.Status, q.UpdatedAt)
	}
	for _, name := range []string{"alpha", "beta", "gamma"} {
		s.venues[name].fail(nil)
	}
	s.step(t, 2*time.Minute)
	if q := s.quote(t, "BTCUSD"); q.Status != pairs.Fresh {
		t.Errorf("afterwards: got %s", q.Status)
	}
}

func TestSchedule_ClockSetBack(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.step(t, -time.Hour)
	if q := s.quote(t, "BTCUSD"); q.Status != pairs.Fresh || !s.Snapshot().At.Equal(noon.Add(-time.Hour)) {
		t.Errorf("got %s at %s", q.Status, s.Snapshot().At)
	}
}
