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
	"causeway/simulator/market"
	"causeway/simulator/wire"
	"causeway/simulator/wire/wiretest"
)

// outcome is what the adapter makes of an answer: the observation of a pair, whether there is one,
// and the error.
type outcome struct {
	core.Observation
	there bool
	err   error
}

// TestEveryKindOfFault lets each kind befall the answers that the adapter reads: it tells what it
// was told, or nothing, and never makes anything up.
func TestEveryKindOfFault(t *testing.T) {
	t.Parallel()
	world, w := wiretest.Open(t)
	plain := heard(t, w)
	if !plain.there {
		t.Fatal(plain.err)
	}
	same := func(o outcome) bool {
		return o.there && o.Bid.Equal(plain.Bid) && o.Ask.Equal(plain.Ask) && o.At.Equal(plain.At)
	}
	silent := func(o outcome) bool { return core.CodeOf(o.err) == core.Unavailable }
	unread := func(o outcome) bool { return !o.there }
	priced := func(of func(decimal.Decimal) decimal.Decimal) func(outcome) bool {
		return func(o outcome) bool {
			return o.there && o.Bid.Equal(of(plain.Bid)) && o.Ask.Equal(of(plain.Ask)) && o.At.Equal(plain.At)
		}
	}
	timed := func(by time.Duration) func(outcome) bool {
		return func(o outcome) bool { return o.there && o.Bid.Equal(plain.Bid) && o.At.Equal(plain.At.Add(by)) }
	}
	want := map[faults.Kind]func(outcome) bool{
		faults.Status: silent, faults.Latency: silent, faults.SlowHeaders: silent, faults.Dribble: silent, faults.Hang: silent,
		faults.Reset: silent, faults.Refuse: silent, faults.Redirect: silent, faults.HTML: silent, faults.Empty: silent,
		faults.Truncate: silent, faults.Malformed: silent, faults.HugeBody: silent, faults.Duplicate: silent,
		faults.WrongContentType: same, faults.UnknownFields: same,
		faults.Inverted:     priced(func(d decimal.Decimal) decimal.Decimal { return decimal.New(1, 0).DivRound(d, 12) }),
		faults.Times:        priced(decimal.NewFromInt(1000).Mul),
		faults.SwappedPair:  func(o outcome) bool { return o.there && o.Bid.IsPositive() && !o.Bid.Equal(plain.Bid) },
		faults.Zero:         unread,
		faults.Negative:     priced(decimal.Decimal.Neg),
		faults.CommaDecimal: unread, faults.MissingField: unread, faults.ChangedType: unread,
		faults.StaleTimestamp: timed(-time.Hour), faults.FutureTimestamp: timed(time.Hour),
		faults.SecondsForMillis: func(o outcome) bool { return o.there && o.At.Year() == 1970 },
	}
	for _, name := range faults.Kinds() {
		kind := faults.Kind(name)
		fits := want[kind]
		if fits == nil {
			t.Errorf("nobody says what comes of %s", kind)
			continue
		}
		effect := faults.Effect{Kind: kind}
		switch kind {
		case faults.Status:
			effect.Status = http.StatusBadGateway
		case faults.Latency, faults.SlowHeaders, faults.Dribble:
			effect.MS = 20_000 // more than a provider is given
		case faults.Times:
			effect.Factor = 1000
		default:
		}
		world.Faults().Reset()
		if _, err := world.Faults().Add(faults.Rule{Match: faults.Match{Provider: market.OKX, Operation: "tickers"}, Effect: effect}, wiretest.Noon()); err != nil {
			t.Fatal(err)
		}
		if got := heard(t, w); !fits(got) {
			t.Errorf("%s: %t %+v, %v", kind, got.there, got.Observation, got.err)
		}
	}
}

// heard is what a new source hears about bitcoin in tether.
func heard(t *testing.T, w *wire.Wire) (out outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		source, err := okx.New(okx.Config{}, upstreamtest.OpenAt(t, w, wiretest.Noon).Factory)
		if err != nil {
			t.Fatal(err)
		}
		all, err := source.Observe(t.Context(), markets)
		i := slices.IndexFunc(all, func(o core.Observation) bool { return o.Pair == btcusdt })
		if out.err = err; i >= 0 {
			out.Observation, out.there = all[i], true
		}
		synctest.Wait()
	})
	return out
}
