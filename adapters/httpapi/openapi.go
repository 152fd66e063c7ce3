package httpapi

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
)

const description = "One HTTP API for the edges of a payment in Africa: the banks and wallets of a country, the " +
	"holder of an account, " +
	"the validity of a crypto address, and the price of a currency.\n\n" +
	"**Responses.** Success is `{\"status\":\"success\",\"message\":…,\"data\":…}`; an error is " +
	"`{\"error\":{\"name\":…,\"message\":…},\"request_id\":…}`, with `fields` if fields are at fault. With " +
	"`Accept: application/problem+json`, errors are RFC 9457 problems. Every error name has a page at " +
	"`/errors/<name>`.\n\n" +
	"**Numbers.** Amounts, prices and precisions are decimal strings. Times are RFC 3339 in UTC.\n\n" +
	"**Requests.** Unknown parameters and fields are ignored; codes are accepted in any case; paths must be " +
	"written exactly. Every response has an `X-Request-Id`; one that you send (`req_` and 12 or more " +
	"letters or digits) is kept. Lists have a strong `ETag` and are available in gzip and zstd."

const sandboxDescription = "\n\n**This is a sandbox.** Every bank account, name and price is simulated; nothing " +
	"here is real. The examples " +
	"can be sent as they are."

// newDocument returns the OpenAPI document, to which operations are added when they are registered.
func newDocument(config Config) *huma.OpenAPI {
	text, server := description, "This service"
	if config.Sandbox {
		text, server = description+sandboxDescription, "This sandbox: simulated data"
	}
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info:    &huma.Info{Title: "Causeway", Version: config.Version, Description: text},
		Servers: []*huma.Server{{URL: "/", Description: server}},
		Tags: []*huma.Tag{
			{Name: "Banks", Description: "Banks and other institutions that hold accounts"},
			{Name: "Recipients", Description: "The holders of accounts"},
			{Name: "Addresses", Description: "The validity of crypto addresses"},
			{Name: "Deposits", Description: "The addresses at which users receive transfers"},
			{Name: "Pairs", Description: "The prices of currencies"},
			{Name: "Reference", Description: "The meaning of codes"},
		},
		Components: &huma.Components{
			Schemas: huma.NewMapRegistry("#/components/schemas/", func(t reflect.Type, hint string) string {
				return strings.TrimSuffix(huma.DefaultSchemaNamer(t, hint), "Body")
			}),
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"bearer": {Type: "http", Scheme: "bearer", Description: "A key of this installation"},
			},
		},
	}
}

// register registers an operation. The result of handler is the response, its error becomes the
// error response.
func register[I, O any](a *API, op huma.Operation, handler func(context.Context, *I) (*O, error)) {
	own := a.newOperation(op.OperationID, op.Path)
	a.operations[op.Path] = own
	own.documented = !op.Hidden
	op.Errors = append(op.Errors,
		http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable)
	if own.keyed {
		op.Security = []map[string][]string{{"bearer": {}}}
		op.Errors = append(op.Errors, http.StatusUnauthorized, http.StatusForbidden)
	}
	for _, name := range a.config.Headers.Errors {
		kind, _ := apierror.Name(name).Kind()
		op.Errors = append(op.Errors, kind.Status)
	}
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := handler(ctx, in)
		if err != nil {
			return nil, apiError(ctx, err)
		}
		return out, nil
	})
}

// schemaOf describes T, by reference if it is a struct.
func schemaOf[T any](r huma.Registry) *huma.Schema { return r.Schema(reflect.TypeFor[T](), true, "") }

// requestBody describes a request body of at most limit bytes, with examples that can be sent as
// they are.
func requestBody(limit int, examples map[string]*huma.Example) *huma.RequestBody {
	return &huma.RequestBody{
		Required: true,
		Description: "A JSON object of at most " + strconv.Itoa(limit) + " bytes; the Content-Type does not " +
			"matter. Unknown fields are ignored; null counts as absent.",
		Content: map[string]*huma.MediaType{"application/json": {Examples: examples}},
	}
}

// successResponse describes the response of an operation whose output type does so, except in words.
func successResponse(description string) map[string]*huma.Response {
	return map[string]*huma.Response{"200": {Description: description}}
}

// encodedResponses describes the responses of an operation that responds with an encoded envelope
// of a T.
func encodedResponses[T any](a *API, description string) map[string]*huma.Response {
	return map[string]*huma.Response{
		"200": {
			Description: description,
			Headers: map[string]*huma.Param{
				"ETag":          textHeader("Strong validator; send it in If-None-Match to get 304 as long as nothing changed"),
				"Cache-Control": textHeader("How long the response may be cached"),
			},
			Content: map[string]*huma.MediaType{"application/json": {
				Schema: schemaOf[envelope[T]](a.huma.OpenAPI().Components.Schemas),
			}},
		},
		"304": {Description: "The response that If-None-Match names is still current; there is no body"},
	}
}

func textHeader(doc string, examples ...any) *huma.Param {
	return &huma.Param{Description: doc, Schema: &huma.Schema{Type: huma.TypeString, Examples: examples}}
}

const exampleID = "req_5f0c2v7q9k3m1"

// completeOperation documents what all operations have in common: headers, and an example of every
// error. huma calls it for each operation of the document.
func (a *API) completeOperation(_ *huma.OpenAPI, op *huma.Operation) {
	delete(op.Responses, "422")       // huma's own status of validation errors; here they are 400
	for _, p := range op.Parameters { // tools fill forms with it
		p.Example = p.Schema.Examples[0]
	}
	for _, h := range a.config.Headers.Request {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: h.Name, In: "header", Description: h.Doc, Schema: &huma.Schema{Type: huma.TypeString},
		})
	}
	headers := map[string]*huma.Param{apierror.RequestIDHeader: textHeader("ID of the request, for support", exampleID)}
	if !a.operations[op.Path].None() {
		headers["RateLimit"] = textHeader("Calls that may follow at once (r), and seconds until more are allowed "+
			"(t): draft-ietf-httpapi-ratelimit-headers-10", `"list-pairs";r=1199;t=1`)
		headers["RateLimit-Policy"] = textHeader("Calls of the caller (q) in a window of so many seconds (w)",
			`"list-pairs";q=1200;w=60`)
		headers[headerCalls] = textHeader("Calls of the policy", "1200")
	}
	for _, h := range a.config.Headers.Response {
		headers[h.Name] = textHeader(h.Doc)
	}
	kinds := apierror.Kinds()
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		response := op.Responses[strconv.Itoa(kinds[name].Status)]
		if response != nil && (name != apierror.BadRequest || op.RequestBody != nil) {
			documentError(response, name, kinds[name])
		}
	}
	for _, response := range op.Responses {
		if response.Headers == nil {
			response.Headers = map[string]*huma.Param{}
		}
		maps.Copy(response.Headers, headers)
	}
}

// documentError adds an error to the response with its status.
func documentError(response *huma.Response, name apierror.Name, kind apierror.Kind) {
	content := response.Content["application/json"]
	if content.Examples == nil {
		content.Examples, response.Headers = map[string]*huma.Example{}, map[string]*huma.Param{}
		response.Description = kind.Title
	} else {
		response.Description += ", or: " + strings.ToLower(kind.Title[:1]) + kind.Title[1:]
	}
	if name == apierror.ServiceUnavailable || name == apierror.TooManyRequests {
		response.Headers["Retry-After"] = textHeader("Seconds to wait before a retry", "5")
	}
	example := apierror.New(name, "%s", kind.Title)
	if name == apierror.RequestValidation {
		example = apierror.Invalid(core.FieldError{Field: "type", Reason: `is "shell"; accepted: fiat, crypto`})
	}
	example.RequestID = exampleID
	content.Examples[string(name)] = &huma.Example{Summary: kind.Title, Value: example}
}

// documentOnly keeps keywords of a schema in the document and out of huma's validation, because the
// services judge these fields, in any case and spelling, with better messages.
func documentOnly(s *huma.Schema, fields ...string) {
	for _, name := range fields {
		p := s.Properties[name]
		p.Extensions, p.Enum = map[string]any{"enum": p.Enum}, nil
	}
}
