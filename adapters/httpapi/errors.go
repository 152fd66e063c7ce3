package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/danielgtaylor/huma/v2/validation"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
	"causeway/core/addresses"
)

// Reasons of huma's validation that the code below recognizes.
const (
	required     = "is required"
	missingField = "missing field "
)

// setUpHuma sets huma's package variables, once: how it words and reports errors.
var setUpHuma = sync.OnceFunc(func() {
	huma.DefaultArrayNullable = false
	huma.NewError = newError
	validation.MsgExpectedRequiredProperty = missingField + "%s"
	validation.MsgExpectedOneOf = "accepted: %s"
	validation.MsgExpectedMinLength = "must have at least %d characters"
	validation.MsgExpectedMaxLength = "must have at most %d characters"
	validation.MsgExpectedMinItems = "must have %d items or more"
	validation.MsgExpectedMaxItems = "must have at most %d items"
	validation.MsgExpectedString = "must be a string in quotes"
	validation.MsgExpectedArray = "must be an array"
	validation.MsgExpectedObject = "must be an object"
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
type fieldError core.FieldError

// Error returns the field and the reason.
func (f fieldError) Error() string { return f.Field + " " + f.Reason }

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
	var fields []core.FieldError
	for _, err := range errs {
		if f, ok := errors.AsType[fieldError](err); ok {
			fields = addField(fields, core.FieldError(f))
			continue
		}
		detail, ok := errors.AsType[*huma.ErrorDetail](err)
		if !ok {
			return apierror.From(err)
		}
		if name, ok := strings.CutPrefix(detail.Message, missingField); ok {
			fields = addField(fields, core.FieldError{Field: name, Reason: required})
		} else if _, name, ok := strings.Cut(detail.Location, "."); ok {
			fields = addField(fields, core.FieldError{Field: name, Reason: reason(name, detail)})
		} else {
			return unreadable(detail)
		}
	}
	fields = slices.DeleteFunc(fields, func(f core.FieldError) bool { // sent, in another spelling
		return f.Reason == required && slices.ContainsFunc(fields,
			func(other core.FieldError) bool { return otherSpellings[other.Field] == f.Field })
	})
	switch {
	case len(fields) > 0:
		return apierror.Invalid(fields...)
	case status == http.StatusBadRequest:
		return apierror.New(apierror.BadRequest, "The body is empty; send a JSON object")
	}
	return apierror.New(apierror.InternalServerError, "Internal error")
}

// addField adds the first error of each field. A reason that only says that a field is required
// yields to one that adds more.
func addField(fields []core.FieldError, f core.FieldError) []core.FieldError {
	i := slices.IndexFunc(fields, func(have core.FieldError) bool { return have.Field == f.Field })
	switch {
	case i < 0:
		return append(fields, f)
	case fields[i].Reason == required && strings.HasPrefix(f.Reason, required):
		fields[i] = f
	}
	return fields
}

// unreadable says why a body is not a JSON object.
func unreadable(d *huma.ErrorDetail) *apierror.Error {
	switch {
	case d.Message == validation.MsgExpectedObject:
		return apierror.New(apierror.BadRequest, "The body is JSON, but not an object; send a JSON object")
	// Of several members with the same name, one was validated and another one decoded.
	case strings.HasPrefix(d.Message, "json: cannot unmarshal"):
		return apierror.New(apierror.BadRequest, "A field of the body occurs several times with different "+
			"types; send each field once")
	}
	return apierror.New(apierror.BadRequest, "The body is not valid JSON: %s; send one JSON object", d.Message)
}

// reason completes an error of huma's validation with the value and where to find accepted ones.
func reason(field string, d *huma.ErrorDetail) string {
	if d.Value == nil {
		return required
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
