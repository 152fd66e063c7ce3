package httpapi

import (
	"context"
	"maps"
	"reflect"
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
	op.Metadata = map[string]any{rulesKey: newFieldRules(reflect.TypeFor[I]())}
	a.operations[op.Path] = a.newOperation(op.OperationID, op.Path)
	if !op.Hidden {
		a.byRoute[op.Method+" "+op.Path] = op.OperationID
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

// envelopeSchema describes the envelope of a success.
func envelopeSchema(data *huma.Schema, message string) *huma.Schema {
	sentence := &huma.Schema{Type: huma.TypeString, Description: "A sentence for people"}
	if message != "" {
		sentence.Examples = []any{message}
	}
	return &huma.Schema{
		Type: huma.TypeObject, Required: []string{"status", "message", "data"}, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{
			"status":  {Type: huma.TypeString, Enum: []any{"success"}, Description: "Always success"},
			"message": sentence,
			"data":    data,
		},
	}
}

// body describes a request body of at most limit bytes, with examples that can be sent as they are.
func requestBody(limit int, examples map[string]*huma.Example) *huma.RequestBody {
	return &huma.RequestBody{
		Required: true,
		Description: "A JSON object of at most " + strconv.Itoa(limit) + " bytes; the Content-Type does not " +
			"matter. Unknown fields are ignored; null counts as absent.",
		Content: map[string]*huma.MediaType{"application/json": {Examples: examples}},
	}
}

// responses describes the success of an operation, with data of the type of example, and its
// errors.
func (a *API) responses(doc, message string, example any, names ...apierror.Name) map[string]*huma.Response {
	schemas := a.huma.OpenAPI().Components.Schemas
	out := map[string]*huma.Response{"200": {
		Description: doc,
		Headers:     map[string]*huma.Param{},
		Content: map[string]*huma.MediaType{"application/json": {
			Schema:  envelopeSchema(schemas.Schema(reflect.TypeOf(example), true, ""), message),
			Example: map[string]any{"status": "success", "message": message, "data": example},
		}},
	}}
	a.addErrors(out, names...)
	return out
}

// cached adds to responses what encoded responses have.
func cached(responses map[string]*huma.Response) map[string]*huma.Response {
	responses["200"].Headers["ETag"] = textHeader("Strong validator; send it in If-None-Match to get 304 as "+
		"long as nothing changed", "")
	responses["200"].Headers["Cache-Control"] = textHeader("How long the response may be cached", "")
	responses["304"] = &huma.Response{
		Description: "The response that If-None-Match names is still current; there is no body",
		Headers:     map[string]*huma.Param{},
	}
	return responses
}

func textHeader(doc, example string) *huma.Param {
	schema := &huma.Schema{Type: huma.TypeString}
	if example != "" {
		schema.Examples = []any{example}
	}
	return &huma.Param{Description: doc, Schema: schema}
}

const exampleID = "req_5f0c2v7q9k3m1"

// addErrors describes errors in both of their forms. Errors of one status share a response.
func (a *API) addErrors(all map[string]*huma.Response, names ...apierror.Name) {
	schemas := a.huma.OpenAPI().Components.Schemas
	for _, name := range names {
		kind, _ := name.Kind()
		status := strconv.Itoa(kind.Status)
		response := all[status]
		if response == nil {
			response = &huma.Response{
				Description: kind.Title, Headers: map[string]*huma.Param{},
				Content: map[string]*huma.MediaType{
					"application/json": {
						Schema: schemaOf[apierror.Error](schemas), Examples: map[string]*huma.Example{},
					},
					"application/problem+json": {
						Schema: schemaOf[apierror.Problem](schemas), Examples: map[string]*huma.Example{},
					},
				},
			}
			all[status] = response
		} else if response.Content["application/json"].Examples[string(name)] == nil {
			response.Description += ", or: " + strings.ToLower(kind.Title[:1]) + kind.Title[1:]
		}
		if name == apierror.ServiceUnavailable || name == apierror.TooManyRequests {
			response.Headers["Retry-After"] = &huma.Param{
				Description: "Seconds to wait before a retry",
				Schema:      &huma.Schema{Type: huma.TypeString, Pattern: "^[0-9]+$", Examples: []any{"5"}},
			}
		}
		example := apierror.New(name, "%s", kind.Title)
		if name == apierror.RequestValidation {
			example = apierror.Invalid(core.FieldError{Field: "type", Reason: `is "shell"; accepted: fiat, crypto`})
		}
		example.RequestID = exampleID
		for contentType, value := range map[string]any{
			"application/json": example, "application/problem+json": example.Problem(),
		} {
			response.Content[contentType].Examples[string(name)] = &huma.Example{Summary: kind.Title, Value: value}
		}
	}
}

// completeDocument adds what all operations have in common: errors, security, and headers.
func (a *API) completeDocument() {
	common := map[string]*huma.Param{apierror.RequestIDHeader: {
		Description: "ID of the request, for support",
		Schema:      &huma.Schema{Type: huma.TypeString, Pattern: "^req_[0-9A-Za-z]{12,}$", Examples: []any{exampleID}},
	}}
	for _, h := range a.config.Headers.Response {
		common[h.Name] = textHeader(h.Doc, "")
	}
	for _, item := range a.huma.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post} {
			if op != nil {
				a.completeOperation(op, common)
			}
		}
	}
}

func (a *API) completeOperation(op *huma.Operation, common map[string]*huma.Param) {
	always := []apierror.Name{apierror.TooManyRequests, apierror.InternalServerError, apierror.ServiceUnavailable}
	if a.operations[op.Path].keyed {
		always = append(always, apierror.Unauthorized, apierror.Forbidden)
		op.Security = []map[string][]string{{"bearer": {}}}
	}
	for _, name := range a.config.Headers.Errors {
		always = append(always, apierror.Name(name))
	}
	a.addErrors(op.Responses, always...)
	for _, p := range op.Parameters { // once, at the parameter
		p.Explode = nil
		if len(p.Schema.Examples) > 0 {
			p.Example = p.Schema.Examples[0]
		}
		p.Schema.Description, p.Schema.Examples = "", nil
	}
	for _, h := range a.config.Headers.Request {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: h.Name, In: "header", Description: h.Doc, Schema: &huma.Schema{Type: huma.TypeString},
		})
	}
	for _, response := range op.Responses {
		maps.Copy(response.Headers, common)
		if !a.operations[op.Path].None() {
			response.Headers["RateLimit"] = textHeader("Calls that may follow at once (r), and seconds until "+
				"more are allowed (t): "+
				"draft-ietf-httpapi-ratelimit-headers-10", `"list-pairs";r=1199;t=1`)
			response.Headers["RateLimit-Policy"] = textHeader("Calls of the caller (q) in a window of so many "+
				"seconds (w)", `"list-pairs";q=1200;w=60`)
			response.Headers[headerCalls] = textHeader("Calls of the policy", "1200")
		}
	}
}

// documentOnly keeps keywords of a schema in the document and out of huma's validation, because the
// services judge these fields, in any case and spelling, with better messages.
func documentOnly(s *huma.Schema, fields ...string) {
	for _, name := range fields {
		p := s.Properties[name]
		p.Extensions, p.Enum = map[string]any{"enum": p.Enum}, nil
	}
}
