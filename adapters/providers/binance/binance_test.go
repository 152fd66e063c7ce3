package binance_test

import (
	"testing"
	"time"

	"causeway/adapters/providers/binance"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
)

const base = "https://data-api.binance.vision/api/v3/ticker/bookTicker"

var markets = providertest.Pairs("BTC/USDT ETH/USDT SHIB/USDT")

func spec() providertest.Rates {
	edited := func(part, by string) providertest.Response { return providertest.Edited("book_ticker.json", part, by) }
	tops := []string{"BTC/USDT 64010.01 64010.02 2026-11-21T12:00:00Z", "ETH/USDT 3120.55 3120.56 ", "SHIB/USDT 0.00001234 0.00001235 "}
	return providertest.Rates{
		Settings: &binance.Config{},
		URL:      base,
		Good:     providertest.File(200, "book_ticker.json"),
		Except: []providertest.Exception{
			{Contains: "SHELL", Respond: providertest.File(400, "invalid_symbol.json")},
			{Contains: "symbols=", Respond: providertest.File(200, "book_ticker.json")},
			{Contains: "", Respond: providertest.File(200, "book_ticker_all.json")},
		},
		Listed: providertest.Quotes(
			"BTC/USDT 64010.01 64010.02",
			"ETH/USDT 3120.55 3120.56",
			"SHIB/USDT 0.00001234 0.00001235",
		),
		Unlisted: core.Pair{Base: "SHELL", Counter: "NGN"},
		// One request with a JSON array in the query, and another one for all symbols if one is unknown.
		Requests: []string{"?symbols=%5B%22BTCUSDT%22%2C%22ETHUSDT%22%2C%22SHIBUSDT%22%2C%22SHELLNGN%22%5D", ""},
		Limits:   []providertest.PollingLimit{{Fits: 2 * time.Second, TooOften: 40 * time.Millisecond}},
		Price:    [2]string{`"bidPrice":`, `"64010.01000000"`},
		Unreadable: map[string]providertest.Response{
			"empty book":     providertest.File(200, "empty_book.json"),
			"number as row":  edited(`{"symbol":"BTCUSDT",`, `7,{"symbol":"BTC-USDT",`),
			"number as name": edited(`"BTCUSDT"`, `17`),
		},
		Broken: map[string]providertest.Response{
			"ban":                      providertest.File(418, "banned.json"),
			"too many requests":        providertest.File(429, "banned.json"),
			"invalid symbol at all":    providertest.File(400, "invalid_symbol.json"),
			"illegal characters":       providertest.Body(400, `{"code":-1100,"msg":"Illegal characters found in parameter"}`),
			"time-out of the provider": providertest.Body(408, `{"code":-1007,"msg":"Timeout waiting for response from backend server."}`),
			"busy server":              providertest.Body(503, `{"code":-1008,"msg":"Server is currently overloaded"}`),
			"recorded page":            providertest.File(200, "firewall.html"),
			"invalid symbol with 200":  providertest.Body(200, `{"code":-1121,"msg":"Invalid symbol."}`),
		},
		Valid:     []string{"bad input: empty list"},
		Throttled: providertest.Body(418, "", "Retry-After", "120"), RetryAfter: 2 * time.Minute,
		Cases: []providertest.RateCase{
			{Name: "listed markets", Respond: providertest.File(200, "book_ticker.json"), Want: tops, Outcomes: []string{"book_ticker ok"}},
			{
				Name: "unknown symbol", Markets: providertest.Pairs("SHELL/NGN BTC/USDT ETH/USDT SHIB/USDT"), Want: tops,
				Respond: providertest.File(400, "invalid_symbol.json"), Then: providertest.File(200, "book_ticker_all.json"),
				Outcomes: []string{"book_ticker undecided", "book_ticker_all ok"},
			},
			{
				Name:    "symbols that fail the request are left out, and each is sent once",
				Respond: providertest.File(200, "book_ticker.json"), Want: []string{"BTC/USDT ", "ETH/USDT ", "BTCU/SDT "},
				Markets: providertest.Pairs(`BTC/USDT 1000CHEEMS"/USDT ETH/USDT BTCU/SDT`),
				Queries: []string{`?symbols=%5B%22BTCUSDT%22%2C%22ETHUSDT%22%5D`},
			},
			{
				Name: "ban of three days", Outcome: upstream.Throttled, RetryAfter: 72 * time.Hour,
				Respond: providertest.Response{Status: 418, File: "banned.json", Header: []string{"Retry-After", "259200"}},
			},
			{Name: "firewall", Respond: providertest.File(403, "firewall.html"), Outcome: upstream.Refused},
			{Name: "restricted location", Respond: providertest.File(451, "restricted_location.json"), Outcome: upstream.Refused},
		},
		FuzzStatus: 400,
		Status:     []providertest.Exception{{Contains: "/exchangeInfo", Respond: providertest.File(200, "exchange_info.json")}},
		Halted: map[string]providertest.Exception{
			"halt":  {Contains: "/exchangeInfo", Respond: providertest.Edited("exchange_info.json", `"symbol":"BTCUSDT","status":"TRADING"`, `"symbol":"BTCUSDT","status":"HALT"`)},
			"break": {Contains: "/exchangeInfo", Respond: providertest.Edited("exchange_info.json", `"symbol":"BTCUSDT","status":"TRADING"`, `"symbol":"BTCUSDT","status":"BREAK"`)},
		},
		Simulated: &providertest.SimulatedRates{Unlisted: core.Pair{Base: "CNGN", Counter: "USD"}},
	}
}

func TestRates(t *testing.T) { spec().Run(t) }

func FuzzRates(f *testing.F) { spec().Fuzz(f) }
