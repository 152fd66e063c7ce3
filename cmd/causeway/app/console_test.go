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
	"causeway/simulator"
)

func consolePage(t *testing.T, h http.Handler, world string) string {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/console?world="+url.QueryEscape(world), nil))
	if rec.Code != http.StatusOK {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	return rec.Body.String()
}

func TestConsole_Prices(t *testing.T) {
	t.Parallel()
	a := newTestApp(t, settings(t), zap.NewNop())
	t.Cleanup(a.Operator.Close)
	worlds := a.Worlds
	var c http.Handler = a.Operator
	start := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	w, err := worlds.Create(simulator.Options{ID: "one", Clock: simulator.StartOptions{Now: &start, Frozen: true}})
	if err != nil {
		t.Fatal(err)
	}
	pair := core.Pair{Base: "BTC", Counter: "USDT"}
	off := simulator.Setting{Venues: map[string]simulator.VenueSetting{simulator.OKX: {OffsetBPS: 3000}, simulator.Bybit: {State: simulator.VenueDown}}}
	if err := w.Market().Set(pair, off, start, time.Time{}); err != nil {
		t.Fatal(err)
	}
	got := consolePage(t, c, "one")
	for _, want := range []string{"BTC/USDT at kraken</span> <span class=\"n\">", "BTC/USDT at okx</span> <span class=\"why\">not used: ", "BTC/USDT at bybit</span> <span class=\"why\">not used: ", `data-key="USDT/NGN"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not show %s", want)
		}
	}
	if again := consolePage(t, c, "one"); again != got {
		t.Error("a world whose clock stands still looks different at the second look")
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
