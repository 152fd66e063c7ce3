package app

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/config"
	"causeway/core"
	"causeway/core/pairs"
	"causeway/simulator/faults"
	"causeway/simulator/incidents"
	"causeway/simulator/market"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// pollStep is the polling interval of the fastest sources; shorter steps show nothing more.
const pollStep = 2 * time.Second

// marketFixture is an App whose prices come from a world with a frozen clock.
type marketFixture struct {
	*pairs.Service
	api     *httpapi.API
	world   *world.World
	catalog config.Catalog
}

// newMarketFixture starts at noon of a Monday, inside a synctest bubble. Given currencies restrict
// the catalog to them, which makes long runs fast.
func newMarketFixture(t *testing.T, currencies ...string) *marketFixture {
	t.Helper()
	catalog := onlyCurrencies(loadCatalog(t), currencies)
	w, err := world.New(world.RegistryConfig{Clock: time.Now, Banks: catalog.Banks, Providers: wire.Offers(), Default: world.Options{Seed: "causeway"}})
	if err != nil {
		t.Fatal(err)
	}
	w.Freeze(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC))
	return newMarketFixtureOf(t, w, catalog)
}

// newMarketFixtureOf builds an App whose prices come from a world.
func newMarketFixtureOf(t *testing.T, w *world.World, catalog config.Catalog) *marketFixture {
	t.Helper()
	environment := worldEnvironment(w, catalog)

	delistUnused(t, w, catalog.With(environment.Listings))
	a := newTestApp(t, settings(t), zap.NewNop(), fx.Replace(catalog),
		withEnvironment(func(env *Environment) { *env = environment }))
	return &marketFixture{Service: a.home.pairs(), api: a.api, world: w, catalog: a.home.services.Load().Catalog}
}

func loadCatalog(t testing.TB) config.Catalog {
	t.Helper()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

// onlyCurrencies returns the catalog with the markets and pairs between some currencies; all if
// none is given.
func onlyCurrencies(c config.Catalog, currencies []string) config.Catalog {
	if len(currencies) == 0 {
		return c
	}
	other := func(p core.Pair) bool {
		return !slices.Contains(currencies, p.Base) || !slices.Contains(currencies, p.Counter)
	}
	c.Markets = slices.DeleteFunc(slices.Clone(c.Markets), func(m core.Market) bool { return other(m.Pair) })
	c.Listings = slices.Clone(c.Listings)
	for i := range c.Listings {
		l := &c.Listings[i]
		if !slices.Contains(currencies, l.Else) {
			l.Else = ""
		}
		if l.Direct && !slices.Contains(currencies, l.Via) {
			l.Via, l.Direct = "", false
		}
	}
	c.Listings = slices.DeleteFunc(c.Listings, func(l core.Listing) bool {
		return other(l.Pair) || l.Via != "" && !slices.Contains(currencies, l.Via)
	})
	return c
}

// delistUnused removes markets that the catalog does not use from the venues that report all their
// markets at once. Encoding and decoding them takes most of the time of a run.
func delistUnused(t *testing.T, w *world.World, c core.PriceCatalog) {
	t.Helper()
	absent := map[core.Pair]market.Setting{}
	for _, venue := range []string{market.OKX, market.Bybit, market.Bitstamp, market.Quidax, market.Luno, market.VALR} {
		for _, pair := range w.Market().Listed(venue) {
			if slices.ContainsFunc(c.Markets, func(m core.Market) bool { return m.Pair == pair }) {
				continue
			}
			if absent[pair].Venues == nil {
				absent[pair] = market.Setting{Venues: map[string]market.VenueSetting{}}
			}
			absent[pair].Venues[venue] = market.VenueSetting{State: market.Absent}
		}
	}
	for pair, s := range absent {
		if err := w.Market().Set(pair, s, w.Now(), time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
}

// run advances the clock in steps, ticks the price engine and calls look after each step.
func (mf *marketFixture) run(t *testing.T, length, step time.Duration, look func()) {
	t.Helper()
	for passed := time.Duration(0); passed < length; passed += step {
		mf.world.Freeze(mf.world.Now().Add(step))
		mf.Tick(t.Context())
		if look != nil {
			look()
		}
	}
}

// addFault adds a fault of a provider and returns a function that removes it.
func (mf *marketFixture) addFault(t *testing.T, provider string, e faults.Effect) (end func()) {
	t.Helper()
	id, err := mf.world.Faults().Add(faults.Rule{Match: faults.Match{Provider: provider}, Effect: e}, mf.world.Now())
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := mf.world.Faults().Remove(id); err != nil {
			t.Error(err)
		}
	}
}

// source returns the state of a rate source.
func (mf *marketFixture) source(t *testing.T, name string) pairs.SourceState {
	t.Helper()
	i := slices.IndexFunc(mf.Sources(), func(s pairs.SourceState) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("%s is no source", name)
	}
	return mf.Sources()[i]
}

// want checks the status of a pair, and that it is tradable unless it is halted.
func (mf *marketFixture) want(t *testing.T, id string, status pairs.Status, reason pairs.Reason) *pairs.Quote {
	t.Helper()
	q := mf.Snapshot().Quote(id)
	if q.Status != status || q.Reason != reason {
		t.Errorf("%s: %s is %s %q, want %s %q: excluded %v", mf.world.Now().Format(time.TimeOnly), id, q.Status, q.Reason,
			status, reason, q.Legs[0].Rate.Excluded)
	}
	return q
}

// excluded returns why sources have no vote in the first leg of a quote.
func excluded(q *pairs.Quote) map[string]pairs.Reason {
	out := map[string]pairs.Reason{}
	for _, x := range q.Legs[0].Rate.Excluded {
		out[x.Source] = x.Reason
	}
	return out
}

// TestScenarios plays every scenario of the library and checks its verdicts.
func TestScenarios(t *testing.T) {
	t.Parallel()
	for _, name := range incidents.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				mf := newMarketFixture(t, scenarioCurrencies(t, name)...)
				mf.run(t, 20*time.Second, pollStep, nil)
				mf.play(t, name)
			})
		})
	}
}

// TestScenarios_RealMove lets coins fall by a quarter at all venues, which report it within seconds. No pair of the catalog
// is halted for more than 15 s.
func TestScenarios_RealMove(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mf := newMarketFixture(t)
		mf.run(t, 20*time.Second, pollStep, nil)
		for _, coin := range []string{"ADA", "BCH", "BTC", "DOT", "ETH", "SOL", "XLM"} {
			fall := market.Setting{JumpBPS: -2500}
			if err := mf.world.Market().Set(core.Pair{Base: coin, Counter: "USDT"}, fall, mf.world.Now(), time.Time{}); err != nil {
				t.Fatal(err)
			}
		}
		halted := map[string]time.Duration{}
		mf.run(t, time.Minute, pollStep, func() {
			for _, q := range mf.Snapshot().Quotes {
				if halted[q.ID] += pollStep; q.Status != pairs.Halted {
					halted[q.ID] = 0
				}
				if halted[q.ID] > 15*time.Second {
					t.Errorf("%s is halted for %s (%s)", q.ID, halted[q.ID], q.Reason)
				}
			}
		})
		mf.want(t, "ADAUSD", pairs.Fresh, "")
	})
}

// scenarioCurrencies returns the currencies of the pairs that a scenario has verdicts about, and those
// that prices are derived by.
func scenarioCurrencies(t *testing.T, name string) []string {
	t.Helper()
	s, err := incidents.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{"USD", "USDT"}
	for _, l := range loadCatalog(t).Listings {
		if slices.ContainsFunc(s.Verdicts, func(v incidents.Verdict) bool { return v.Pair == l.Pair.ID() }) {
			out = append(out, l.Pair.Base, l.Pair.Counter)
			if l.Via != "" {
				out = append(out, l.Via)
			}
		}
	}
	return out
}

// play plays a scenario to its end and checks its verdicts.
func (mf *marketFixture) play(t *testing.T, name string) {
	t.Helper()
	s, err := incidents.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	start := mf.world.Now()
	if _, err := mf.world.Play(s, start); err != nil {
		t.Fatal(err)
	}
	before := map[string]decimal.Decimal{}
	jumped := map[string]bool{}
	for _, v := range s.Verdicts {
		if mf.Snapshot().Quote(v.Pair) == nil {
			t.Fatalf("%s: %s is not listed", name, v.Pair)
		}
		before[v.Pair] = mf.Snapshot().Quote(v.Pair).Mid
	}
	mf.run(t, time.Duration(s.Lasts), pollStep, func() {
		since := mf.world.Now().Sub(start)
		for _, v := range s.Verdicts {
			q := mf.Snapshot().Quote(v.Pair)
			jumped[v.Pair] = jumped[v.Pair] || q.Legs[0].Rate.Jumped
			if since < time.Duration(v.From) || since > time.Duration(v.Until) {
				continue
			}
			checkVerdict(t, name, since, v, q, before[v.Pair])
		}
	})
	for _, v := range s.Verdicts {
		if v.Jumped && !jumped[v.Pair] {
			t.Errorf("%s: %s never jumped", name, v.Pair)
		}
	}
}

// checkVerdict compares a quote with a verdict.
func checkVerdict(
	t *testing.T, name string, since time.Duration, v incidents.Verdict, q *pairs.Quote, before decimal.Decimal,
) {
	t.Helper()
	if !slices.Contains(v.Status, string(q.Status)) || !slices.Contains(v.Reason, string(q.Reason)) {
		t.Errorf("%s: after %s %s is %s %q, want %v %q: %v", name, since, v.Pair, q.Status, q.Reason, v.Status, v.Reason,
			q.Legs[0].Rate.Excluded)
	}
	if v.Low != "" && q.Mid.LessThan(before.Mul(decimal.RequireFromString(v.Low))) || v.High != "" &&
		q.Mid.GreaterThan(before.Mul(decimal.RequireFromString(v.High))) {
		t.Errorf("%s: after %s %s is at %s, before it was at %s; want %s to %s of that", name, since, v.Pair, q.Mid, before,
			v.Low, v.High)
	}
	rate := q.Legs[0].Rate
	if v.Used > 0 && len(rate.Used) != v.Used {
		t.Errorf("%s: after %s %s is made of %d votes, want %d: %v", name, since, v.Pair, len(rate.Used), v.Used,
			rate.Excluded)
	}
	for source, reasons := range v.Excluded {
		i := slices.IndexFunc(rate.Excluded, func(x pairs.Exclusion) bool { return x.Source == source })
		if i < 0 || !slices.Contains(reasons, string(rate.Excluded[i].Reason)) {
			t.Errorf("%s: after %s %s excludes %v, want %s for one of %v", name, since, v.Pair, rate.Excluded, source, reasons)
		}
	}
}

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }
