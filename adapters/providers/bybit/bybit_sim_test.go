package bybit_test

import (
	"net/http"
	"testing"
	"time"

	"causeway/adapters/providers/bybit"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator"
	"causeway/simulator/wire/wiretest"
)

// overWire makes the source over a simulated Bybit.
func overWire(transport func(t *testing.T) http.RoundTripper) opener {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		source, err := bybit.New(bybit.Config{}, upstreamtest.OpenAt(t, transport(t), wiretest.Noon).Factory)
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
	for _, pair := range world.Market().Listed(simulator.Bybit) {
		book, _ := world.Market().Book(simulator.Bybit, pair, wiretest.Noon())
		quotes = append(quotes, porttest.Quote{Pair: pair, Bid: book.Bid.Trimmed(), Ask: book.Ask.Trimmed()})
	}
	first := quotes[0]
	says := func(status int, body string, header ...string) opener {
		return overWire(func(*testing.T) http.RoundTripper { return wiretest.Saying(status, body, header...) })
	}
	edited := func(by string) opener {
		return overWire(func(t *testing.T) http.RoundTripper {
			t.Helper()
			return wiretest.Edited(t, w, `"bid1Price":"`+first.Bid+`"`, `"bid1Price":`+by)
		})
	}
	porttest.RateSource(t, porttest.Source{
		Open:       overWire(func(*testing.T) http.RoundTripper { return w }),
		Listed:     quotes,
		Unlisted:   core.Pair{Base: "CNGN", Counter: "USD"},
		At:         wiretest.Noon(),
		Unreadable: map[string]opener{"a comma": edited(`"92,6546"`), "nothing": edited(`""`), "null": edited("null")},
		Broken: map[string]opener{
			"failing": says(http.StatusOK, `{"retCode":10016,"retMsg":"Internal System Error.","result":{},"time":1795262400000}`),
			"a page":  says(http.StatusOK, "<html>"),
			"503":     says(http.StatusServiceUnavailable, ""),
		},
		Throttled:  says(http.StatusTooManyRequests, "", "Retry-After", "5"),
		RetryAfter: 5 * time.Second,
		Hanging:    overWire(func(*testing.T) http.RoundTripper { return wiretest.Hanging() }),
	})
}
