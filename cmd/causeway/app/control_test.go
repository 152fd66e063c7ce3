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
	"causeway/simulator/market"
	"causeway/simulator/world"
)

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
	worlds := a.Worlds
	var c http.Handler = a.Operator
	start := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	w, err := worlds.Create(world.Options{ID: "one", Clock: world.ClockSetting{Now: &start, Frozen: new(true)}})
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
}
