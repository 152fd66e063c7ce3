// Package envelope makes huma respond in the envelopes of the HTTP APIs: it describes them in the
// OpenAPI documents and turns what huma finds wrong with a request into an apierror.Error. The
// public API and the control API of the simulator share it.
package envelope

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"causeway/adapters/web/apierror"
	"causeway/core"
)

// Success is the body of a successful response.
type Success[T any] struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Data    T      `json:"data"`
}

// NewSuccess returns the body with some data.
func NewSuccess[T any](message string, data T) Success[T] {
	return Success[T]{"success", message, data}
}

// Schema describes the envelope in place, without a component of its own.
func (Success[T]) Schema(r huma.Registry) *huma.Schema {
	data := r.Schema(reflect.TypeFor[T](), true, "")
	data.Description = "The result"
	return &huma.Schema{
		Type: huma.TypeObject, Required: []string{"status", "message", "data"}, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{
			"status":  {Type: huma.TypeString, Enum: []any{"success"}, Description: "Always success"},
			"message": {Type: huma.TypeString, Description: "A sentence for people", Examples: []any{"Success"}},
			"data":    data,
		},
	}
}

// TransformError is a huma transformer: it sets the headers of error responses and chooses their
// form.
func TransformError(ctx huma.Context, _ string, v any) (any, error) {
	e, ok := v.(*apierror.Error)
	if !ok {
		return v, nil
	}
	r, w := humago.Unwrap(ctx)
	return e.Prepare(w.Header(), r.Header["Accept"]), nil
}

// ExampleRequestID is the request ID of the examples.
const ExampleRequestID = "req_5f0c2v7q9k3m1"

// Document completes an operation of an OpenAPI document: it gives each parameter its example, and
// each error response a description and an example of every error name of its status.
func Document(op *huma.Operation) {
	delete(op.Responses, strconv.Itoa(http.StatusUnprocessableEntity)) // validation errors are 400
	for _, p := range op.Parameters {                                  // tools fill forms with it
		if len(p.Schema.Examples) > 0 {
			p.Example = p.Schema.Examples[0]
		}
	}
	for status, response := range op.Responses {
		content := response.Content["application/json"]
		var titles []string
		for _, name := range apierror.Names() {
			kind, _ := name.Kind()
			if strconv.Itoa(kind.Status) != status {
				continue
			}
			if titles = append(titles, kind.Title); content.Examples == nil {
				content.Examples = map[string]*huma.Example{}
			}
			content.Examples[string(name)] = &huma.Example{Summary: kind.Title, Value: exampleError(name, kind)}
		}
		if len(titles) > 0 {
			response.Description = strings.Join(titles, ", or: ")
		}
	}
}

func exampleError(name apierror.Name, kind apierror.Kind) *apierror.Error {
	example := apierror.New(name, "%s", kind.Title)
	if name == apierror.RequestValidation {
		// Not a field named type, whose list of reasons huma takes for the types of a schema in OpenAPI 3.0.
		example = apierror.Invalid(core.FieldError{Field: "country", Reason: `is "Nigeria"; accepted: a code such as NG`})
	}
	example.RequestID = ExampleRequestID
	return example
}
