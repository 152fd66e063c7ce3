package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/cmd/causeway/operator"
	"causeway/cmd/causeway/replicas"
	"causeway/simulator/world"
)

// defaultWorldFixture is a sandbox with background work, inside a synctest bubble.
type defaultWorldFixture struct {
	*sandboxFixture

	file   string   // of the configuration
	ends   []func() // of what runs
	reload *reloader
}

func newDefaultWorldFixture(t *testing.T) *defaultWorldFixture {
	t.Helper()
	h := &defaultWorldFixture{file: filepath.Join(t.TempDir(), "causeway.yaml")}
	h.sandboxFixture = &sandboxFixture{t: t}
	h.write("")
	few := withCurrencies(t, "BTC", "USDT", "USD", "NGN")
	var prices *replicas.Prices
	h.App = newTestApp(t, settings(t, "CAUSEWAY_CONFIG="+h.file), zap.NewNop(), few, fx.Populate(&prices, &h.reload))
	h.RefreshPrices(t.Context())
	h.RefreshBanks(t.Context())
	h.ends = append(h.ends, background(t.Context(), prices.Run),
		background(t.Context(), h.home.services.Load().Banks.Run))
	return h
}

// stop ends the background work.
func (h *defaultWorldFixture) stop() {
	for _, end := range h.ends {
		end()
	}
}

func (h *defaultWorldFixture) write(text string) {
	h.t.Helper()
	if err := os.WriteFile(h.file, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// metric returns the value of a metric; empty if it does not exist.
func (h *defaultWorldFixture) metric(name string) string {
	h.t.Helper()
	body := h.operated(http.MethodGet, "/metrics", "").Body.String()
	for line := range strings.Lines(body) {
		if value, found := strings.CutPrefix(line, name+" "); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// operated sends a request to the operator handler.
func (h *defaultWorldFixture) operated(method, path, body string) *httptest.ResponseRecorder {
	h.t.Helper()
	return serve(h.t, h.Operator, method, path, body, "Content-Type", "application/json")
}

// margin returns the margin of BTCNGN in a world.
func (h *defaultWorldFixture) margin(world string) string {
	h.t.Helper()
	body := h.ask(http.MethodGet, "/v1/pairs/BTCNGN/price", "", "Sim-World", world).Body.String()
	_, after, _ := strings.Cut(body, `"margin":"`)
	margin, _, _ := strings.Cut(after, `"`)
	return margin
}

// TestDefaultWorld_Reset checks that metrics, debug pages, acknowledgements and bank lists follow
// two resets.
func TestDefaultWorld_Reset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newDefaultWorldFixture(t)
		defer h.stop()
		for round := range 2 {
			h.control(http.MethodPost, "/worlds/default/reset", "")
			polls := h.metric(`causeway_source_polls_total{outcome="ok",source="okx"}`)
			time.Sleep(10*time.Second + 500*time.Millisecond) // between two polls
			if later := h.metric(`causeway_source_polls_total{outcome="ok",source="okx"}`); polls == "" || later == polls {
				t.Errorf("round %d: the sources are not polled: %s polls, and %s later", round, polls, later)
			}
			h.control(http.MethodPut, "/worlds/default/market/USDTUSD", `{"pin":"0.90"}`)
			page := h.operated(http.MethodGet, "/debug/prices?id=USDTUSD", "").Body.String()
			if status, _ := h.price(world.Default, "USDTUSD"); status != "halted" ||
				!strings.Contains(page, "halted") || !strings.Contains(page, "Off their peg") ||
				!strings.Contains(page, "published 0s ago.") {
				t.Errorf("round %d: the coin is %s, the page is\n%s", round, status, page)
			}
			if rec := h.operated(http.MethodPost, operator.AcknowledgePath, `{"currency":"USDT"}`); rec.Code != http.StatusOK {
				t.Errorf("round %d: %d %s", round, rec.Code, rec.Body)
			}
			time.Sleep(5 * time.Second)
			if status, _ := h.price(world.Default, "USDTUSD"); status != "fresh" {
				t.Errorf("round %d: acknowledged, the coin is %s", round, status)
			}
			h.ask(http.MethodPost, resolvePath, resolveBody)
			const found = `causeway_recipients_resolutions_total{channel="bank_transfer",country="NG",outcome="found"}`
			if n := h.metric(found); n != fmt.Sprint(round+1) {
				t.Errorf("round %d: %q requests are counted", round, n)
			}
			h.control(http.MethodPost, "/worlds/default/faults", `{"match":{"provider":"paystack"},"effect":{"kind":"refuse"}}`)
			w, err := h.Worlds.Find(world.Default)
			if err != nil {
				t.Fatal(err)
			}
			w.Freeze(w.Now().Add(time.Duration(round+1) * 48 * time.Hour))
			h.RefreshBanks(t.Context())
			if faultHits(w) == 0 {
				t.Errorf("round %d: the bank lists are fetched from another world or by another clock", round)
			}
		}
	})
}

// TestDefaultWorld_ReloadAfterReset reloads margins before and after a reset.
func TestDefaultWorld_ReloadAfterReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newDefaultWorldFixture(t)
		defer h.stop()
		reload := func(margins string) {
			t.Helper()
			h.write("pairs: {margins: {major: " + margins + "}}\n")
			if err := h.reload.reload(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Second)
		}
		if got := h.margin("apart"); got != "0.015" {
			t.Errorf("at the start it is %s", got)
		}
		reload("200")
		h.control(http.MethodPost, "/worlds/default/reset", "")
		if got := h.margin(""); got != "0.02" {
			t.Errorf("after the reset it is %s", got)
		}
		reload("300")
		if got := h.margin(""); got != "0.03" {
			t.Errorf("after another reload it is %s", got)
		}
		if got := h.margin("apart"); got != "0.015" {
			t.Errorf("in a world that is older than the reload it is %s", got)
		}
		if got := h.margin("new"); got != "0.03" {
			t.Errorf("in a world that is newer it is %s", got)
		}
	})
}

// TestDefaultWorld_ResetEndsStreams checks the streams of requests without a world.
func TestDefaultWorld_ResetEndsStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newDefaultWorldFixture(t)
		defer h.stop()
		for range 2 {
			rec, done := httptest.NewRecorder(), make(chan struct{})
			go func() {
				defer close(done)
				h.Handler.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/pairs/stream?id=BTCUSDT",
					http.NoBody))
			}()
			time.Sleep(20 * time.Second)
			h.control(http.MethodPost, "/worlds/default/reset", "")
			<-done
			if body := rec.Body.String(); !strings.Contains(body, "event: snapshot") ||
				!strings.Contains(body, "event: change") {
				t.Errorf("%d %.300s", rec.Code, body)
			}
		}
	})
}
