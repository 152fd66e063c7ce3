package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/danielgtaylor/huma/v2/validation"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
	"causeway/core/addresses"
)

// setUpHuma sets huma's package variables, once.
var setUpHuma = sync.OnceFunc(func() {
	huma.DefaultArrayNullable = false
	huma.NewError = func(status int, _ string, errs ...error) huma.StatusError { return newError(nil, status, errs) }
	huma.NewErrorWithContext = func(ctx huma.Context, status int, _ string, errs ...error) huma.StatusError {
		return newError(rulesOf(ctx), status, errs)
	}
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
	e := apiError(r.Context(), err)
	exhaust(w.Header(), e)
	e.Write(w, r)
}

// transformError is a huma transformer: it sets the headers of error responses and chooses their
// form.
func transformError(ctx huma.Context, _ string, v any) (any, error) {
	e, ok := v.(*apierror.Error)
	if !ok {
		return v, nil
	}
	r, w := humago.Unwrap(ctx)
	exhaust(w.Header(), e)
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
func newError(rules fieldRules, status int, errs []error) *apierror.Error {
	var fields []core.FieldError
	for _, err := range errs {
		switch e := err.(type) { //nolint:errorlint // the types that huma and Resolve return, unwrapped
		case fieldError:
			fields = addField(fields, core.FieldError(e))
		case *huma.ErrorDetail:
			f, bad := rules.fieldError(e)
			if bad != nil {
				return bad
			}
			fields = addField(fields, f)
		default:
			return apierror.From(err)
		}
	}
	fields = slices.DeleteFunc(fields, func(f core.FieldError) bool { // it was sent, under another name
		return strings.HasPrefix(f.Reason, required) &&
			slices.ContainsFunc(fields, func(other core.FieldError) bool { return rules[other.Field].same == f.Field })
	})
	switch {
	case len(fields) > 0:
		return apierror.Invalid(fields...)
	case status == http.StatusBadRequest:
		return apierror.New(apierror.BadRequest, "The body is empty; send a JSON object")
	case status == http.StatusNotFound:
		return apierror.New(apierror.NotFound, "Not found")
	}
	return apierror.New(apierror.InternalServerError, "Internal error")
}

const required = "is required"

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

// fieldRules are the rules of an operation's fields, by name. They word the errors of huma's
// validation.
type fieldRules map[string]fieldRule

// fieldRule is what the tags of a field say about it.
type fieldRule struct {
	accepted string // enum
	max      int    // maxLength, or maxItems of a list
	see      string // the path of the operation that lists accepted values
	private  bool   // an error never repeats the value
	same     string // the field that this one is another spelling of
}

// rulesKey is the key of the rules in huma.Operation.Metadata.
const rulesKey = "fieldRules"

// rulesOf returns the rules of the fields of an operation.
func rulesOf(ctx huma.Context) fieldRules {
	rules, _ := ctx.Operation().Metadata[rulesKey].(fieldRules)
	return rules
}

// newFieldRules reads the tags of an input type: parameters, and the members of its body.
func newFieldRules(input reflect.Type) fieldRules {
	rules := fieldRules{}
	for _, f := range reflect.VisibleFields(input) {
		if f.Name == "Body" && f.Type.Kind() == reflect.Struct {
			maps.Copy(rules, newFieldRules(f.Type))
			continue
		}
		name := ""
		for _, tag := range []string{"query", "path", "json"} {
			if value, _, _ := strings.Cut(f.Tag.Get(tag), ","); value != "" {
				name = value
			}
		}
		if name == "" {
			continue
		}
		longest, _ := strconv.Atoi(cmp.Or(f.Tag.Get("maxLength"), f.Tag.Get("maxItems")))
		rules[name] = fieldRule{
			accepted: strings.ReplaceAll(f.Tag.Get("enum"), ",", ", "), max: longest, see: f.Tag.Get("see"),
			private: f.Tag.Get("private") != "",
			same:    f.Tag.Get("same"),
		}
	}
	return rules
}

// fieldError words an error of huma's validation, or returns the error of the whole body.
func (r fieldRules) fieldError(d *huma.ErrorDetail) (core.FieldError, *apierror.Error) {
	before, after, _ := strings.Cut(validation.MsgExpectedRequiredProperty, "%s")
	if name, ok := strings.CutPrefix(d.Message, before); ok {
		return core.FieldError{Field: strings.TrimSuffix(name, after), Reason: required}, nil
	}
	if d.Location == "body" || d.Location == "" {
		return core.FieldError{}, unreadable(d)
	}
	_, name, _ := strings.Cut(d.Location, ".")
	return core.FieldError{Field: name, Reason: r[name].reason(d)}, nil
}

// unreadable says why a body is not a JSON object. It repeats none of it.
func unreadable(d *huma.ErrorDetail) *apierror.Error {
	if d.Message == validation.MsgExpectedObject {
		return apierror.New(apierror.BadRequest, "The body is %s; send a JSON object", jsonKind(d.Value))
	}
	sent, _ := d.Value.(string)
	switch {
	case strings.TrimSpace(sent) == "":
		return apierror.New(apierror.BadRequest, "The body is empty; send a JSON object")
	case strings.Contains(d.Message, "unexpected end"):
		return apierror.New(apierror.BadRequest, "The body ends in the middle of the JSON object; send all of it")
	// the last of several spellings of a name was validated, another one decoded
	case strings.Contains(d.Message, "cannot unmarshal"):
		return apierror.New(apierror.BadRequest, "A field of the body occurs several times with different "+
			"types; send each field once")
	case strings.Contains(d.Message, "after top-level value"):
		return apierror.New(apierror.BadRequest, "The body goes on after the JSON object; send one object")
	}
	return apierror.New(apierror.BadRequest, "The body is not valid JSON; send a JSON object")
}

// reason words an error of huma's validation: what is wrong, the value given, what is accepted and
// where to find it.
func (f fieldRule) reason(d *huma.ErrorDetail) string {
	if list, ok := d.Value.([]any); ok && d.Message != validation.MsgExpectedString {
		if len(list) == 0 {
			return fmt.Sprintf("is empty; send 1 to %d items", f.max)
		}
		return fmt.Sprintf("has %d items; at most %d are accepted", len(list), f.max)
	}
	value, isText := d.Value.(string)
	length, see := utf8.RuneCountInString(value), ""
	if f.see != "" {
		see = ". See GET " + f.see
	}
	switch {
	case d.Value == nil:
		return required
	case d.Message == validation.MsgExpectedArray:
		return "must be an array; it is " + jsonKind(d.Value)
	case !isText && d.Message == validation.MsgExpectedString:
		return "must be a string in quotes; it is " + jsonKind(d.Value)
	case !isText:
		return d.Message
	case f.private && f.max > 0 && length > f.max:
		return fmt.Sprintf("is %d characters long; at most %d are accepted", length, f.max)
	case f.private:
		return d.Message
	case addresses.Secret(value):
		return secretReason
	case f.accepted != "":
		return "is " + core.Quoted(value) + "; accepted: " + f.accepted
	case f.max > 0 && length > f.max:
		return fmt.Sprintf("%s is %d characters long; at most %d are accepted%s", core.Quoted(value), length, f.max,
			see)
	}
	return core.Quoted(value) + " is not accepted: " + d.Message + see
}

const secretReason = "looks like a private key or recovery phrase, which is not repeated here; never send it to anybody"

// quoted quotes a value that a client sent, unless it is a secret.
func quoted(value string) string {
	if addresses.Secret(value) {
		return "a value that looks like a private key or recovery phrase"
	}
	return core.Quoted(value)
}

// jsonKind names the kind of a decoded JSON value.
func jsonKind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case float64:
		return "a number"
	case []any:
		return "an array"
	}
	return "an object"
}
