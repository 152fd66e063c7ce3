package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"causeway/adapters/httpapi/apierror"
	"causeway/adapters/httpapi/apierror/validation"
	"causeway/core"
	"causeway/core/addresses"
)

// setUpHuma sets huma's package variables, once: how it words and reports errors.
var setUpHuma = sync.OnceFunc(func() {
	validation.SetUp()
	huma.NewError = newError
})

// privateFields hold values that an error never repeats.
var privateFields = []string{"account_number", "account_name", "address", "document_number", "items", "memo", "q"}

// valuesAt maps fields to the operation that lists their accepted values.
var valuesAt = map[string]string{
	"bank_code": "/v1/banks", "country": "/v1/countries", "country_id": "/v1/countries", "country_code": "/v1/countries",
	"currency": "/v1/currencies", "currency_id": "/v1/countries", "network": "/v1/currencies",
}

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

// transformError is a huma transformer: it sets the headers of error responses and chooses their
// form.
func transformError(ctx huma.Context, _ string, v any) (any, error) {
	e, ok := v.(*apierror.Error)
	if !ok {
		return v, nil
	}
	r, w := humago.Unwrap(ctx)
	return e.Prepare(w.Header(), r.Header["Accept"]), nil
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

// fieldError is a field error of our own. Its reason is final, unlike that of a huma.ErrorDetail.
type fieldError = validation.FieldError

// fieldErrors splits an error of a service into errors that huma adds to its own. They are returned
// by Resolve methods.
func fieldErrors(err error) []error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*core.Error](err)
	if !ok || len(e.Fields) == 0 {
		return []error{err}
	}
	out := make([]error, 0, len(e.Fields))
	for _, f := range e.Fields {
		out = append(out, fieldError(f))
	}
	return out
}

// newError builds the one error of a request from everything that huma found: an unreadable body,
// or all fields at fault.
func newError(status int, _ string, errs ...error) huma.StatusError {
	fields, err := validation.Fields(errs, reason)
	if err != nil {
		return err
	}
	fields = slices.DeleteFunc(fields, func(f core.FieldError) bool { // sent, in another spelling
		return f.Reason == validation.Required && slices.ContainsFunc(fields,
			func(other core.FieldError) bool { return otherSpellings[other.Field] == f.Field })
	})
	return validation.Error(status, fields)
}

// reason completes an error of huma's validation with the value and where to find accepted ones.
func reason(field string, d *huma.ErrorDetail) string {
	if d.Value == nil {
		return validation.Required
	}
	value, isText := d.Value.(string)
	if !isText || slices.Contains(privateFields, field) {
		return d.Message
	}
	if slices.ContainsFunc(append(splitList(value), value), addresses.Secret) {
		return secretReason
	}
	text := "is " + core.Quoted(value) + "; " + d.Message
	if path, ok := valuesAt[field]; ok {
		text += ". See GET " + path
	}
	return text
}

const secretReason = "looks like a private key or recovery phrase, which is not repeated here; never send it to anybody"

// quoted quotes a value that a client sent, unless it is a secret.
func quoted(value string) string {
	if addresses.Secret(value) {
		return "a value that looks like a private key or recovery phrase"
	}
	return core.Quoted(value)
}
