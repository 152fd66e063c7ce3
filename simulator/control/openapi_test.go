package control_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"causeway/simulator/control"
)

func TestDocument_Valid(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if err := f.document.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if f.document.OpenAPI != "3.1.0" || f.document.Info.Version != "1.2.3" {
		t.Errorf("got %s, version %s", f.document.OpenAPI, f.document.Info.Version)
	}
	first := f.send(http.MethodGet, "/openapi.json", "").body
	f.start(control.Config{})
	if second := f.send(http.MethodGet, "/openapi.json", "").body; !bytes.Equal(first, second) {
		t.Error("another process writes another document")
	}
}

// TestDocument_Described checks that operations, parameters, responses and every property of every
// schema have descriptions, and that errors have examples.
func TestDocument_Described(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	operations := 0
	for path, item := range f.document.Paths.Map() {
		for method, op := range item.Operations() {
			operations++
			where := method + " " + path
			if op.Summary == "" || op.Description == "" || len(op.Tags) != 1 || f.document.Tags.Get(op.Tags[0]) == nil {
				t.Errorf("%s lacks a summary, a description or a tag of the document", where)
			}
			for _, p := range op.Parameters {
				if p.Value.Description == "" {
					t.Errorf("%s: %s has no description", where, p.Value.Name)
				}
				checkProperties(t, where+"."+p.Value.Name, p.Value.Schema)
			}
			for status, r := range op.Responses.Map() {
				content := r.Value.Content["application/json"]
				if *r.Value.Description == "" || content == nil || status >= "400" && len(content.Examples) == 0 {
					t.Errorf("%s %s lacks a description, content or examples", where, status)
				}
			}
		}
	}
	if operations < 30 {
		t.Errorf("%d operations", operations)
	}
	for name, schema := range f.document.Components.Schemas {
		checkProperties(t, name, schema)
	}
}

// TestDocument_Examples sends the example of every operation: its parameters and its body are valid.
func TestDocument_Examples(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const id = "TestCheckout/pays"
	for path, item := range f.document.Paths.Map() {
		for method, op := range item.Operations() {
			_ = f.worlds.Delete(id)
			f.do(http.MethodPost, "/worlds", `{"id":"`+id+`"}`)
			f.do(http.MethodPost, "/worlds/"+url.PathEscape(id)+"/faults", `{"effect":{"kind":"reset"}}`)
			target, query, body := strings.TrimPrefix(path, "/_sim/v1"), url.Values{}, ""
			for _, p := range op.Parameters {
				example := fmt.Sprint(p.Value.Example)
				switch {
				case p.Value.In == "path":
					target = strings.ReplaceAll(target, "{"+p.Value.Name+"}", url.PathEscape(example))
				case p.Value.Name == "timeout":
					query.Set("timeout", "1ms")
				case p.Value.Example != nil:
					query.Set(p.Value.Name, example)
				}
			}
			if op.RequestBody != nil {
				example, err := json.Marshal(op.RequestBody.Value.Content["application/json"].Example)
				if body = string(example); err != nil || body == "null" {
					t.Errorf("%s has no example", op.OperationID)
				}
			}
			if r := f.ask(method, target+"?"+query.Encode(), body); r.status == http.StatusBadRequest || r.status >= http.StatusUnprocessableEntity {
				t.Errorf("%s: %d %s", op.OperationID, r.status, r.body)
			}
		}
	}
}

func checkProperties(t *testing.T, where string, schema *openapi3.SchemaRef) {
	t.Helper()
	if schema == nil || schema.Value == nil {
		return
	}
	for name, property := range schema.Value.Properties {
		if property.Value.Description == "" {
			t.Errorf("%s.%s has no description", where, name)
		}
		if property.Ref == "" {
			checkProperties(t, where+"."+name, property)
		}
	}
	checkProperties(t, where+"[]", schema.Value.Items)
}
