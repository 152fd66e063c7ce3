package app

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/simulator"
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
	shift time.Duration // that makes its times too old, or those of the future
	says  map[simulator.Kind]pairs.Reason
}

// faultySources lists all sources with the effects that differ from those of other sources. Sources
// of mid prices have no spread to invert.
func faultySources() []faultySource {
	noTimes := map[simulator.Kind]pairs.Reason{
		simulator.FaultStaleTimestamp: notApplicable, simulator.FaultFutureTimestamp: notApplicable,
		simulator.FaultSecondsForMillis: notApplicable,
	}
	return []faultySource{
		{name: "kraken", pair: "BTCUSDT", few: []string{"BTC", "ETH"}, step: 2 * time.Second, says: noTimes},
		{name: "binance", pair: "BTCUSDT", few: []string{"BTC", "ETH"}, step: 2 * time.Second, says: noTimes},
		{name: "okx", pair: "BTCUSDT", few: []string{"BTC", "ETH"}, step: 2 * time.Second, shift: 400 * time.Second},
		{name: "bybit", pair: "BTCUSDT", few: []string{"BTC", "ETH"}, step: 2 * time.Second, shift: 400 * time.Second},
		{
			name: "coinbase", pair: "BTCEUR", few: []string{"BTC", "ETH", "EUR"}, step: 4 * time.Second, shift: 400 * time.Second,
			says: map[simulator.Kind]pairs.Reason{
				simulator.FaultStaleTimestamp:   harmless, // its time is that of the last trade, and no time of the quote
				simulator.FaultSecondsForMillis: notApplicable,
			},
		},
		{name: "bitstamp", pair: "ADAUSD", few: []string{"ADA", "EUR"}, step: 2 * time.Second, shift: 400 * time.Second, says: map[simulator.Kind]pairs.Reason{
			simulator.FaultSecondsForMillis: pairs.Absent, // more digits than seconds have
		}},
		{name: "gemini", pair: "BTCUSD", few: []string{"BTC", "ETH"}, step: 4 * time.Second, shift: 400 * time.Second, says: map[simulator.Kind]pairs.Reason{
			simulator.FaultStaleTimestamp: harmless, simulator.FaultFutureTimestamp: harmless, // the time of its volume
			simulator.FaultSecondsForMillis: harmless, simulator.FaultMissingField: pairs.Absent,
		}},
		{name: "luno", pair: "USDTNGN", few: []string{"BTC", "NGN"}, step: 3 * time.Second, shift: 400 * time.Second},
		{
			name: "quidax", pair: "USDTNGN", few: []string{"BTC", "NGN"}, step: 3 * time.Second, shift: 400 * time.Second,
			says: map[simulator.Kind]pairs.Reason{
				simulator.FaultSecondsForMillis: pairs.Future, // milliseconds where seconds were
			},
		},
		{name: "busha", pair: "USDTNGN", few: []string{"BTC", "NGN"}, step: 3 * time.Second, says: map[simulator.Kind]pairs.Reason{
			simulator.FaultStaleTimestamp: notApplicable, simulator.FaultFutureTimestamp: notApplicable,
			simulator.FaultSecondsForMillis: notApplicable,
			simulator.FaultSwappedPair:      pairs.Wide, // it takes more for coins than for dollars
		}},
		{
			name: "openexchangerates", pair: "USDTZS", few: []string{"TZS", "GHS", "EUR"}, step: time.Hour, shift: 300 * time.Hour,
			says: map[simulator.Kind]pairs.Reason{
				simulator.FaultInverted: outvoted, simulator.FaultSecondsForMillis: responseRejected,
			},
		},
		{name: "frankfurter", pair: "USDTZS", few: []string{"TZS", "EUR"}, step: time.Hour, shift: 300 * time.Hour, says: map[simulator.Kind]pairs.Reason{
			simulator.FaultInverted: outvoted, simulator.FaultSecondsForMillis: notApplicable,
		}},
		{
			name: "coingecko", pair: "ADAUSD", few: []string{"ADA", "ETH"}, step: time.Minute, shift: 500 * time.Second,
			says: map[simulator.Kind]pairs.Reason{
				simulator.FaultInverted: outvoted, simulator.FaultSecondsForMillis: pairs.Future,
			},
		},
	}
}

// faultEffects lists the faults with their effect at most sources.
func faultEffects(shift time.Duration) []struct {
	effect simulator.Effect
	want   pairs.Reason
} {
	by := simulator.Duration(shift)
	return []struct {
		effect simulator.Effect
		want   pairs.Reason
	}{
		// an empty book: there is no price, and it is counted that there is none
		{simulator.Effect{Kind: simulator.FaultZero}, pairs.Absent},
		{simulator.Effect{Kind: simulator.FaultNegative}, pairs.NotPositive},
		{simulator.Effect{Kind: simulator.FaultNaN}, pairs.Absent},
		{simulator.Effect{Kind: simulator.FaultCommaDecimal}, pairs.Absent},
		{simulator.Effect{Kind: simulator.FaultMissingField}, pairs.Absent},
		{simulator.Effect{Kind: simulator.FaultChangedType}, pairs.Absent},
		{simulator.Effect{Kind: simulator.FaultInverted}, pairs.Inverted},
		{simulator.Effect{Kind: simulator.FaultTimes10}, outvoted},
		{simulator.Effect{Kind: simulator.FaultTimes1000}, outvoted},
		{simulator.Effect{Kind: simulator.FaultTimes100000000}, outvoted},
		{simulator.Effect{Kind: simulator.FaultSwappedPair}, outvoted},
		{simulator.Effect{Kind: simulator.FaultSecondsForMillis}, pairs.Old},
		{simulator.Effect{Kind: simulator.FaultStaleTimestamp, By: by}, pairs.Old},
		{simulator.Effect{Kind: simulator.FaultFutureTimestamp, By: by}, pairs.Future},
		{simulator.Effect{Kind: simulator.FaultHTML}, responseRejected},
		{simulator.Effect{Kind: simulator.FaultTruncate}, responseRejected},
		{simulator.Effect{Kind: simulator.FaultEmpty}, responseRejected},
		{simulator.Effect{Kind: simulator.FaultDuplicate}, responseRejected},
		{simulator.Effect{Kind: simulator.FaultHugeBody}, responseRejected},
		{simulator.Effect{Kind: simulator.FaultRedirect}, responseRejected},
		{simulator.Effect{Kind: simulator.FaultReset}, responseRejected},
		{simulator.Effect{Kind: simulator.FaultRefuse}, responseRejected},
		{simulator.Effect{Kind: simulator.FaultHang}, responseRejected},
		{
			simulator.Effect{Kind: simulator.FaultStatus, Status: 418, RetryAfter: simulator.Duration(time.Second)},
			responseRejected,
		},
		{
			simulator.Effect{Kind: simulator.FaultStatus, Status: 429, RetryAfter: simulator.Duration(time.Second)},
			responseRejected,
		},
		{simulator.Effect{Kind: simulator.FaultStatus, Status: 500}, responseRejected},
		{simulator.Effect{Kind: simulator.FaultStatus, Status: 503}, responseRejected},
		{simulator.Effect{Kind: simulator.FaultWrongContentType}, harmless},
		{simulator.Effect{Kind: simulator.FaultUnknownFields}, harmless},
		{simulator.Effect{Kind: simulator.FaultLatency, MS: 700}, harmless},
	}
}

// TestSourceFaults injects every fault that an adapter decodes at every source, and those that the
// shared client handles at one: bad observations are rejected and counted by reason, and pairs with
// other sources keep their price.
func TestSourceFaults(t *testing.T) {
	t.Parallel()
	for _, source := range faultySources() {
		t.Run(source.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				mf := newMarketFixture(t, "causeway", append(source.few, "USD", "USDT")...)
				mf.run(t, 20*time.Second, pollStep, nil)
				for _, fault := range faultEffects(source.shift) {
					want, special := source.says[fault.effect.Kind]
					if !special {
						want = fault.want
					}
					if want == responseRejected && !special && source.name != "okx" {
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
func (mf *marketFixture) checkFault(t *testing.T, source faultySource, e simulator.Effect, want pairs.Reason) {
	t.Helper()
	rule := simulator.Rule{Match: simulator.Match{Provider: source.name}, Effect: e}
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
		taken := after.Admitted > before.Admitted && e.Kind != simulator.FaultSwappedPair
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
func (mf *marketFixture) checkUnaffected(t *testing.T, source faultySource, kind simulator.Kind,
	was map[string]decimal.Decimal,
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
