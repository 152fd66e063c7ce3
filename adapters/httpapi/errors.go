package httpapi

import (
	"cmp"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
	"causeway/core"
	"causeway/core/addresses"
)

// retryRequested is the Retry-After of an outage that a sandbox returns on request.
const retryRequested = 5 * time.Second

// setUpHuma sets how huma words and reports errors, once, because these are variables of packages.
var setUpHuma = sync.OnceFunc(func() {
	envelope.SetUp()
	envelope.IsSecret = addresses.Secret
})

// WriteError writes an error as the API does, from middleware inside API.Handler.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	e := apierror.From(err)
	requestFrom(r.Context()).logCause(e)
	e.Write(w, r)
}

// logError is a huma transformer: it logs the causes of error responses.
func logError(ctx huma.Context, _ string, v any) (any, error) {
	if e, ok := v.(*apierror.Error); ok {
		requestFrom(ctx.Context()).logCause(e)
	}
	return v, nil
}

// requestedError returns the error that a request calls for, in a sandbox, or nil.
func (a *API) requestedError(r *http.Request) error {
	outcome := a.config.Outcome(r)
	name := apierror.Name(outcome.Error)
	kind, known := name.Kind()
	if !known {
		return nil
	}
	message := kind.Title + ". The sandbox returned this error on request: " + outcome.Name
	e := apierror.New(name, "%s", message)
	switch name {
	case apierror.RequestValidation:
		e = apierror.Invalid(core.FieldError{Field: "sandbox", Reason: message})
		e.Detail.Message = message
	case apierror.MethodNotAllowed:
		e.Allow, _ = a.methods(r)
	case apierror.TooManyRequests, apierror.ServiceUnavailable:
		e.RetryAfter = retryRequested
	default: // needs no header
	}
	e.RetryAfter = cmp.Or(outcome.RetryAfter, e.RetryAfter)
	return e
}

// appendError appends an error of a service, which may be nil, to the errors of a Resolve method.
func appendError(errs []error, err error) []error {
	if err != nil {
		errs = append(errs, err)
	}
	return errs
}

// quoted quotes a value that a client sent, unless it is a secret.
func quoted(value string) string {
	if addresses.Secret(value) {
		return "a value that looks like a private key or recovery phrase"
	}
	return core.Quoted(value)
}
