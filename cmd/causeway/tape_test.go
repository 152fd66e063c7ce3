package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core/pairs"
	"causeway/simulator"
)

// bitcoinTape is a tape of the two venues that make BTC/GBP: first at such a price, then at another one, then nobody answers.
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
	return simulator.Tape{Recorded: recorded, Lasts: simulator.Duration(5 * time.Minute), Entries: []simulator.TapeEntry{
		kraken(0, "50000.10000", "50000.30000"), coinbase(0, "50000.15", "50000.25"),
		kraken(second, "50100.10000", "50100.30000"), coinbase(second, "50100.15", "50100.25"),
		{At: simulator.Duration(2 * second), Provider: "kraken", Path: ticker},
		{At: simulator.Duration(2 * second), Provider: "coinbase", Path: product},
	}}
}

// TestARecordedAnswerMovesThePrice plays a tape of a year ago through the production adapters and the price engine: its prices are those of the API, the gap at
// its end makes them stale and then halts them, and after the end the market is there again. Twice the same.
func TestARecordedAnswerMovesThePrice(t *testing.T) {
	t.Parallel()
	var runs [2]string
	for i := range runs {
		synctest.Test(t, func(t *testing.T) {
			th := stage(t, "causeway")
			th.run(t, 20*time.Second, beat, nil)
			market := th.want(t, "BTCGBP", pairs.Fresh, "").Mid
			if _, err := th.world.Tapes().Play(bitcoinTape(time.Date(2025, 11, 16, 12, 0, 0, 0, time.UTC)), th.world.Now()); err != nil {
				t.Fatal(err)
			}
			var told strings.Builder
			look := func() { _, _ = told.Write(th.list(t)) }
			th.run(t, 38*time.Second, beat, look)
			near(t, "BTCGBP", th.want(t, "BTCGBP", pairs.Fresh, "").Mid, dec("50000.2"), "0.00001")
			th.run(t, 38*time.Second, beat, look)
			near(t, "BTCGBP", th.want(t, "BTCGBP", pairs.Fresh, "").Mid, dec("50100.2"), "0.00001")
			th.run(t, 30*time.Second, beat, look)
			stale := th.Snapshot().Quote("BTCGBP")
			if stale.Status != pairs.Stale {
				t.Errorf("half a minute into the gap it is %s %q", stale.Status, stale.Reason)
			}
			near(t, "BTCGBP", stale.Mid, dec("50100.2"), "0.00001")
			th.run(t, 90*time.Second, beat, look)
			if q := th.Snapshot().Quote("BTCGBP"); q.Status != pairs.Halted {
				t.Errorf("two minutes into the gap it is %s %q", q.Status, q.Reason)
			}
			th.run(t, 3*time.Minute, beat, look)
			near(t, "BTCGBP", th.want(t, "BTCGBP", pairs.Fresh, "").Mid, market, "0.01")
			runs[i] = told.String()
		})
	}
	if runs[0] != runs[1] {
		t.Error("two runs of one tape differ")
	}
}
