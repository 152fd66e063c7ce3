package pairs

import (
	"slices"
	"time"
)

const (
	// skew is how far a source's clock may run ahead of ours.
	skew = 2 * time.Second
	// stepping is the largest age, in a market's class, from which its sources are known to publish in steps (official fiat rates:
	// hourly or daily) rather than as a stream. Such a rate is as fresh as it can be until it expires, and is polled hourly.
	stepping = time.Hour
	day      = 24 * time.Hour
)

// expiry is the last instant at which something made at an instant may be used. Where a class allows a day or more, days (UTC) on
// which nobody makes official rates do not count: 36 h are 84 h over a weekend.
func expiry(at time.Time, maxAge time.Duration) time.Time {
	if maxAge < day {
		return at.Add(maxAge)
	}
	for left := maxAge; ; {
		midnight := at.Truncate(day).Add(day)
		if closed(at.UTC()) {
			at = midnight
			continue
		}
		step := midnight.Sub(at)
		if step >= left {
			return at.Add(left)
		}
		left -= step
		at = midnight
	}
}

// Status says what a price is good for.
type Status string

// The statuses.
const (
	Fresh  Status = "fresh"
	Stale  Status = "stale"  // served and tradable, at twice the margin
	Halted Status = "halted" // listed with the last price shown, not tradable
)

// Why a quote is not an ordinary fresh one.
const (
	Aging   Reason = "aging"   // a leg is older than what counts as fresh
	Expired Reason = "expired" // a leg is older than what counts as stale
	Refused Reason = "refused" // the newest price broke an invariant; this is the last good one
	Apart   Reason = "apart"   // the legs differ too much in age; this is the last good price

	Degraded  Reason = "degraded"   // a leg is below its quorum: served for a short time at a larger margin
	NoQuorum  Reason = "no_quorum"  // a leg has been below its quorum for longer than that
	Disputed  Reason = "disputed"   // half or more of a leg's families are too far from their median
	Jump      Reason = "jump"       // a leg's newest rate is an unconfirmed jump: the last good one stands in for a short time
	OffBounds Reason = "off_bounds" // a leg's newest rate is too far from the official one
	Depegged  Reason = "depegged"   // a stablecoin is off its peg, and the operator has not acknowledged it
)

// standing is what age makes of a price.
type standing struct {
	status     Status
	reason     Reason
	freshUntil time.Time // last instant at which it is fresh; zero: it always is
	staleUntil time.Time // last instant at which it may be traded; zero: it always may
	margin     int64     // how many times its own
}

// standing judges a price of the listing by the worst of its legs. A leg is as old as its newest vote. Rates fixed by treaty have no
// age, rates that step are fresh until they expire. A leg from the future (the clock was set back) counts as expired.
func (l *listing) standing(legs []Leg, now time.Time) standing {
	s := standing{status: Fresh, margin: 1}
	ahead := false
	for _, leg := range legs {
		m := leg.market
		if m.fixed {
			continue
		}
		fresh, stale := leg.Rate.AsOf.Add(l.tariff.Fresh), leg.Rate.AsOf.Add(l.tariff.Stale)
		if m.class.MaxAge >= stepping {
			fresh = expiry(leg.Rate.AsOf, m.class.MaxAge)
			stale = fresh.Add(l.tariff.Stale - l.tariff.Fresh)
		}
		s.freshUntil, s.staleUntil = earlier(s.freshUntil, fresh), earlier(s.staleUntil, stale)
		ahead = ahead || leg.Rate.AsOf.After(now.Add(skew))
	}
	switch {
	case s.freshUntil.IsZero():
	case ahead, now.After(s.staleUntil):
		s.status, s.reason = Halted, Expired
	case now.After(s.freshUntil):
		s.status, s.reason, s.margin = Stale, Aging, 2
	}
	for _, leg := range legs {
		s.worsen(leg.market)
	}
	if s.status != Halted && l.depegged(legs) {
		s.status, s.reason = Halted, Depegged
	}
	return s
}

// depegged reports whether a stablecoin along the legs is off its peg, and nobody has acknowledged it. The currency in the middle of a
// route is none of another one's business.
func (l *listing) depegged(legs []Leg) bool {
	return slices.ContainsFunc(l.pegs, (*market).broken) || slices.ContainsFunc(l.middle, func(coin *market) bool {
		return coin.broken() && slices.ContainsFunc(legs, func(leg Leg) bool {
			return leg.Rate.Pair.Base == coin.Pair.Base || leg.Rate.Pair.Counter == coin.Pair.Base
		})
	})
}

// worsen adds what is the matter with a leg besides its age.
func (s *standing) worsen(m *market) {
	c := m.condition
	if c.status == Fresh {
		return
	}
	s.freshUntil = earlier(s.freshUntil, c.since)
	if c.reason == Degraded {
		s.margin = m.terms.rules.DegradedMargin
	}
	switch {
	case c.status == Halted && (s.status != Halted || s.reason == Expired && c.reason != NoQuorum):
		s.status, s.reason = Halted, c.reason
	case c.status == Stale && s.status != Halted:
		s.status, s.reason, s.margin = Stale, c.reason, max(s.margin, 2)
		s.staleUntil = earlier(s.staleUntil, c.until)
	}
}

// earlier is the earlier of two instants, of which the zero one is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
