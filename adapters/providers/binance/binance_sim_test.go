package binance_test

import (
	"net/http"
	"testing"
	"time"

	"causeway/adapters/providers/binance"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator"
	"causeway/simulator/wire/wiretest"
)

// overWire makes the source over a simulated Binance.
func overWire(transport func(t *testing.T) http.RoundTripper) func(t *testing.T) ports.RateSource {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		source, err := binance.New(binance.Config{}, upstreamtest.OpenAt(t, transport(t), wiretest.Noon).Factory)
		if err != nil {
			t.Fatal(err)
		}
		return source
	}
}

func TestContractOverTheSimulatedWire(t *testing.T) {
	t.Parallel()
	world, w := wiretest.Open(t)
	var quotes []porttest.Quote
	for _, pair := range world.Market().Listed(simulator.Binance) {
		book, _ := world.Market().Book(simulator.Binance, pair, wiretest.Noon())
		quotes = append(quotes, porttest.Quote{Pair: pair, Bid: book.Bid.Trimmed(), Ask: book.Ask.Trimmed()})
	}
	first := world.Market().Listed(simulator.Binance)[0]
	book, _ := world.Market().Book(simulator.Binance, first, wiretest.Noon())
	says := func(status int, body string, header ...string) func(t *testing.T) ports.RateSource {
		return overWire(func(*testing.T) http.RoundTripper { return wiretest.Saying(status, body, header...) })
	}
	edited := func(by string) func(t *testing.T) ports.RateSource {
		return overWire(func(t *testing.T) http.RoundTripper {
			t.Helper()
			return wiretest.Edited(t, w, `"bidPrice":"`+book.Bid.Padded(8)+`"`, `"bidPrice":`+by)
		})
	}
	porttest.RateSource(t, porttest.Source{
		Open:       overWire(func(*testing.T) http.RoundTripper { return w }),
		Listed:     quotes,
		Unlisted:   core.Pair{Base: "CNGN", Counter: "USD"},
		At:         wiretest.Noon(),
		Unreadable: map[string]func(t *testing.T) ports.RateSource{"a comma": edited(`"92,6546"`), "nothing": edited(`""`), "null": edited("null")},
		Broken: map[string]func(t *testing.T) ports.RateSource{
			"busy":   says(http.StatusServiceUnavailable, `{"code":-1008,"msg":"Server is currently overloaded."}`),
			"a page": says(http.StatusOK, "<html>"),
			"503":    says(http.StatusServiceUnavailable, ""),
		},
		Throttled:  says(http.StatusTooManyRequests, "", "Retry-After", "5"),
		RetryAfter: 5 * time.Second,
		Hanging:    overWire(func(*testing.T) http.RoundTripper { return wiretest.Hanging() }),
	})
}
