package quidax_test

import (
	"net/http"
	"testing"
	"time"

	"causeway/adapters/providers/quidax"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator"
	"causeway/simulator/wire/wiretest"
)

// overWire makes the source over a simulated Quidax.
func overWire(transport func(t *testing.T) http.RoundTripper) func(t *testing.T) ports.RateSource {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		source, err := quidax.New(quidax.Config{}, upstreamtest.OpenAt(t, transport(t), wiretest.Noon).Factory)
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
	for _, pair := range world.Market().Listed(simulator.Quidax) {
		book, _ := world.Market().Book(simulator.Quidax, pair, wiretest.Noon())
		quotes = append(quotes, porttest.Quote{Pair: pair, Bid: book.Bid.Trimmed(), Ask: book.Ask.Trimmed()})
	}
	says := func(status int, body string, header ...string) func(t *testing.T) ports.RateSource {
		return overWire(func(*testing.T) http.RoundTripper { return wiretest.Saying(status, body, header...) })
	}
	edited := func(by string) func(t *testing.T) ports.RateSource {
		return overWire(func(t *testing.T) http.RoundTripper {
			t.Helper()
			return wiretest.Edited(t, w, `"buy":"`+quotes[0].Bid+`"`, `"buy":`+by)
		})
	}
	porttest.RateSource(t, porttest.Source{
		Open:       overWire(func(*testing.T) http.RoundTripper { return w }),
		Listed:     quotes,
		Unlisted:   core.Pair{Base: "DASH", Counter: "NGN"}, // listed, with an empty book
		At:         wiretest.Noon(),
		Unreadable: map[string]func(t *testing.T) ports.RateSource{"a comma": edited(`"107,9"`), "nothing": edited(`""`), "an empty book": edited(`"0.0"`)},
		Broken: map[string]func(t *testing.T) ports.RateSource{
			"an error with 200": says(http.StatusOK, `{"status":"error","message":"Something went wrong"}`),
			"a page":            says(http.StatusOK, "<html>"),
			"503":               says(http.StatusServiceUnavailable, ""),
		},
		Throttled:  says(http.StatusTooManyRequests, "", "Retry-After", "5"),
		RetryAfter: 5 * time.Second,
		Hanging:    overWire(func(*testing.T) http.RoundTripper { return wiretest.Hanging() }),
	})
}
