// Package input holds what all settings of a simulated world have in common: durations written as text,
// the accepted range of times, and lists of field errors.
package input

import (
	"fmt"
	"strconv"
	"time"

	"causeway/core"
)

// Duration is a time.Duration that is written as "1m30s" in JSON and YAML.
type Duration time.Duration

// UnmarshalText parses a duration.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration; accepted: a number with a unit, such as 90s, 15m, 2h", text)
	}
	*d = Duration(parsed)
	return nil
}

// MarshalText formats the duration.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// Earliest and Latest limit the clocks of worlds.
var (
	Earliest = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	Latest   = time.Date(2200, time.January, 1, 0, 0, 0, 0, time.UTC)
)

// AcceptedTimes describes the times between Earliest and Latest.
const AcceptedTimes = "a time from 2000-01-01T00:00:00Z to 2200-01-01T00:00:00Z"

// ValidTime reports whether t lies between Earliest and Latest.
func ValidTime(t time.Time) bool { return !t.Before(Earliest) && !t.After(Latest) }

// Errors collects field errors. The zero value is empty.
type Errors []core.FieldError

// Require adds an error about a field unless ok is true.
func (e *Errors) Require(ok bool, field string, value any, accepted string) {
	if !ok {
		*e = append(*e, core.FieldError{Field: field, Reason: fmt.Sprintf("%v; accepted: %s", value, accepted)})
	}
}

// Range requires a value between low and high.
func (e *Errors) Range(field string, value, low, high int64) {
	e.Require(value >= low && value <= high, field, value, fmt.Sprintf("%d to %d", low, high))
}

// Err returns the errors as one, or nil.
func (e *Errors) Err() error {
	if len(*e) == 0 {
		return nil
	}
	return core.InvalidFields(*e...)
}

// Quoted quotes a text that is not secret for an error, shortened to 120 characters.
func Quoted(text string) string {
	const longest = 120
	if r := []rune(text); len(r) > longest {
		text = string(r[:longest]) + "…"
	}
	return strconv.Quote(text)
}
