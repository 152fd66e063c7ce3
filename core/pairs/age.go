package pairs

import "time"

const (
	// skew is how far a source's clock may run ahead of ours.
	skew = 2 * time.Second
	// stepping is the largest age, in a market's class, from which its sources are known to publish in steps (official fiat rates:
	// hourly or daily) rather than as a stream. Such a rate is as fresh as it can be until it expires, and is polled hourly.
	stepping = time.Hour
	day      = 24 * time.Hour
)

// expiry is the last instant at which something made at an instant may be used. Where a class allows a day or more, Saturdays and
// Sundays (UTC) do not count, since nobody makes official rates then: 36 h are 84 h over a weekend.
func expiry(at time.Time, maxAge time.Duration) time.Time {
	if maxAge < day {
		return at.Add(maxAge)
	}
	for left := maxAge; ; {
		midnight := at.Truncate(day).Add(day)
		if d := at.UTC().Weekday(); d == time.Saturday || d == time.Sunday {
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
)

// standing is what age makes of a price.
type standing struct {
	status     Status
	reason     Reason
	freshUntil time.Time // last instant at which it is fresh; zero: it always is
	staleUntil time.Time // last instant at which it may be traded; zero: it always may
}

// standing judges a price of the listing by its worst leg. A leg is as old as its newest vote. Rates fixed by treaty have no
// age, rates that step are fresh until they expire. A leg from the future (the clock was set back) counts as expired.
func (l *listing) standing(legs []Leg, now time.Time) standing {
	s := standing{status: Fresh}
	ahead := false
	for i, leg := range legs {
		m := l.route[i].market
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
		s.status, s.reason = Stale, Aging
	}
	return s
}

// earlier is the earlier of two instants, of which the zero one is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
