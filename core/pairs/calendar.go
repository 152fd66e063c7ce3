package pairs

import "time"

const (
	// stepping is the smallest MaxAge of a market class whose sources publish in steps (official
	// rates: hourly or daily). Such a rate is fresh until it expires.
	stepping = time.Hour
	day      = 24 * time.Hour
)

// expiry returns the last instant at which an observation may be used. If the limit is a day or
// more, days (UTC) without official rates do not count: 36 h are 84 h over a weekend.
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

// closed reports whether no official rates are published on the day (UTC) of an instant: on
// Saturdays, Sundays and the closing days of TARGET, the payment system of the European Central
// Bank: 1 January, Good Friday, Easter Monday, 1 May, 25 and 26 December (ECB, "TARGET: long-term
// calendar for closing days", 2000-12-14, in force since 2002).
func closed(at time.Time) bool {
	year, month, date := at.Date()
	switch weekday := at.Weekday(); {
	case weekday == time.Saturday, weekday == time.Sunday,
		month == time.January && date == 1, month == time.May && date == 1:
		return true
	case month == time.December:
		return date == 25 || date == 26
	default:
		after := at.YearDay() - easter(year).YearDay()
		return after == -2 || after == 1
	}
}

// easter returns Easter Sunday by the Gregorian calendar (the anonymous algorithm of Nature,
// 1876-04-20, as in Meeus, Astronomical Algorithms, chapter 8).
func easter(year int) time.Time {
	golden, century, rest := year%19, year/100, year%100
	lunar := (century - (century+8)/25 + 1) / 3
	epact := (19*golden + century - century/4 - lunar + 15) % 30
	weekday := (32 + 2*(century%4) + 2*(rest/4) - epact - rest%4) % 7
	late := (golden + 11*epact + 22*weekday) / 451
	n := epact + weekday - 7*late + 114
	return time.Date(year, time.Month(n/31), n%31+1, 0, 0, 0, 0, time.UTC)
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
