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

// list returns the body of GET /v1/pairs.
func (mf *marketFixture) list(t *testing.T) []byte {
	t.Helper()
	w := httptest.NewRecorder()
	mf.api.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/pairs", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("GET /v1/pairs: %d: %s", w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// TestScenarios_Sequence plays the whole library in one world, checks the invariants of every
// snapshot, and gets the same bytes from the same seed.
func TestScenarios_Sequence(t *testing.T) {
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
			synctest.Test(t, func(t *testing.T) { runs[i] = playAllScenarios(t) })
		})
	}
}

// TestScenarios_Seed checks that another seed gives other prices.
func TestScenarios_Seed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lists := map[string]string{}
		for name, seed := range map[string]string{"one": "causeway", "the same": "causeway", "another": "elsewhere"} {
			mf := newMarketFixture(t, seed)
			mf.run(t, 4*time.Second, pollStep, nil)
			lists[name] = string(mf.list(t))
		}
		if lists["one"] != lists["the same"] || lists["one"] == lists["another"] {
			t.Error("two worlds of one seed differ, or two of different seeds do not")
		}
	})
}

// playAllScenarios returns a hash of every published list of pairs.
func playAllScenarios(t *testing.T) []byte {
	t.Helper()
	mf := newMarketFixture(t, "causeway")
	mf.run(t, 20*time.Second, pollStep, nil)
	start := mf.world.Now()
	sum, seen, statuses := sha256.New(), uint64(0), map[pairs.Status]int{}
	mf.Subscribe(func(s *pairs.Snapshot) {
		if s == mf.Snapshot() {
			return // the one that was there before
		}
		mf.checkSnapshot(t, s)
		for i := range s.Quotes {
			statuses[s.Quotes[i].Status]++
		}
	})
	look := func() { seen = mf.hash(t, sum, seen) }
	for _, name := range simulator.Scenarios() {
		s, err := simulator.ScenarioOf(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := mf.world.Play(s, mf.world.Now()); err != nil {
			t.Fatal(err)
		}
		mf.run(t, time.Duration(s.Lasts), pollStep, look)
	}
	mf.run(t, 30*time.Second, pollStep, look)
	if passed := mf.world.Now().Sub(start); passed < 10*time.Minute || mf.Stats().Published < 60 {
		t.Errorf("in %s there were %d publications: the run says too little", passed, mf.Stats().Published)
	}
	for _, status := range []pairs.Status{pairs.Fresh, pairs.Stale, pairs.Halted} {
		if statuses[status] == 0 {
			t.Errorf("nothing was ever %s: the run says too little", status)
		}
	}
	if n := mf.count(); n[pairs.Fresh] != len(mf.catalog.Listings) {
		t.Errorf("in the end: %v", n)
	}
	return sum.Sum(nil)
}

// hash adds the list of pairs to a hash if it is new.
func (mf *marketFixture) hash(t *testing.T, sum hash.Hash, seen uint64) uint64 {
	t.Helper()
	if s := mf.Snapshot(); s.ID != seen {
		sum.Write(mf.list(t))
		return s.ID
	}
	return seen
}

// count returns the number of quotes by status.
func (mf *marketFixture) count() map[pairs.Status]int {
	n := map[pairs.Status]int{}
	for _, q := range mf.Snapshot().Quotes {
		n[q.Status]++
	}
	return n
}

// checkSnapshot checks the invariants of a snapshot independently of the engine.
func (mf *marketFixture) checkSnapshot(t *testing.T, s *pairs.Snapshot) {
	t.Helper()
	if !s.At.Equal(mf.world.Now()) {
		t.Errorf("a snapshot of %s is published at %s", s.At, mf.world.Now())
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
			mf.checkFresh(t, s, q, rates)
		}
	}
	if gain := bestCycleGain(s.Quotes); gain > 1e-9 {
		t.Errorf("%s: going round makes e^%g of 1", s.At, gain)
	}
}

// checkFresh checks that a fresh quote consists of fresh rates with a quorum, shared by all quotes.
func (mf *marketFixture) checkFresh(t *testing.T, s *pairs.Snapshot, q *pairs.Quote, rates map[string]*pairs.Rate) {
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

// bestCycleGain returns the logarithm of the best gain of a cycle of conversions (Floyd-Warshall on
// floats, which suffices for margins of half a percent).
func bestCycleGain(quotes []pairs.Quote) float64 {
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

// TestBestCycleGain checks the checker.
func TestBestCycleGain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mf := newMarketFixture(t, "causeway")
		mf.run(t, 10*time.Second, pollStep, nil)
		quotes := append([]pairs.Quote{}, mf.Snapshot().Quotes...)
		if gain := bestCycleGain(quotes); gain > 0 {
			t.Fatalf("the book makes e^%g of 1", gain)
		}
		for i := range quotes {
			if quotes[i].ID == "BTCEUR" { // dearer than BTC/USD and EUR/USD together allow
				quotes[i].Sell = quotes[i].Sell.Mul(dec("1.1"))
			}
		}
		if gain := bestCycleGain(quotes); gain < 0.02 {
			t.Errorf("it finds e^%g", gain)
		}
	})
}

// listed is a pair of GET /v1/pairs.
type listed struct {
	ID        string    `json:"id"`
	Status    string    `json:"status"`
	UpdatedAt time.Time `json:"updated_at"`
	Buy       bool      `json:"is_buy_supported"`
	Sell      bool      `json:"is_sell_supported"`
}

// TestPrices_AllSourcesDown checks that prices turn stale, then halted, and stay listed while no
// source answers.
func TestPrices_AllSourcesDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mf := newMarketFixture(t, "causeway")
		mf.run(t, 20*time.Second, pollStep, nil)
		start, shown := mf.world.Now(), mf.mids()
		var end []func()
		for _, s := range mf.catalog.Sources {
			end = append(end, mf.addFault(t, s.Name, simulator.Effect{Kind: simulator.FaultRefuse}))
		}
		was := map[string]string{}
		mf.run(t, 200*time.Second, pollStep, func() { mf.checkAging(t, mf.world.Now().Sub(start), was) })
		for _, q := range mf.Snapshot().Quotes {
			if isOfficial(&q) != (q.Status == pairs.Fresh) || q.Status == pairs.Stale {
				t.Errorf("%s is %s %q", q.ID, q.Status, q.Reason)
			}
			near(t, q.ID, q.Mid, shown[q.ID], "0.002")
		}
		mf.run(t, 100*time.Hour, time.Hour, nil) // and official rates too, in the end
		if n := mf.count(); n[pairs.Fresh] != 2 || n[pairs.Halted] != len(mf.catalog.Listings)-2 {
			t.Errorf("after 100 hours: %v, want all halted but the two that a treaty fixes", n)
		}
		for _, f := range end {
			f()
		}
		mf.run(t, 2*time.Hour, 10*time.Minute, nil)
		if n := mf.count(); n[pairs.Fresh] != len(mf.catalog.Listings) {
			t.Errorf("when they are back: %v", n)
		}
	})
}

// checkAging checks GET /v1/pairs while no source answers.
func (mf *marketFixture) checkAging(t *testing.T, since time.Duration, was map[string]string) {
	t.Helper()
	var list struct {
		Data []listed `json:"data"`
	}
	if err := json.Unmarshal(mf.list(t), &list); err != nil || len(list.Data) != len(mf.catalog.Listings) {
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
		q := mf.Snapshot().Quote(p.ID)
		if isOfficial(q) {
			continue
		}
		if age := mf.world.Now().Sub(p.UpdatedAt); p.Status == "fresh" && age > 70*time.Second {
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

// isOfficial reports whether all legs of a quote are official or fixed rates.
func isOfficial(q *pairs.Quote) bool {
	for _, leg := range q.Legs {
		if leg.Rate.Quorum > 0 && leg.Rate.Class != "official" {
			return false
		}
	}
	return true
}
