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

// What comes of a lie besides a reason at the door.
const (
	unanswered pairs.Reason = "(the whole answer is refused)"
	harmless   pairs.Reason = "(nothing is wrong with the prices)"
	outvoted   pairs.Reason = "(the others say otherwise)"
	unfit      pairs.Reason = "(it has nothing to lie about so)"
)

// liarSource is a source with a pair that others quote too.
type liarSource struct {
	name  string
	pair  string
	step  time.Duration // how often it is asked
	shift time.Duration // that makes its times too old, or those of the future
	says  map[simulator.Kind]pairs.Reason
}

// liarSources are all sources, with what differs from lies in general. Mid-only sources cannot cross their sides.
func liarSources() []liarSource {
	noTimes := map[simulator.Kind]pairs.Reason{
		simulator.FaultStaleTimestamp: unfit, simulator.FaultFutureTimestamp: unfit, simulator.FaultSecondsForMillis: unfit,
	}
	return []liarSource{
		{name: "kraken", pair: "BTCUSDT", step: 2 * time.Second, says: noTimes},
		{name: "binance", pair: "BTCUSDT", step: 2 * time.Second, says: noTimes},
		{name: "okx", pair: "BTCUSDT", step: 2 * time.Second, shift: 400 * time.Second},
		{name: "bybit", pair: "BTCUSDT", step: 2 * time.Second, shift: 400 * time.Second},
		{name: "coinbase", pair: "BTCEUR", step: 4 * time.Second, shift: 400 * time.Second, says: map[simulator.Kind]pairs.Reason{
			simulator.FaultStaleTimestamp:   harmless, // its time is that of the last trade, and no time of the quote
			simulator.FaultSecondsForMillis: unfit,
		}},
		{name: "quidax", pair: "USDTNGN", step: 3 * time.Second, shift: 400 * time.Second, says: map[simulator.Kind]pairs.Reason{
			simulator.FaultSecondsForMillis: pairs.Future, // milliseconds where seconds were
		}},
		{name: "busha", pair: "USDTNGN", step: 3 * time.Second, says: map[simulator.Kind]pairs.Reason{
			simulator.FaultStaleTimestamp: unfit, simulator.FaultFutureTimestamp: unfit, simulator.FaultSecondsForMillis: unfit,
			simulator.FaultSwappedPair: pairs.Wide, // it takes more for coins than for dollars
		}},
		{name: "openexchangerates", pair: "USDKES", step: time.Hour, shift: 300 * time.Hour, says: map[simulator.Kind]pairs.Reason{
			simulator.FaultInverted: outvoted, simulator.FaultSecondsForMillis: unanswered,
		}},
		{name: "frankfurter", pair: "USDKES", step: time.Hour, shift: 300 * time.Hour, says: map[simulator.Kind]pairs.Reason{
			simulator.FaultInverted: outvoted, simulator.FaultSecondsForMillis: unfit,
		}},
		{name: "coingecko", pair: "ADAUSD", step: time.Minute, shift: 400 * time.Second, says: map[simulator.Kind]pairs.Reason{
			simulator.FaultInverted: outvoted, simulator.FaultSecondsForMillis: pairs.Future,
		}},
	}
}

// lies are the ways to lie, with what comes of them at most sources.
func lies(shift time.Duration) []struct {
	effect simulator.Effect
	want   pairs.Reason
} {
	by := simulator.Duration(shift)
	return []struct {
		effect simulator.Effect
		want   pairs.Reason
	}{
		{simulator.Effect{Kind: simulator.FaultZero}, pairs.Absent}, // an empty book: there is no price, and it is counted that there is none
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
		{simulator.Effect{Kind: simulator.FaultHTML}, unanswered},
		{simulator.Effect{Kind: simulator.FaultTruncate}, unanswered},
		{simulator.Effect{Kind: simulator.FaultEmpty}, unanswered},
		{simulator.Effect{Kind: simulator.FaultDuplicate}, unanswered},
		{simulator.Effect{Kind: simulator.FaultHugeBody}, unanswered},
		{simulator.Effect{Kind: simulator.FaultRedirect}, unanswered},
		{simulator.Effect{Kind: simulator.FaultReset}, unanswered},
		{simulator.Effect{Kind: simulator.FaultRefuse}, unanswered},
		{simulator.Effect{Kind: simulator.FaultHang}, unanswered},
		{simulator.Effect{Kind: simulator.FaultStatus, Status: 418, RetryAfter: simulator.Duration(time.Second)}, unanswered},
		{simulator.Effect{Kind: simulator.FaultStatus, Status: 429, RetryAfter: simulator.Duration(time.Second)}, unanswered},
		{simulator.Effect{Kind: simulator.FaultStatus, Status: 500}, unanswered},
		{simulator.Effect{Kind: simulator.FaultStatus, Status: 503}, unanswered},
		{simulator.Effect{Kind: simulator.FaultWrongContentType}, harmless},
		{simulator.Effect{Kind: simulator.FaultUnknownFields}, harmless},
		{simulator.Effect{Kind: simulator.FaultLatency, MS: 700}, harmless},
	}
}

// TestNoLieOfAnySourceReachesAPrice has each source lie in every way that there is: the lie is refused and counted by its reason, and no
// pair that others quote too has a wrong price, ever.
func TestNoLieOfAnySourceReachesAPrice(t *testing.T) {
	t.Parallel()
	for _, source := range liarSources() {
		t.Run(source.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				th := stage(t, "causeway", "BTC", "ETH", "ADA", "USDT", "USDC", "USD", "EUR", "NGN", "KES")
				th.run(t, 20*time.Second, beat, nil)
				for _, lie := range lies(source.shift) {
					want, special := source.says[lie.effect.Kind]
					if !special {
						want = lie.want
					}
					th.lie(t, source, lie.effect, want)
				}
			})
		})
	}
}

// TestAPausedFeedIsFoundOutAtEveryVenue has each venue repeat its last value, as of now, while the market moves on.
func TestAPausedFeedIsFoundOutAtEveryVenue(t *testing.T) {
	t.Parallel()
	for venue, market := range map[string]string{
		"kraken": "BTC/USDT", "binance": "BTC/USDT", "okx": "BTC/USDT", "bybit": "BTC/USDT", "coinbase": "BTC/EUR", "quidax": "USDT/NGN", "busha": "USDT/NGN",
	} {
		t.Run(venue, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				th := stage(t, "causeway", "BTC", "ETH", "USDT", "USDC", "USD", "EUR", "NGN")
				th.run(t, 20*time.Second, beat, nil)
				paused := venuesWith(simulator.VenueSetting{State: simulator.VenuePaused}, venue)
				paused.Drift = new(int64(30))
				th.set(t, market, paused)
				th.run(t, 70*time.Second, beat, nil)
				q := th.Snapshot().Quote(th.pair(t, market).ID())
				if got := excluded(q); len(got) != 1 || got[venue] != pairs.Stalled {
					t.Errorf("%s is %s %q, excluded %v", q.ID, q.Status, q.Reason, got)
				}
				if enough := len(q.Legs[0].Rate.Used) >= q.Legs[0].Rate.Quorum; enough != (q.Status == pairs.Fresh) {
					t.Errorf("%s is %s %q, made of %d votes", q.ID, q.Status, q.Reason, len(q.Legs[0].Rate.Used))
				}
			})
		})
	}
}

// lie has a source lie in one way until it was asked twice at least, and waits until it is believed again.
func (th *theatre) lie(t *testing.T, source liarSource, e simulator.Effect, want pairs.Reason) {
	t.Helper()
	rule := simulator.Rule{Match: simulator.Match{Provider: source.name}, Effect: e}
	if want == unfit {
		if _, err := th.world.Faults().Add(rule, th.world.Now()); core.CodeOf(err) != core.Invalid {
			t.Errorf("%s at %s: %v, want that it does not fit", e.Kind, source.name, err)
		}
		return
	}
	before, was := th.source(t, source.name), th.mids()
	end := th.befall(t, source.name, e)
	outvotedBy := 0
	th.run(t, 2*source.step, source.step, func() {
		th.unharmed(t, source, e.Kind, was)
		if out := excluded(th.Snapshot().Quote(source.pair))[source.name]; out == pairs.Outlier || out == pairs.LastResort {
			outvotedBy++
		}
	})
	end()
	after := th.source(t, source.name)
	failed := after.Failures - before.Failures
	switch want {
	case unanswered:
		if failed == 0 {
			t.Errorf("%s at %s: its answers were taken", e.Kind, source.name)
		}
	case harmless:
		if failed > 0 || after.Admitted == before.Admitted {
			t.Errorf("%s at %s: %d failures, %d taken", e.Kind, source.name, failed, after.Admitted-before.Admitted)
		}
	case outvoted:
		if outvotedBy == 0 {
			t.Errorf("%s at %s: it is not outvoted in %s: %v", e.Kind, source.name, source.pair, th.Snapshot().Quote(source.pair).Legs[0].Rate.Excluded)
		}
	default:
		taken := after.Admitted > before.Admitted && e.Kind != simulator.FaultSwappedPair
		if after.Rejected[want] == before.Rejected[want] || taken {
			t.Errorf("%s at %s: counted %v, before it %v, and %d taken; want more %s", e.Kind, source.name, after.Rejected, before.Rejected, after.Admitted-before.Admitted, want)
		}
	}
	th.recover(t, source)
}

// recover waits until a source is believed again.
func (th *theatre) recover(t *testing.T, source liarSource) {
	t.Helper()
	for range 60 {
		th.run(t, source.step, source.step, nil)
		q := th.Snapshot().Quote(source.pair)
		out, there := excluded(q)[source.name]
		if q.Status == pairs.Fresh && q.Reason == "" && (!there || out == pairs.LastResort) && th.source(t, source.name).LastError == "" {
			return
		}
	}
	q := th.Snapshot().Quote(source.pair)
	t.Fatalf("%s does not come back: %s is %s %q, excluded %v", source.name, q.ID, q.Status, q.Reason, q.Legs[0].Rate.Excluded)
}

// mids are the prices as they are.
func (th *theatre) mids() map[string]decimal.Decimal {
	out := map[string]decimal.Decimal{}
	for _, q := range th.Snapshot().Quotes {
		out[q.ID] = q.Mid
	}
	return out
}

// unharmed fails where a price that others make too is not near what it was, or the source's pair is not traded although it has three others.
func (th *theatre) unharmed(t *testing.T, source liarSource, kind simulator.Kind, was map[string]decimal.Decimal) {
	t.Helper()
	far := dec("0.01")
	if source.step > time.Minute {
		far = dec("0.10") // in hours the market moves
	}
	for _, q := range th.Snapshot().Quotes {
		if th.alone(&q, source.name) {
			continue
		}
		if off := q.Mid.Sub(was[q.ID]).Abs(); off.GreaterThan(was[q.ID].Mul(far)) {
			t.Errorf("%s at %s: %s is %s at %s, before it was at %s", kind, source.name, q.ID, q.Status, q.Mid, was[q.ID])
		}
	}
	q := th.Snapshot().Quote(source.pair)
	if source.step < 4*time.Second && source.pair == "BTCUSDT" && (q.Status != pairs.Fresh || q.Reason != "") {
		t.Errorf("%s at %s: %s is %s %q, although three others quote it", kind, source.name, q.ID, q.Status, q.Reason)
	}
}

// alone reports whether a source is the only one in a market along the way of a price.
func (th *theatre) alone(q *pairs.Quote, source string) bool {
	for _, leg := range q.Legs {
		others, there := 0, false
		for _, m := range th.catalog.Markets {
			if m.Pair != leg.Rate.Pair {
				continue
			}
			for _, name := range m.Sources {
				if there = there || name == source; name != source && th.kind(name) != core.MidSource {
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

func (th *theatre) kind(source string) core.SourceKind {
	for _, s := range th.catalog.Sources {
		if s.Name == source {
			return s.Kind
		}
	}
	return ""
}
