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
	"causeway/simulator"
)

// beat is how often the busiest sources are asked: a shorter step tells nothing more.
const beat = 2 * time.Second

// theatre is a whole sandbox in a world whose clock stands still until a test moves it.
type theatre struct {
	*pairs.Service
	api     *httpapi.API
	world   *simulator.World
	catalog config.Catalog
}

// stage opens a sandbox at noon of a Monday, within a bubble: whatever waits for the machine's clock waits for nobody. Where currencies
// are named there are no others in its catalog, so that a long play is a short test.
func stage(t *testing.T, seed string, currencies ...string) *theatre {
	t.Helper()
	catalog := among(loadCatalog(t), currencies)
	world, err := simulator.New(simulator.Config{Seed: seed}, time.Now, catalog.Banks)
	if err != nil {
		t.Fatal(err)
	}
	world.Clock().Freeze(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC))
	return newTheatre(t, world, catalog)
}

// newTheatre opens a sandbox whose prices are those of a world.
func newTheatre(t *testing.T, world *simulator.World, catalog config.Catalog) *theatre {
	t.Helper()
	environment := worldEnvironment(world, catalog)
	environment.Frozen, environment.Pinned = nil, nil
	hush(t, world, withListings(catalog, environment.Listings))
	a := newTestApp(t, settings(t), zap.NewNop(), fx.Replace(catalog), withEnvironment(func(env *Environment) { *env = environment }))
	return &theatre{Service: a.home.pairs(), api: a.api, world: world, catalog: a.home.services.Load().Catalog}
}

func loadCatalog(t *testing.T) config.Catalog {
	t.Helper()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

// among leaves the markets and listings between some currencies; all of them where none is named.
func among(c config.Catalog, currencies []string) config.Catalog {
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

// hush has no venue trade what is not in a catalog: some tell of all that they trade whenever they are asked, and to make and to read what nobody
// wanted was most of what a play costs.
func hush(t *testing.T, w *simulator.World, c config.Catalog) {
	t.Helper()
	absent := map[core.Pair]simulator.Setting{}
	for _, venue := range []string{simulator.OKX, simulator.Bybit, simulator.Quidax} {
		for _, pair := range w.Market().Listed(venue) {
			if slices.ContainsFunc(c.Markets, func(m core.Market) bool { return m.Pair == pair }) {
				continue
			}
			if absent[pair].Venues == nil {
				absent[pair] = simulator.Setting{Venues: map[string]simulator.VenueSetting{}}
			}
			absent[pair].Venues[venue] = simulator.VenueSetting{State: simulator.VenueAbsent}
		}
	}
	for pair, s := range absent {
		if err := w.Market().Set(pair, s, w.Now(), time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
}

// run lets time pass in steps and calls look after each.
func (th *theatre) run(t *testing.T, length, step time.Duration, look func()) {
	t.Helper()
	for passed := time.Duration(0); passed < length; passed += step {
		th.world.Clock().Advance(step)
		th.Tick(t.Context())
		if look != nil {
			look()
		}
	}
}

// pair finds a market by its name.
func (th *theatre) pair(t *testing.T, name string) core.Pair {
	t.Helper()
	pair, err := th.world.Market().Pair(name)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// set does something to a market from now on.
func (th *theatre) set(t *testing.T, market string, s simulator.Setting) {
	t.Helper()
	if err := th.world.Market().Set(th.pair(t, market), s, th.world.Now(), time.Time{}); err != nil {
		t.Fatal(err)
	}
}

// lift ends what was done to a market.
func (th *theatre) lift(t *testing.T, market string) {
	t.Helper()
	if err := th.world.Market().Lift(th.pair(t, market), th.world.Now()); err != nil {
		t.Fatal(err)
	}
}

// befall lets an effect befall a provider from now on, and returns how to end that.
func (th *theatre) befall(t *testing.T, provider string, e simulator.Effect) (end func()) {
	t.Helper()
	id, err := th.world.Faults().Add(simulator.Rule{Match: simulator.Match{Provider: provider}, Effect: e}, th.world.Now())
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := th.world.Faults().Remove(id); err != nil {
			t.Error(err)
		}
	}
}

// source is the state of a source.
func (th *theatre) source(t *testing.T, name string) pairs.SourceState {
	t.Helper()
	i := slices.IndexFunc(th.Sources(), func(s pairs.SourceState) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("%s is no source", name)
	}
	return th.Sources()[i]
}

// want fails unless a pair is in a state, and tradable only where it is not halted.
func (th *theatre) want(t *testing.T, id string, status pairs.Status, reason pairs.Reason) *pairs.Quote {
	t.Helper()
	q := th.Snapshot().Quote(id)
	if q.Status != status || q.Reason != reason {
		t.Errorf("%s: %s is %s %q, want %s %q: excluded %v", th.world.Now().Format(time.TimeOnly), id, q.Status, q.Reason, status, reason, q.Legs[0].Rate.Excluded)
	}
	if q.BuySupported != (q.Status != pairs.Halted) || q.SellSupported != q.BuySupported {
		t.Errorf("%s is %s, and tradable %t and %t", id, q.Status, q.BuySupported, q.SellSupported)
	}
	return q
}

// excluded says why sources have no vote in the first leg of a quote.
func excluded(q *pairs.Quote) map[string]pairs.Reason {
	out := map[string]pairs.Reason{}
	for _, x := range q.Legs[0].Rate.Excluded {
		out[x.Source] = x.Reason
	}
	return out
}

// TestIncidentsComeOutAsTheLibrarySays plays every scenario and holds the published prices against its verdicts all along.
func TestIncidentsComeOutAsTheLibrarySays(t *testing.T) {
	t.Parallel()
	for _, name := range simulator.Scenarios() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				th := stage(t, "causeway")
				th.run(t, 20*time.Second, beat, nil)
				th.play(t, name, nil)
			})
		})
	}
}

// play plays a scenario to its end and checks its verdicts.
func (th *theatre) play(t *testing.T, name string, look func()) {
	t.Helper()
	s, err := simulator.ScenarioOf(name)
	if err != nil {
		t.Fatal(err)
	}
	start := th.world.Now()
	if err := th.world.Play(s, start); err != nil {
		t.Fatal(err)
	}
	before := map[string]decimal.Decimal{}
	jumped := map[string]bool{}
	for _, v := range s.Verdicts {
		if th.Snapshot().Quote(v.Pair) == nil {
			t.Fatalf("%s: %s is not listed", name, v.Pair)
		}
		before[v.Pair] = th.Snapshot().Quote(v.Pair).Mid
	}
	th.run(t, time.Duration(s.Lasts), beat, func() {
		since := th.world.Now().Sub(start)
		for _, v := range s.Verdicts {
			q := th.Snapshot().Quote(v.Pair)
			jumped[v.Pair] = jumped[v.Pair] || q.Legs[0].Rate.Jumped
			if since < time.Duration(v.From) || since > time.Duration(v.Until) {
				continue
			}
			judge(t, name, since, v, q, before[v.Pair])
		}
		if look != nil {
			look()
		}
	})
	for _, v := range s.Verdicts {
		if v.Jumped && !jumped[v.Pair] {
			t.Errorf("%s: %s never jumped", name, v.Pair)
		}
	}
}

// judge holds a quote against a verdict.
func judge(t *testing.T, name string, since time.Duration, v simulator.Verdict, q *pairs.Quote, before decimal.Decimal) {
	t.Helper()
	if !slices.Contains(v.Status, string(q.Status)) || !slices.Contains(v.Reason, string(q.Reason)) {
		t.Errorf("%s: after %s %s is %s %q, want %v %q: %v", name, since, v.Pair, q.Status, q.Reason, v.Status, v.Reason, q.Legs[0].Rate.Excluded)
	}
	if v.Low != "" && q.Mid.LessThan(before.Mul(decimal.RequireFromString(v.Low))) || v.High != "" && q.Mid.GreaterThan(before.Mul(decimal.RequireFromString(v.High))) {
		t.Errorf("%s: after %s %s is at %s, before it was at %s; want %s to %s of that", name, since, v.Pair, q.Mid, before, v.Low, v.High)
	}
	rate := q.Legs[0].Rate
	if v.Used > 0 && len(rate.Used) != v.Used {
		t.Errorf("%s: after %s %s is made of %d votes, want %d: %v", name, since, v.Pair, len(rate.Used), v.Used, rate.Excluded)
	}
	for source, reasons := range v.Excluded {
		i := slices.IndexFunc(rate.Excluded, func(x pairs.Exclusion) bool { return x.Source == source })
		if i < 0 || !slices.Contains(reasons, string(rate.Excluded[i].Reason)) {
			t.Errorf("%s: after %s %s excludes %v, want %s for one of %v", name, since, v.Pair, rate.Excluded, source, reasons)
		}
	}
}

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }
