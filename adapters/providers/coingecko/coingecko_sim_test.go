package coingecko_test

import (
	"net/http"
	"testing"
	"time"

	"causeway/adapters/providers/coingecko"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator/wire/wiretest"
)

// overWire makes the source over a simulated CoinGecko.
func overWire(key core.Secret, transport func(t *testing.T) http.RoundTripper) func(t *testing.T) ports.RateSource {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		source, err := coingecko.New(coingecko.Config{APIKey: key}, upstreamtest.OpenAt(t, transport(t), wiretest.Noon).Factory)
		if err != nil {
			t.Fatal(err)
		}
		return source
	}
}

func TestContractOverTheSimulatedWire(t *testing.T) {
	t.Parallel()
	world, w := wiretest.Open(t)
	honest := func(*testing.T) http.RoundTripper { return w }
	var quotes []porttest.Quote
	for _, pair := range []core.Pair{
		usdtusd, btcusd, shibusd, tonusd, usdtngn,
		{Base: "ETH", Counter: "EUR"},
		{Base: "USDC", Counter: "GBP"},
		{Base: "ETH", Counter: "BTC"},
		{Base: "POL", Counter: "USD"},
		{Base: "EURC", Counter: "EUR"},
		{Base: "SOL", Counter: "ZAR"},
	} {
		price, known := world.Market().Aggregate(pair, wiretest.Noon())
		if !known {
			t.Fatalf("the market has no price of %s", pair)
		}
		quotes = append(quotes, porttest.Quote{Pair: pair, Bid: price.Trimmed(), Ask: price.Trimmed()})
	}
	says := func(status int, body string, header ...string) func(t *testing.T) ports.RateSource {
		return overWire("", func(*testing.T) http.RoundTripper { return wiretest.Saying(status, body, header...) })
	}
	edited := func(by string) func(t *testing.T) ports.RateSource {
		return overWire("", func(t *testing.T) http.RoundTripper {
			t.Helper()
			return wiretest.Edited(t, w, `"usd":`+quotes[0].Bid, `"usd":`+by)
		})
	}
	porttest.RateSource(t, porttest.Source{
		Open:       overWire("", honest),
		Listed:     quotes,
		Unlisted:   core.Pair{Base: "CNGN", Counter: "USD"},
		At:         wiretest.Noon(),
		Unreadable: map[string]func(t *testing.T) ports.RateSource{"a comma": edited(`"1,5"`), "null": edited("null"), "a word": edited(`"NaN"`)},
		Broken: map[string]func(t *testing.T) ports.RateSource{
			"a key that is none": overWire("nonsense", honest),
			"a page":             says(http.StatusOK, "<html>"),
			"503":                says(http.StatusServiceUnavailable, ""),
		},
		Throttled:  says(http.StatusTooManyRequests, `{"status":{"error_code":429,"error_message":"slow down"}}`, "Retry-After", "5"),
		RetryAfter: 5 * time.Second,
		Hanging:    overWire("", func(*testing.T) http.RoundTripper { return wiretest.Hanging() }),
	})
}

// TestEveryIdIsOneOfTheSimulatedCoins joins two tables that were written apart.
func TestEveryIdIsOneOfTheSimulatedCoins(t *testing.T) {
	t.Parallel()
	world, w := wiretest.Open(t)
	var pairs []core.Pair
	for _, code := range []string{
		"AAVE", "ADA", "ALGO", "APT", "ARB", "ATOM", "AVAX", "BCH", "BNB", "BTC", "DAI", "DOGE", "DOT", "EOS", "ETC", "ETH", "EURC", "FIL", "HBAR", "ICP",
		"INJ", "LINK", "LTC", "NEAR", "OP", "POL", "PYUSD", "SHIB", "SOL", "SUI", "TON", "TRX", "UNI", "USDC", "USDT", "VET", "XLM", "XRP", "XTZ",
	} {
		pairs = append(pairs, core.Pair{Base: code, Counter: "USD"})
	}
	source, _ := open(t, w)
	got, err := source.Observe(t.Context(), pairs)
	if err != nil || len(got) != len(pairs) {
		t.Fatalf("got %d of %d, %v", len(got), len(pairs), err)
	}
	for _, o := range got {
		if want, _ := world.Market().Aggregate(o.Pair, wiretest.Noon()); o.Bid.String() != want.Trimmed() {
			t.Errorf("%s: got %s, want %s", o.Pair, o.Bid, want)
		}
	}
}
