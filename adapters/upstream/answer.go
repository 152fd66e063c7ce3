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

// Response is the response of a provider. Only the adapter sees it: the body may contain a name or an
// account number. Do not modify Body.
type Response struct {
	Status     int
	Body       []byte        // complete if Status is 2xx, otherwise at most 64 KiB
	At         time.Time     // time of receipt by the injected clock
	RetryAfter time.Duration // bounded; zero: none
}

// Err judges the response by its status: nil for 2xx, otherwise a *Failure.
func (a Response) Err() error { return statusFailure(a.Status) }

// JSON decodes the body into out. It returns a Malformed failure unless the body is exactly one
// JSON value of that shape: HTML, a truncated document, trailing data, a wrong type, a duplicate
// member and invalid UTF-8 are errors. Unknown members are ignored, and names are case-sensitive.
func (a Response) JSON(out any) error {
	err := Decode(a.Body, out)
	if err == nil {
		return nil
	}
	return &Failure{Outcome: Malformed, Status: a.Status, Reason: err.Error()}
}

// Decode is Err, and JSON for a response with a status of 2xx.
func (a Response) Decode(out any) error {
	if err := a.Err(); err != nil {
		return err
	}
	return a.JSON(out)
}

// Decode is Response.JSON for a part of a body that an adapter stored as json.RawMessage. The error
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

// maxNumber is the length of the longest accepted number. Real ones have a dozen digits; a bitcoin in
// a hyperinflated currency has 30.
const maxNumber = 64

var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?$`)

// Decimal parses a JSON string or number exactly, without a binary float. It accepts only the
// number syntax of JSON: no thousands separators, plus sign, NaN or spaces. It rejects numbers that
// are too long or have an exponent of more than two digits.
func Decimal(raw json.RawMessage) (decimal.Decimal, bool) {
	text := string(raw)
	if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	}
	if len(text) > maxNumber || !plainNumber.MatchString(text) {
		return decimal.Decimal{}, false
	}
	d, err := decimal.NewFromString(text)
	return d, err == nil
}

// The longest Retry-After that is accepted. A ban may last for days (Binance announces up to 72
// hours), and calls during a ban extend it. An outage may end before the time that an error page
// states.
const (
	maxBan    = 72 * time.Hour
	maxOutage = 5 * time.Minute
)

// retryAfter parses both forms of the header, seconds and a date. An unreadable value counts as
// none.
func retryAfter(response *http.Response, now time.Time) time.Duration {
	most := maxOutage
	if throttles(response.StatusCode) {
		most = maxBan
	}
	value := response.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(most/time.Second))) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(0, at.Sub(now)), most)
}
