package control_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"causeway/simulator/control"
)

var update = flag.Bool("update", false, "write the golden file")

func TestTheDocument(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, l.send(http.MethodGet, "/openapi.json", "").body, "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	const golden = "testdata/openapi.json"
	if *update {
		if err := os.WriteFile(golden, pretty.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(pretty.Bytes(), want) {
		t.Errorf("differs from %s; go test -update writes it", golden)
	}
	if err := l.doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if l.doc.OpenAPI != "3.1.0" || l.doc.Info.Version != "1.2.3" {
		t.Errorf("it is of %s, version %s", l.doc.OpenAPI, l.doc.Info.Version)
	}
}

func TestEverythingIsDescribed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for path, item := range l.doc.Paths.Map() {
		for method, op := range item.Operations() {
			where := method + " " + path
			if op.Summary == "" || op.Description == "" || len(op.Tags) != 1 || l.doc.Tags.Get(op.Tags[0]) == nil {
				t.Errorf("%s lacks a summary, a description or a tag of the document", where)
			}
			for _, p := range op.Parameters {
				if p.Value.Description == "" || p.Value.Example == nil || p.Value.Example == "" {
					t.Errorf("%s: %s lacks a description or an example", where, p.Value.Name)
				}
			}
			for status, r := range op.Responses.Map() {
				for kind, content := range r.Value.Content {
					checkContent(t, where+" "+status+" "+kind, content)
				}
			}
			if op.RequestBody != nil {
				checkContent(t, where, op.RequestBody.Value.Content["application/json"])
			}
		}
	}
	for name, schema := range l.doc.Components.Schemas {
		for member, s := range schema.Value.Properties {
			if s.Value.Description == "" {
				t.Errorf("%s.%s is not described", name, member)
			}
		}
	}
}

// checkContent looks for examples that are of the schema.
func checkContent(t *testing.T, where string, content *openapi3.MediaType) {
	t.Helper()
	examples := []any{content.Example}
	if content.Examples != nil {
		examples = nil
		for _, e := range content.Examples {
			examples = append(examples, e.Value.Value)
		}
	}
	for _, e := range examples {
		if e == nil {
			t.Errorf("%s has no example", where)
		} else if err := content.Schema.Value.VisitJSON(e, openapi3.EnableJSONSchema2020()); err != nil {
			t.Errorf("%s: an example is not of the schema: %v", where, err)
		}
	}
}

// TestExamplesCanBeSent sends every example of a body: it is taken, or refused for what the world has not, never for what it is.
func TestExamplesCanBeSent(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"TestCheckout/pays","clock":{"now":"2026-11-16T11:00:00Z","frozen":true}}`)
	for _, path := range slices.Sorted(maps.Keys(l.doc.Paths.Map())) {
		for method, op := range l.doc.Paths.Value(path).Operations() {
			if op.RequestBody == nil || op.OperationID == "create-world" {
				continue
			}
			target := strings.TrimPrefix(path, control.Prefix)
			for _, p := range op.Parameters {
				if example, ok := p.Value.Example.(string); ok && p.Value.In == "path" {
					target = strings.ReplaceAll(target, "{"+p.Value.Name+"}", url.PathEscape(example))
				}
			}
			for name, e := range op.RequestBody.Value.Content["application/json"].Examples {
				body, err := json.Marshal(e.Value.Value)
				if err != nil {
					t.Fatal(err)
				}
				switch r := l.ask(method, target, string(body)); {
				case op.OperationID == "import-world" && r.Fields["dataset"] != nil: // the example is of other data
				case op.OperationID == "set-market" && strings.Contains(name, "venue") && r.Fields["venues.kraken"] != nil: // the pair of the path is not traded there
				case op.OperationID == "advance-clock" && strings.Contains(name, "event") && r.Fields["to"] != nil: // nothing is known to come
				case r.status >= http.StatusBadRequest:
					t.Errorf("%s, %s: %d %s", op.OperationID, name, r.status, r.body)
				}
			}
		}
	}
}
