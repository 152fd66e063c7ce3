// Package contract_test checks the API of the built binary over HTTP. Each response must also match
// the OpenAPI document that the binary serves. The tests run against a sandbox, and what depends on
// the mode also against a production-mode process with simulated providers (production_test.go).
package contract_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"causeway/test/driver"
)

var (
	binary     string
	sandbox    *driver.Instance // shared by tests that do not change it; in production mode if production is set
	api        *document
	production bool     // whether processes run in production mode
	modeEnv    []string // environment of every process; empty for a sandbox
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	var err error
	if binary = os.Getenv(productionBinary); binary != "" {
		providers, env, err := driver.Upstream(binary)
		if err != nil {
			return 1, err
		}
		defer func() { _ = providers.Stop() }()
		production, modeEnv = true, withoutLimits(env)
	} else {
		built, remove, err := driver.Build()
		if err != nil {
			return 1, err
		}
		defer remove()
		binary = built
	}
	if sandbox, err = driver.Run(binary, modeEnv...); err != nil {
		return 1, err
	}
	if api, err = newDocument(sandbox.API); err != nil {
		return 1, err
	}
	code := m.Run()
	return code, sandbox.Stop()
}

// start runs a process in the mode of this run until the test ends.
func start(t *testing.T, env ...string) *driver.Instance {
	t.Helper()
	return driver.Start(t, binary, slices.Concat(modeEnv, env)...)
}

// schemaURL identifies the document to the compiler of schemas, which takes a relative name for a file.
const schemaURL = "http://localhost/openapi.json"

// document is the OpenAPI document that a process serves.
type document struct {
	router  routers.Router
	headers sync.Map // operation and status of responses whose headers were checked

	compiling sync.Mutex
	compiler  *jsonschema.Compiler // keeps what it compiled
}

func newDocument(base string) (*document, error) {
	resp, err := http.Get(base + "/openapi.json")
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	doc.Servers = openapi3.Servers{{URL: base}}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, err
	}
	schemas, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	return &document{router: router, compiler: compiler}, compiler.AddResource(schemaURL, schemas)
}

// send sends a request to the sandbox and checks the response against the OpenAPI document.
func send(t *testing.T, method, path, body string, header ...string) driver.Reply {
	t.Helper()
	r := driver.Do(t, method, sandbox.API+path, body, header...)
	conforms(t, method, path, r, header...)
	return r
}

func get(t *testing.T, path string, header ...string) driver.Reply {
	t.Helper()
	return send(t, http.MethodGet, path, "", header...)
}

// conforms fails the test if the response does not match the OpenAPI document. Responses to paths
// and methods that the document does not have are not checked.
func conforms(t *testing.T, method, path string, r driver.Reply, header ...string) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, sandbox.API+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	route, params, err := api.router.FindRoute(req)
	if err != nil || r.Header.Get("Content-Encoding") != "" || strings.EqualFold(method, http.MethodHead) {
		return
	}
	if _, again := api.headers.LoadOrStore(route.Operation.OperationID+strconv.Itoa(r.Status), true); !again {
		err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
			RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, Route: route, PathParams: params},
			Status:                 r.Status, Header: r.Header,
			Options: &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: true},
		})
	}
	mediaType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if err == nil && mediaType == "application/json" {
		err = api.checkBody(route, r)
	}
	if err != nil {
		t.Errorf("%s %s %v: the response does not match the document: %v\n%.2000s", method, path, header, err, r.Body)
	}
}

// checkBody compares a JSON body with its schema.
func (a *document) checkBody(route *routers.Route, r driver.Reply) error {
	response := route.Operation.Responses.Status(r.Status)
	if response == nil {
		return fmt.Errorf("status %d is not documented", r.Status)
	}
	pointer := response.Ref
	if pointer == "" {
		path := strings.NewReplacer("/", "~1", "{", "%7B", "}", "%7D").Replace(route.Path)
		pointer = fmt.Sprintf("#/paths/%s/%s/responses/%d", path, strings.ToLower(route.Method), r.Status)
	}
	a.compiling.Lock()
	schema, err := a.compiler.Compile(schemaURL + pointer + "/content/application~1json/schema")
	a.compiling.Unlock()
	if err != nil {
		return err
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(r.Body))
	if err != nil {
		return err
	}
	return schema.Validate(body)
}

// data returns the payload of a success envelope.
func data[T any](t *testing.T, r driver.Reply) T {
	t.Helper()
	body := struct {
		Status  string
		Message string
		Data    *T
	}{}
	unmarshal(t, r, &body)
	if r.Status != http.StatusOK || body.Status != "success" || body.Message == "" || body.Data == nil {
		t.Fatalf("not a success envelope: %d %.500s", r.Status, r.Body)
	}
	return *body.Data
}

// failure is the error envelope.
type failure struct {
	Error     struct{ Name, Message string }
	RequestID string `json:"request_id"`
	Fields    map[string][]struct{ Reason string }
	Status    *string
	Message   *string
}

// wantError checks that a response is an error envelope with a status and a name, and returns it.
func wantError(t *testing.T, r driver.Reply, status int, name string) failure {
	t.Helper()
	var f failure
	unmarshal(t, r, &f)
	if r.Status != status || f.Error.Name != name || f.Error.Message == "" {
		t.Fatalf("want %d %s, got %d %.700s", status, name, r.Status, r.Body)
	}
	if f.Status != nil || f.Message != nil {
		t.Errorf("an error has a top-level status or message: %s", r.Body)
	}
	if id := r.Header.Get("X-Request-Id"); id != f.RequestID || !strings.HasPrefix(id, "req_") || len(id) < 16 {
		t.Errorf("request id %q in the header, %q in the body", id, f.RequestID)
	}
	if ct := r.Header.Get("Content-Type"); !strings.HasPrefix(ct, "application/json") {
		t.Errorf("content type %q", ct)
	}
	return f
}

// wantFieldErrors checks that a response is a request_validation error about exactly these fields.
func wantFieldErrors(t *testing.T, r driver.Reply, fields ...string) failure {
	t.Helper()
	f := wantError(t, r, http.StatusBadRequest, "request_validation")
	for _, field := range fields {
		if len(f.Fields[field]) == 0 || f.Fields[field][0].Reason == "" {
			t.Errorf("field %s has no error: %s", field, r.Body)
		}
	}
	if len(f.Fields) != len(fields) {
		t.Errorf("want errors of %v, got %s", fields, r.Body)
	}
	return f
}

func unmarshal(t *testing.T, r driver.Reply, into any) {
	t.Helper()
	if err := json.Unmarshal(r.Body, into); err != nil {
		t.Fatalf("%d: unexpected JSON: %v\n%.700s", r.Status, err, r.Body)
	}
}
