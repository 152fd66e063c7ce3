package httpapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"

	"causeway/core"
)

const documentFile = "testdata/openapi.json"

var readDocument = sync.OnceValues(func() (*openapi3.T, error) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromFile(documentFile)
	if err == nil {
		err = doc.Validate(loader.Context)
	}
	return doc, err
})

// openAPI returns the document of the default world, which TestOpenAPI compares with the
// served document.
func openAPI(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := readDocument()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, servedDocument(t, w, "/openapi"), "", "  "); err != nil {
		t.Fatal(err)
	}
	sameAsGolden(t, documentFile, append(pretty.Bytes(), '\n'))
}

// servedDocument returns a document, which is the same in JSON and in YAML.
func servedDocument(t *testing.T, w *world, path string) []byte {
	t.Helper()
	spec, text := w.get(path+".json").Body.Bytes(), w.get(path+".yaml")
	var fromJSON, fromYAML any
	if err := errors.Join(json.Unmarshal(spec, &fromJSON), yaml.Unmarshal(text.Body.Bytes(), &fromYAML)); err != nil {
		t.Fatal(err)
	}
	sorted, _ := json.Marshal(fromJSON)
	got, _ := json.Marshal(fromYAML)
	if kind := text.Header().Get("Content-Type"); !bytes.Equal(got, sorted) || kind != "application/yaml" {
		t.Errorf("%s.yaml (%s) differs from %s.json", path, kind, path)
	}
	return spec
}

// TestOpenAPI_30 checks the document for generators that do not read version 3.1.
func TestOpenAPI_30(t *testing.T) {
	t.Parallel()
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(servedDocument(t, newWorld(t), "/openapi-3.0"))
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(loader.Context); err != nil || doc.OpenAPI != "3.0.3" {
		t.Errorf("version %s: %v", doc.OpenAPI, err)
	}
	if memo := doc.Components.Schemas["Deposit"].Value.Properties["memo"].Value; !memo.Type.Is("string") || !memo.Nullable {
		t.Errorf("memo is %v, nullable %t", memo.Type, memo.Nullable)
	}
	if got, want := len(doc.Paths.Map()), len(openAPI(t).Paths.Map()); got != want {
		t.Errorf("%d paths, want %d", got, want)
	}
}

// fromEarlierResponses are the parameters whose values come from earlier responses. They have no examples, because a
// reader could not send one as it is.
var fromEarlierResponses = []string{
	"GET /v1/addresses/owner address", "GET /v1/addresses/owner memo", "GET /v1/events after",
	"GET /v1/transactions cursor", "GET /v1/transactions/{id} id",
}

// TestOpenAPI_Operations compares the document with the table of operations.
func TestOpenAPI_Operations(t *testing.T) {
	t.Parallel()
	documented := map[string]core.Operation{}
	for path, item := range openAPI(t).Paths.Map() {
		for method, op := range item.Operations() {
			_, stream := op.Responses.Value("200").Value.Content["text/event-stream"]
			documented[op.OperationID] = core.Operation{ID: op.OperationID, Method: method, Path: path, Stream: stream}
			checkOperation(t, method+" "+path, op)
		}
	}
	listed := map[string]core.Operation{}
	for _, op := range core.Operations() {
		listed[op.ID] = core.Operation{ID: op.ID, Method: op.Method, Path: op.Path, Stream: op.Stream}
	}
	if !maps.Equal(documented, listed) {
		t.Errorf("the document has %v, want %v", documented, listed)
	}
}

func checkOperation(t *testing.T, where string, op *openapi3.Operation) {
	t.Helper()
	if op.Summary == "" || op.Description == "" || len(op.Tags) != 1 {
		t.Errorf("%s lacks a summary, a description or its tag", where)
	}
	for _, p := range op.Parameters {
		earlier := slices.Contains(fromEarlierResponses, where+" "+p.Value.Name)
		if p.Value.Description == "" || (len(p.Value.Schema.Value.Examples) == 0) != earlier {
			t.Errorf("%s: parameter %s lacks a description or an example, or no example can be sent as it is", where, p.Value.Name)
		}
	}
	if op.RequestBody != nil && len(op.RequestBody.Value.Content["application/json"].Examples) == 0 {
		t.Errorf("%s has no example", where)
	}
	for status, r := range op.Responses.Map() {
		if r.Value.Headers["X-Request-Id"] == nil || r.Value.Description == nil || *r.Value.Description == "" {
			t.Errorf("%s %s lacks its description or X-Request-Id", where, status)
		}
		if status < "400" {
			continue
		}
		content := r.Value.Content["application/json"]
		if content == nil || len(content.Examples) == 0 {
			t.Errorf("%s %s lacks an example", where, status)
			continue
		}
		for name, e := range content.Examples {
			if err := content.Schema.Value.VisitJSON(e.Value.Value, openapi3.EnableJSONSchema2020()); err != nil {
				t.Errorf("%s %s, example %s: %v", where, status, name, err)
			}
		}
	}
}

func TestOpenAPI_Fields(t *testing.T) {
	t.Parallel()
	document := openAPI(t)
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			for status, r := range op.Responses.Map() {
				for _, content := range r.Value.Content {
					checkDescribed(t, method+" "+path+" "+status, content.Schema)
				}
			}
		}
	}
	for name, schema := range document.Components.Schemas {
		if allowed := schema.Value.AdditionalProperties.Has; allowed != nil && *allowed {
			t.Errorf("%s has additionalProperties: true, so that generated code has a map of fields which the server ignores", name)
		}
		for field, property := range schema.Value.Properties {
			s := property.Value
			if s.Description == "" && !s.Type.Is("object") {
				t.Errorf("%s.%s lacks a description", name, field)
			}
			if !s.Type.Is("object") && !s.Type.Is("array") && len(s.Examples) == 0 {
				t.Errorf("%s.%s lacks an example", name, field)
			}
		}
	}
}

// checkDescribed checks that the properties of a schema without a name have descriptions.
func checkDescribed(t *testing.T, where string, schema *openapi3.SchemaRef) {
	t.Helper()
	if schema == nil || schema.Ref != "" {
		return
	}
	for name, property := range schema.Value.Properties {
		if property.Value.Description == "" && property.Extensions["description"] == nil {
			t.Errorf("%s: %s lacks a description", where, name)
		}
	}
	for _, inner := range append(slices.Clone(schema.Value.OneOf), schema.Value.Items) {
		checkDescribed(t, where, inner)
	}
}

func TestOpenAPI_RequestExamples(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, item := range openAPI(t).Paths.Map() {
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
		target, query, method := strings.NewReplacer("{id}", "BTCNGN", "{code}", "BTC", "{currency}", "BTC").Replace(path), "", http.MethodGet
		if slices.Contains([]string{"find-address-owner", "get-transaction"}, item.Get.OperationID) {
			continue // what they need is in an earlier response, so that they have no examples
		}
		if item.Get.OperationID == "stream-pairs" {
			method = http.MethodHead // it has no end
		}
		for _, p := range item.Get.Parameters {
			if p.Value.In != "query" || p.Value.Example == nil {
				continue
			}
			parameter := p.Value.Name + "=" + fmt.Sprint(p.Value.Schema.Value.Examples[0])
			query += "&" + parameter
			if rec := w.do(method, target+"?"+parameter, ""); rec.Code != http.StatusOK {
				t.Errorf("%s, example of %s: got %d %s", path, p.Value.Name, rec.Code, rec.Body)
			}
		}
		if rec := w.do(method, target+"?"+query, ""); rec.Code != http.StatusOK {
			t.Errorf("%s, all examples: got %d %s", path, rec.Code, rec.Body)
		}
	}
}

// TestOpenAPI_InvalidBodies breaks the examples of bodies in every way that their schemas forbid.
func TestOpenAPI_InvalidBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/v1/validate", resolvePath} {
		content := openAPI(t).Paths.Value(path).Post.RequestBody.Value.Content["application/json"]
		schema := content.Schema.Value
		for _, example := range content.Examples {
			valid, _ := example.Value.Value.(map[string]any)
			for _, field := range schema.Required {
				checkRefused(t, w, path, schema, valid, field, nil)
			}
			for field, property := range schema.Properties {
				invalid := []any{1.0, true, []any{"a"}, map[string]any{}}
				if longest := property.Value.MaxLength; longest != nil {
					invalid = append(invalid, strings.Repeat("a", int(*longest)+1))
				}
				for _, value := range invalid {
					checkRefused(t, w, path, schema, valid, field, value)
				}
			}
		}
	}
}

// checkRefused checks that the schema and the operation refuse a body with a field changed, or
// without it if value is nil.
func checkRefused(
	t *testing.T, w *world, path string, schema *openapi3.Schema, valid map[string]any, field string, value any,
) {
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
	wantFault(t, fmt.Sprintf("%s: %s = %.40v", path, field, value), w.post(path, string(text)), field)
}

func TestOpenAPI_Security(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		w        *world
		security string
		sandbox  bool
	}{
		"sandbox":    {newWorld(t), `"security":[{},{"bearer":[]}]`, true},
		"production": {newWorld(t, production), `"security":[{"bearer":[]}]`, false},
	} {
		text := c.w.get("/openapi.json").Body.String()
		if !strings.Contains(text, c.security) || strings.Contains(text, "This is a sandbox") != c.sandbox ||
			!strings.Contains(text, `"version":"1.2.3"`) {
			t.Errorf("%s: %.500s", name, text)
		}
	}
}
