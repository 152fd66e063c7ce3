package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"causeway/simulator"
)

// What is done to a world by hand befalls it whether somebody asked it before or not, and shows at once.

const standing = `"clock":{"now":"2026-11-16T12:00:00Z","frozen":true}`

// shown is the price of a pair in a world.
func (g *playground) shown(world, pair string) (status string, mid decimal.Decimal) {
	g.t.Helper()
	rec := g.send(simulator.Request{Method: http.MethodGet, Path: "/v1/pairs/" + pair + "/price", Headers: map[string]string{"Sim-World": world}})
	var got struct {
		Data struct {
			Status string
			Mid    decimal.Decimal
		}
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || rec.Code != http.StatusOK {
		g.t.Fatalf("%s %s: %d %s", world, pair, rec.Code, rec.Body)
	}
	return got.Data.Status, got.Data.Mid
}

func TestWorld_AgesBeforeFirstRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newPlayground(t, "BTC", "USDT", "USD")
		g.does(http.MethodPost, "/worlds", `{"id":"fault",`+standing+`}`)
		g.does(http.MethodPost, "/worlds/fault/faults", `{"effect":{"kind":"refuse"}}`)
		g.does(http.MethodPost, "/worlds/fault/clock/advance", `{"by":"1h"}`)
		g.does(http.MethodPost, "/worlds", `{"id":"incident",`+standing+`}`)
		g.does(http.MethodPost, "/worlds/incident/market/play", `{"scenario":"all-stale"}`)
		g.does(http.MethodPost, "/worlds/incident/clock/advance", `{"by":"75s"}`)
		for _, world := range []string{"fault", "incident"} {
			if status, _ := g.shown(world, "BTCUSDT"); status != "halted" {
				t.Errorf("%s: it is %s", world, status)
			}
		}
	})
}

// TestWorld_FaultBeforeFirstRequest lets a venue lie before the first question.
func TestWorld_FaultBeforeFirstRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newPlayground(t, "BTC", "USDT", "USD")
		g.does(http.MethodPost, "/worlds", `{"id":"a",`+standing+`}`)
		g.does(http.MethodPost, "/worlds/a/faults", `{"match":{"provider":"okx"},"effect":{"kind":"times_1000"}}`)
		rec := g.send(simulator.Request{Method: http.MethodGet, Path: "/v1/pairs/BTCUSDT/price", Headers: map[string]string{"Sim-World": "a"}})
		if body := rec.Body.String(); !strings.Contains(body, `"status":"fresh"`) || !strings.Contains(body, `"excluded":[{"source":"okx","reason":"outlier"`) {
			t.Errorf("%d %s", rec.Code, body[min(600, len(body)):])
		}
	})
}

// TestWorld_Pin pins to what no engine would believe by itself, where somebody asked before and where nobody did, in the world of whoever names none too.
func TestWorld_Pin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newPlayground(t, "BTC", "USDT", "USD", "NGN")
		for _, world := range []string{"asked", "new"} {
			g.does(http.MethodPost, "/worlds", `{"id":"`+world+`",`+standing+`}`)
		}
		g.shown("asked", "USDTNGN")
		g.does(http.MethodPut, "/worlds/default/clock", `{"frozen":true}`)
		for _, world := range []string{"asked", "new", simulator.DefaultWorld} {
			for _, pin := range []string{"2800", "700", "1400"} {
				for _, pair := range []string{"USDTNGN", "BTCUSDT"} {
					g.does(http.MethodPut, "/worlds/"+world+"/market/"+pair, `{"pin":"`+pin+`"}`)
					status, mid := g.shown(world, pair)
					if off := mid.Div(decimal.RequireFromString(pin)).Sub(decimal.New(1, 0)).Abs(); status != "fresh" || off.GreaterThan(decimal.New(1, -2)) {
						t.Errorf("%s: %s is %s %s, pinned to %s", world, pair, status, mid, pin)
					}
				}
			}
			_, pinned := g.shown(world, "BTCUSDT")
			g.does(http.MethodDelete, "/worlds/"+world+"/market/BTCUSDT", "")
			if _, mid := g.shown(world, "BTCUSDT"); mid.LessThan(pinned.Mul(decimal.New(2, 0))) {
				t.Errorf("%s: lifted, it is %s still", world, mid)
			}
		}
	})
}

// TestWorld_OneWrongVenue takes the wrong numbers of the catalog to the whole catalog of currencies, where the venues answer one after the other.
func TestWorld_OneWrongVenue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newPlayground(t)
		for _, e := range simulator.NewCatalog().Faults {
			if e.Kind != simulator.FaultSwappedPair && !strings.HasPrefix(string(e.Kind), "times_") {
				continue
			}
			g.tried(string(e.Kind), e.Try)
			w, err := g.Worlds.Create(simulator.Options{ID: "late/" + string(e.Kind)})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []simulator.Rule{
				{Match: simulator.Match{Provider: simulator.OKX}, Effect: simulator.Effect{Kind: e.Kind}},
				{Match: simulator.Match{Provider: simulator.Kraken}, Effect: simulator.Effect{Kind: simulator.FaultLatency, MS: 10}},
			} {
				if _, err := w.Faults().Add(r, w.Now()); err != nil {
					t.Fatal(err)
				}
			}
			if status, _ := g.shown(w.ID(), "BTCUSDT"); status != "fresh" {
				t.Errorf("%s: it is %s", e.Kind, status)
			}
			time.Sleep(time.Second) // of the bubble
		}
	})
}
