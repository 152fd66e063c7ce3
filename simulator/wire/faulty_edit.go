package wire

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/simulator"
)

// spot is a value in a document that can be replaced.
type spot struct {
	name  string // of the member; empty in a list
	value any
	set   func(any)
	drop  func()
}

// text is what a number or a text says.
func (s spot) text() string {
	switch v := s.value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// say replaces what is said and keeps the type.
func (s spot) say(text string) {
	if _, bare := s.value.(json.Number); bare {
		s.set(json.Number(text))
		return
	}
	s.set(text)
}

// find lists the spots of a document at a place ("data.*.askPx"; * is every member or element), in the order of their names.
func find(document *any, place string) []spot {
	spots := []spot{{value: *document, set: func(v any) { *document = v }, drop: func() { *document = nil }}}
	for part := range strings.SplitSeq(place, ".") {
		var below []spot
		for _, s := range spots {
			below = append(below, s.below(part)...)
		}
		spots = below
	}
	return slices.DeleteFunc(spots, func(s spot) bool { return s.text() == "" })
}

// below are the spots within a value.
func (s spot) below(part string) []spot {
	var out []spot
	switch v := s.value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if part == "*" || part == name {
				out = append(out, spot{name: name, value: v[name], set: func(x any) { v[name] = x }, drop: func() { delete(v, name) }})
			}
		}
	case []any:
		for i := range v {
			if part == "*" || part == strconv.Itoa(i) {
				out = append(out, spot{value: v[i], set: func(x any) { v[i] = x }, drop: func() { v[i] = nil }})
			}
		}
	}
	return out
}

// rewrite changes a document.
func (l layout) rewrite(document *any, e simulator.Effect) {
	switch e.Kind {
	case simulator.FaultUnknownFields:
		announce(*document)
		return
	case simulator.FaultMissingField:
		for _, s := range l.priced(document, l.prices[0]) {
			s.drop()
		}
		return
	default:
	}
	for _, place := range l.prices {
		spots := l.priced(document, place)
		if e.Kind == simulator.FaultSwappedPair {
			for i, s := range spots {
				s.say(spots[(i+1)%len(spots)].text())
			}
			continue
		}
		for _, s := range spots {
			s.price(e.Kind)
		}
	}
	for _, t := range l.times {
		for _, s := range find(document, t.place) {
			t.unit.shift(s, e)
		}
	}
}

// priced are the spots of prices at a place.
func (l layout) priced(document *any, place string) []spot {
	return slices.DeleteFunc(find(document, place), func(s spot) bool { return s.name != "" && s.name == l.unpriced })
}

// inverseDigits are the places after the point of one over a price.
const inverseDigits = 12

// price changes one price.
func (s spot) price(kind simulator.Kind) {
	if n, ok := kind.Power(); ok {
		s.number(func(d decimal.Decimal) decimal.Decimal { return d.Shift(n) })
		return
	}
	switch kind {
	case simulator.FaultInverted:
		s.number(func(d decimal.Decimal) decimal.Decimal {
			if d.IsZero() {
				return d
			}
			return decimal.New(1, 0).DivRound(d, inverseDigits)
		})
	case simulator.FaultZero:
		s.number(func(decimal.Decimal) decimal.Decimal { return decimal.Zero })
	case simulator.FaultNegative:
		s.number(decimal.Decimal.Neg)
	case simulator.FaultCommaDecimal:
		s.set(strings.Replace(s.text(), ".", ",", 1))
	case simulator.FaultNaN:
		s.set("NaN")
	case simulator.FaultChangedType:
		s.set([]any{s.value})
	default:
	}
}

func (s spot) number(f func(decimal.Decimal) decimal.Decimal) {
	if d, err := decimal.NewFromString(s.text()); err == nil {
		s.say(f(d).String())
	}
}

// unit says how a time is written.
type unit int

const (
	seconds unit = iota
	milliseconds
	clockTime // RFC 3339
	date
)

// usualShift is by how much a time is off where the rule does not say.
const usualShift = time.Hour

// shift changes one time.
func (u unit) shift(s spot, e simulator.Effect) {
	by := time.Duration(e.By)
	if by == 0 {
		by = usualShift
	}
	switch e.Kind {
	case simulator.FaultStaleTimestamp:
		by = -by
	case simulator.FaultFutureTimestamp:
	case simulator.FaultSecondsForMillis:
		if n, err := strconv.ParseInt(s.text(), 10, 64); err == nil && u == milliseconds {
			s.say(strconv.FormatInt(n/1000, 10))
		} else if err == nil && u == seconds {
			s.say(strconv.FormatInt(n*1000, 10))
		}
		return
	default:
		return
	}
	u.move(s, by)
}

// move moves one time by a duration, a date by whole days.
func (u unit) move(s spot, by time.Duration) {
	switch u {
	case seconds, milliseconds:
		step := time.Second
		if u == milliseconds {
			step = time.Millisecond
		}
		if n, err := strconv.ParseInt(s.text(), 10, 64); err == nil {
			s.say(strconv.FormatInt(n+int64(by/step), 10))
		}
	case clockTime:
		if at, err := time.Parse(time.RFC3339Nano, s.text()); err == nil {
			s.say(coinbaseTime(at.Add(by)))
		}
	case date:
		const day = 24 * time.Hour
		if at, err := time.Parse(time.DateOnly, s.text()); err == nil {
			days := max(int((max(by, -by)+day-1)/day), 1)
			if by < 0 {
				days = -days
			}
			s.say(at.AddDate(0, 0, days).Format(time.DateOnly))
		}
	}
}

// announce adds to every object of a document what nobody announced.
func announce(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			announce(v[name])
		}
		v["unannounced"] = map[string]any{"since": "2026-11-21", "values": []any{json.Number("1"), nil, true}}
	case []any:
		for _, element := range v {
			announce(element)
		}
	}
}
