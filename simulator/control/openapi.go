package control

import (
	"cmp"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/httpapi/apierror"
	"causeway/simulator/faults"
)

const description = `How a sandbox is controlled: worlds, their time, their market, accounts and faults, and what happened in them.

**Worlds.** A request to the public API names its world in the header ` + "`Sim-World`" + `; an unknown one is made by that. Worlds have nothing in common but the build: caches, circuit breakers, limits, clock and journal are each one's own. Name one per test.

**Answers.** Success is ` + "`{\"status\":\"success\",\"message\":…,\"data\":…}`" + `; an error is ` + "`{\"error\":{\"name\":…,\"message\":…},\"request_id\":…}`" + `, with ` + "`fields`" + ` where members or parameters are at fault. An error says what is accepted, and leaves the world as it was.

**Bodies** are JSON, whatever the ` + "`Content-Type`" + ` says. Members and parameters that are not listed here are refused; null counts as absent. Prices and probabilities are decimals in quotes, durations are such as ` + "`\"37s\"`" + `, instants are RFC 3339.

**Names in paths** are percent-encoded: ` + "`TestCheckout/pays`" + ` is ` + "`TestCheckout%2Fpays`" + `, ` + "`BTC/USDT`" + ` is ` + "`BTC%2FUSDT`" + `.`

// parameters of paths, by their names.
func places() map[string]parameter {
	return map[string]parameter{
		"id":     {name: "id", doc: "The world", example: exampleName},
		"pair":   {name: "pair", doc: "The pair, with or without a slash", example: "USDTNGN"},
		"bank":   {name: "bank", doc: "The institution: its code or any alias, or `pay_bill` or `till`", example: "000013"},
		"number": {name: "number", doc: "The account number, or the number of the pay bill or till", example: "0123456789"},
		"fault":  {name: "fault", doc: "The id of the fault", example: "f1"},
	}
}

// describe makes the document of all operations, when somebody first asks for it, and serves it.
func (a *api) describe(all []operation) error {
	render := sync.OnceValues(func() ([]byte, error) { return json.Marshal(document(a.Version, all)) })
	o := &operation{id: "openapi"}
	a.mux.HandleFunc("GET "+Prefix+"/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		c := a.begin(w, r)
		c.op = o
		text, err := render()
		if err != nil {
			c.fail(apiError(err))
			return
		}
		c.succeed(file{contentType: contentJSON, body: text})
	})
	return nil
}

// document describes the operations. It is made from the same table as the routes.
func document(version string, all []operation) *huma.OpenAPI {
	schemas := huma.NewMapRegistry("#/components/schemas/", schemaName)
	out := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info:    &huma.Info{Title: "Causeway's control API", Version: version, Description: description},
		Servers: []*huma.Server{{URL: "/", Description: "The operator's listener of this sandbox"}},
		Tags: []*huma.Tag{
			{Name: "Worlds", Description: "Making and ending worlds"},
			{Name: "Time", Description: "Their clocks"},
			{Name: "Market", Description: "What prices do"},
			{Name: "Accounts", Description: "Who holds accounts"},
			{Name: "Faults", Description: "What goes wrong between the service and its providers, and between clients and the service"},
			{Name: "Outcomes", Description: "What happens to the next requests"},
			{Name: "Journal", Description: "What happened"},
			{Name: "Catalog", Description: "What there is"},
		},
		Components: &huma.Components{Schemas: schemas},
	}
	d := describer{schemas}
	for i := range all {
		out.AddOperation(d.operation(&all[i]))
	}
	d.finish()
	return out
}

// schemaName tells apart types of one name in different packages.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch pkg := t.PkgPath(); {
	case strings.HasSuffix(pkg, "/journal"):
		return "Journal" + name
	case strings.HasSuffix(pkg, "/control"):
		return strings.TrimSuffix(strings.TrimSuffix(name, "View"), "Body")
	}
	return name
}

// describer describes operations with schemas that they share.
type describer struct{ schemas huma.Registry }

func (d describer) operation(o *operation) *huma.Operation {
	op := &huma.Operation{
		OperationID: o.id, Method: o.method, Path: Prefix + o.path, Tags: []string{o.tag}, Summary: o.summary, Description: o.doc, Responses: d.responses(o),
	}
	for segment := range strings.SplitSeq(o.path, "/") {
		if name, isName := strings.CutPrefix(segment, "{"); isName {
			p := places()[strings.TrimSuffix(name, "}")]
			op.Parameters = append(op.Parameters, p.described("path"))
		}
	}
	for _, p := range o.query {
		op.Parameters = append(op.Parameters, p.described("query"))
	}
	if o.takes != nil {
		examples := map[string]*huma.Example{"usual": {Summary: "As usual", Value: o.takes}}
		for _, e := range o.more {
			examples[strings.ReplaceAll(e.name, " ", "_")] = &huma.Example{Summary: strings.ToUpper(e.name[:1]) + e.name[1:], Value: e.body}
		}
		op.RequestBody = &huma.RequestBody{
			Required: true, Description: "A JSON object, at most " + strconv.FormatInt(max(o.most, usualBody), 10) + " bytes.",
			Content: map[string]*huma.MediaType{contentJSON: {Schema: d.schemas.Schema(reflect.TypeOf(o.takes), true, ""), Examples: examples}},
		}
	}
	return op
}

func (p parameter) described(in string) *huma.Param {
	schema := &huma.Schema{Type: huma.TypeString}
	for _, value := range p.enum {
		schema.Enum = append(schema.Enum, value)
	}
	return &huma.Param{Name: p.name, In: in, Required: in == "path", Description: p.doc, Example: p.example, Schema: schema}
}

// responses describes the answer of an operation, and its errors.
func (d describer) responses(o *operation) map[string]*huma.Response {
	status, gives := http.StatusOK, o.example()
	if o.status != 0 {
		status = o.status
	}
	content := map[string]*huma.MediaType{contentJSON: {
		Schema: &huma.Schema{
			Type: huma.TypeObject, Required: []string{"status", "message", "data"}, AdditionalProperties: false,
			Properties: map[string]*huma.Schema{
				"status":  {Type: huma.TypeString, Enum: []any{"success"}, Description: "Always success"},
				"message": {Type: huma.TypeString, Description: "A sentence for people", Examples: []any{o.said}},
				"data":    d.schemas.Schema(reflect.TypeOf(gives), true, ""),
			},
		},
		Example: map[string]any{"status": "success", "message": o.said, "data": gives},
	}}
	if slices.Contains(o.formats, contentJSON) {
		content[contentJSON].Schema = &huma.Schema{OneOf: []*huma.Schema{
			content[contentJSON].Schema, {Type: huma.TypeObject, Description: "The file that `format` asks for", Not: &huma.Schema{Required: []string{"status", "data"}}},
		}}
	}
	all := map[string]*huma.Response{strconv.Itoa(status): {Description: o.said, Headers: requestIDHeader(), Content: content}}
	for _, name := range o.failures() {
		d.failure(all, name)
	}
	return all
}

func requestIDHeader() map[string]*huma.Param {
	return map[string]*huma.Param{"X-Request-Id": {
		Description: "Id of the request", Schema: &huma.Schema{Type: huma.TypeString, Pattern: "^req_[0-9A-Za-z]{12,}$", Examples: []any{exampleID}},
	}}
}

// failures are the names of all errors that an operation has.
func (o *operation) failures() []apierror.Name {
	out := append([]apierror.Name{apierror.BadRequest, apierror.RequestValidation, apierror.InternalServerError}, o.errors...)
	if strings.Contains(o.path, "{id}") && o.id != "import-world" {
		out = append(out, apierror.NotFound, apierror.WorldExpired)
	}
	if o.takes != nil {
		out = append(out, apierror.PayloadTooLarge, apierror.UnsupportedMediaType)
	}
	if o.method != http.MethodGet {
		out = append(out, apierror.Forbidden)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// failure adds an error to the answers. Errors of one status share an answer.
func (d describer) failure(all map[string]*huma.Response, name apierror.Name) {
	e := apierror.New(name, "%s", errorDocs[name].example)
	if name == apierror.RequestValidation {
		e = apiError(exampleFaultyField())
	}
	e.RequestID = exampleID
	title, status := errorDocs[name].title, strconv.Itoa(e.GetStatus())
	r := all[status]
	if r == nil {
		r = &huma.Response{
			Description: title, Headers: requestIDHeader(),
			Content: map[string]*huma.MediaType{contentJSON: {Schema: d.schemas.Schema(reflect.TypeFor[apierror.Error](), true, ""), Examples: map[string]*huma.Example{}}},
		}
		all[status] = r
	} else {
		r.Description += ", or: " + strings.ToLower(title[:1]) + title[1:]
	}
	if name == apierror.TooManyRequests || name == apierror.ServiceUnavailable {
		r.Headers["Retry-After"] = &huma.Param{Description: "Seconds to wait before asking again", Schema: &huma.Schema{Type: huma.TypeString, Pattern: "^[0-9]+$"}}
	}
	r.Content[contentJSON].Examples[string(name)] = &huma.Example{Summary: title, Value: e}
}

// finish says what huma does not know of the schemas: what members mean, that lists are never null, and which texts there are.
func (d describer) finish() {
	kinds := []any{}
	for _, kind := range faults.Kinds() {
		kinds = append(kinds, kind)
	}
	for of, schema := range d.schemas.Map() {
		for member, s := range schema.Properties {
			refine(s)
			if s.Description = cmp.Or(members[of+"."+member], members["."+member]); s.Ref != "" {
				schema.Properties[member] = &huma.Schema{AllOf: []*huma.Schema{{Ref: s.Ref}}, Description: s.Description}
			}
			if values := enums[of+"."+member]; values != nil {
				s.Enum = values
			}
			if of == "Effect" && member == "kind" || of == "FaultEntry" && member == "kind" {
				s.Enum = kinds
			}
		}
	}
}

func refine(s *huma.Schema) {
	for s != nil {
		if s.Type == huma.TypeArray {
			s.Nullable = false
		}
		next, _ := s.AdditionalProperties.(*huma.Schema)
		if s.Items != nil {
			next = s.Items
		}
		s = next
	}
}
