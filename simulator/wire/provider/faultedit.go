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

// SpoilMember removes the member at a place of a document, or puts it into a list.
func SpoilMember(document *any, place string, kind faults.Kind) {
	for _, s := range inject.Find(document, place) {
		if kind == faults.MissingField {
			s.Drop()
		} else {
			s.Set([]any{s.Value})
		}
	}
}

// Rewrite injects a fault into the prices and the times of a document.
func (d Descriptor) Rewrite(document *any, e faults.Effect) {
	if e.Kind == faults.MissingField {
		for _, s := range d.pricesAt(document, d.Prices[0]) {
			s.Drop()
		}
		return
	}
	for _, place := range d.Prices {
		spots := d.pricesAt(document, place)
		if e.Kind == faults.SwappedPair {
			for i, s := range spots {
				s.Say(spots[(i+1)%len(spots)].Text())
			}
			continue
		}
		for _, s := range spots {
			price(s, e)
		}
	}
	for _, t := range d.Times {
		for _, s := range inject.Find(document, t.Place) {
			t.Unit.shift(s, e)
		}
	}
}

// pricesAt returns the prices at a place.
func (d Descriptor) pricesAt(document *any, place string) []inject.Spot {
	return slices.DeleteFunc(inject.Find(document, place), func(s inject.Spot) bool {
		return s.Text() == "" || s.Name != "" && s.Name == d.Unpriced
	})
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

// usualShift is how far a time is off if the rule does not say.
const usualShift = time.Hour

// shift changes one time.
func (u TimeUnit) shift(s inject.Spot, e faults.Effect) {
	number, err := strconv.ParseInt(s.Text(), 10, 64)
	isNumber := err == nil && (u == Seconds || u == Milliseconds)
	by := cmp.Or(time.Duration(e.By), usualShift)
	if e.Kind == faults.StaleTimestamp {
		by = -by
	}
	switch {
	case e.Kind == faults.SecondsForMillis && isNumber && u == Seconds:
		number *= 1000
	case e.Kind == faults.SecondsForMillis && isNumber:
		number /= 1000
	case e.Kind != faults.StaleTimestamp && e.Kind != faults.FutureTimestamp:
		return
	case isNumber && u == Seconds:
		number += int64(by / time.Second)
	case isNumber:
		number += by.Milliseconds()
	default:
		u.move(s, by)
		return
	}
	s.Say(strconv.FormatInt(number, 10))
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
