package kraken_test

import (
	"testing"
	"time"

	"causeway/adapters/providers/kraken"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
)

const base = "https://api.kraken.com/0/public/Ticker"

var (
	markets     = providertest.Pairs("BTC/USD USDT/USD SOL/USD DOGE/USD")
	withUnknown = providertest.Pairs("SHELL/NGN BTC/USD USDT/USD SOL/USD DOGE/USD")
)

func spec() providertest.Rates {
	edited := func(part, by string) providertest.Response { return providertest.Edited("ticker.json", part, by) }
	fails := func(text string) providertest.Response { return providertest.Body(200, `{"error":["`+text+`"]}`) }
	asks := []string{"BTC/USD 64012.2 64012.3 2026-11-21T12:00:00Z", "USDT/USD 0.9998 0.99981 ", "SOL/USD 142.16 142.17 ", "DOGE/USD 0.1333612 0.1333701 "}
	s := providertest.Rates{
		Settings: &kraken.Config{},
		URL:      base,
		Good:     providertest.File(200, "ticker.json"),
		Except:   []providertest.Exception{{Contains: "SHELL", Respond: providertest.File(200, "unknown_pair.json")}},
		Listed: providertest.Quotes(
			"BTC/USD 64012.2 64012.3",
			"USDT/USD 0.9998 0.99981",
			"SOL/USD 142.16 142.17",
			"DOGE/USD 0.1333612 0.1333701",
		),
		Unlisted: core.Pair{Base: "SHELL", Counter: "NGN"},
		// One request by the names of Kraken, and another one for all tickers if a pair is unknown.
		Requests: []string{"?pair=XBTUSD%2CUSDTUSD%2CSOLUSD%2CXDGUSD%2CSHELLNGN", ""},
		Limits:   []providertest.PollingLimit{{Fits: 2 * time.Second, TooOften: time.Second}},
		Price:    [2]string{`"b": [`, `"64012.20000"`},
		Unreadable: map[string]providertest.Response{
			"no bids":       edited(`["64012.20000", "3", "3.000"]`, `[]`),
			"another shape": edited(`["64012.20000", "3", "3.000"]`, `{"price":"64012.20000"}`),
		},
		Broken: map[string]providertest.Response{
			"busy":                     fails("EService:Busy"),
			"neither result nor error": providertest.Body(200, `{"error":[]}`),
			"recorded page":            providertest.File(200, "cloudflare.html"),
			"page of Cloudflare's 520": providertest.Body(520, "<html>520</html>"),
		},
		Cases: []providertest.RateCase{
			{Name: "listed markets", Respond: providertest.File(200, "ticker.json"), Want: asks, Outcomes: []string{"ticker ok"}},
			{
				Name: "unknown pair", Markets: withUnknown, Want: asks,
				Respond: providertest.File(200, "unknown_pair.json"), Then: providertest.File(200, "ticker.json"),
				Outcomes: []string{"ticker undecided", "ticker_all ok"},
			},
			{
				Name: "unknown pair, even without pairs", Respond: fails("EQuery:Unknown asset pair"), Outcome: upstream.Undecided,
				Outcomes: []string{"ticker undecided", "ticker_all undecided"},
			},
		},
		Status: []providertest.Exception{
			{Contains: "/SystemStatus", Respond: providertest.File(200, "system_status.json")},
			{Contains: "/AssetPairs", Respond: providertest.File(200, "asset_pairs.json")},
		},
		Halted:    halted(),
		Simulated: &providertest.SimulatedRates{Unlisted: core.Pair{Base: "CNGN", Counter: "USD"}},
	}
	for _, name := range []string{"keyed_by_socket_name.json", "keyed_by_alternative_name.json", "warning.json"} {
		s.Cases = append(s.Cases, providertest.RateCase{Name: name, Respond: providertest.File(200, name), Want: asks})
	}
	for text, outcome := range map[string]upstream.Outcome{
		"EService:Unavailable": upstream.Unavailable, "EGeneral:Too many requests": upstream.Throttled,
		"EAPI:Rate limit exceeded": upstream.Throttled, "EGeneral:Temporary lockout": upstream.Throttled,
		"EGeneral:Permission denied": upstream.Refused, "EGeneral:planted words": upstream.Unavailable,
		"EGeneral:Internal error": upstream.Unavailable,
	} {
		s.Cases = append(s.Cases, providertest.RateCase{Name: text, Respond: fails(text), Outcome: outcome})
	}
	return s
}

// halted are the statuses of the engine and of a pair in which no orders are matched.
func halted() map[string]providertest.Exception {
	out := map[string]providertest.Exception{}
	for _, status := range []string{"maintenance", "cancel_only", "post_only", "planted words"} {
		out[status] = providertest.Exception{
			Contains: "/SystemStatus", Respond: providertest.Edited("system_status.json", "online", status),
		}
		out["pair "+status] = providertest.Exception{
			Contains: "/AssetPairs",
			Respond: providertest.Edited("asset_pairs.json", `"base":"XXBT","quote":"ZUSD","status":"online"`,
				`"base":"XXBT","quote":"ZUSD","status":"`+status+`"`),
		}
	}
	return out
}

func TestRates(t *testing.T) { spec().Run(t) }

func FuzzRates(f *testing.F) { spec().Fuzz(f) }
