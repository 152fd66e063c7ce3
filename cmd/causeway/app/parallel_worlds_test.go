package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"causeway/simulator"
	"causeway/simulator/journal"
)

// parallel is one of many worlds that differ in clock, pins, faults and accounts.
type parallel struct {
	number int
	id     string
	began  time.Time
	pin    decimal.Decimal // of BTC/USDT: each is 7 % above that of the world before
	liar   string          // the venue that something is wrong with; empty: none
	fault  string
	holder string // of the published example
	next   string // outcome of the first question for it
}

func newParallel(i int) parallel {
	p := parallel{
		number: i, id: fmt.Sprintf("parallel/%d", i), began: time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC).Add(time.Duration(i) * 31 * time.Minute),
		pin:    decimal.NewFromInt(500).Mul(decimal.RequireFromString("1.07").Pow(decimal.NewFromInt(int64(i)))).Round(2),
		holder: fmt.Sprintf("TEST WORLD %04d", i), next: []string{"unknown", "all_down", "error:conflict", "error:too_many_requests", "first_fails"}[i%5],
	}
	switch i % 4 {
	case 1:
		p.liar, p.fault = "okx", `{"match":{"provider":"okx"},"effect":{"kind":"times_1000"}}`
	case 2:
		p.liar, p.fault = "kraken", `{"preset":"provider_down:kraken"}`
	case 3:
		p.liar, p.fault = "binance", `{"match":{"provider":"binance"},"effect":{"kind":"status","status":503}}`
	}
	return p
}

// live creates the world, sends requests to it and checks the responses.
func (p parallel) live(g *sandboxFixture) {
	place := "/worlds/" + url.PathEscape(p.id)
	g.control(http.MethodPost, "/worlds", fmt.Sprintf(`{"id":%q,"seed":"the same","clock":{"now":%q,"frozen":true}}`, p.id, p.began.Format(time.RFC3339)))
	w, err := g.Worlds.Find(p.id)
	if err != nil {
		g.t.Error(err)
		return
	}
	delistUnused(g.t, w, (*g.home.catalog.Load()))
	g.control(http.MethodPut, place+"/market/BTCUSDT", fmt.Sprintf(`{"pin":%q}`, p.pin))
	g.control(http.MethodPut, place+"/accounts/000013/0123456789", fmt.Sprintf(`{"account_name":%q}`, p.holder))
	g.control(http.MethodPost, place+"/next", fmt.Sprintf(`{"operation":"resolve-account","outcomes":[%q]}`, p.next))
	if p.fault != "" {
		g.control(http.MethodPost, place+"/faults", p.fault)
	}
	p.priced(g, p.began)
	g.control(http.MethodPost, place+"/clock/advance", `{"by":"4s"}`)
	p.priced(g, p.began.Add(4*time.Second))
	p.resolved(g, p.next)
	p.resolved(g, "")
	p.remembered(g, place)
}

// ask sends a request to the world and checks the Sim-World header.
func (p parallel) ask(g *sandboxFixture, method, path, body string) (status int, answer string) {
	rec := g.send(simulator.Request{Method: method, Path: path, Body: body, Headers: map[string]string{"Sim-World": p.id}})
	if rec.Header().Get("Sim-World") != p.id {
		g.t.Errorf("%s: %s came from %q", p.id, path, rec.Header().Get("Sim-World"))
	}
	return rec.Code, rec.Body.String()
}

// priced checks the price against the pin, without the faulty venue.
func (p parallel) priced(g *sandboxFixture, now time.Time) {
	_, body := p.ask(g, http.MethodGet, "/v1/pairs/BTCUSDT/price", "")
	var got struct {
		Data struct {
			Status  string
			AsOf    time.Time `json:"as_of"`
			Mid     decimal.Decimal
			Sources struct{ Used, Excluded []struct{ Source string } }
		}
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		g.t.Errorf("%s: %v in %s", p.id, err, body)
		return
	}
	var used []string
	for _, s := range got.Data.Sources.Used {
		used = append(used, s.Source)
	}
	slices.Sort(used)
	want := slices.DeleteFunc([]string{"binance", "bybit", "kraken", "okx"}, func(s string) bool { return s == p.liar })
	off := got.Data.Mid.Div(p.pin).Sub(decimal.NewFromInt(1)).Abs()
	if age := now.Sub(got.Data.AsOf); got.Data.Status != "fresh" || age < 0 || age > 10*time.Second || off.GreaterThan(decimal.RequireFromString("0.01")) || !slices.Equal(used, want) {
		g.t.Errorf("%s at %s: %s, want %s of %v", p.id, now, body, p.pin, want)
	}
}

// resolved checks the queued outcome of a resolution, or the account holder of this world.
func (p parallel) resolved(g *sandboxFixture, outcome string) {
	status, body := p.ask(g, http.MethodPost, resolvePath, resolveBody)
	want := map[string]int{"unknown": 404, "all_down": 503, "error:conflict": 409, "error:too_many_requests": 429}[outcome]
	if want == 0 {
		want = http.StatusOK
	}
	if status != want || strings.Contains(body, p.holder) != (want == http.StatusOK) {
		g.t.Errorf("%s, %q: %d %s", p.id, outcome, status, body)
	}
}

// remembered checks the journal and that no outcome is queued.
func (p parallel) remembered(g *sandboxFixture, place string) {
	w, err := g.Worlds.Find(p.id)
	if err != nil {
		g.t.Error(err)
		return
	}
	entries, err := w.Journal().Find(journal.Match{}, 0)
	if err != nil || len(entries) != 4 || len(w.Pending()) != 0 {
		g.t.Errorf("%s: %v, %d entries, %v", p.id, err, len(entries), w.Pending())
	}
	for _, f := range w.Faults().List() {
		for provider := range f.HitProvider {
			if provider != p.liar {
				g.t.Errorf("%s: %s was hit", place, provider)
			}
		}
	}
}

// fingerprint returns the fingerprint of the responses of the world.
func (p parallel) fingerprint(g *sandboxFixture) string {
	w, err := g.Worlds.Find(p.id)
	if err != nil {
		g.t.Fatal(err)
	}
	return w.Journal().Fingerprint().String()
}

// TestSandbox_ParallelWorlds uses many worlds at once. Each sees its own state, and gives the same
// bytes as alone in another process.
func TestSandbox_ParallelWorlds(t *testing.T) {
	t.Parallel()
	const count = 60
	var together [count]string
	synctest.Test(t, func(t *testing.T) {
		g := newSandboxFixture(t, "BTC", "USDT", "USD")
		var all sync.WaitGroup
		for i := range count {
			all.Go(func() { newParallel(i).live(g) })
		}
		all.Wait()
		for i := range count {
			together[i] = newParallel(i).fingerprint(g)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		g := newSandboxFixture(t, "BTC", "USDT", "USD")
		for i := 0; i < count; i += 13 {
			newParallel(i).live(g)
			if alone := newParallel(i).fingerprint(g); alone != together[i] {
				t.Errorf("world %d says something else when it is alone", i)
			}
		}
	})
}
