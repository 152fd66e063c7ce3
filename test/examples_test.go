package test_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"

	"causeway/test/driver"
)

// TestResponseExamples sends the example request of each operation, which must succeed as it is, and compares the
// response with the example of the OpenAPI document, so that it answers the request that the API reference shows. Responses without anything in them
// are no examples: the reference then shows the examples of their fields. With -update it writes the files.
func TestResponseExamples(t *testing.T) {
	t.Parallel()
	c := driver.Start(t, binary)
	api, err := openapi3.NewLoader().LoadFromData(driver.Do(t, http.MethodGet, c.API+"/openapi.json", "").Body)
	if err != nil {
		t.Fatal(err)
	}
	const world = "examples"
	for _, call := range [][2]string{
		{"", `{"id":"` + world + `","clock":{"now":"2026-11-16T12:00:00Z","frozen":true}}`},
		{"/" + world + "/chains/BTC/transfers", `{"profile_id":"user-4711","currency":"BTC","amount":"0.25"}`},
		{"/" + world + "/chains/BTC/mine", `{"blocks":3}`},
	} {
		driver.Do(t, http.MethodPost, c.Operator+"/_sim/v1/worlds"+call[0], call[1])
	}
	for _, path := range slices.Sorted(maps.Keys(api.Paths.Map())) {
		operations := api.Paths.Value(path).Operations()
		for _, method := range slices.Sorted(maps.Keys(operations)) {
			op := operations[method]
			content := op.Responses.Value("200").Value.Content
			if content["text/event-stream"] != nil {
				continue // it does not end
			}
			t.Run(op.OperationID, func(t *testing.T) {
				target, headers, complete := exampleRequest(path, op)
				if !complete {
					return
				}
				responses := map[string]json.RawMessage{}
				for name, body := range exampleBodies(op) {
					reply := driver.Do(t, method, c.API+target, body, append(headers, "Sim-World", world)...)
					if reply.Status != http.StatusOK {
						t.Errorf("%s: the example %s of %s gives %d %s", op.OperationID, name, target, reply.Status, reply.Body)
					} else if content["application/json"] != nil && !bytes.Contains(reply.Body, []byte(`"data":[]`)) {
						responses[name] = shortened(t, reply.Body)
					}
				}
				compareExamples(t, "../adapters/httpapi/examples/"+op.OperationID+".json", responses)
			})
		}
	}
}

// exampleRequest returns the target and the headers of the request that the examples of an operation's parameters make.
// It is not complete if a required parameter has no example, because no value is known before an earlier response.
func exampleRequest(path string, op *openapi3.Operation) (target string, headers []string, complete bool) {
	query := url.Values{}
	for _, ref := range op.Parameters {
		p := ref.Value
		if p.Example == nil {
			if p.Required {
				return "", nil, false
			}
			continue
		}
		example := fmt.Sprint(p.Example)
		switch p.In {
		case openapi3.ParameterInPath:
			path = strings.ReplaceAll(path, "{"+p.Name+"}", example)
		case openapi3.ParameterInQuery:
			query.Set(p.Name, example)
		case openapi3.ParameterInHeader:
			headers = append(headers, p.Name, example)
		}
	}
	return path + "?" + query.Encode(), headers, true
}

// exampleBodies returns the example bodies of an operation by name; an empty one if it takes none.
func exampleBodies(op *openapi3.Operation) map[string]string {
	if op.RequestBody == nil {
		return map[string]string{"example": ""}
	}
	bodies := map[string]string{}
	for name, example := range op.RequestBody.Value.Content["application/json"].Examples {
		if strings.HasPrefix(name, "account_") {
			continue // a magic account, which production does not have
		}
		body, _ := json.Marshal(example.Value.Value) // from JSON
		bodies[name] = string(body)
	}
	return bodies
}

// maxExampleItems is how many elements of each array an example keeps.
const maxExampleItems = 3

// shortened returns a JSON document with short arrays, its members in their order.
func shortened(t *testing.T, document []byte) json.RawMessage {
	t.Helper()
	var out bytes.Buffer
	in, enc := jsontext.NewDecoder(bytes.NewReader(document)), jsontext.NewEncoder(&out)
	for {
		kind, length := in.StackIndex(in.StackDepth())
		if kind == '[' && length >= maxExampleItems && in.PeekKind() != ']' {
			if err := in.SkipValue(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return out.Bytes()
		}
		if err == nil {
			err = enc.WriteToken(token)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func compareExamples(t *testing.T, file string, responses map[string]json.RawMessage) {
	t.Helper()
	want, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && len(responses) == 0 {
		return
	}
	var got bytes.Buffer
	encoder := json.NewEncoder(&got)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(responses); err != nil {
		t.Fatal(err)
	}
	switch {
	case bytes.Equal(got.Bytes(), want):
	case *update && len(responses) > 0:
		if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s differs from the response; write it with go test ./test -run TestResponseExamples -update\n%s", file, got.Bytes())
	}
}
