package control_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

var update = flag.Bool("update", false, "write docs/control.md again")

// guideHead is the part of the guide above the tables.
const guideHead = "# Control API\n\n" +
	"Every call that controls a sandbox, at the operator listener (`localhost:9099`). `causeway sim`, the console and the\n" +
	"clients make these calls. The console shows the same with every field and a form to send it, at\n" +
	"<http://localhost:9099/console/api>; for programs it is at `/_sim/v1/openapi.json`. `causeway upstream` has all of them\n" +
	"but what is about requests to the API. [Test your integration](sandbox.md) explains what they do.\n\n" +
	"Bodies are JSON. Unknown fields and parameters are refused, and a refused call changes nothing. Names in paths are\n" +
	"percent-encoded. Responses have the envelopes of the API.\n"

// TestGuide compares docs/control.md with the OpenAPI document. With -update it writes the file.
func TestGuide(t *testing.T) {
	t.Parallel()
	const file = "../../docs/control.md"
	document := newFixture(t).document
	var made strings.Builder
	made.WriteString(guideHead)
	for _, tag := range document.Tags {
		fmt.Fprintf(&made, "\n## %s\n\n%s.\n\n| call | body | effect |\n|---|---|---|\n", tag.Name, tag.Description)
		for _, path := range slices.Sorted(maps.Keys(document.Paths.Map())) {
			operations := document.Paths.Value(path).Operations()
			for _, method := range slices.Sorted(maps.Keys(operations)) {
				if op := operations[method]; slices.Contains(op.Tags, tag.Name) {
					made.WriteString(guideRow(method, path, op))
				}
			}
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(made.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(file); err != nil || string(have) != made.String() {
		t.Errorf("docs/control.md differs from the API (%v); run go test ./simulator/control -run TestGuide -update", err)
	}
}

func guideRow(method, path string, op *openapi3.Operation) string {
	body, parameters := "", []string{}
	if op.RequestBody != nil {
		if example := op.RequestBody.Value.Content["application/json"].Example; example != nil {
			text, _ := json.Marshal(example) // from JSON
			body = "`" + string(text) + "`"
		}
	}
	for _, p := range op.Parameters {
		if p.Value.In == openapi3.ParameterInQuery {
			parameters = append(parameters, "`"+p.Value.Name+"`")
		}
	}
	effect := strings.TrimRight(op.Summary, ".") + ". " + strings.ReplaceAll(strings.Join(strings.Fields(op.Description), " "), "|", "\\|")
	if len(parameters) > 0 {
		effect += " Parameters: " + strings.Join(parameters, ", ") + "."
	}
	return fmt.Sprintf("| `%s %s` | %s | %s |\n", method, path, cmp.Or(body, "–"), effect)
}
