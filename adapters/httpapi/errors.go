package httpapi

import (
	"context"
	"net/http"
	"sync"

	"causeway/adapters/httpapi/apierror"
	"causeway/adapters/httpapi/apierror/envelope"
	"causeway/core"
	"causeway/core/addresses"
)

// setUpHuma sets how huma words and reports errors, once, because these are variables of packages.
var setUpHuma = sync.OnceFunc(func() {
	envelope.SetUp()
	envelope.IsSecret = addresses.Secret
})

// apiError converts an error of a handler and logs its cause. It is the only place where service
// errors become responses.
func apiError(ctx context.Context, err error) *apierror.Error {
	e := apierror.From(err)
	requestFrom(ctx).logCause(e)
	return e
}

// WriteError writes an error as the API does, from middleware inside API.Handler.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	apiError(r.Context(), err).Write(w, r)
}

// NewError returns an error of the contract by its name, as a sandbox needs it, or false if there
// is no such name. why completes the usual message.
func NewError(name, why string) (*apierror.Error, bool) {
	kind, known := apierror.Name(name).Kind()
	if !known {
		return nil, false
	}
	message := kind.Title
	if why != "" {
		message += ". " + why
	}
	if name == string(apierror.RequestValidation) {
		e := apierror.Invalid(core.FieldError{Field: "sandbox", Reason: message})
		e.Detail.Message = message
		return e, true
	}
	return apierror.New(apierror.Name(name), "%s", message), true
}

// appendError appends an error of a service to those that a Resolve method returns. It may be nil.
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
