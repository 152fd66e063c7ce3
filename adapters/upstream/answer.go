package upstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"
)

// Answer is the response of a provider. Only the adapter sees it: the body may contain a name or an
// account number. Do not modify Body.
type Answer struct {
	Status     int
	Body       []byte        // complete if Status is 2xx, otherwise at most 64 KiB
	At         time.Time     // time of receipt by the injected clock
	RetryAfter time.Duration // bounded; zero: none

	etag, modified string // validators for a conditional request
	unchanged      bool   // 304: Status and Body are those of the stored response
}

// Fault judges the response by its status: nil for 2xx, otherwise a *Failure.
func (a Answer) Fault() error { return statusFailure(a.Status) }

// JSON decodes the body into out. It returns a Malformed failure unless the body is exactly one
// JSON value of that shape: HTML, a truncated document, trailing data, a wrong type, a duplicate
// member and invalid UTF-8 are errors. Unknown members are ignored, and names are case-sensitive.
func (a Answer) JSON(out any) error {
	err := Decode(a.Body, out)
	if err == nil {
		return nil
	}
	return &Failure{Outcome: Malformed, Status: a.Status, Reason: err.Error()}
}

// Decode is Answer.JSON for a part of a body that an adapter stored as json.RawMessage. The error
// does not quote the document, as errors of the decoder would.
func Decode(raw []byte, out any) error {
	err := strict.Unmarshal(raw, out)
	var (
		syntax *jsontext.SyntacticError
		shape  *strict.SemanticError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON at byte %d of %d", syntax.ByteOffset, len(raw))
	case errors.As(err, &shape):
		return fmt.Errorf("unexpected JSON %s at byte %d of %d", shape.JSONKind, shape.ByteOffset, len(raw))
	default:
		return fmt.Errorf("cannot be decoded from %d bytes", len(raw))
	}
}

// Bounds of a number. Real ones have a dozen digits; a bitcoin in a hyperinflated currency has 30.
const (
	maxNumber   = 64 // characters
	maxExponent = 40
)

var plainNumber = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE]([+-]?[0-9]{1,3}))?$`)

// Decimal parses a JSON string or number exactly, without a binary float. It accepts only the
// number syntax of JSON: no thousands separators, plus sign, NaN or spaces. It rejects numbers that
// are too long or have too large an exponent.
func Decimal(raw json.RawMessage) (decimal.Decimal, bool) {
	text := string(raw)
	if len(text) > maxNumber+2 {
		return decimal.Decimal{}, false
	}
	if len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	}
	match := plainNumber.FindStringSubmatch(text)
	if match == nil || len(text) > maxNumber {
		return decimal.Decimal{}, false
	}
	if match[1] != "" {
		exponent, err := strconv.Atoi(match[1])
		if err != nil || exponent > maxExponent || exponent < -maxExponent {
			return decimal.Decimal{}, false
		}
	}
	d, err := decimal.NewFromString(text)
	return d, err == nil
}

// retryAfter parses both forms of the header, seconds and a date. An unreadable value counts as
// none, and longer ones are cut to most.
func retryAfter(h http.Header, now time.Time, most time.Duration) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		if seconds > uint64(most/time.Second) { //nolint:gosec // Check rejects a negative most
			return most
		}
		return time.Duration(seconds) * time.Second //nolint:gosec // at most most
	}
	at, err := http.ParseTime(value)
	if err != nil || !at.After(now) {
		return 0
	}
	return min(at.Sub(now), most)
}
