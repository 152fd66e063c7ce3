package pairs

import "time"

// closed reports whether nobody makes official rates on the day (UTC) of an instant: on Saturdays and Sundays, and on the closing days of TARGET, the
// system of the European Central Bank, which makes no reference rates then: 1 January, Good Friday, Easter Monday, 1 May, 25 and 26 December
// (ECB, "TARGET: long-term calendar for closing days", 2000-12-14, in force since 2002).
func closed(at time.Time) bool {
	year, month, day := at.Date()
	switch weekday := at.Weekday(); {
	case weekday == time.Saturday, weekday == time.Sunday, month == time.January && day == 1, month == time.May && day == 1:
		return true
	case month == time.December:
		return day == 25 || day == 26
	default:
		after := at.YearDay() - easter(year).YearDay()
		return after == -2 || after == 1
	}
}

// easter is Easter Sunday of a year by the Gregorian calendar (the anonymous algorithm of Nature, 1876-04-20, as in Meeus, Astronomical Algorithms,
// chapter 8).
func easter(year int) time.Time {
	golden, century, rest := year%19, year/100, year%100
	lunar := (century - (century+8)/25 + 1) / 3
	epact := (19*golden + century - century/4 - lunar + 15) % 30
	weekday := (32 + 2*(century%4) + 2*(rest/4) - epact - rest%4) % 7
	late := (golden + 11*epact + 22*weekday) / 451
	n := epact + weekday - 7*late + 114
	return time.Date(year, time.Month(n/31), n%31+1, 0, 0, 0, 0, time.UTC)
}
