package httpapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/zap"

	"causeway/core"
)

// errorBody is an error in the form that clients of this interface know.
type errorBody struct {
	Detail    errorDetail              `json:"error"`
	RequestID string                   `json:"request_id" doc:"Id of the request, as in X-Request-Id" example:"req_5f0c2v7q9k3m1"`
	Fields    map[string][]fieldReason `json:"fields,omitempty" doc:"What is wrong, by the name of the field or parameter"`
}

type errorDetail struct {
	Name    string `json:"name" doc:"Name of the error; /errors/<name> explains it" example:"not_found"`
	Message string `json:"message" doc:"What was wrong, what is accepted and how to find it" example:"No account 0123456780 at that bank"`
}

type fieldReason struct {
	Reason string `json:"reason" doc:"What is wrong with the field" example:"is required"`
}

// problemBody is the same error as RFC 9457 has it.
type problemBody struct {
	Type      string         `json:"type" doc:"Path of a page that explains the error" example:"/errors/not_found"`
	Title     string         `json:"title" doc:"What errors of this name have in common" example:"Not found"`
	Status    int            `json:"status" doc:"The HTTP status" example:"404"`
	Detail    string         `json:"detail" doc:"What was wrong, what is accepted and how to find it" example:"No pair BTCXYZ"`
	Code      string         `json:"code" doc:"Name of the error" example:"not_found"`
	Errors    []problemField `json:"errors,omitempty" doc:"What is wrong, field by field"`
	RequestID string         `json:"request_id" doc:"Id of the request, as in X-Request-Id" example:"req_5f0c2v7q9k3m1"`
	Retryable bool           `json:"retryable" doc:"Whether the same request may succeed later, unchanged" example:"false"`
}

type problemField struct {
	Field  string `json:"field" doc:"Name of the field or parameter" example:"bank_code"`
	Reason string `json:"reason" doc:"What is wrong with it" example:"is required"`
}

// problem answers with an error. It is the one place that logs failures: the cause goes to the log, the message to the client.
func (a *API) problem(x *exchange, err error) {
	f := failureOf(err)
	a.logFailure(x, f)
	if x.status != 0 {
		panic(http.ErrAbortHandler) // half an answer is out: cut it off rather than let it look whole
	}
	kind := errorKinds[f.name]
	asProblem := wantsProblem(x.r.Header[headerAccept])
	h := x.w.Header()
	delete(h, headerETag)
	delete(h, headerEncoding)
	h[headerType], h[headerCacheControl], h[headerVary] = typeJSON, noStore, a.varyError
	if asProblem {
		h[headerType] = typeProblem
	}
	if f.retryAfter > 0 {
		h.Set(headerRetryAfter, seconds(f.retryAfter))
	}
	x.retell(f)
	if f.allow != "" {
		h.Set(headerAllow, f.allow)
	}
	if f.name == unauthorized {
		h["Www-Authenticate"] = bearer
	}
	if f.name == unsupportedMediaType {
		h[headerAcceptEncoding] = onlyIdentity
	}
	body := f.encode(x.id, asProblem)
	h.Set(headerLength, strconv.Itoa(len(body)))
	x.WriteHeader(kind.status)
	_, _ = x.Write(body)
}

func (f *failure) encode(id string, asProblem bool) []byte {
	var out bytes.Buffer
	var body any
	if asProblem {
		body = f.problem(id)
	} else {
		body = f.envelope(id)
	}
	// A value that a client sent may be quoted in a message, so what is not UTF-8 is replaced rather than refused.
	if err := json.MarshalWrite(&out, body, json.Deterministic(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func (f *failure) envelope(id string) errorBody {
	body := errorBody{Detail: errorDetail{Name: string(f.name), Message: f.message}, RequestID: id}
	for _, fault := range f.fields {
		if body.Fields == nil {
			body.Fields = make(map[string][]fieldReason, len(f.fields))
		}
		body.Fields[fault.Field] = append(body.Fields[fault.Field], fieldReason{fault.Reason})
	}
	return body
}

func (f *failure) problem(id string) problemBody {
	kind := errorKinds[f.name]
	body := problemBody{
		Type: "/errors/" + string(f.name), Title: kind.title, Status: kind.status, Detail: f.message,
		Code: string(f.name), RequestID: id, Retryable: kind.retryable,
	}
	for _, fault := range f.fields {
		body.Errors = append(body.Errors, problemField{fault.Field, fault.Reason})
	}
	return body
}

func (a *API) logFailure(x *exchange, f *failure) {
	if f.err == nil || errors.Is(f.err, context.Canceled) {
		return
	}
	fields := x.withTrace([]zap.Field{zap.String("operation", x.op.id), zap.String("request_id", x.id), zap.Error(f.err)})
	var e *core.Error
	switch {
	case f.name == internalServerError:
		a.log.Error("request failed", fields...)
	case f.name == serviceUnavailable && errors.As(f.err, &e) && e.Unwrap() != nil:
		a.log.Warn("request not answered", fields...)
	}
}
