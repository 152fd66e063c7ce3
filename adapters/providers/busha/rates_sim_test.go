package busha_test

import (
	"net/http"
	"testing"
	"time"

	"causeway/adapters/providers/busha"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator"
	"causeway/simulator/wire/wiretest"
)

// overWire makes the provider over a simulated busha.
func overWire(transport func(t *testing.T) http.RoundTripper) func(t *testing.T) ports.RateSource {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		provider, err := busha.New(busha.Config{}, upstreamtest.OpenAt(t, transport(t), wiretest.Noon).Factory)
		if err != nil {
			t.Fatal(err)
		}
		return provider
	}
}

func TestContractOverTheSimulatedWire(t *testing.T) {
	t.Parallel()
	world, w := wiretest.Open(t)
	var quotes []porttest.Quote
	for _, pair := range world.Market().Listed(simulator.Busha) {
		book, _ := world.Market().Book(simulator.Busha, pair, wiretest.Noon())
		quotes = append(quotes, porttest.Quote{Pair: pair, Bid: book.Bid.Trimmed(), Ask: book.Ask.Trimmed()})
	}
	says := func(status int, body string, header ...string) func(t *testing.T) ports.RateSource {
		return overWire(func(*testing.T) http.RoundTripper { return wiretest.Saying(status, body, header...) })
	}
	edited := func(by string) func(t *testing.T) ports.RateSource {
		return overWire(func(t *testing.T) http.RoundTripper {
			t.Helper()
			return wiretest.Edited(t, w, `"sell_price":{"amount":"`+quotes[0].Bid+`"`, `"sell_price":{"amount":`+by)
		})
	}
	porttest.RateSource(t, porttest.Source{
		Open:       overWire(func(*testing.T) http.RoundTripper { return w }),
		Listed:     quotes,
		Unlisted:   core.Pair{Base: "USDT", Counter: "GHS"},
		At:         wiretest.Noon(),
		Unreadable: map[string]func(t *testing.T) ports.RateSource{"a comma": edited(`"1,5"`), "nothing": edited(`""`), "null": edited("null")},
		Broken: map[string]func(t *testing.T) ports.RateSource{
			"an error": says(http.StatusOK, `{"error":{"name":"internal_server_error","message":"Something went wrong"}}`),
			"a page":   says(http.StatusOK, "<html>"),
			"503":      says(http.StatusServiceUnavailable, ""),
		},
		Throttled:  says(http.StatusTooManyRequests, "", "Retry-After", "5"),
		RetryAfter: 5 * time.Second,
		Hanging:    overWire(func(*testing.T) http.RoundTripper { return wiretest.Hanging() }),
	})
}
