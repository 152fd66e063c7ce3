package tickers

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// crossPlaces are the decimal places of a rate that is made of two, far more than a list has.
const crossPlaces = 12

// Rates are middle rates of fiat currencies in one base currency.
type Rates struct {
	Source, Base string

	// Rate returns how much of another currency one unit of the base buys.
	Rate func(code string) (rate decimal.Decimal, at time.Time, ok bool)
}

// Currencies returns the currencies of markets except the base, each once.
func (r Rates) Currencies(markets []core.Pair) []string {
	var out []string
	for _, m := range markets {
		for _, code := range []string{m.Base, m.Counter} {
			if code != r.Base && !slices.Contains(out, code) {
				out = append(out, code)
			}
		}
	}
	return out
}

// Observe returns the rates of markets: X/Y is base/Y over base/X, and as old as the older one.
// Markets of unknown currencies are missing. A negative rate is passed on to the price engine, but
// not as a divisor: the quotient of two would be positive.
func (r Rates) Observe(markets []core.Pair) []core.Observation {
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		under, since, known := r.rate(m.Base)
		rate, at, listed := r.rate(m.Counter)
		if !known || !listed || m.Base == m.Counter || !under.IsPositive() {
			continue
		}
		if m.Base != r.Base {
			rate = rate.DivRound(under, crossPlaces)
			if m.Counter == r.Base || since.Before(at) {
				at = since
			}
		}
		if !rate.IsZero() {
			out = append(out, core.Observation{Pair: m, Bid: rate, Ask: rate, At: at, Source: r.Source})
		}
	}
	return out
}

func (r Rates) rate(code string) (rate decimal.Decimal, at time.Time, ok bool) {
	if code == r.Base {
		return decimal.New(1, 0), time.Time{}, true
	}
	return r.Rate(code)
}
