package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/core"
	"causeway/simulator"
)

// consoled is the console of a whole sandbox, without listeners and without the door to its worlds.
func consoled(t *testing.T, looked func()) (http.Handler, *simulator.Worlds, *tenants) {
	t.Helper()
	var p parts
	app := fx.New(graph(settings(t), zap.NewNop(), make(failures, 2)), fx.Invoke(func(all parts) { p = all }))
	if app.Err() != nil {
		t.Fatal(app.Err())
	}
	worlds, all := p.Front.worlds, p.Front.others
	c, err := newConsole(all, worlds, looked, "http://localhost:8080")
	if err != nil {
		t.Fatal(err)
	}
	return c, worlds, all
}

func consolePage(t *testing.T, h http.Handler, world string) string {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/console?world="+url.QueryEscape(world), nil))
	if rec.Code != http.StatusOK {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	return rec.Body.String()
}

func TestTheConsoleShowsThePricesOfEachWorldWithTheirVotes(t *testing.T) {
	t.Parallel()
	looks := 0
	c, worlds, all := consoled(t, func() { looks++ })
	if got := consolePage(t, c, simulator.DefaultWorld); !strings.Contains(got, "There are no prices yet.") {
		t.Error("before the first publication the home world has prices")
	}
	if looks != 1 {
		t.Errorf("one look at the home world was told %d times", looks)
	}
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
	if looks != 1 {
		t.Error("looking at a world was told as looking at the home one")
	}
	if err := worlds.Delete("one"); err != nil {
		t.Fatal(err)
	}
	if _, err := all.watch(t.Context(), w); err != nil { // somebody was looking when it ended
		t.Fatal(err)
	}
	if len(all.of) > 0 {
		t.Error("a world that ended keeps its services")
	}
}
