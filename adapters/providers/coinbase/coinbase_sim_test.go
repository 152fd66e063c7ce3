package coinbase_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"causeway/adapters/providers/coinbase"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator"
	"causeway/simulator/wire/wiretest"
)

// misquoted is a Coinbase that answers in another way about one product.
type misquoted struct {
	product      core.Pair
	other, usual http.RoundTripper
}

// RoundTrip answers.
func (m misquoted) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.Contains(r.URL.Path, "/"+m.product.Base+"-"+m.product.Counter+"/") {
		return m.other.RoundTrip(r)
	}
	return m.usual.RoundTrip(r)
}

// overWire makes the source over a simulated Coinbase, as a sandbox does: without a pace.
func overWire(transport func(t *testing.T) http.RoundTripper) opener {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		source, err := coinbase.New(coinbase.Config{}, upstreamtest.OpenAt(t, transport(t), wiretest.Noon).Factory)
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
	for _, pair := range world.Market().Listed(simulator.Coinbase) {
		book, _ := world.Market().Book(simulator.Coinbase, pair, wiretest.Noon())
		quotes = append(quotes, porttest.Quote{Pair: pair, Bid: book.Bid.Trimmed(), Ask: book.Ask.Trimmed()})
	}
	first := quotes[0]
	says := func(status int, body string, header ...string) opener {
		return overWire(func(*testing.T) http.RoundTripper { return wiretest.Saying(status, body, header...) })
	}
	edited := func(by string) opener {
		return overWire(func(t *testing.T) http.RoundTripper {
			t.Helper()
			return misquoted{first.Pair, wiretest.Edited(t, w, `"bid":"`+first.Bid+`"`, `"bid":`+by), w}
		})
	}
	porttest.RateSource(t, porttest.Source{
		Open:       overWire(func(*testing.T) http.RoundTripper { return w }),
		Listed:     quotes,
		Unlisted:   core.Pair{Base: "CNGN", Counter: "USD"},
		At:         wiretest.Noon(),
		Unreadable: map[string]opener{"a comma": edited(`"92,6546"`), "nothing": edited(`""`), "null": edited("null")},
		Broken: map[string]opener{
			"failing": says(http.StatusInternalServerError, `{"message":"Internal server error"}`),
			"a page":  says(http.StatusOK, "<html>"),
			"503":     says(http.StatusServiceUnavailable, ""),
		},
		Throttled:  says(http.StatusTooManyRequests, `{"message":"Public rate limit exceeded"}`, "Retry-After", "5"),
		RetryAfter: 5 * time.Second,
		Hanging:    overWire(func(*testing.T) http.RoundTripper { return wiretest.Hanging() }),
	})
}

func TestSource_SimulatedDelistedProduct(t *testing.T) {
	t.Parallel()
	_, w := wiretest.Open(t)
	source := overWire(func(*testing.T) http.RoundTripper { return w })(t)
	got, err := source.Observe(t.Context(), []core.Pair{{Base: "REP", Counter: "USD"}})
	if err != nil || len(got) != 0 {
		t.Errorf("got %v, %v; want no quote and no error", got, err)
	}
}
