package format

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/simulator/faults"
	"causeway/simulator/faults/inject"
)

// Rewrite injects a fault into a response to an operation: into its prices and their times, or into
// its most important member.
func (d Descriptor) Rewrite(document any, op Operation, e faults.Effect) {
	places := d.Prices
	if op.Member != "" {
		places = []string{op.Member}
	}
	for i, place := range places {
		replace := func(change func(value any) any) {
			inject.Replace(document, place, func(name string, value any) any {
				if name != "" && name == d.Unpriced {
					return value
				}
				return change(value)
			})
		}
		var texts []string
		replace(func(value any) any {
			texts = append(texts, textOf(value))
			return value
		})
		next := 0
		replace(func(value any) any {
			next++
			switch {
			case e.Kind == faults.MissingField && i == 0:
				return nil
			case e.Kind == faults.SwappedPair:
				return withText(value, texts[next%len(texts)])
			}
			return price(value, e)
		})
	}
	for _, t := range d.Times {
		inject.Replace(document, t.Place, func(_ string, value any) any { return t.Unit.shift(value, e) })
	}
}

// textOf returns a number or a string as text; empty for anything else.
func textOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// withText returns a text as a number if the value is one.
func withText(value any, text string) any {
	if _, bare := value.(json.Number); bare {
		return json.Number(text)
	}
	return text
}

// inverseDigits is the number of decimal places of an inverted price.
const inverseDigits = 12

// price returns one price with a fault.
func price(value any, e faults.Effect) any {
	text := textOf(value)
	d, err := decimal.NewFromString(text)
	switch {
	case e.Kind == faults.CommaDecimal:
		return strings.Replace(text, ".", ",", 1)
	case e.Kind == faults.ChangedType:
		return []any{value}
	case err != nil: // not a number
		return value
	case e.Kind == faults.Times:
		d = d.Mul(decimal.NewFromInt(e.Factor))
	case e.Kind == faults.Inverted && !d.IsZero():
		d = decimal.New(1, 0).DivRound(d, inverseDigits)
	case e.Kind == faults.Zero:
		d = decimal.Zero
	case e.Kind == faults.Negative:
		d = d.Neg()
	default:
		return value
	}
	return withText(value, d.String())
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

// shift returns one time with a fault.
func (u TimeUnit) shift(value any, e faults.Effect) any {
	by := cmp.Or(time.Duration(e.By), usualShift)
	if e.Kind == faults.StaleTimestamp {
		by = -by
	}
	per, text := perSecond[u], textOf(value)
	number, err := strconv.ParseInt(text, 10, 64)
	switch moved := e.Kind == faults.StaleTimestamp || e.Kind == faults.FutureTimestamp; {
	case moved && per == 0:
		text = u.move(text, by)
	case err != nil: // not a time
		return value
	case moved:
		text = strconv.FormatInt(number+by.Milliseconds()*per/1000, 10)
	case e.Kind == faults.SecondsForMillis && u == Seconds:
		text = strconv.FormatInt(number*1000, 10)
	case e.Kind == faults.SecondsForMillis && u == Milliseconds:
		text = strconv.FormatInt(number/1000, 10)
	default:
		return value
	}
	return withText(value, text)
}

// move moves a time in text by a duration, a date by whole days.
func (u TimeUnit) move(text string, by time.Duration) string {
	const day = 24 * time.Hour
	if u == Date && by < 0 {
		by = (by - day + 1).Truncate(day)
	} else if u == Date {
		by = (by + day - 1).Truncate(day)
	}
	at, err := time.Parse(string(u), text)
	if err != nil {
		return text
	}
	return at.Add(by).Format(string(u))
}
