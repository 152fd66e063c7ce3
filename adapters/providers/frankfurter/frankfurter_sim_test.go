package frankfurter_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/providers/frankfurter"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator/wire/wiretest"
)

// overWire makes the source over a simulated Frankfurter.
func overWire(transport func(t *testing.T) http.RoundTripper) func(t *testing.T) ports.RateSource {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		source, err := frankfurter.New(frankfurter.Config{}, upstreamtest.OpenAt(t, transport(t), wiretest.Noon).Factory)
		if err != nil {
			t.Fatal(err)
		}
		return source
	}
}

// places is how precisely a rate of this size is published.
func places(rate decimal.Decimal) int32 {
	switch units := rate.IntPart(); {
	case units >= 80:
		return 2
	case units >= 20:
		return 3
	case units >= 1:
		return 4
	default:
		return 5
	}
}

func TestContractOverTheSimulatedWire(t *testing.T) {
	t.Parallel()
	world, w := wiretest.Open(t)
	var quotes []porttest.Quote
	for _, code := range world.Market().Fiat() {
		pair := core.Pair{Base: "USD", Counter: code}
		fixing, _ := world.Market().Fixing(pair, time.Date(2026, time.November, 20, 15, 0, 0, 0, time.UTC))
		if rate := decimal.RequireFromString(fixing.String()); code != "USD" {
			text := rate.Round(places(rate)).String()
			quotes = append(quotes, porttest.Quote{Pair: pair, Bid: text, Ask: text})
		}
	}
	says := func(status int, body string, header ...string) func(t *testing.T) ports.RateSource {
		return overWire(func(*testing.T) http.RoundTripper { return wiretest.Saying(status, body, header...) })
	}
	edited := func(by string) func(t *testing.T) ports.RateSource {
		return overWire(func(t *testing.T) http.RoundTripper {
			t.Helper()
			return wiretest.Edited(t, w, `"rate":`+quotes[0].Bid, `"rate":`+by)
		})
	}
	porttest.RateSource(t, porttest.Source{
		Open:       overWire(func(*testing.T) http.RoundTripper { return w }),
		Listed:     quotes,
		Unlisted:   core.Pair{Base: "USD", Counter: "XTS"},
		At:         friday,
		Unreadable: map[string]func(t *testing.T) ports.RateSource{"a comma": edited(`"0,85"`), "null": edited("null"), "a word": edited(`"NaN"`)},
		Broken: map[string]func(t *testing.T) ports.RateSource{
			"an error": says(http.StatusInternalServerError, `{"status":500,"message":"materialized blend rebuilt mid-request"}`),
			"a page":   says(http.StatusOK, "<html>"),
			"503":      says(http.StatusServiceUnavailable, ""),
		},
		Throttled:  says(http.StatusTooManyRequests, "", "Retry-After", "5"),
		RetryAfter: 5 * time.Second,
		Hanging:    overWire(func(*testing.T) http.RoundTripper { return wiretest.Hanging() }),
	})
}

func TestACurrencyWithoutRatesIsMissingOnTheSimulatedWireToo(t *testing.T) {
	t.Parallel()
	_, w := wiretest.Open(t)
	source, world := openAt(t, w, wiretest.Noon())
	observe(t, source, []core.Pair{usdkpw, usdngn}, usdngn)
	wantOutcomes(t, world, "rates ok")
}
