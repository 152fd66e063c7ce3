// Package backendtest holds the test of evidence that all kinds of back ends share.
package backendtest

import (
	"os"
	"testing"

	"go.yaml.in/yaml/v3"

	"causeway/adapters/chains/backend"
	"causeway/adapters/upstream/upstreamtest"
)

// Evidence checks that each test, named as its trap, stands for a fact that is known about the
// back end, that each fact with a test has it, and that evidence.yaml names the source of each fixture in testdata.
func Evidence(t *testing.T, facts []backend.Evidence, tests ...string) {
	t.Helper()
	tested, known := map[string]bool{}, map[string]bool{}
	for _, name := range tests {
		tested[name] = true
	}
	for _, e := range facts {
		if e.Test != "" && !tested[e.Test] {
			t.Errorf("%q has no test %q", e.Fact, e.Test)
		}
		known[e.Test] = true
	}
	for name := range tested {
		if !known[name] {
			t.Errorf("the test %q has no evidence", name)
		}
	}
	var sources map[string]string
	if err := yaml.Unmarshal([]byte(upstreamtest.Read(t, "evidence.yaml")), &sources); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("testdata")
	if err != nil || len(entries) != len(sources)+1 {
		t.Errorf("got %d fixtures with %d sources, %v", len(entries)-1, len(sources), err)
	}
}
