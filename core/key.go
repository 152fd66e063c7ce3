package core

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Key is an API key without its credential.
type Key struct {
	ID       string    `json:"id"`      // public: logs and the credential itself contain it
	Account  string    `json:"account"` // of the holder: the ID of the first key, which rotation keeps
	Name     string    `json:"name"`    // for operators: who uses the key
	Scopes   []string  `json:"scopes"`
	Limit    RateLimit `json:"rate"` // per operation; zero: the configured limits
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires,omitzero"`   // zero: never
	Revoked  time.Time `json:"revoked,omitzero"`   // zero: not revoked
	LastUsed time.Time `json:"last_used,omitzero"` // to about a minute; zero: unknown
}

// AllScopes is the scope of every operation.
const AllScopes = "*"

// Allows reports whether the key may call an operation.
func (k Key) Allows(operation string) bool {
	return slices.Contains(k.Scopes, AllScopes) || slices.Contains(k.Scopes, operation)
}

// Live reports whether the key is valid at an instant. A revocation time makes a key invalid even if
// it is in the future, because clocks of machines differ.
func (k Key) Live(at time.Time) bool {
	return k.Revoked.IsZero() && (k.Expires.IsZero() || at.Before(k.Expires))
}

// RateLimit is a number of calls per period, all of which may come at once. The zero value is no
// limit.
type RateLimit struct {
	Calls int
	Per   time.Duration
}

// None reports whether there is no limit.
func (l RateLimit) None() bool { return l.Calls <= 0 || l.Per <= 0 }

// units are the accepted spellings of a period.
func unitOf(name string) (time.Duration, bool) {
	switch name {
	case "s", "sec", "second":
		return time.Second, true
	case "m", "min", "minute":
		return time.Minute, true
	case "h", "hour":
		return time.Hour, true
	case "d", "day":
		return 24 * time.Hour, true
	}
	return 0, false
}

// maxCalls is the largest number of calls in a rate.
const maxCalls = 10_000_000

// ParseRateLimit parses a rate such as "600/m": calls per s, m, h or d. An empty text and "none"
// are no limit.
func ParseRateLimit(text string) (RateLimit, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" || text == "none" {
		return RateLimit{}, nil
	}
	calls, unit, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(strings.TrimSpace(calls))
	per, known := unitOf(strings.TrimSpace(unit))
	if err != nil || !known || n < 1 || n > maxCalls {
		return RateLimit{}, fmt.Errorf("%q is not a rate; accepted: calls per s, m, h or d, such as 600/m, or none", text)
	}
	return RateLimit{Calls: n, Per: per}, nil
}

// String returns the rate in the form that ParseRateLimit accepts.
func (l RateLimit) String() string {
	if l.None() {
		return "none"
	}
	for _, unit := range []string{"s", "m", "h", "d"} {
		if per, _ := unitOf(unit); per == l.Per {
			return strconv.Itoa(l.Calls) + "/" + unit
		}
	}
	return strconv.Itoa(l.Calls) + "/" + l.Per.String()
}

// MarshalText implements encoding.TextMarshaler.
func (l RateLimit) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *RateLimit) UnmarshalText(text []byte) error {
	if l == nil {
		return errors.New("core: a rate limit is nil")
	}
	var err error
	*l, err = ParseRateLimit(string(text))
	return err
}

// Allowance is the result of counting a call against a limit.
type Allowance struct {
	OK         bool          // the call is within the limit
	Remaining  int           // calls that are allowed immediately
	Reset      time.Duration // until the whole limit is available again
	RetryAfter time.Duration // if not OK: until the next call is allowed
}
