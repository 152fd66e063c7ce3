package pairs

import (
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// Reason is one word of a closed set that says why something is not as it should be.
type Reason string

// Why an observation is refused at the door. Refusals are counted per source and reason.
const (
	NotPositive Reason = "not_positive" // a zero or negative side
	OutOfRange  Reason = "out_of_range" // beyond 24 digits on either side of the point, or more than 48 digits in all
	Inverted    Reason = "inverted"     // bid above ask
	Wide        Reason = "wide"         // a spread above what the market's class allows
	Old         Reason = "old"          // made longer ago than the market's class allows
	Future      Reason = "future"       // made more than 2 s from now
	WrongPair   Reason = "wrong_pair"   // a pair that the source was not asked for
	WrongSource Reason = "wrong_source" // it names another source than the one that gave it
	Superseded  Reason = "superseded"   // older than the one already held
	Absent      Reason = "absent"       // the source answers and does not tell this market, or not so that it can be read
)

// Why a source has no vote in a rate, beside the reasons above (of its latest refused observation) and Old.
const (
	Unreachable Reason = "unreachable" // the source does not answer
	Stalled     Reason = "stalled"     // it repeats itself while the others move
	Outlier     Reason = "outlier"     // too far from the median of all families, or not yet back for long enough
	SameFamily  Reason = "same_family" // another source of its family has a newer vote
	LastResort  Reason = "last_resort" // a middle price of somebody else's making, and there are better sources
)

func rejections() []Reason {
	return []Reason{NotPositive, OutOfRange, Inverted, Wide, Old, Future, WrongPair, WrongSource, Superseded, Absent}
}

// Vote is an admitted observation of one source. It is never changed.
type Vote struct {
	Source string
	Family string
	Bid    decimal.Decimal
	Mid    decimal.Decimal // (bid+ask)/2, exact
	Ask    decimal.Decimal
	At     time.Time // when it was so at the source, UTC

	expires time.Time // last instant at which it may be used
	ticks   ticks
	octaves octaves // of Mid
}

// live reports whether the vote may be used at an instant. A vote from the future (the clock was set back) may not.
func (v *Vote) live(now time.Time) bool {
	return v != nil && !now.After(v.expires) && !v.At.After(now.Add(skew))
}

// repeats reports whether two votes of a source say the same price.
func (v *Vote) repeats(other *Vote) bool { return v.Bid.Equal(other.Bid) && v.Ask.Equal(other.Ask) }

// admit turns an observation into a vote, or says why not.
func admit(o core.Observation, source core.Source, class core.MarketClass, now time.Time) (*Vote, Reason) {
	switch {
	case o.Source != source.Name:
		return nil, WrongSource
	case !o.Bid.IsPositive() || !o.Ask.IsPositive():
		return nil, NotPositive
	case !inRange(o.Bid) || !inRange(o.Ask):
		return nil, OutOfRange
	case o.Bid.GreaterThan(o.Ask):
		return nil, Inverted
	case o.At.After(now.Add(skew)):
		return nil, Future
	}
	expires := expiry(o.At, class.MaxAge)
	if now.After(expires) {
		return nil, Old
	}
	mid, spread := half(o.Bid.Add(o.Ask)), o.Ask.Sub(o.Bid)
	if spread.GreaterThan(mid.Mul(class.MaxSpread)) {
		return nil, Wide
	}
	return &Vote{
		Source: source.Name, Family: source.Family, Bid: o.Bid, Mid: mid, Ask: o.Ask, At: o.At.UTC(),
		expires: expires, ticks: ticksOf(o.Bid, mid, o.Ask), octaves: octavesOf(mid),
	}, ""
}

// inRange keeps numbers that are no price, and would be slow to compute with, away from the arithmetic.
func inRange(d decimal.Decimal) bool {
	m := magnitude(d)
	return d.NumDigits() <= 48 && m >= -24 && m <= 24
}
