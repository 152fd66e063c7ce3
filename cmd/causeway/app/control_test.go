package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/zap"

	"causeway/simulator"
	"causeway/simulator/control"
	"causeway/simulator/journal"
)

// TestControlAPI_Modes looks for it on both listeners in both modes.
func TestControlAPI_Modes(t *testing.T) {
	t.Parallel()
	production := []string{"CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__NG=sk_live_x", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=x", "CAUSEWAY_AUTH__KEYS=0123456789abcdef"}
	for _, c := range []struct {
		env  []string
		want int
	}{{nil, http.StatusOK}, {production, http.StatusNotFound}} {
		p := newTestApp(t, settings(t, c.env...), zap.NewNop())
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

// TestControlAPI_DefaultWorld does to it what is done to others, and resets it, after which other services serve it.
func TestControlAPI_DefaultWorld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newPlayground(t)
		mid := func() string {
			rec := g.send(simulator.Request{Method: http.MethodGet, Path: "/v1/pairs/BTCUSDT/price"})
			var got struct{ Data struct{ Mid string } }
			if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || rec.Header().Get("Sim-World") != "default" {
				t.Fatalf("%v %v %s", err, rec.Header(), rec.Body)
			}
			return got.Data.Mid
		}
		holder := func() string {
			return g.send(simulator.Request{Method: http.MethodPost, Path: nameOf, Body: somebody}).Body.String()
		}
		for round := range 2 {
			g.does(http.MethodPut, "/worlds/default/market/BTCUSDT", `{"pin":"12345"}`)
			g.does(http.MethodPut, "/worlds/default/accounts/000013/0123456789", fmt.Sprintf(`{"account_name":"TEST ROUND %d"}`, round))
			g.does(http.MethodPost, "/worlds/default/clock/advance", `{"by":"10s"}`)
			if pinned := mid(); !strings.HasPrefix(pinned, "123") {
				t.Errorf("round %d: it costs %s", round, pinned)
			}
			if body := holder(); !strings.Contains(body, fmt.Sprintf("TEST ROUND %d", round)) {
				t.Errorf("round %d: %s", round, body)
			}
			w, err := g.Worlds.Find(simulator.DefaultWorld)
			if err != nil {
				t.Fatal(err)
			}
			entries, err := w.Journal().Find(journal.Match{Operation: "explain-price", Source: "okx"}, 0)
			if err != nil || len(entries) != 1 || !strings.HasPrefix(entries[0].Votes[0].Bid, "123") {
				t.Errorf("round %d: %v, the journal has %+v", round, err, entries)
			}
			g.does(http.MethodPost, "/worlds/default/reset", "")
			if free, body := mid(), holder(); strings.HasPrefix(free, "123") || strings.Contains(body, "TEST ROUND") {
				t.Errorf("after the reset: %s, %s", free, body)
			}
			g.does(http.MethodPost, "/worlds/default/reset", "") // what was asked is remembered, as it is by real services
		}
	})
}
