package httpapi

import (
	"context"
	"embed"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
	"causeway/core"
)

//go:embed descriptions/*.md
var descriptions embed.FS

// exampleFiles hold the responses to the example requests of operations, with long lists shortened.
//
//go:embed examples/*.json
var exampleFiles embed.FS

// exampleResponses returns the responses to the example requests of an operation, by the name of the request.
func exampleResponses(id string) map[string]*huma.Example {
	file, err := exampleFiles.ReadFile("examples/" + id + ".json")
	if err != nil {
		return nil // the fields have examples
	}
	var bodies map[string]json.RawMessage
	if err := json.Unmarshal(file, &bodies); err != nil {
		panic(err) // it is embedded
	}
	examples := map[string]*huma.Example{}
	for name, body := range bodies {
		examples[name] = &huma.Example{Summary: "Response to the example of a request; lists are shortened", Value: body}
	}
	return examples
}

// describe returns the description of the API or of an operation, with what a sandbox adds to it.
func describe(subject string, sandbox bool) string {
	text, err := descriptions.ReadFile("descriptions/" + subject + ".md")
	if err != nil {
		panic(err) // it is embedded
	}
	if more, err := descriptions.ReadFile("descriptions/" + subject + "-sandbox.md"); sandbox && err == nil {
		text = slices.Concat(text, []byte("\n"), more)
	}
	return strings.TrimSpace(string(text))
}

// newDocument returns the OpenAPI document, to which operations are added when they are registered.
func newDocument(config Config) *huma.OpenAPI {
	server := "This service"
	if config.Sandbox {
		server = "This sandbox: simulated data"
	}
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Causeway", Version: config.Version, Description: describe("api", config.Sandbox),
			License: &huma.License{Name: "Apache-2.0", URL: "https://www.apache.org/licenses/LICENSE-2.0"},
			Contact: &huma.Contact{Name: "Causeway maintainers"},
		},
		Servers: []*huma.Server{{URL: "/", Description: server}},
		Tags: []*huma.Tag{
			{Name: "Banks", Description: "Banks and other institutions that hold accounts"},
			{Name: "Recipients", Description: "The holders of accounts"},
			{Name: "Addresses", Description: "The validity of crypto addresses"},
			{Name: "Deposits", Description: "The addresses at which users receive transfers, and what they received"},
			{Name: "Pairs", Description: "The prices of currencies"},
			{Name: "Reference", Description: "The meaning of codes"},
		},
		Security: openOperation, // a valid key has limits of its own
		Components: &huma.Components{
			Schemas: huma.NewMapRegistry("#/components/schemas/", func(t reflect.Type, hint string) string {
				if t == reflect.TypeFor[apierror.Error]() {
					return "ApiError"
				}
				return strings.TrimSuffix(huma.DefaultSchemaNamer(t, hint), "Body")
			}),
			Headers:    newHeaders(config.Headers.Response),
			Parameters: map[string]*huma.Param{},
			Responses: map[string]*huma.Response{"NotModified": {
				Description: "The response that If-None-Match names is still current; there is no body",
				Headers:     headerRefs(apierror.RequestIDHeader),
			}},
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"bearer": {Type: "http", Scheme: "bearer", Description: "A key of this installation"},
			},
		},
	}
}

// openOperation is the security of an operation that needs no key unless it is configured.
var openOperation = []map[string][]string{{}, {"bearer": {}}}

// register registers an operation of core.Operations, which has its method and path. The result of
// handler is the response, its error becomes the error response.
func register[I, O any](a *API, op huma.Operation, handler func(context.Context, *I) (*O, error)) {
	listed, ok := core.FindOperation(op.OperationID)
	if !ok {
		panic("httpapi: core.Operations lacks " + op.OperationID)
	}
	op.Description = describe(listed.ID, a.config.Sandbox)
	registerOperation(a, listed, op, handler)
}

// registerOperation registers an operation that may be absent from core.Operations.
func registerOperation[I, O any](
	a *API, listed core.Operation, op huma.Operation, handler func(context.Context, *I) (*O, error),
) {
	op.OperationID, op.Method, op.Path = listed.ID, listed.Method, listed.Path
	own := a.newOperation(listed, listed.ID)
	own.documented = !op.Hidden
	a.operations[pattern(&op)] = own
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
	huma.Register(a.huma, op, handler)
}

// registerPost registers an operation that reads a JSON object of at most op.MaxBodyBytes and
// responds with a T that must not be stored. result describes the T. The examples can be sent as
// they are.
func registerPost[I, T any](
	a *API, op huma.Operation, result string, examples map[string]*huma.Example,
	handler func(context.Context, *I) (*jsonOutput[T], error),
) {
	op.RequestBody = &huma.RequestBody{
		Required: true,
		Description: "A JSON object of at most " + strconv.FormatInt(op.MaxBodyBytes, 10) + " bytes; the Content-Type " +
			"does not matter. Unknown fields are ignored; null counts as absent.",
		Content: map[string]*huma.MediaType{"application/json": {Examples: examples}},
	}
	op.MaxBodyBytes++ // huma refuses a body of exactly MaxBodyBytes
	op.Responses = map[string]*huma.Response{"200": {Description: result}}
	op.Errors = append(op.Errors,
		http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	register(a, op, handler)
}

// schemaOf describes T, by reference if it is a struct.
func schemaOf[T any](r huma.Registry) *huma.Schema { return r.Schema(reflect.TypeFor[T](), true, "") }

// encodedResponses describes the responses of an operation that responds with an encoded envelope
// of a T.
func encodedResponses[T any](a *API, description string) map[string]*huma.Response {
	return bodyResponses[envelope.Success[T]](a, description)
}

// bodyResponses documents the responses of an operation by the type of the whole body.
func bodyResponses[T any](a *API, description string) map[string]*huma.Response {
	return map[string]*huma.Response{
		"200": {
			Description: description,
			Headers:     headerRefs("ETag", "Cache-Control"),
			Content: map[string]*huma.MediaType{"application/json": {
				Schema: schemaOf[T](a.huma.OpenAPI().Components.Schemas),
			}},
		},
		"304": {Ref: "#/components/responses/NotModified"},
	}
}

// newHeaders describes the headers of responses, which operations reference.
func newHeaders(sandbox []Header) map[string]*huma.Param {
	headers := map[string]*huma.Param{
		apierror.RequestIDHeader: textHeader("ID of the request, for support", envelope.ExampleRequestID),
		"RateLimit": textHeader("Calls that may follow at once (r), and seconds until more are allowed (t): "+
			"draft-ietf-httpapi-ratelimit-headers-10. Absent without a limit", `"list-pairs";r=1199;t=1`),
		"RateLimit-Policy": textHeader("Calls of the caller (q) in a window of so many seconds (w)",
			`"list-pairs";q=1200;w=60`),
		headerCalls:     textHeader("Calls of the policy", "1200"),
		"Retry-After":   textHeader("Seconds to wait before a retry", "5"),
		"ETag":          textHeader("Strong validator; send it in If-None-Match to get 304 as long as nothing changed"),
		"Cache-Control": textHeader("How long the response may be cached"),
	}
	for _, h := range sandbox {
		headers[h.Name] = textHeader(h.Doc)
	}
	return headers
}

func textHeader(doc string, examples ...any) *huma.Param {
	return &huma.Param{Description: doc, Schema: &huma.Schema{Type: huma.TypeString, Examples: examples}}
}

// headerRefs references headers by name.
func headerRefs(names ...string) map[string]*huma.Param {
	refs := map[string]*huma.Param{}
	for _, name := range names {
		refs[name] = &huma.Param{Ref: "#/components/headers/" + name}
	}
	return refs
}

// commonHeaders references the headers of every response.
func (a *API) commonHeaders() map[string]*huma.Param {
	refs := headerRefs(apierror.RequestIDHeader, "RateLimit", "RateLimit-Policy", headerCalls)
	for _, h := range a.config.Headers.Response {
		maps.Copy(refs, headerRefs(h.Name))
	}
	return refs
}

// completeOperation references what operations have in common: headers, errors, and the parameters
// of the sandbox. huma calls it for each operation of the document.
func (a *API) completeOperation(document *huma.OpenAPI, op *huma.Operation) {
	envelope.Document(op)
	own := a.operations[pattern(op)]
	for _, p := range op.Parameters {
		if p.In == "query" {
			own.query = append(own.query, p.Name)
		}
	}
	for _, h := range a.config.Headers.Request {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: h.Name, In: "header", Description: h.Doc, Schema: &huma.Schema{Type: huma.TypeString},
		})
	}
	for status, response := range op.Responses {
		if status >= "400" {
			op.Responses[status] = a.errorRef(document, status, response)
			continue
		}
		if content := response.Content["application/json"]; content != nil {
			content.Examples = exampleResponses(op.OperationID)
		}
		if response.Ref == "" {
			headers := a.commonHeaders()
			maps.Copy(headers, response.Headers)
			response.Headers = headers
		}
	}
}

// errorRef moves the response of an error status to the components and references it there.
func (a *API) errorRef(document *huma.OpenAPI, status string, response *huma.Response) *huma.Response {
	code, _ := strconv.Atoi(status)
	response.Headers = a.commonHeaders()
	if code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable {
		maps.Copy(response.Headers, headerRefs("Retry-After"))
	}
	name := strings.ReplaceAll(http.StatusText(code), " ", "")
	document.Components.Responses[name] = response
	return &huma.Response{Ref: "#/components/responses/" + name}
}

// shareParameters moves the parameters that several operations have to the components.
func shareParameters(document *huma.OpenAPI) {
	uses := map[string][]**huma.Param{}
	for _, item := range document.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post} {
			if op == nil {
				continue
			}
			for i, p := range op.Parameters {
				key := p.In + "-" + p.Name + p.Description
				uses[key] = append(uses[key], &op.Parameters[i])
			}
		}
	}
	for _, same := range uses {
		if len(same) < 2 {
			continue
		}
		p := *same[0]
		name := p.In + "-" + p.Name
		document.Components.Parameters[name] = p
		for _, use := range same {
			*use = &huma.Param{Ref: "#/components/parameters/" + name}
		}
	}
}

// completeSchemas prepares the schemas for generators of code, after all operations were registered.
func completeSchemas(document *huma.OpenAPI) {
	schemas := document.Components.Schemas.Map()
	for _, s := range schemas {
		if s.AdditionalProperties == true { // the default; when it is explicit, TypeScript accepts misspelt fields
			s.AdditionalProperties = nil
		}
	}
	var names []any
	for _, name := range apierror.Names() {
		names = append(names, name)
	}
	name := schemas["ErrorDetail"].Properties["name"]
	schemas["ErrorName"] = &huma.Schema{
		Type: huma.TypeString, Enum: names, Description: name.Description, Examples: name.Examples,
	}
	schemas["ErrorDetail"].Properties["name"] = &huma.Schema{Ref: "#/components/schemas/ErrorName"}
}

// documentOnly keeps keywords of a schema in the document and out of huma's validation, because the
// services judge these fields, in any case and spelling, with better messages.
func documentOnly(s *huma.Schema, fields ...string) {
	for _, name := range fields {
		p := s.Properties[name]
		p.Extensions, p.Enum = map[string]any{"enum": p.Enum}, nil
	}
}
