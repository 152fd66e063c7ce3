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

// Answer is what a provider said. It is for the adapter alone: a body may hold a name or an account number. The body is not to be changed.
type Answer struct {
	Status     int
	Body       []byte        // whole if Status is 2xx, else at most its first 64 KiB
	At         time.Time     // when it was received, by the world's clock
	RetryAfter time.Duration // as told and believed; zero where nothing was told

	etag, modified string // what the provider would compare with
	unchanged      bool   // it said so (304): status and body are those of before
}

// Fault judges the answer by its status alone: nil for 2xx, else a *Failure.
func (a Answer) Fault() error { return statusFailure(a.Status) }

// JSON decodes the body into out and returns a Malformed failure where it is not exactly one JSON value of that shape:
// HTML, a part of a document, something after it, a wrong type, a name given twice, text that is not UTF-8.
// Unknown members are ignored, and names are matched by case.
func (a Answer) JSON(out any) error {
	err := Decode(a.Body, out)
	if err == nil {
		return nil
	}
	return &Failure{Outcome: Malformed, Status: a.Status, Reason: err.Error()}
}

// Decode is Answer.JSON for a part of a body that an adapter kept as json.RawMessage. The error's text says what is wrong
// where, in our words: the decoder's own quotes the document.
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

// Bounds of a provider's number. Real ones have a dozen digits; a bitcoin in a hyperinflated currency has thirty.
const (
	maxNumber   = 64 // characters
	maxExponent = 40
)

var plainNumber = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE]([+-]?[0-9]{1,3}))?$`)

// Decimal reads a JSON string or number digit by digit, without a detour through binary fractions. It takes the plain numbers of
// JSON alone: no comma, no sign but minus, no "NaN", no spaces; and refuses what is too long, or has an absurd exponent.
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

// retryAfter reads the header in both its forms, seconds and a date. What cannot be read counts as not told; what is
// longer than most counts as most.
func retryAfter(h http.Header, now time.Time, most time.Duration) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		if seconds > uint64(most/time.Second) { //nolint:gosec // Check refuses a most below 0
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
