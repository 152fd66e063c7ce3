package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core/pairs"
	"causeway/simulator"
)

// bitcoinTape records the two venues of BTC/GBP: a price, another price, then no response.
func bitcoinTape(recorded time.Time) simulator.Tape {
	const ticker, product = "/0/public/Ticker", "/products/BTC-GBP/ticker"
	kraken := func(at time.Duration, bid, ask string) simulator.TapeEntry {
		return simulator.TapeEntry{At: simulator.Duration(at), Provider: "kraken", Path: ticker, Status: http.StatusOK, Body: json.RawMessage(fmt.Sprintf(
			`{"error":[],"result":{"XXBTZGBP":{"a":["%s","1","1.000"],"b":["%s","1","1.000"],"c":["%s","0.01"],"v":["1","2"],"p":["%s","%s"],"t":[1,2],"l":["%s","%s"],"h":["%s","%s"],"o":"%s"}}}`,
			ask, bid, bid, bid, bid, bid, bid, ask, ask, bid))}
	}
	coinbase := func(at time.Duration, bid, ask string) simulator.TapeEntry {
		return simulator.TapeEntry{At: simulator.Duration(at), Provider: "coinbase", Path: product, Status: http.StatusOK, Body: json.RawMessage(fmt.Sprintf(
			`{"ask":"%s","bid":"%s","volume":"812.4","trade_id":86326522,"price":"%s","size":"0.0015","time":"%s"}`, ask, bid, ask, recorded.Add(at).Format(time.RFC3339Nano)))}
	}
	const second = 40 * time.Second
	return simulator.Tape{Recorded: recorded, Lasts: simulator.Duration(3 * time.Minute), Entries: []simulator.TapeEntry{
		kraken(0, "50000.10000", "50000.30000"), coinbase(0, "50000.15", "50000.25"),
		kraken(second, "50100.10000", "50100.30000"), coinbase(second, "50100.15", "50100.25"),
		{At: simulator.Duration(2 * second), Provider: "kraken", Path: ticker},
		{At: simulator.Duration(2 * second), Provider: "coinbase", Path: product},
	}}
}

// TestTape plays a year-old tape through the production adapters. Its prices are published, the gap
// at its end makes them stale and then halted, and afterwards the simulated market continues. Two
// runs publish the same bytes.
func TestTape(t *testing.T) {
	t.Parallel()
	var said [2]string
	for i := range said {
		synctest.Test(t, func(t *testing.T) {
			mf := newMarketFixture(t, "causeway", "BTC", "USDT", "USD", "GBP") // no euros, by way of which it would go on
			mf.run(t, 20*time.Second, pollStep, nil)
			market := mf.want(t, "BTCGBP", pairs.Fresh, "").Mid
			if _, err := mf.world.Tapes().Play(bitcoinTape(time.Date(2025, 11, 16, 12, 0, 0, 0, time.UTC)), mf.world.Now()); err != nil {
				t.Fatal(err)
			}
			var told strings.Builder
			runs := func(length, step time.Duration) *pairs.Quote {
				mf.run(t, length, step, nil)
				_, _ = told.Write(mf.list(t))
				return mf.Snapshot().Quote("BTCGBP")
			}
			is := func(q *pairs.Quote, status pairs.Status, mid decimal.Decimal, part string) {
				t.Helper()
				if q.Status != status {
					t.Errorf("%s: it is %s %q, want %s", mf.world.Now().Format(time.TimeOnly), q.Status, q.Reason, status)
				}
				near(t, "BTCGBP", q.Mid, mid, part)
			}
			is(runs(38*time.Second, pollStep), pairs.Fresh, dec("50000.2"), "0.00001")
			is(runs(38*time.Second, pollStep), pairs.Fresh, dec("50100.2"), "0.00001")
			is(runs(30*time.Second, 5*time.Second), pairs.Stale, dec("50100.2"), "0.00001")
			is(runs(40*time.Second, 10*time.Second), pairs.Halted, dec("50100.2"), "0.00001")
			runs(60*time.Second, 10*time.Second)
			is(runs(20*time.Second, pollStep), pairs.Fresh, market, "0.01")
			said[i] = told.String()
		})
	}
	if said[0] != said[1] {
		t.Error("two runs of one tape differ")
	}
}

// TestTape_Applied checks that a response and the journal name the tape.
func TestTape_Applied(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSandboxFixture(t)
		ask := func() *httptest.ResponseRecorder {
			return g.send(simulator.Request{Method: http.MethodGet, Path: "/v1/pairs/BTCUSDT", Headers: map[string]string{"Sim-World": "taped"}})
		}
		if rec := ask(); rec.Code != http.StatusOK {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
		g.control(http.MethodPost, "/worlds/taped/tapes", `{"lasts":"1h","entries":[{"provider":"okx","path":"/api/v5/market/tickers"}]}`)
		time.Sleep(10 * time.Second) // of the bubble: the prices are made anew
		if rec := ask(); rec.Code != http.StatusOK || rec.Header().Get("Sim-Applied") != "tape:t1" {
			t.Errorf("%d by %s", rec.Code, rec.Header().Get("Sim-Applied"))
		}
		listed := g.send(simulator.Request{Method: http.MethodGet, Path: "/_sim/v1/worlds/taped/journal?applied=tape"}).Body.String()
		if !strings.Contains(listed, `"applied":"tape:t1"`) || !strings.Contains(listed, `"source":"okx"`) {
			t.Errorf("the journal has %s", listed)
		}
	})
}
