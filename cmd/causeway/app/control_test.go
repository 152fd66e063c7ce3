package app

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"causeway/core"
	"causeway/simulator/control"
	"causeway/simulator/market"
	"causeway/simulator/world"
)

// TestControlAPI_Modes checks that only the operator handler of a sandbox has the control API.
func TestControlAPI_Modes(t *testing.T) {
	t.Parallel()
	production := []string{
		"CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__NG=sk_live_x",
		"CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=x", "CAUSEWAY_AUTH__KEYS=0123456789abcdef",
	}
	for _, c := range []struct {
		env  []string
		want int
	}{{nil, http.StatusOK}, {production, http.StatusNotFound}} {
		p := newTestApp(t, settings(t, c.env...), zap.NewNop(), withCurrencies(t, "BTC", "USDT", "USD", "NGN"))
		t.Cleanup(p.Operator.Close)
		for _, path := range []string{"/worlds", "/catalog", "/openapi.json", "/worlds/default/journal", "/divergences"} {
			ask := func(side http.Handler) *httptest.ResponseRecorder {
				rec := httptest.NewRecorder()
				side.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, control.Prefix+path, http.NoBody))
				return rec
			}
			if rec := ask(p.Operator); rec.Code != c.want {
				t.Errorf("%v, operator, %s: %d %s", c.env, path, rec.Code, rec.Body)
			}
			if rec := ask(p.Handler); rec.Code != http.StatusNotFound || !strings.Contains(rec.Body.String(), `"not_found"`) {
				t.Errorf("%v, public, %s: %d %s", c.env, path, rec.Code, rec.Body)
			}
		}
	}
}

func consolePage(t *testing.T, h http.Handler, world string) string {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/console/prices/BTCUSDT?world="+url.QueryEscape(world),
		nil))
	if rec.Code != http.StatusOK {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	return rec.Body.String()
}

func TestConsole_Prices(t *testing.T) {
	t.Parallel()
	a := newTestApp(t, settings(t), zap.NewNop(), withCurrencies(t, "BTC", "USDT", "USD", "NGN"))
	t.Cleanup(a.Operator.Close)
	worlds := a.Worlds
	var c http.Handler = a.Operator
	start := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	w, err := worlds.Create(world.Options{ID: "one", Clock: world.ClockOptions{Now: &start, Frozen: true}})
	if err != nil {
		t.Fatal(err)
	}
	pair := core.Pair{Base: "BTC", Counter: "USDT"}
	off := market.Setting{Venues: map[string]market.VenueSetting{
		market.OKX:   {OffsetBPS: 3000},
		market.Bybit: {State: market.Down},
	}}
	if err := w.Market().Set(pair, off, start, time.Time{}); err != nil {
		t.Fatal(err)
	}
	got := consolePage(t, c, "one")
	for _, want := range []string{
		`<th scope="row">kraken</th>`, `<span class="badge good">used</span>`,
		`<th scope="row">okx</th><td>BTC/USDT</td>`, `<span class="badge warn">not used</span>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not show %s", want)
		}
	}
	if again := consolePage(t, c, "one"); again != got {
		t.Error("a world whose clock is frozen looks different at the second request")
	}
	if err := worlds.Delete("one"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.sandbox.open(t.Context(), w); err != nil { // the console was rendering the world when it ended
		t.Fatal(err)
	}
	if len(a.sandbox.services) > 1 {
		t.Error("a world that ended keeps its services")
	}
}
