package okx_test

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/providers/okx"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/simulator/faults"
	"causeway/simulator/wire"
	"causeway/simulator/wire/wiretest"
)

// TestRates_SimulatedFaults checks what the source makes of each fault of the simulated provider:
// the observation as it was sent, no observation, or an unavailable error.
func TestRates_SimulatedFaults(t *testing.T) {
	t.Parallel()
	world, w := wiretest.Open(t)
	plain, err := observe(t, w)
	if err != nil {
		t.Fatal(err)
	}
	same := func(got core.Observation, convert func(decimal.Decimal) decimal.Decimal, late time.Duration) bool {
		return got.Bid.Equal(convert(plain.Bid)) && got.Ask.Equal(convert(plain.Ask)) && got.At.Equal(plain.At.Add(late))
	}
	unchanged := func(d decimal.Decimal) decimal.Decimal { return d }
	inverse := func(d decimal.Decimal) decimal.Decimal { return decimal.New(1, 0).DivRound(d, 12) }
	for _, name := range faults.Kinds() {
		effect := faults.Effect{Kind: faults.Kind(name)}
		switch effect.Kind {
		case faults.Status:
			effect.Status = http.StatusBadGateway
		case faults.Latency, faults.SlowHeaders, faults.Dribble:
			effect.MS = 20_000 // more than the time-out
		case faults.Times:
			effect.Factor = 1000
		default:
		}
		world.Faults().Reset()
		rule := faults.Rule{Match: faults.Match{Provider: okx.Name, Operation: "tickers"}, Effect: effect}
		if _, err := world.Faults().Add(rule, wiretest.Noon()); err != nil {
			t.Fatal(err)
		}
		got, err := observe(t, w)
		ok := err == nil
		switch effect.Kind {
		case faults.WrongContentType, faults.UnknownFields:
			ok = ok && same(got, unchanged, 0)
		case faults.Inverted:
			ok = ok && same(got, inverse, 0)
		case faults.Times:
			ok = ok && same(got, decimal.NewFromInt(1000).Mul, 0)
		case faults.Negative:
			ok = ok && same(got, decimal.Decimal.Neg, 0)
		case faults.StaleTimestamp:
			ok = ok && same(got, unchanged, -time.Hour)
		case faults.FutureTimestamp:
			ok = ok && same(got, unchanged, time.Hour)
		case faults.SecondsForMillis:
			ok = ok && got.At.Year() == 1970
		case faults.SwappedPair:
			ok = ok && got.Bid.IsPositive() && !got.Bid.Equal(plain.Bid)
		case faults.Zero, faults.CommaDecimal, faults.MissingField, faults.ChangedType:
			ok = got.Source == ""
		default:
			ok = core.CodeOf(err) == core.Unavailable
		}
		if !ok {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

// observe returns the observation of bitcoin of a new source, or an empty one.
func observe(t *testing.T, w *wire.Wire) (got core.Observation, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		clients, newErr := new(okx.Config).Connect(upstreamtest.OpenAt(t, w, wiretest.Noon).Factory)
		if newErr != nil {
			t.Fatal(newErr)
		}
		var all []core.Observation
		all, err = clients.Rates.Observe(t.Context(), markets)
		if i := slices.IndexFunc(all, func(o core.Observation) bool { return o.Pair == btcusdt }); i >= 0 {
			got = all[i]
		}
		synctest.Wait()
	})
	return got, err
}
