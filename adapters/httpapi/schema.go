package httpapi

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// The forms of questions are described once, as Go types with tags: the OpenAPI document and the readers of queries and
// bodies are both made from them.

// parametersOf describes the parameters of T, in the path, the query and the header, and how to read those of the query. Beside huma's tags it reads `list:"true"` (several values,
// comma-separated) and `code:"true"` (upper case).
func parametersOf[T any](a *API) ([]*huma.Param, []param) {
	var described []*huma.Param
	var read []param
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if f.Anonymous {
			continue // its fields follow
		}
		p := &huma.Param{Schema: huma.SchemaFromField(a.schemas, f, ""), Description: f.Tag.Get("doc"), Example: f.Tag.Get("example")}
		switch {
		case f.Tag.Get("path") != "":
			p.Name, p.In, p.Required = f.Tag.Get("path"), "path", true
		case f.Tag.Get("header") != "":
			p.Name, p.In = f.Tag.Get("header"), "header"
		default:
			p.Name, p.In = f.Tag.Get("query"), "query"
			read = append(read, param{name: p.Name, form: formOf(f), code: f.Tag.Get("code") != ""})
		}
		p.Schema.Description, p.Schema.Examples = "", nil // said once, at the parameter
		described = append(described, p)
	}
	return described, read
}

// bodyOf describes T as the body of a request, with an example that can be sent as it is.
func bodyOf[T any](a *API, examples map[string]*huma.Example) (*huma.RequestBody, []member) {
	schema := schemaOf[T](a.schemas)
	required := a.schemas.SchemaFromRef(schema.Ref).Required
	var read []member
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			read = append(read, member{name: name, form: formOf(f), missing: !slices.Contains(required, name)})
		}
	}
	return requestBody(schema, a.maxBody, examples), read
}

// requestBody describes a body of at most limit bytes.
func requestBody(schema *huma.Schema, limit int64, examples map[string]*huma.Example) *huma.RequestBody {
	return &huma.RequestBody{
		Required:    true,
		Description: "A JSON object, at most " + strconv.FormatInt(limit, 10) + " bytes, whatever the Content-Type says. Fields that are not listed are ignored; null counts as absent.",
		Content:     map[string]*huma.MediaType{typeJSON[0]: {Schema: schema, Examples: examples}},
	}
}

// schemaOf describes T, by reference.
func schemaOf[T any](r huma.Registry) *huma.Schema { return r.Schema(reflect.TypeFor[T](), true, "") }

// limitOf reads the largest number of characters of a field: every text that a client sends is bounded.
func limitOf(f reflect.StructField) int {
	n, err := strconv.Atoi(f.Tag.Get("maxLength"))
	if err != nil {
		panic("httpapi: " + f.Name + " needs a maxLength")
	}
	return n
}

// responses describes what an operation answers: data of the type of example, in the envelope, and the errors.
func (a *API) responses(doc, message string, example any, cached bool, errors ...errorName) map[string]*huma.Response {
	data := a.schemas.Schema(reflect.TypeOf(example), true, "")
	ok := &huma.Response{
		Description: doc,
		Headers:     map[string]*huma.Param{headerRequestID: a.described.requestID},
		Content: map[string]*huma.MediaType{typeJSON[0]: {
			Schema: &huma.Schema{
				Type: huma.TypeObject, Required: []string{"status", "message", "data"}, AdditionalProperties: false,
				Properties: map[string]*huma.Schema{
					"status":  {Type: huma.TypeString, Enum: []any{"success"}, Description: "Always success"},
					"message": {Type: huma.TypeString, Description: "A sentence for people", Examples: []any{message}},
					"data":    data,
				},
			},
			Example: map[string]any{"status": "success", "message": message, "data": example},
		}},
	}
	all := a.errorResponses(errors)
	all["200"] = ok
	if cached {
		ok.Headers["ETag"] = &huma.Param{
			Description: "Strong validator; send it in If-None-Match to be told 304 while nothing changed",
			Schema:      &huma.Schema{Type: huma.TypeString},
		}
		ok.Headers[headerCacheControl] = &huma.Param{Description: "How long the answer is good for", Schema: &huma.Schema{Type: huma.TypeString}}
		all["304"] = &huma.Response{
			Description: "What If-None-Match names is still current; there is no body",
			Headers:     map[string]*huma.Param{headerRequestID: a.described.requestID},
		}
	}
	return all
}

// streamResponses describes what the stream of pairs answers: an array of the events stands for the stream of them.
func (a *API) streamResponses(errors ...errorName) map[string]*huma.Response {
	list := a.schemas.Schema(reflect.TypeFor[[]pairBody](), true, "")
	event := func(name, doc string) *huma.Schema {
		return &huma.Schema{
			Type: huma.TypeObject, Description: doc, Required: []string{"id", "event", "data"}, AdditionalProperties: false,
			Properties: map[string]*huma.Schema{
				"id":    {Type: huma.TypeInteger, Description: "To be sent back as Last-Event-ID"},
				"event": {Type: huma.TypeString, Enum: []any{name}, Description: "Always " + name},
				"data":  list,
			},
		}
	}
	pair := examplePair()
	example := []map[string]any{{"id": 7, "event": "snapshot", "data": []pairBody{pair}}, {"id": 8, "event": "change", "data": []pairBody{pair}}}
	all := a.errorResponses(errors)
	all["200"] = &huma.Response{
		Description: "Server-sent events, without end. Every element of this array is one event as it comes: the lines id, event and data, of which data is JSON",
		Headers:     map[string]*huma.Param{headerRequestID: a.described.requestID},
		Content: map[string]*huma.MediaType{typeEvents[0]: {
			Schema: &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{OneOf: []*huma.Schema{
				event("snapshot", "All pairs that pass the filters"), event("change", "Those that changed"),
			}}},
			Example: example,
		}},
	}
	return all
}

const exampleID = "req_5f0c2v7q9k3m1"

// errorResponses describes errors in both of their forms. Errors of one status share a response.
func (a *API) errorResponses(names []errorName) map[string]*huma.Response {
	envelope := schemaOf[errorBody](a.schemas)
	problem := schemaOf[problemBody](a.schemas)
	all := map[string]*huma.Response{}
	for _, name := range names {
		kind := errorKinds[name]
		status := statusLabel(kind.status)
		r := all[status]
		if r == nil {
			r = &huma.Response{
				Description: kind.title,
				Headers:     map[string]*huma.Param{headerRequestID: a.described.requestID},
				Content: map[string]*huma.MediaType{
					typeJSON[0]:    {Schema: envelope, Examples: map[string]*huma.Example{}},
					typeProblem[0]: {Schema: problem, Examples: map[string]*huma.Example{}},
				},
			}
			all[status] = r
		} else {
			r.Description += alternative(kind.title)
		}
		if name == serviceUnavailable || name == tooManyRequests {
			r.Headers[headerRetryAfter] = a.described.retryAfter
		}
		examples := a.described.errors[name]
		r.Content[typeJSON[0]].Examples[string(name)] = examples.envelope
		r.Content[typeProblem[0]].Examples[string(name)] = examples.problem
	}
	return all
}
