package openexchangerates_test

import (
	"net/http"
	"testing"
	"time"

	"causeway/adapters/providers/openexchangerates"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	simulatedopenexchangerates "causeway/simulator/wire/openexchangerates"
	"causeway/simulator/wire/wiretest"
)

// overWire makes the source over a simulated Open Exchange Rates.
func overWire(key core.Secret, transport func(t *testing.T) http.RoundTripper) func(t *testing.T) ports.RateSource {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		world := upstreamtest.OpenAt(t, transport(t), wiretest.Noon)
		source, err := openexchangerates.New(openexchangerates.Config{AppID: key}, world.Factory)
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
	for _, code := range world.Market().Fiat() {
		if rate, _ := world.Market().Official(code, wiretest.Noon(), 6); code != "USD" {
			quotes = append(quotes, porttest.Quote{
				Pair: core.Pair{Base: "USD", Counter: code}, Bid: rate.Trimmed(), Ask: rate.Trimmed(),
			})
		}
	}
	says := func(status int, body string, header ...string) func(t *testing.T) ports.RateSource {
		return overWire(simulatedopenexchangerates.AppID, func(*testing.T) http.RoundTripper { return wiretest.Saying(status, body, header...) })
	}
	edited := func(by string) func(t *testing.T) ports.RateSource {
		return overWire(simulatedopenexchangerates.AppID, func(t *testing.T) http.RoundTripper {
			t.Helper()
			return wiretest.Edited(t, w, `"`+quotes[0].Pair.Counter+`":`+quotes[0].Bid, `"`+quotes[0].Pair.Counter+`":`+by)
		})
	}
	porttest.RateSource(t, porttest.Source{
		Open:       overWire(simulatedopenexchangerates.AppID, honest),
		Listed:     quotes,
		Unlisted:   core.Pair{Base: "USD", Counter: "XTS"},
		At:         wiretest.Noon().Truncate(time.Hour),
		Unreadable: map[string]func(t *testing.T) ports.RateSource{"a comma": edited(`"0,85"`), "null": edited("null"), "a word": edited(`"NaN"`)},
		Broken: map[string]func(t *testing.T) ports.RateSource{
			"a key that is none": overWire("wrong", honest),
			"a page":             says(http.StatusOK, "<html>"),
			"503":                says(http.StatusServiceUnavailable, ""),
		},
		Throttled:  says(http.StatusTooManyRequests, "", "Retry-After", "5"),
		RetryAfter: 5 * time.Second,
		Hanging:    overWire(simulatedopenexchangerates.AppID, func(*testing.T) http.RoundTripper { return wiretest.Hanging() }),
	})
}
