package app

import (
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"causeway/simulator/faults"
	"causeway/simulator/market"
	"causeway/simulator/world"
)

// withClocks runs a test in a world with a frozen clock, and in one whose clock runs. pass lets time pass.
func withClocks(t *testing.T, test func(s *sandboxFixture, w *world.World, pass func(time.Duration))) {
	t.Helper()
	for name, frozen := range map[string]bool{"frozen": true, "running": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSandboxFixture(t, "BTC", "USDT", "USD", "NGN")
				w, err := s.Worlds.Create(world.Options{ID: "origin", Clock: world.ClockSetting{Frozen: new(frozen)}})
				if err != nil {
					t.Fatal(err)
				}
				pass := time.Sleep // the bubble has a clock of its own, which time.Sleep moves
				if frozen {
					pass = func(by time.Duration) { w.Freeze(w.Now().Add(by)) }
				}
				test(s, w, pass)
			})
		})
	}
}

// TestSandbox_Applied checks that Sim-Applied does not name a fault that only a poll of prices met.
func TestSandbox_Applied(t *testing.T) {
	withClocks(t, func(s *sandboxFixture, w *world.World, pass func(time.Duration)) {
		poll := faults.Rule{Match: faults.Match{Provider: market.OKX}, Effect: faults.Effect{Kind: faults.Inverted}}
		if _, err := w.Faults().Add(poll, w.Now()); err != nil {
			s.t.Fatal(err)
		}
		for range 3 {
			pass(5 * time.Second) // the next request polls prices
			rec := s.ask(http.MethodGet, "/v1/pairs", "", "Sim-World", w.ID())
			if got := rec.Header().Get("Sim-Applied"); rec.Code != http.StatusOK || got != "none" {
				s.t.Errorf("%d, Sim-Applied: %s, want none", rec.Code, got)
			}
		}
		if f := w.Faults().List()[0]; f.Hits == 0 {
			s.t.Errorf("no poll met the fault: %+v", f)
		}
		if got := s.resolve(w.ID(), "Sim-Scenario", "unknown").Header().Get("Sim-Applied"); got != "scenario:unknown" {
			s.t.Errorf("Sim-Applied: %s, want scenario:unknown", got)
		}
	})
}

// TestSandbox_Fork checks that a fork has the same prices as its origin.
func TestSandbox_Fork(t *testing.T) {
	withClocks(t, func(s *sandboxFixture, w *world.World, pass func(time.Duration)) {
		pair, err := w.Market().Pair("BTCUSDT")
		if err != nil {
			s.t.Fatal(err)
		}
		if err := w.Market().Set(pair, market.Setting{Drift: new(int64(5))}, w.Now(), time.Time{}); err != nil {
			s.t.Fatal(err)
		}
		pass(30 * time.Second)
		prices := func(id string) string {
			rec := s.ask(http.MethodGet, "/v1/pairs", "", "Sim-World", id)
			var body struct{ Data json.RawMessage }
			if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil || len(body.Data) < 100 {
				s.t.Fatalf("%d %v %s", rec.Code, err, rec.Body)
			}
			return string(body.Data)
		}
		want := prices("origin")
		if _, err := s.Worlds.Fork("origin", "fork"); err != nil {
			s.t.Fatal(err)
		}
		if got := prices("fork"); got != want {
			s.t.Errorf("the fork has the prices\n%s\nwant\n%s", got, want)
		}
	})
}
