// Package backendtest holds the tests of traps and evidence that all kinds of back ends share.
package backendtest

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"causeway/adapters/chains/backend"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
)

// Trap is a way in which a response can mislead. Its name is the test of the evidence.
type Trap struct {
	Name      string
	Request   string // whose response is changed
	Old, With string // part of the response; no old part: the whole response
	Want      []core.Transfer
	Err       error // nil: core.Unavailable without transfers

	Status int // of the changed response; 0: 200
}

// NewTrap returns a trap whose changed response has the status 200.
func NewTrap(name, request, old, with string, want []core.Transfer, err error) Trap {
	return Trap{Name: name, Request: request, Old: old, With: with, Want: want, Err: err}
}

// Edit changes the response to a request. The status is 0 if it does not.
type Edit func(request, response string) (status int, changed string)

func (c Trap) edit(t *testing.T) Edit {
	t.Helper()
	return func(request, response string) (int, string) {
		status := max(c.Status, http.StatusOK)
		switch {
		case request != c.Request:
			return 0, ""
		case c.Old == "":
			return status, c.With
		case !strings.Contains(response, c.Old):
			t.Errorf("the response has no %s", c.Old)
		}
		return status, strings.Replace(response, c.Old, c.With, 1)
	}
}

// Traps reads the block at a height from a back end whose responses a trap changes. Neither an error
// nor the log may show an address of the block, or anything that contains "planted".
func Traps(
	t *testing.T, traps []Trap, height int64, address string,
	connect func(*testing.T, Edit) (ports.Chain, *upstreamtest.World),
) {
	t.Helper()
	for i, c := range traps {
		t.Run(fmt.Sprintf("%s %d", c.Name, i), func(t *testing.T) {
			t.Parallel()
			chain, w := connect(t, c.edit(t))
			got, err := chain.Block(t.Context(), height)
			switch {
			case c.Want == nil && c.Err == nil:
				if core.CodeOf(err) != core.Unavailable || errors.Is(err, ports.ErrNoBlock) {
					t.Errorf("got %+v, %v, want %s", got.Transfers, err, core.Unavailable)
				}
			case !errors.Is(err, c.Err) || !cmp.Equal(got.Transfers, c.Want):
				t.Errorf("got %+v, %v, want %+v, %v", got.Transfers, err, c.Want, c.Err)
			}
			if shown := fmt.Sprint(err) + w.Printed(t); strings.Contains(shown, "planted") || strings.Contains(shown, address) {
				t.Errorf("the URL, a message or an address is in %s", shown)
			}
		})
	}
}

// Evidence checks that each trap and each other test stands for a fact that is known about the back
// end, that each fact with a test has it, and that evidence.yaml names the source of each fixture in testdata.
func Evidence(t *testing.T, facts []backend.Evidence, traps []Trap, tests ...string) {
	t.Helper()
	tested, known := map[string]bool{}, map[string]bool{}
	for _, c := range traps {
		tested[c.Name] = true
	}
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
