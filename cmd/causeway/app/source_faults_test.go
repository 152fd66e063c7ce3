package app

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/simulator/faults"
	"causeway/simulator/input"
)

// Effects of a fault besides a reason for which observations are rejected.
const (
	responseRejected pairs.Reason = "(the response is rejected)"
	harmless         pairs.Reason = "(no effect on prices)"
	outvoted         pairs.Reason = "(outvoted)"
	notApplicable    pairs.Reason = "(not applicable)"
)

// faultySource is a rate source and a pair that other sources quote too.
type faultySource struct {
	name  string
	pair  string
	few   []string      // currencies of the catalog besides USD and USDT
	step  time.Duration // how often it is polled
	shift time.Duration // that makes its times too old, or moves them into the future
	says  map[faults.Kind]pairs.Reason
}

// faultySources lists all sources, each with the effects in which it differs from other sources. Sources
// of mid prices have no spread to invert.
func faultySources() []faultySource {
	noTimes := map[faults.Kind]pairs.Reason{
		faults.StaleTimestamp: notApplicable, faults.FutureTimestamp: notApplicable,
		faults.SecondsForMillis: notApplicable,
	}
	return []faultySource{
		{name: "kraken", pair: "BTCUSDT", few: []string{"BTC", "ETH"}, step: 2 * time.Second, says: noTimes},
		{name: "binance", pair: "BTCUSDT", few: []string{"BTC", "ETH"}, step: 2 * time.Second, says: noTimes},
		{name: "okx", pair: "BTCUSDT", few: []string{"BTC", "ETH"}, step: 2 * time.Second, shift: 400 * time.Second},
		{name: "bybit", pair: "BTCUSDT", few: []string{"BTC", "ETH"}, step: 2 * time.Second, shift: 400 * time.Second},
		{
			name: "coinbase", pair: "BTCEUR", few: []string{"BTC", "ETH", "EUR"}, step: 4 * time.Second, shift: 400 * time.Second,
			says: map[faults.Kind]pairs.Reason{
				faults.StaleTimestamp:   harmless, // it sends the time of the last trade, and no time of the quote
				faults.SecondsForMillis: notApplicable,
			},
		},
		{name: "bitstamp", pair: "ADAUSD", few: []string{"ADA", "EUR"}, step: 2 * time.Second, shift: 400 * time.Second, says: map[faults.Kind]pairs.Reason{
			faults.SecondsForMillis: pairs.Absent, // more digits than seconds have
		}},
		{name: "gemini", pair: "BTCUSD", few: []string{"BTC", "ETH"}, step: 4 * time.Second, shift: 400 * time.Second, says: map[faults.Kind]pairs.Reason{
			faults.StaleTimestamp: harmless, faults.FutureTimestamp: harmless, // the time of its volume
			faults.SecondsForMillis: harmless, faults.MissingField: pairs.Absent,
		}},
		{name: "luno", pair: "USDTNGN", few: []string{"BTC", "NGN"}, step: 3 * time.Second, shift: 400 * time.Second},
		{name: "valr", pair: "USDTZAR", few: []string{"ZAR"}, step: 3 * time.Second, shift: 400 * time.Second, says: map[faults.Kind]pairs.Reason{
			faults.SecondsForMillis: notApplicable, // its times are text
		}},
		{name: "paycrest", pair: "USDTKES", few: []string{"KES"}, step: 10 * time.Second, says: noTimes},
		{
			name: "quidax", pair: "USDTNGN", few: []string{"BTC", "NGN"}, step: 3 * time.Second, shift: 400 * time.Second,
			says: map[faults.Kind]pairs.Reason{
				faults.SecondsForMillis: pairs.Future, // milliseconds where seconds were
			},
		},
		{name: "busha", pair: "USDTNGN", few: []string{"BTC", "NGN"}, step: 3 * time.Second, says: map[faults.Kind]pairs.Reason{
			faults.StaleTimestamp: notApplicable, faults.FutureTimestamp: notApplicable,
			faults.SecondsForMillis: notApplicable,
			faults.SwappedPair:      pairs.Wide, // it takes more for coins than for dollars
		}},
		{
			name: "openexchangerates", pair: "USDTZS", few: []string{"TZS", "GHS", "EUR"}, step: time.Hour, shift: 300 * time.Hour,
			says: map[faults.Kind]pairs.Reason{
				faults.Inverted: outvoted, faults.SecondsForMillis: responseRejected,
			},
		},
		{name: "frankfurter", pair: "USDTZS", few: []string{"TZS", "EUR"}, step: time.Hour, shift: 300 * time.Hour, says: map[faults.Kind]pairs.Reason{
			faults.Inverted: outvoted, faults.SecondsForMillis: notApplicable,
		}},
		{name: "exchangerateapi", pair: "USDTZS", few: []string{"TZS", "EUR"}, step: time.Hour, shift: 300 * time.Hour, says: map[faults.Kind]pairs.Reason{
			faults.Inverted: outvoted, faults.SecondsForMillis: responseRejected,
		}},
		{
			name: "coingecko", pair: "ADAUSD", few: []string{"ADA", "ETH"}, step: time.Minute, shift: 500 * time.Second,
			says: map[faults.Kind]pairs.Reason{
				faults.Inverted: outvoted, faults.SecondsForMillis: pairs.Future,
			},
		},
	}
}

// faultEffects lists the faults with their effect at most sources.
func faultEffects(shift time.Duration) []struct {
	effect faults.Effect
	want   pairs.Reason
} {
	by := input.Duration(shift)
	return []struct {
		effect faults.Effect
		want   pairs.Reason
	}{
		// an empty book: there is no price, and it is counted that there is none
		{faults.Effect{Kind: faults.Zero}, pairs.Absent},
		{faults.Effect{Kind: faults.Negative}, pairs.NotPositive},
		{faults.Effect{Kind: faults.CommaDecimal}, pairs.Absent},
		{faults.Effect{Kind: faults.MissingField}, pairs.Absent},
		{faults.Effect{Kind: faults.ChangedType}, pairs.Absent},
		{faults.Effect{Kind: faults.Inverted}, pairs.Inverted},
		{faults.Effect{Kind: faults.Times, Factor: 10}, outvoted},
		{faults.Effect{Kind: faults.Times, Factor: 1000}, outvoted},
		{faults.Effect{Kind: faults.Times, Factor: 100000000}, outvoted},
		{faults.Effect{Kind: faults.SwappedPair}, outvoted},
		{faults.Effect{Kind: faults.SecondsForMillis}, pairs.Old},
		{faults.Effect{Kind: faults.StaleTimestamp, By: by}, pairs.Old},
		{faults.Effect{Kind: faults.FutureTimestamp, By: by}, pairs.Future},
		{faults.Effect{Kind: faults.HTML}, responseRejected},
		{faults.Effect{Kind: faults.Truncate}, responseRejected},
		{faults.Effect{Kind: faults.Malformed}, responseRejected},
		{faults.Effect{Kind: faults.SlowHeaders, MS: 20_000}, responseRejected}, // more than the time-out
		{faults.Effect{Kind: faults.Dribble, MS: 20_000}, responseRejected},
		{faults.Effect{Kind: faults.Empty}, responseRejected},
		{faults.Effect{Kind: faults.Duplicate}, responseRejected},
		{faults.Effect{Kind: faults.HugeBody}, responseRejected},
		{faults.Effect{Kind: faults.Redirect}, responseRejected},
		{faults.Effect{Kind: faults.Reset}, responseRejected},
		{faults.Effect{Kind: faults.Refuse}, responseRejected},
		{faults.Effect{Kind: faults.Hang}, responseRejected},
		{
			faults.Effect{Kind: faults.Status, Status: 418, RetryAfter: input.Duration(time.Second)},
			responseRejected,
		},
		{
			faults.Effect{Kind: faults.Status, Status: 429, RetryAfter: input.Duration(time.Second)},
			responseRejected,
		},
		{faults.Effect{Kind: faults.Status, Status: 500}, responseRejected},
		{faults.Effect{Kind: faults.Status, Status: 503}, responseRejected},
		{faults.Effect{Kind: faults.WrongContentType}, harmless},
		{faults.Effect{Kind: faults.UnknownFields}, harmless},
		{faults.Effect{Kind: faults.Latency, MS: 700}, harmless},
	}
}

// isGeneral reports whether the shared client or the price engine handles a fault, for all sources alike.
func isGeneral(want pairs.Reason) bool {
	return want == responseRejected || want == outvoted || want == harmless
}

// TestSourceFaults injects every fault that an adapter decodes at every source, and the faults that
// are handled for all sources at one: bad observations are rejected and counted by reason, and pairs with
// other sources keep their price.
func TestSourceFaults(t *testing.T) {
	t.Parallel()
	for _, source := range faultySources() {
		t.Run(source.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				mf := newMarketFixture(t, append(source.few, "USD", "USDT")...)
				mf.run(t, 20*time.Second, pollStep, nil)
				for _, fault := range faultEffects(source.shift) {
					want, special := source.says[fault.effect.Kind]
					if !special {
						want = fault.want
					}
					if isGeneral(want) && !special && source.name != "okx" {
						continue
					}
					mf.checkFault(t, source, fault.effect, want)
				}
			})
		})
	}
}

// republished is the time after which a snapshot with a new price was published.
const republished = 12 * time.Second

// checkFault injects a fault for a few polls and waits until the source is trusted again.
func (mf *marketFixture) checkFault(t *testing.T, source faultySource, e faults.Effect, want pairs.Reason) {
	t.Helper()
	rule := faults.Rule{Match: faults.Match{Provider: source.name}, Effect: e}
	if want == notApplicable {
		if _, err := mf.world.Faults().Add(rule, mf.world.Now()); core.CodeOf(err) != core.Invalid {
			t.Errorf("%s at %s: %v, want that it does not fit", e.Kind, source.name, err)
		}
		return
	}
	before, was := mf.source(t, source.name), mf.mids()
	end := mf.addFault(t, source.name, e)
	outvotedBy := 0
	length := 2 * source.step
	if want == outvoted {
		length = max(length, republished)
	}
	mf.run(t, length, source.step, func() {
		mf.checkUnaffected(t, source, e.Kind, was)
		if out := excluded(mf.Snapshot().Quote(source.pair))[source.name]; out == pairs.Outlier || out == pairs.LastResort {
			outvotedBy++
		}
	})
	end()
	after := mf.source(t, source.name)
	failed := after.Failures - before.Failures
	switch want {
	case responseRejected:
		if failed == 0 {
			t.Errorf("%s at %s: its answers were taken", e.Kind, source.name)
		}
	case harmless:
		if failed > 0 || after.Admitted == before.Admitted {
			t.Errorf("%s at %s: %d failures, %d taken", e.Kind, source.name, failed, after.Admitted-before.Admitted)
		}
	case outvoted:
		if outvotedBy == 0 {
			t.Errorf("%s at %s: it is not outvoted in %s: %v", e.Kind, source.name, source.pair,
				mf.Snapshot().Quote(source.pair).Legs[0].Rate.Excluded)
		}
	default:
		taken := after.Admitted > before.Admitted && e.Kind != faults.SwappedPair
		if after.Rejected[want] == before.Rejected[want] || taken {
			t.Errorf("%s at %s: counted %v, before it %v, and %d taken; want more %s", e.Kind, source.name, after.Rejected,
				before.Rejected, after.Admitted-before.Admitted, want)
		}
	}
	mf.waitUntilTrusted(t, source)
}

// waitUntilTrusted waits until a source has a vote again.
func (mf *marketFixture) waitUntilTrusted(t *testing.T, source faultySource) {
	t.Helper()
	for range 60 {
		mf.run(t, source.step, source.step, nil)
		q := mf.Snapshot().Quote(source.pair)
		out, there := excluded(q)[source.name]
		if q.Status == pairs.Fresh && q.Reason == "" && (!there || out == pairs.LastResort) &&
			mf.source(t, source.name).LastError == "" {
			return
		}
	}
	q := mf.Snapshot().Quote(source.pair)
	t.Fatalf("%s does not come back: %s is %s %q, excluded %v", source.name, q.ID, q.Status, q.Reason,
		q.Legs[0].Rate.Excluded)
}

// mids returns the mid prices by pair.
func (mf *marketFixture) mids() map[string]decimal.Decimal {
	out := map[string]decimal.Decimal{}
	for _, q := range mf.Snapshot().Quotes {
		out[q.ID] = q.Mid
	}
	return out
}

// checkUnaffected checks that pairs with other sources keep their price and stay tradable.
func (mf *marketFixture) checkUnaffected(
	t *testing.T, source faultySource, kind faults.Kind, was map[string]decimal.Decimal,
) {
	t.Helper()
	far := dec("0.01")
	if source.step > time.Minute {
		far = dec("0.10") // in hours the market moves
	}
	for _, q := range mf.Snapshot().Quotes {
		if mf.isOnlySource(&q, source.name) {
			continue
		}
		if off := q.Mid.Sub(was[q.ID]).Abs(); off.GreaterThan(was[q.ID].Mul(far)) {
			t.Errorf("%s at %s: %s is %s at %s, before it was at %s", kind, source.name, q.ID, q.Status, q.Mid, was[q.ID])
		}
	}
	q := mf.Snapshot().Quote(source.pair)
	if source.step < 4*time.Second && source.pair == "BTCUSDT" && (q.Status != pairs.Fresh || q.Reason != "") {
		t.Errorf("%s at %s: %s is %s %q, although three others quote it", kind, source.name, q.ID, q.Status, q.Reason)
	}
}

// isOnlySource reports whether a source is the only one of a market on the route of a price.
func (mf *marketFixture) isOnlySource(q *pairs.Quote, source string) bool {
	for _, leg := range q.Legs {
		others, there := 0, false
		for _, m := range mf.catalog.Markets {
			if m.Pair != leg.Rate.Pair {
				continue
			}
			for _, name := range m.Sources {
				if there = there || name == source; name != source && mf.kind(name) != core.MidSource {
					others++
				}
			}
		}
		if there && others == 0 {
			return true
		}
	}
	return false
}

func (mf *marketFixture) kind(source string) core.SourceKind {
	for _, s := range mf.catalog.Sources {
		if s.Name == source {
			return s.Kind
		}
	}
	return ""
}
