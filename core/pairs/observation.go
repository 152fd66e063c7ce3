package pairs

import (
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// Reason is a code that says why an observation is rejected, a source is excluded, or a price is
// not an ordinary one.
type Reason string

// Reasons for rejecting an observation. Rejections are counted per source and reason.
const (
	NotPositive Reason = "not_positive" // bid or ask is zero or negative
	OutOfRange  Reason = "out_of_range" // beyond 24 digits on either side of the point, or more than 48 digits in all
	Inverted    Reason = "inverted"     // bid above ask
	Wide        Reason = "wide"         // spread of an observation, or confidence of a price, above the limit
	Old         Reason = "old"          // older than the market's class allows
	Future      Reason = "future"       // more than 2 s ahead of the clock
	WrongPair   Reason = "wrong_pair"   // not a requested pair
	Superseded  Reason = "superseded"   // older than the observation already held
	Absent      Reason = "absent"       // the response does not contain the market, or not legibly
)

// Further reasons for excluding a source from a rate.
const (
	Unreachable Reason = "unreachable" // the latest poll failed
	Stalled     Reason = "stalled"     // unchanged while the others moved
	Outlier     Reason = "outlier"     // too far from the median of all families, or not yet readmitted
	SameFamily  Reason = "same_family" // another source of its family has a newer vote
	LastResort  Reason = "last_resort" // a mid price computed by another party, and better sources are live
)

var rejections = []Reason{NotPositive, OutOfRange, Inverted, Wide, Old, Future, WrongPair, Superseded, Absent}

// skew is how far a source's clock may run ahead.
const skew = 2 * time.Second

// Vote is an admitted observation of one source. It is never changed.
type Vote struct {
	Source string
	Family string
	Bid    decimal.Decimal
	Mid    decimal.Decimal // (bid+ask)/2, exact
	Ask    decimal.Decimal
	spread decimal.Decimal // ask-bid
	At     time.Time       // when the source made the quote, UTC
	// Current is the last instant at which the quote is known to hold. It is At, except for a
	// dealer, who stands by an older quote for as long as it is valid: then it is the time of the
	// latest response, at most At plus the validity.
	Current time.Time
}

// live reports whether the vote may be used at an instant. A vote from the future (the clock was
// set back) may not.
func (v *Vote) live(now time.Time, maxAge time.Duration) bool {
	return v != nil && !now.After(expiry(v.Current, maxAge)) && !v.Current.After(now.Add(skew))
}

// admit turns an observation into a vote, or returns why it is rejected.
func admit(o core.Observation, source core.Source, class *core.MarketClass, now time.Time) (*Vote, Reason) {
	switch {
	case !o.Bid.IsPositive() || !o.Ask.IsPositive():
		return nil, NotPositive
	case !inRange(o.Bid) || !inRange(o.Ask):
		return nil, OutOfRange
	case o.Bid.GreaterThan(o.Ask):
		return nil, Inverted
	case o.At.After(now.Add(skew)):
		return nil, Future
	}
	current := o.At
	if valid := o.At.Add(source.Validity); valid.After(current) {
		current = earlier(valid, later(now, o.At))
	}
	if now.After(expiry(current, max(class.MaxAge, source.MaxAge))) {
		return nil, Old
	}
	mid := half(o.Bid.Add(o.Ask)).Normalize()
	spread := aligned(o.Ask.Sub(o.Bid))
	if spread.GreaterThan(mid.Mul(class.MaxSpread)) {
		return nil, Wide
	}
	return &Vote{
		Source: source.Name, Family: source.Family,
		Bid: aligned(o.Bid), Mid: aligned(mid), Ask: aligned(o.Ask), spread: spread,
		At: o.At.UTC(), Current: current.UTC(),
	}, ""
}
