// Package apierror defines what every response of Causeway's HTTP APIs shares: the error envelope,
// its RFC 9457 form, and request IDs. The public API and the control API of the simulator use it.
package apierror

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// Error is an error as a client sees it. Its JSON form is the envelope.
type Error struct {
	Detail    ErrorDetail              `json:"error" doc:"The error"`
	RequestID string                   `json:"request_id" doc:"ID of the request, as in X-Request-Id" example:"req_5f0c2v7q9k3m1"`
	Fields    map[string][]FieldReason `json:"fields,omitempty" doc:"What is wrong, by the name of the field or parameter"`

	// RetryAfter is sent in the header Retry-After. Zero sends none.
	RetryAfter time.Duration `json:"-"`
	// Allow lists the methods of the path, for MethodNotAllowed.
	Allow string `json:"-"`

	ordered []core.FieldError // Fields in the order in which they were found
	cause   error
}

// ErrorDetail names an error and explains it.
type ErrorDetail struct {
	Name    Name   `json:"name" doc:"Name of the error; /errors/<name> explains it" example:"not_found"`
	Message string `json:"message" doc:"What was wrong, what is accepted and how to find it" example:"No account 0123456780 at that bank"`
}

// FieldReason says what is wrong with a field.
type FieldReason struct {
	Reason string `json:"reason" doc:"What is wrong with the field" example:"is required"`
}

// Problem is an error in the form of RFC 9457.
type Problem struct {
	Type      string         `json:"type" doc:"Path of a page that explains the error" example:"/errors/not_found"`
	Title     string         `json:"title" doc:"What errors of this name have in common" example:"Not found"`
	Status    int            `json:"status" doc:"The HTTP status" example:"404"`
	Detail    string         `json:"detail" doc:"What was wrong, what is accepted and how to find it" example:"No pair BTCXYZ"`
	Code      Name           `json:"code" doc:"Name of the error" example:"not_found"`
	Errors    []ProblemField `json:"errors,omitempty" doc:"What is wrong, field by field"`
	RequestID string         `json:"request_id" doc:"ID of the request, as in X-Request-Id" example:"req_5f0c2v7q9k3m1"`
	Retryable bool           `json:"retryable" doc:"Whether the same request may succeed later, unchanged" example:"false"`
}

// ProblemField says what is wrong with a field.
type ProblemField struct {
	Field  string `json:"field" doc:"Name of the field or parameter" example:"bank_code"`
	Reason string `json:"reason" doc:"What is wrong with it" example:"is required"`
}

// New returns an error whose message the client sees.
func New(name Name, format string, args ...any) *Error {
	return &Error{Detail: ErrorDetail{Name: name, Message: fmt.Sprintf(format, args...)}}
}

// Invalid returns a RequestValidation error about every field at fault. The first one is the
// message.
func Invalid(fields ...core.FieldError) *Error { return From(core.InvalidFields(fields...)) }

// defaultRetry is the Retry-After of an outage of unknown length.
const defaultRetry = 5 * time.Second

// From converts an error of a service. An error that is neither an *Error nor a *core.Error is an
// internal error and shows nothing of itself; Unwrap returns it for the log.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	out := New(InternalServerError, "Internal error")
	source, ok := errors.AsType[*core.Error](err)
	switch {
	case ok && nameOf(source) != InternalServerError:
		out = &Error{
			Detail:     ErrorDetail{Name: nameOf(source), Message: source.Message},
			RetryAfter: source.RetryAfter, ordered: source.Fields,
		}
		if len(source.Fields) > 0 {
			out.Fields = make(map[string][]FieldReason, len(source.Fields))
		}
		for _, f := range source.Fields {
			out.Fields[f.Field] = append(out.Fields[f.Field], FieldReason{f.Reason})
		}
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		out = New(ServiceUnavailable, "The request ended before there was a response")
	}
	if out.Detail.Name == ServiceUnavailable && out.RetryAfter <= 0 {
		out.RetryAfter = defaultRetry
	}
	out.cause = err
	return out
}

// nameOf maps the codes of the core to names.
func nameOf(e *core.Error) Name {
	switch e.Code {
	case core.Invalid, core.Unsupported:
		if len(e.Fields) > 0 {
			return RequestValidation
		}
		return BadRequest
	case core.NotFound:
		return NotFound
	case core.Unavailable:
		return ServiceUnavailable
	case core.Unauthorized:
		return Unauthorized
	case core.TooMany:
		return TooManyRequests
	case core.Conflict:
		return Conflict
	case core.Expired:
		return WorldExpired
	case core.CursorExpired:
		return CursorExpired
	case core.Internal:
	}
	return InternalServerError
}

// Error returns the text for the log.
func (e *Error) Error() string {
	if e.cause != nil {
		return e.cause.Error()
	}
	return string(e.Detail.Name) + ": " + e.Detail.Message
}

// Unwrap returns the error that e was made of.
func (e *Error) Unwrap() error { return e.cause }

// GetStatus returns the HTTP status. It makes *Error a huma.StatusError.
func (e *Error) GetStatus() int { return e.kind().Status }

func (e *Error) kind() Kind { return kinds[e.Detail.Name] }

// Problem returns the RFC 9457 form.
func (e *Error) Problem() Problem {
	kind := e.kind()
	out := Problem{
		Type: "/errors/" + string(e.Detail.Name), Title: kind.Title, Status: kind.Status, Detail: e.Detail.Message,
		Code: e.Detail.Name, RequestID: e.RequestID, Retryable: kind.Retryable,
	}
	for _, f := range e.ordered {
		out.Errors = append(out.Errors, ProblemField{f.Field, f.Reason})
	}
	return out
}

const typeProblem = "application/problem+json"

// wantsProblem reports whether Accept lists problem+json, and application/json with no more weight.
// Wildcards do not count.
func wantsProblem(accept []string) bool {
	weights := map[string]string{}
	for item := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		if media, params, err := mime.ParseMediaType(item); err == nil {
			weights[media] = cmp.Or(params["q"], "1")
		}
	}
	problem, _ := decimal.NewFromString(weights[typeProblem])
	plain, _ := decimal.NewFromString(weights["application/json"])
	return problem.IsPositive() && problem.GreaterThanOrEqual(plain)
}

// Prepare sets the headers of an error response and returns its body, in the form that the request
// prefers. The request ID is also in the response header X-Request-Id.
func (e *Error) Prepare(h http.Header, accept []string) any {
	out := *e
	out.RequestID = h.Get(RequestIDHeader)
	for _, name := range []string{"ETag", "Content-Encoding", "Content-Length"} {
		h.Del(name)
	}
	h.Set("Cache-Control", "no-store")
	h.Add("Vary", "Accept")
	if e.RetryAfter > 0 {
		h.Set("Retry-After", Seconds(e.RetryAfter))
	}
	switch e.Detail.Name {
	case MethodNotAllowed:
		h.Set("Allow", e.Allow)
	case Unauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	case UnsupportedMediaType:
		h.Set("Accept-Encoding", "identity")
	default: // no header of its own
	}
	if wantsProblem(accept) {
		h.Set("Content-Type", typeProblem)
		return out.Problem()
	}
	h.Set("Content-Type", "application/json")
	return &out
}

// Write sends an error response.
func (e *Error) Write(w http.ResponseWriter, r *http.Request) {
	body := Encode(e.Prepare(w.Header(), r.Header["Accept"]))
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(e.GetStatus())
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// Encode returns v as JSON without HTML escapes. v must be encodable.
func Encode(v any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// Seconds formats a duration for Retry-After: whole seconds, rounded up, at least one.
func Seconds(d time.Duration) string {
	return strconv.FormatInt(max(1, int64((d+time.Second-1)/time.Second)), 10)
}
