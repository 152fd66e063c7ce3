package provider

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/simulator/faults"
	"causeway/simulator/faults/inject"
)

// Rewrite injects a fault into a response to an operation: into its prices and their times, or into
// its most important member.
func (d Descriptor) Rewrite(document *any, op Operation, e faults.Effect) {
	places := d.Prices
	if op.Member != "" {
		places = []string{op.Member}
	}
	for i, place := range places {
		spots := slices.DeleteFunc(inject.Find(document, place), func(s inject.Spot) bool {
			return s.Name != "" && s.Name == d.Unpriced
		})
		for j, s := range spots {
			switch {
			case e.Kind == faults.MissingField && i == 0:
				s.Drop()
			case e.Kind == faults.SwappedPair:
				s.Say(spots[(j+1)%len(spots)].Text())
			default:
				price(s, e)
			}
		}
	}
	for _, t := range d.Times {
		for _, s := range inject.Find(document, t.Place) {
			t.Unit.shift(s, e)
		}
	}
}

// inverseDigits is the number of decimal places of an inverted price.
const inverseDigits = 12

// price changes one price.
func price(s inject.Spot, e faults.Effect) {
	switch e.Kind {
	case faults.Times:
		number(s, func(d decimal.Decimal) decimal.Decimal { return d.Mul(decimal.NewFromInt(e.Factor)) })
	case faults.Inverted:
		number(s, func(d decimal.Decimal) decimal.Decimal {
			if d.IsZero() {
				return d
			}
			return decimal.New(1, 0).DivRound(d, inverseDigits)
		})
	case faults.Zero:
		number(s, func(decimal.Decimal) decimal.Decimal { return decimal.Zero })
	case faults.Negative:
		number(s, decimal.Decimal.Neg)
	case faults.CommaDecimal:
		s.Set(strings.Replace(s.Text(), ".", ",", 1))
	case faults.ChangedType:
		s.Set([]any{s.Value})
	default:
	}
}

func number(s inject.Spot, f func(decimal.Decimal) decimal.Decimal) {
	if d, err := decimal.NewFromString(s.Text()); err == nil {
		s.Say(f(d).String())
	}
}

// TimeUnit is the notation of a time: a layout of package time, or a number since 1970.
type TimeUnit string

// The notations of times.
const (
	Seconds      TimeUnit = "seconds"
	Milliseconds TimeUnit = "milliseconds"
	ClockTime    TimeUnit = "2006-01-02T15:04:05.000000Z"
	Date         TimeUnit = time.DateOnly
)

// perSecond are the units of numeric times in a second.
var perSecond = map[TimeUnit]int64{Seconds: 1, Milliseconds: 1000}

// usualShift is how far a time is off if the rule does not say.
const usualShift = time.Hour

// shift changes one time.
func (u TimeUnit) shift(s inject.Spot, e faults.Effect) {
	by := cmp.Or(time.Duration(e.By), usualShift)
	if e.Kind == faults.StaleTimestamp {
		by = -by
	}
	per := perSecond[u]
	number, err := strconv.ParseInt(s.Text(), 10, 64)
	switch moved := e.Kind == faults.StaleTimestamp || e.Kind == faults.FutureTimestamp; {
	case moved && per == 0:
		u.move(s, by)
	case err != nil: // not a time
	case moved:
		s.Say(strconv.FormatInt(number+by.Milliseconds()*per/1000, 10))
	case e.Kind == faults.SecondsForMillis && u == Seconds:
		s.Say(strconv.FormatInt(number*1000, 10))
	case e.Kind == faults.SecondsForMillis && u == Milliseconds:
		s.Say(strconv.FormatInt(number/1000, 10))
	}
}

// move moves a time in text by a duration, a date by whole days.
func (u TimeUnit) move(s inject.Spot, by time.Duration) {
	const day = 24 * time.Hour
	if u == Date && by < 0 {
		by = (by - day + 1).Truncate(day)
	} else if u == Date {
		by = (by + day - 1).Truncate(day)
	}
	if at, err := time.Parse(string(u), s.Text()); err == nil {
		s.Say(at.Add(by).Format(string(u)))
	}
}
