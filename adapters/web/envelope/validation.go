package envelope

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"causeway/adapters/web/apierror"
	"causeway/core"
)

// Required is the reason of a field that is missing.
const Required = "is required"

const (
	missingField     = "missing field "
	unknownParameter = "unknown query parameter" // huma's words
)

// SetUp sets variables of huma's packages, once: how it words and reports errors.
var SetUp = sync.OnceFunc(func() {
	huma.DefaultArrayNullable = false
	huma.NewError = func(status int, _ string, errs ...error) huma.StatusError { return NewError(status, errs) }
	validation.MsgUnexpectedProperty = "is not a known field"
	validation.MsgExpectedRequiredProperty = missingField + "%s"
	validation.MsgExpectedOneOf = "accepted: %s"
	validation.MsgExpectedBePattern = "must be %s"
	validation.MsgExpectedMinLength = "must have at least %d characters"
	validation.MsgExpectedMaxLength = "must have at most %d characters"
	validation.MsgExpectedMinItems = "must have %d items or more"
	validation.MsgExpectedMaxItems = "must have at most %d items"
	validation.MsgExpectedString = "must be a string in quotes"
	validation.MsgExpectedInteger = "must be a whole number without quotes"
	validation.MsgExpectedBoolean = "must be true or false"
	validation.MsgExpectedMinimumNumber = "must be at least %v"
	validation.MsgExpectedMaximumNumber = "must be at most %v"
	validation.MsgExpectedRFC3339DateTime = "must be a time such as 2026-11-16T12:00:00Z"
	validation.MsgExpectedArray = "must be an array"
	validation.MsgExpectedObject = "must be an object"
})

// NewError builds the one error of a request from what huma and the services found: an unreadable
// body, all fields at fault, each with its first error, or the error of a handler. Without errors,
// huma found an empty body or an error of ours.
func NewError(status int, errs []error) *apierror.Error {
	if len(errs) == 1 && !isDetail(errs[0]) {
		return apierror.From(errs[0])
	}
	var fields []core.FieldError
	for _, err := range errs {
		detail, ok := errors.AsType[*huma.ErrorDetail](err)
		if !ok {
			e, ok := errors.AsType[*core.Error](err)
			if !ok || len(e.Fields) == 0 {
				return apierror.From(err)
			}
			for _, f := range e.Fields {
				fields = addField(fields, f)
			}
			continue
		}
		_, name, inside := strings.Cut(detail.Location, ".")
		switch missing, ok := strings.CutPrefix(detail.Message, missingField); {
		case ok && inside:
			fields = addField(fields, core.FieldError{Field: name + "." + missing, Reason: Required})
		case ok:
			fields = addField(fields, core.FieldError{Field: missing, Reason: Required})
		case inside && detail.Message == unknownParameter:
			fields = addField(fields, core.FieldError{Field: name, Reason: "is not a parameter of this operation"})
		case inside:
			fields = addField(fields, core.FieldError{Field: name, Reason: reason(name, detail)})
		default:
			return unreadable(detail)
		}
	}
	fields = slices.DeleteFunc(fields, func(f core.FieldError) bool { // sent, in another spelling
		return f.Reason == Required && slices.ContainsFunc(fields,
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

// isDetail reports whether an error is one of huma's validation.
func isDetail(err error) bool {
	_, ok := errors.AsType[*huma.ErrorDetail](err)
	return ok
}

// Secret is the reason of a field with a secret, which no error repeats.
const Secret = "looks like a private key or recovery phrase, which is not repeated here; never send it to anybody"

// IsSecret reports whether a value is a secret that no error may repeat. The public API sets it.
var IsSecret = func(string) bool { return false }

// privateFields hold values that an error never repeats.
var privateFields = []string{"account_number", "account_name", "address", "document_number", "items", "memo", "q"}

// valuesAt maps fields to the operation that lists their accepted values.
var valuesAt = map[string]string{
	"bank_code": "/v1/banks", "country": "/v1/countries", "country_id": "/v1/countries", "country_code": "/v1/countries",
	"currency": "/v1/currencies", "currency_id": "/v1/countries", "network": "/v1/currencies",
}

// otherSpellings maps spellings that are accepted for a field to its name.
var otherSpellings = map[string]string{
	"currency": "currency_id", "country": "country_id", "country_code": "country_id",
}

// reason completes an error of huma's validation with the value and where to find accepted ones.
func reason(field string, d *huma.ErrorDetail) string {
	if d.Value == nil || d.Value == "" {
		return Required
	}
	value, isText := d.Value.(string)
	if !isText || slices.Contains(privateFields, field) {
		return d.Message
	}
	if slices.ContainsFunc(append(strings.Split(value, ","), value), IsSecret) {
		return Secret
	}
	text := "is " + core.Quoted(value) + "; " + d.Message
	if path, ok := valuesAt[field]; ok {
		text += ". See GET " + path
	}
	return text
}

// addField adds the first error of each field. A reason that only says that a field is required
// yields to one that adds more.
func addField(fields []core.FieldError, f core.FieldError) []core.FieldError {
	i := slices.IndexFunc(fields, func(have core.FieldError) bool { return have.Field == f.Field })
	switch {
	case i < 0:
		return append(fields, f)
	case fields[i].Reason == Required && strings.HasPrefix(f.Reason, Required):
		fields[i] = f
	}
	return fields
}

// unreadable says why a body is not a JSON object.
func unreadable(d *huma.ErrorDetail) *apierror.Error {
	switch {
	case d.Message == validation.MsgExpectedObject:
		return apierror.New(apierror.BadRequest, "The body is JSON, but not an object; send a JSON object")
	case strings.HasPrefix(d.Message, repeatedName):
		return apierror.New(apierror.BadRequest, "An object of the body has the same name twice; send each field once")
	case strings.HasPrefix(d.Message, "json: cannot unmarshal number"):
		return apierror.New(apierror.BadRequest, "A number of the body is too large, or not a whole one")
	}
	return apierror.New(apierror.BadRequest, "The body is not valid JSON: %s; send one JSON object", d.Message)
}
