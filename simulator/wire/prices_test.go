package wire_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// decode sends a GET request and decodes the response.
func decode(t *testing.T, w *wire.Wire, provider, target string, out any) {
	t.Helper()
	r := send(w, get(provider, target).request(t, ""))
	if err := json.Unmarshal(r.body, out); err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %d, %v, %v: %s", target, r.StatusCode, r.err, err, r.body)
	}
}

// TestKraken_CanonicalNames compares names with the names of the real venue.
func TestKraken_CanonicalNames(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	for _, name := range []string{
		"XXBTZUSD", "XETHZEUR", "XXRPZUSD", "XLTCXXBT", "XXLMZUSD", "XDGUSD", "SOLUSD", "USDTZUSD", "USDCUSD", "ZEURZUSD",
		"ZGBPZUSD", "XXBTZGBP", "XBTUSDT", "ETHUSDT", "USDTEUR", "XXDGXXBT", "ADAXBT",
	} {
		var all, one struct{ Result map[string]json.RawMessage }
		decode(t, w, "kraken", "/0/public/Ticker", &all)
		decode(t, w, "kraken", "/0/public/Ticker?pair="+name, &one)
		if len(one.Result) != 1 || len(one.Result[name]) == 0 || string(one.Result[name]) != string(all.Result[name]) {
			t.Errorf("%s: got %s, want %s", name, one.Result, all.Result[name])
		}
	}
}

func TestCoinbase_LastTrade(t *testing.T) {
	t.Parallel()
	sim := newWorld(t)
	w, older := wire.New(sim), 0
	for _, pair := range sim.Market().Listed(market.Coinbase) {
		var ticker struct{ Time time.Time }
		decode(t, w, "coinbase", "/products/"+pair.Base+"-"+pair.Counter+"/ticker", &ticker)
		if age := noon.Sub(ticker.Time); age < 0 || age > 2*time.Minute {
			t.Errorf("%s: the last trade is %s old", pair, age)
		} else if age > 2*time.Second {
			older++
		}
	}
	if older == 0 {
		t.Error("no market is quiet")
	}
}

func TestFrankfurter_WorkingDays(t *testing.T) {
	t.Parallel()
	rates := map[string]json.Number{}
	for now, want := range map[string]string{
		"2026-11-18T14:59:59Z": "2026-11-17",
		"2026-11-18T15:00:00Z": "2026-11-18",
		"2026-11-20T23:59:59Z": "2026-11-20", // Friday
		"2026-11-21T16:00:00Z": "2026-11-20",
		"2026-11-22T16:00:00Z": "2026-11-20",
		"2026-11-23T14:00:00Z": "2026-11-20",
		"2026-11-23T15:00:00Z": "2026-11-23",
	} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		var rows []struct {
			Date string
			Rate json.Number
		}
		decode(t, wire.New(newWorldAt(t, at)), "frankfurter", "/v2/rates?base=USD&quotes=ZAR", &rows)
		if len(rows) != 1 || rows[0].Date != want || rates[want] != "" && rates[want] != rows[0].Rate {
			t.Errorf("at %s: got %v, want the rate of %s", now, rows, want)
		}
		rates[want] = rows[0].Rate
	}
	if rates["2026-11-20"] == rates["2026-11-23"] {
		t.Error("the rate does not change")
	}
}

func TestCoinGecko_Minute(t *testing.T) {
	t.Parallel()
	sim := newWorldAt(t, noon.Add(59*time.Second))
	var prices map[string]struct {
		USD  json.Number `json:"usd"`
		Made int64       `json:"last_updated_at"`
	}
	target := "/api/v3/simple/price?ids=bitcoin&vs_currencies=usd&include_last_updated_at=true&precision=full"
	decode(t, wire.New(sim), "coingecko", target, &prices)
	made := noon.Truncate(time.Minute)
	want, _ := sim.Market().Aggregate(core.Pair{Base: "BTC", Counter: "USD"}, made)
	if got := prices["bitcoin"]; got.Made != made.Unix() || string(got.USD) != want.String() {
		t.Errorf("got %+v, want %s of %d", got, want, made.Unix())
	}
}

// TestMagicPairs looks for magic pairs in the lists of their venues.
func TestMagicPairs(t *testing.T) {
	t.Parallel()
	worlds, err := world.NewRegistry(world.RegistryConfig{
		Clock: func() time.Time { return noon }, Banks: institutions(), Providers: wire.Offers(),
	})
	if err != nil {
		t.Fatal(err)
	}
	sim, err := worlds.Create(world.Options{ID: "a", MagicPairs: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ provider, want string }{
		{"quidax", fmt.Sprintf(`"tflatngn":{"at":%d,"ticker":{"buy":"99.75",…"sell":"100.25"`, noon.Unix())},
		{"quidax", fmt.Sprintf(`"tstalengn":{"at":%d,`, noon.Unix()-90)},
		{"busha", `"buy_price":{"amount":"104","currency":"NGN"},…"sell_price":{"amount":"96","currency":"NGN"}`},
	} {
		e := map[string]exchange{"quidax": golden(t, "quidax", "tickers"), "busha": golden(t, "busha", "pairs")}[c.provider]
		with, without := send(wire.New(sim), e.request(t, "")), send(wire.New(newWorld(t)), e.request(t, ""))
		if !matches(string(with.body), c.want) || matches(string(without.body), c.want) {
			t.Errorf("%s: %s is not there, or in a sim without magic pairs", c.provider, c.want)
		}
	}
}

// TestVenues_MarketSettings checks absent pairs and venues that are down.
func TestVenues_MarketSettings(t *testing.T) {
	t.Parallel()
	sim := newWorld(t)
	w := wire.New(sim)
	for _, c := range []struct{ provider, pair, target, there, gone string }{
		{"kraken", "BTC/USDT", "/0/public/Ticker?pair=XBTUSDT", "XBTUSDT", "EQuery:Unknown asset pair"},
		{"kraken", "BTC/USDT", "/0/public/Ticker", "XBTUSDT", "XETHZUSD"},
		{"binance", "BTC/USDT", "/api/v3/ticker/bookTicker?symbols=[%22BTCUSDT%22]", "BTCUSDT", "-1121"},
		{"coinbase", "BTC/USDT", "/products/BTC-USDT/ticker", "trade_id", "NotFound"},
		{"okx", "BTC/USDT", "/api/v5/market/tickers?instType=SPOT", "BTC-USDT", "ETH-USDT"},
		{"bybit", "BTC/USDT", "/v5/market/tickers?category=spot", "\"BTCUSDT", "\"ETHUSDT"},
		{"quidax", "BTC/NGN", "/exchange-open-api/api/v1/markets/tickers", "btcngn", "usdtngn"},
		{"busha", "BTC/NGN", "/v1/pairs", "BTCNGN", "USDTNGN"},
	} {
		pair, err := sim.Market().Pair(c.pair)
		if err != nil {
			t.Fatal(err)
		}
		e := get(c.provider, c.target)
		if before := send(w, e.request(t, "")); !strings.Contains(string(before.body), c.there) {
			t.Errorf("%s: got %v: %.200s", c.provider, before.err, before.body)
		}
		for _, state := range []market.State{market.Absent, market.Down} {
			s := market.Setting{Venues: map[string]market.VenueSetting{c.provider: {State: state}}}
			if err := sim.Market().Set(pair, s, noon, time.Time{}); err != nil {
				t.Fatal(err)
			}
			r := send(w, e.request(t, ""))
			there, gone := strings.Contains(string(r.body), c.there), strings.Contains(string(r.body), c.gone)
			if down := r.StatusCode == http.StatusServiceUnavailable; down != (state == market.Down) || !down && (there || !gone) {
				t.Errorf("%s %s: got %d, %v: %.300s", c.provider, state, r.StatusCode, r.err, r.body)
			}
		}
		sim.Stop()
	}
}
