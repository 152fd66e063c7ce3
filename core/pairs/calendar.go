package pairs

import (
	"time"

	"github.com/rickar/cal/v2"
	"github.com/rickar/cal/v2/ecb"
	"github.com/shopspring/decimal"
)

const (
	// stepping is the smallest MaxAge of a market class whose sources publish in steps (official
	// rates: hourly or daily). Such a rate is fresh until it expires.
	stepping = time.Hour
	day      = 24 * time.Hour
	// lately is how old the newest official rate may be before it counts as not published. The
	// sources publish every hour and are polled every hour.
	lately = 3 * time.Hour
)

// gapEdge is what a client may gain at the worst known move of an official rate.
var gapEdge = decimal.New(2, -2)

// target is the calendar of TARGET, the payment system of the European Central Bank, which closes
// on weekends and six holidays. It does not cache, so that it is safe for concurrent use.
var target = func() *cal.BusinessCalendar {
	c := cal.NewBusinessCalendar()
	c.AddHoliday(ecb.Holidays...)
	return c
}()

// closed reports whether no official rates are published on the day (UTC) of an instant.
func closed(at time.Time) bool { return !target.IsWorkday(at.UTC()) }

// expiry returns the last instant at which an observation may be used. If the limit is a day or
// more, days (UTC) without official rates do not count: 36 h are 84 h over a weekend.
func expiry(at time.Time, maxAge time.Duration) time.Time {
	if maxAge < day {
		return at.Add(maxAge)
	}
	for left := maxAge; ; {
		midnight := at.Truncate(day).Add(day)
		switch step := midnight.Sub(at); {
		case closed(at):
		case step >= left:
			return at.Add(left)
		default:
			left -= step
		}
		at = midnight
	}
}

// earlier returns the earlier of two instants; the zero time counts as none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// later returns the later of two instants.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
