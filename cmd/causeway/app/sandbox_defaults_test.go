package app

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"causeway/simulator/faults"
	"causeway/simulator/market"
)

// TestSandbox_Applied checks that Sim-Applied does not name a fault that only a poll of prices met.
func TestSandbox_Applied(t *testing.T) {
	t.Parallel()
	s := newSandboxEnv(t)
	w := s.worldWithFault("applied", faults.Rule{
		Match: faults.Match{Provider: market.OKX}, Effect: faults.Effect{Kind: faults.Inverted},
	})
	for range 3 {
		w.Clock().Advance(5 * time.Second) // the next request polls prices
		rec := s.ask(http.MethodGet, "/v1/banks?country=NG", "", "Sim-World", "applied")
		if got := rec.Header().Get("Sim-Applied"); rec.Code != http.StatusOK || got != "none" {
			t.Errorf("%d, Sim-Applied: %s, want none", rec.Code, got)
		}
	}
	if f := w.Faults().List()[0]; f.Hits == 0 {
		t.Errorf("no poll met the fault: %+v", f)
	}
}

// TestSandbox_Fork checks that a fork of a frozen world has the same prices as its origin.
func TestSandbox_Fork(t *testing.T) {
	t.Parallel()
	s := newSandboxEnv(t)
	w := s.frozenWorld("origin")
	pair, err := w.Market().Pair("BTCUSDT")
	if err != nil {
		t.Fatal(err)
	}
	drift := int64(5)
	if err := w.Market().Set(pair, market.Setting{Drift: &drift}, w.Now(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	w.Clock().Advance(30 * time.Second)
	prices := func(id string) string {
		rec := s.ask(http.MethodGet, "/v1/pairs", "", "Sim-World", id)
		var body struct{ Data json.RawMessage }
		if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil || len(body.Data) < 100 {
			t.Fatalf("%d %v %s", rec.Code, err, rec.Body)
		}
		return string(body.Data)
	}
	want := prices("origin")
	if _, err := s.Worlds.Fork("origin", "fork"); err != nil {
		t.Fatal(err)
	}
	if got := prices("fork"); got != want {
		t.Errorf("the fork has the prices\n%s\nwant\n%s", got, want)
	}
}

func TestSandbox_CORS(t *testing.T) {
	t.Parallel()
	s := newSandboxEnv(t)
	const origin = "https://app.example.com"
	rec := s.ask(http.MethodGet, "/v1/countries", "", "Origin", origin)
	if got := rec.Header().Get("Access-Control-Allow-Origin"); got != origin {
		t.Errorf("Access-Control-Allow-Origin: %q, want %q", got, origin)
	}
	rec = s.ask(http.MethodOptions, "/v1/countries", "", "Origin", origin, "Access-Control-Request-Method", "GET")
	if rec.Header().Get("Access-Control-Allow-Methods") == "" {
		t.Errorf("preflight: %d %v", rec.Code, rec.Header())
	}
}
