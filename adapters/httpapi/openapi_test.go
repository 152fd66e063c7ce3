package httpapi_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"go.yaml.in/yaml/v3"
)

// served is the OpenAPI document as a client reads it.
func served(t *testing.T, w *world) (*openapi3.T, routers.Router) {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(w.get("/openapi.json").Body.Bytes())
	if err != nil {
		t.Fatalf("the document cannot be read: %v", err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatalf("the document is not valid: %v", err)
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return doc, router
}

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	spec := w.get("/openapi.json")
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, spec.Body.Bytes(), "", "  "); err != nil {
		t.Fatal(err)
	}
	sameAsGolden(t, "testdata/openapi.json", append(pretty.Bytes(), '\n'))

	var fromJSON, fromYAML any
	if err := json.Unmarshal(spec.Body.Bytes(), &fromJSON); err != nil {
		t.Fatal(err)
	}
	text := w.get("/openapi.yaml")
	if err := yaml.Unmarshal(text.Body.Bytes(), &fromYAML); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(fromJSON)
	b, _ := json.Marshal(fromYAML)
	if !bytes.Equal(a, b) {
		t.Error("/openapi.yaml says something else than /openapi.json")
	}
	if got := text.Header().Get("Content-Type"); got != "application/yaml" {
		t.Errorf("/openapi.yaml is %s", got)
	}
}

func TestOpenAPI_Operations(t *testing.T) {
	t.Parallel()
	doc, _ := served(t, newWorld(t))
	var operations []string
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			operations = append(operations, op.OperationID)
			checkOperation(t, method+" "+path, op)
		}
	}
	slices.Sort(operations)
	if want := []string{"explain-price", "get-currency", "get-pair", "get-price-history", "list-banks", "list-countries", "list-currencies", "list-pairs", "resolve-account", "stream-pairs", "validate-address", "validate-addresses"}; !slices.Equal(operations, want) {
		t.Errorf("got operations %v, want %v", operations, want)
	}
}

func checkOperation(t *testing.T, where string, op *openapi3.Operation) {
	t.Helper()
	if op.Summary == "" || op.Description == "" || len(op.Tags) != 1 {
		t.Errorf("%s lacks a summary, a description or its tag", where)
	}
	for _, p := range op.Parameters {
		if p.Value.Description == "" || p.Value.Example == nil {
			t.Errorf("%s: parameter %s lacks a description or an example", where, p.Value.Name)
		}
	}
	if op.RequestBody != nil && len(op.RequestBody.Value.Content["application/json"].Examples) == 0 {
		t.Errorf("%s has no example", where)
	}
	checkResponses(t, where, op)
}

func checkResponses(t *testing.T, where string, op *openapi3.Operation) {
	t.Helper()
	for status, r := range op.Responses.Map() {
		if r.Value.Headers["X-Request-Id"] == nil || r.Value.Description == nil || *r.Value.Description == "" {
			t.Errorf("%s %s lacks its description or X-Request-Id", where, status)
		}
		if status == "304" {
			continue
		}
		form := "application/json"
		if op.OperationID == "stream-pairs" && status == "200" {
			form = "text/event-stream"
		}
		checkExamples(t, where+" "+status, r.Value.Content[form])
		if status != "200" {
			checkExamples(t, where+" "+status, r.Value.Content["application/problem+json"])
		}
	}
}

// checkExamples looks for an example of an answer, and whether it is of the answer's schema.
func checkExamples(t *testing.T, where string, content *openapi3.MediaType) {
	t.Helper()
	if content == nil {
		t.Errorf("%s lacks a form", where)
		return
	}
	var examples []any
	if content.Example != nil {
		examples = append(examples, content.Example)
	}
	for _, e := range content.Examples {
		examples = append(examples, e.Value.Value)
	}
	if len(examples) == 0 {
		t.Errorf("%s lacks an example", where)
	}
	for _, e := range examples {
		if err := content.Schema.Value.VisitJSON(e, openapi3.EnableJSONSchema2020()); err != nil {
			t.Errorf("%s: the example is not of its schema: %v", where, err)
		}
	}
}

func TestOpenAPI_Fields(t *testing.T) {
	t.Parallel()
	doc, _ := served(t, newWorld(t))
	for name, schema := range doc.Components.Schemas {
		for field, property := range schema.Value.Properties {
			s := property.Value
			nested := s.Type.Is("object") || s.Type.Is("array")
			if s.Description == "" && !s.Type.Is("object") {
				t.Errorf("%s.%s lacks a description", name, field)
			}
			if !nested && len(s.Examples) == 0 {
				t.Errorf("%s.%s lacks an example", name, field)
			}
		}
	}
}

func TestOpenAPI_Responses(t *testing.T) {
	t.Parallel()
	_, router := served(t, newWorld(t)) // worlds differ in who may call, not in what is answered
	matched := 0
	for _, c := range goldenCases() {
		rec := c.run(t)
		r := httptest.NewRequestWithContext(t.Context(), cmp.Or(c.method, http.MethodGet), "http://localhost"+c.target, strings.NewReader(c.body))
		route, params, err := router.FindRoute(r)
		if err != nil {
			continue // a path or method that is not in the document
		}
		matched++
		if err := openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
			RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route},
			Status:                 rec.Code, Header: rec.Header(), Body: io.NopCloser(rec.Body),
			Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
		}); err != nil {
			t.Errorf("%s: %d: %v", c.name, rec.Code, err)
		}
	}
	if matched < 50 {
		t.Errorf("only %d answers were compared", matched)
	}
}

func TestOpenAPI_RequestExamples(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doc, _ := served(t, w)
	for path, item := range doc.Paths.Map() {
		if item.Post != nil {
			for name, example := range item.Post.RequestBody.Value.Content["application/json"].Examples {
				body, err := json.Marshal(example.Value.Value)
				if err != nil {
					t.Fatal(err)
				}
				if rec := w.post(path, string(body)); rec.Code != http.StatusOK {
					t.Errorf("%s, example %s: got %d %s", path, name, rec.Code, rec.Body)
				}
			}
			continue
		}
		target, query, method := path, "", http.MethodGet
		if item.Get.OperationID == "stream-pairs" {
			method = http.MethodHead // it has no end
		}
		for _, p := range item.Get.Parameters {
			if p.Value.In == "header" {
				continue
			}
			if p.Value.In == "path" {
				target = strings.ReplaceAll(path, "{"+p.Value.Name+"}", map[string]string{"code": "BTC", "id": fmt.Sprint(p.Value.Example)}[p.Value.Name])
				continue
			}
			query += "&" + p.Value.Name + "=" + fmt.Sprint(p.Value.Example)
			if rec := w.ask(method, target+"?"+p.Value.Name+"="+fmt.Sprint(p.Value.Example), ""); rec.Code != http.StatusOK {
				t.Errorf("%s, example of %s: got %d %s", path, p.Value.Name, rec.Code, rec.Body)
			}
		}
		if rec := w.ask(method, target+"?"+query, ""); rec.Code != http.StatusOK {
			t.Errorf("%s, all examples: got %d %s", path, rec.Code, rec.Body)
		}
	}
}

// TestOpenAPI_InvalidBodies breaks the examples of bodies in every way that their schemas forbid.
func TestOpenAPI_InvalidBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doc, _ := served(t, w)
	for _, path := range []string{"/v1/validate", resolvePath} {
		content := doc.Paths.Value(path).Post.RequestBody.Value.Content["application/json"]
		for _, example := range content.Examples {
			valid, _ := example.Value.Value.(map[string]any)
			breakEveryField(content.Schema.Value, func(field string, value any) {
				refusedAlike(t, w, path, content.Schema.Value, valid, field, value)
			})
		}
	}
	schema := doc.Paths.Value("/v1/validate").Post.RequestBody.Value.Content["application/json"].Schema.Value
	valid := map[string]any{"type": "address", "currency": "BTC", "address": "bc1q"}
	refusedAlike(t, w, "/v1/validate", schema, valid, "type", "phone")
}

// breakEveryField calls try with what the schema forbids; nil stands for a field that is left out.
func breakEveryField(schema *openapi3.Schema, try func(field string, value any)) {
	for _, field := range schema.Required {
		try(field, nil)
	}
	for field, property := range schema.Properties {
		for _, value := range []any{strings.Repeat("a", int(*property.Value.MaxLength)+1), 1.0, true, []any{"a"}, map[string]any{}} {
			try(field, value)
		}
	}
}

func refusedAlike(t *testing.T, w *world, path string, schema *openapi3.Schema, valid map[string]any, field string, value any) {
	t.Helper()
	body := maps.Clone(valid)
	if body[field] = value; value == nil {
		delete(body, field)
	}
	if err := schema.VisitJSON(body, openapi3.EnableJSONSchema2020()); err == nil {
		t.Errorf("%s: the schema takes %s = %v", path, field, value)
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	rec := w.post(path, string(text))
	if rec.Code != http.StatusBadRequest || errorOf(t, rec.Body.Bytes()).Fields[field] == nil {
		t.Errorf("%s: %s = %.40v: got %d %s", path, field, value, rec.Code, rec.Body)
	}
}

func TestOpenAPI_Security(t *testing.T) {
	t.Parallel()
	open, _ := served(t, newWorld(t))
	locked, _ := served(t, newWorld(t, production))
	if got := *open.Paths.Value(resolvePath).Post.Security; len(got) != 2 || len(got[0]) != 0 {
		t.Errorf("in the sandbox: %v", got)
	}
	if got := *locked.Paths.Value(resolvePath).Post.Security; len(got) != 1 || got[0]["bearer"] == nil {
		t.Errorf("in production: %v", got)
	}
	if !strings.Contains(open.Info.Description, "sandbox") || strings.Contains(locked.Info.Description, "sandbox") {
		t.Error("the description does not say what is simulated")
	}
	if open.Info.Version != "1.2.3" {
		t.Errorf("version %s", open.Info.Version)
	}
}
