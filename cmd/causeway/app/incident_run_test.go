package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core/pairs"
	"causeway/simulator"
)

// list asks for all pairs as a client does.
func (th *theatre) list(t *testing.T) []byte {
	t.Helper()
	w := httptest.NewRecorder()
	th.api.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/pairs", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("GET /v1/pairs: %d: %s", w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// TestAllIncidentsInARowPublishNothingUnsound plays the whole library in one world, one scenario after the other, checks the invariants
// of prices.md, section 5, on every snapshot, and gets the same bytes from the same seed.
func TestAllIncidentsInARowPublishNothingUnsound(t *testing.T) {
	t.Parallel()
	var runs [2][]byte
	t.Cleanup(func() { // after both
		if !bytes.Equal(runs[0], runs[1]) {
			t.Error("two runs of one seed differ")
		}
	})
	for i := range runs {
		t.Run(fmt.Sprint("run ", i+1), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { runs[i] = rehearse(t) })
		})
	}
}

// TestAnotherSeedIsAnotherWorld keeps the comparison of runs honest.
func TestAnotherSeedIsAnotherWorld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lists := map[string]string{}
		for name, seed := range map[string]string{"one": "causeway", "the same": "causeway", "another": "elsewhere"} {
			th := stage(t, seed)
			th.run(t, 4*time.Second, beat, nil)
			lists[name] = string(th.list(t))
		}
		if lists["one"] != lists["the same"] || lists["one"] == lists["another"] {
			t.Error("two worlds of one seed differ, or two of different seeds do not")
		}
	})
}

// rehearse plays the library in a row and returns the hash of every list of prices that a client could have got.
func rehearse(t *testing.T) []byte {
	t.Helper()
	th := stage(t, "causeway")
	th.run(t, 20*time.Second, beat, nil)
	start := th.world.Now()
	sum, seen, statuses := sha256.New(), uint64(0), map[pairs.Status]int{}
	th.Subscribe(func(s *pairs.Snapshot) {
		if s == th.Snapshot() {
			return // the one that was there before
		}
		th.sound(t, s)
		for i := range s.Quotes {
			statuses[s.Quotes[i].Status]++
		}
	})
	look := func() { seen = th.hash(t, sum, seen) }
	for _, name := range simulator.Scenarios() {
		s, err := simulator.ScenarioOf(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := th.world.Play(s, th.world.Now()); err != nil {
			t.Fatal(err)
		}
		th.run(t, time.Duration(s.Lasts), beat, look)
	}
	th.run(t, 30*time.Second, beat, look)
	if passed := th.world.Now().Sub(start); passed < 10*time.Minute || th.Stats().Published < 60 {
		t.Errorf("in %s there were %d publications: the run says too little", passed, th.Stats().Published)
	}
	for _, status := range []pairs.Status{pairs.Fresh, pairs.Stale, pairs.Halted} {
		if statuses[status] == 0 {
			t.Errorf("nothing was ever %s: the run says too little", status)
		}
	}
	if n := th.count(); n[pairs.Fresh] != len(th.catalog.Listings) {
		t.Errorf("in the end: %v", n)
	}
	return sum.Sum(nil)
}

// hash adds the list of prices where there is a new one.
func (th *theatre) hash(t *testing.T, sum hash.Hash, seen uint64) uint64 {
	t.Helper()
	if s := th.Snapshot(); s.ID != seen {
		sum.Write(th.list(t))
		return s.ID
	}
	return seen
}

// count is how many quotes have which status.
func (th *theatre) count() map[pairs.Status]int {
	n := map[pairs.Status]int{}
	for _, q := range th.Snapshot().Quotes {
		n[q.Status]++
	}
	return n
}

// sound checks a snapshot by itself, without a word of the engine's own checks.
func (th *theatre) sound(t *testing.T, s *pairs.Snapshot) {
	t.Helper()
	if !s.At.Equal(th.world.Now()) {
		t.Errorf("a snapshot of %s is published at %s", s.At, th.world.Now())
	}
	rates := map[string]*pairs.Rate{}
	for i := range s.Quotes {
		q := &s.Quotes[i]
		if !q.Sell.IsPositive() || !q.Sell.LessThan(q.Mid) || !q.Mid.LessThan(q.Buy) {
			t.Errorf("%s: %s sells at %s, is worth %s, buys at %s", s.At, q.ID, q.Sell, q.Mid, q.Buy)
		}
		for _, limits := range [][2]pairs.Limit{{q.MinBuy, q.MaxBuy}, {q.MinSell, q.MaxSell}} {
			if !limits[0].Base.IsPositive() || !limits[0].Base.LessThan(limits[1].Base) || !limits[0].Counter.IsPositive() || !limits[0].Counter.LessThan(limits[1].Counter) {
				t.Errorf("%s: %s has limits %v", s.At, q.ID, limits)
			}
		}
		if (q.Status == pairs.Halted) == q.BuySupported || q.BuySupported != q.SellSupported || q.UpdatedAt.After(s.At) {
			t.Errorf("%s: %s is %s, tradable %t and %t, of %s", s.At, q.ID, q.Status, q.BuySupported, q.SellSupported, q.UpdatedAt)
		}
		if q.Status == pairs.Fresh {
			th.youthful(t, s, q, rates)
		}
	}
	if gain := profit(s.Quotes); gain > 1e-9 {
		t.Errorf("%s: going round makes e^%g of 1", s.At, gain)
	}
}

// youthful checks that a quote that calls itself fresh is made of rates that are fresh, that have their quorum, and that are those of all others.
func (th *theatre) youthful(t *testing.T, s *pairs.Snapshot, q *pairs.Quote, rates map[string]*pairs.Rate) {
	t.Helper()
	if !q.UpdatedAt.Equal(s.At) {
		t.Errorf("%s: %s is fresh, and of %s", s.At, q.ID, q.UpdatedAt)
	}
	limit := map[string]time.Duration{"major": 10 * time.Second, "stablecoin": 10 * time.Second, "tail": time.Minute, "fiat": time.Minute}[q.Class]
	for _, leg := range q.Legs {
		r := leg.Rate
		if r.Quorum == 0 {
			continue // by treaty
		}
		if r.Class == "official" {
			limit = 84 * time.Hour
		}
		if age := s.At.Sub(r.AsOf); age > limit || limit == 0 {
			t.Errorf("%s: %s is fresh, and its leg %s is %s old", s.At, q.ID, r.Pair, age)
		}
		if len(r.Used) < r.Quorum {
			t.Errorf("%s: %s is fresh, and its leg %s has %d votes of a quorum of %d", s.At, q.ID, r.Pair, len(r.Used), r.Quorum)
		}
		if other := rates[r.Pair.String()]; q.Reason == "" && other != nil && other != r {
			t.Errorf("%s: two prices of one snapshot are made of two rates of %s: %s and %s", s.At, r.Pair, r.Mid, other.Mid)
		} else if q.Reason == "" {
			rates[r.Pair.String()] = r
		}
	}
}

// profit is the logarithm of what the best round of conversions makes of 1: Floyd and Warshall's longest paths, over plain floating-point
// numbers, which are exact enough for what a margin of half a percent leaves.
func profit(quotes []pairs.Quote) float64 {
	number := map[string]int{}
	of := func(code string) int {
		if _, known := number[code]; !known {
			number[code] = len(number)
		}
		return number[code]
	}
	for _, q := range quotes {
		of(q.Pair.Base)
		of(q.Pair.Counter)
	}
	n := len(number)
	best := make([][]float64, n)
	for i := range best {
		best[i] = make([]float64, n)
		for j := range best[i] {
			best[i][j] = math.Inf(-1)
		}
	}
	for _, q := range quotes {
		base, counter := of(q.Pair.Base), of(q.Pair.Counter)
		if q.SellSupported {
			best[base][counter] = max(best[base][counter], math.Log(q.Sell.InexactFloat64()))
		}
		if q.BuySupported {
			best[counter][base] = max(best[counter][base], -math.Log(q.Buy.InexactFloat64()))
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				best[i][j] = max(best[i][j], best[i][k]+best[k][j])
			}
		}
	}
	gain := math.Inf(-1)
	for i := range n {
		gain = max(gain, best[i][i])
	}
	return gain
}

// TestTheCheckerFindsFreeMoney keeps the test above honest.
func TestTheCheckerFindsFreeMoney(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		th := stage(t, "causeway")
		th.run(t, 10*time.Second, beat, nil)
		quotes := append([]pairs.Quote{}, th.Snapshot().Quotes...)
		if gain := profit(quotes); gain > 0 {
			t.Fatalf("the book makes e^%g of 1", gain)
		}
		for i := range quotes {
			if quotes[i].ID == "BTCEUR" { // dearer than BTC/USD and EUR/USD together allow
				quotes[i].Sell = quotes[i].Sell.Mul(dec("1.1"))
			}
		}
		if gain := profit(quotes); gain < 0.02 {
			t.Errorf("it finds e^%g", gain)
		}
	})
}

// listed is what a client reads of a pair.
type listed struct {
	ID        string    `json:"id"`
	Status    string    `json:"status"`
	UpdatedAt time.Time `json:"updated_at"`
	Buy       bool      `json:"is_buy_supported"`
	Sell      bool      `json:"is_sell_supported"`
}

// TestWithEverybodyGoneTheListAgesAndStays breaks every connection to every source: prices turn stale, then halted, the list is served all
// along, and nothing in it calls an old price fresh.
func TestWithEverybodyGoneTheListAgesAndStays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		th := stage(t, "causeway")
		th.run(t, 20*time.Second, beat, nil)
		start, shown := th.world.Now(), th.mids()
		var end []func()
		for _, s := range th.catalog.Sources {
			end = append(end, th.befall(t, s.Name, simulator.Effect{Kind: simulator.FaultRefuse}))
		}
		was := map[string]string{}
		th.run(t, 200*time.Second, beat, func() { th.ages(t, th.world.Now().Sub(start), was) })
		for _, q := range th.Snapshot().Quotes {
			if stepped(&q) != (q.Status == pairs.Fresh) || q.Status == pairs.Stale {
				t.Errorf("%s is %s %q", q.ID, q.Status, q.Reason)
			}
			near(t, q.ID, q.Mid, shown[q.ID], "0.002")
		}
		th.run(t, 100*time.Hour, time.Hour, nil) // and official rates too, in the end
		if n := th.count(); n[pairs.Fresh] != 2 || n[pairs.Halted] != len(th.catalog.Listings)-2 {
			t.Errorf("after 100 hours: %v, want all halted but the two that a treaty fixes", n)
		}
		for _, f := range end {
			f()
		}
		th.run(t, 2*time.Hour, 10*time.Minute, nil)
		if n := th.count(); n[pairs.Fresh] != len(th.catalog.Listings) {
			t.Errorf("when they are back: %v", n)
		}
	})
}

// ages checks the list as a client gets it.
func (th *theatre) ages(t *testing.T, since time.Duration, was map[string]string) {
	t.Helper()
	var list struct {
		Data []listed `json:"data"`
	}
	if err := json.Unmarshal(th.list(t), &list); err != nil || len(list.Data) != len(th.catalog.Listings) {
		t.Fatalf("after %s: %d pairs, %v", since, len(list.Data), err)
	}
	order := map[string]int{"": 0, "fresh": 0, "stale": 1, "halted": 2}
	for _, p := range list.Data {
		if order[p.Status] < order[was[p.ID]] {
			t.Errorf("after %s: %s was %s, and is %s", since, p.ID, was[p.ID], p.Status)
		}
		was[p.ID] = p.Status
		if p.Buy == (p.Status == "halted") || p.Sell != p.Buy {
			t.Errorf("after %s: %s is %s, and tradable %t and %t", since, p.ID, p.Status, p.Buy, p.Sell)
		}
		q := th.Snapshot().Quote(p.ID)
		if stepped(q) {
			continue
		}
		if age := th.world.Now().Sub(p.UpdatedAt); p.Status == "fresh" && age > 70*time.Second {
			t.Errorf("after %s: %s is fresh, and %s old", since, p.ID, age)
		}
		fresh, stale := 12*time.Second, 62*time.Second // and the seconds until they were asked last
		if q.Class == "tail" || q.Class == "fiat" {
			fresh, stale = 62*time.Second, 122*time.Second
		}
		if since > fresh && p.Status == "fresh" || since > stale && p.Status == "stale" {
			t.Errorf("after %s: %s is still %s", since, p.ID, p.Status)
		}
	}
}

// stepped reports whether every leg of a quote comes in steps of hours or days, or never.
func stepped(q *pairs.Quote) bool {
	for _, leg := range q.Legs {
		if leg.Rate.Quorum > 0 && leg.Rate.Class != "official" {
			return false
		}
	}
	return true
}
