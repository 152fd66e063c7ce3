// Package backendtest holds the tests that all kinds of back ends share.
package backendtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jarcoal/httpmock"
	"go.yaml.in/yaml/v3"

	"causeway/adapters/chains"
	"causeway/adapters/chains/backend"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

// Kind is a kind of back end under test.
type Kind struct {
	Text   string // of a back end in the settings, such as evm:https://node.example
	Method string // of all requests
	URL    string // of all requests, as a regular expression

	Chain   core.Chain // whose blocks are in Fixture
	Fixture string
	Tip     int64  // height in Fixture
	Address string // in the block at the tip

	// Read returns a server that works, with the blocks of a fixture.
	Read func(t testing.TB, fixture string) Server
}

// Server responds like a back end. Requests have names, which Edit knows.
type Server func(r *http.Request) (request string, status int, response string, err error)

// Blocks are the blocks of a fixture.
type Blocks struct {
	Chain  core.Chain
	Blocks []core.Block // successive ones; the last one is the tip
	Final  core.BlockID // zero: the back end does not say
}

// Servers returns a Read for servers that are a fixture, decoded, and respond by a method.
func Servers[T any](
	respond func(*T, *http.Request) (request string, status int, response string, err error),
) func(t testing.TB, fixture string) Server {
	return func(t testing.TB, fixture string) Server {
		t.Helper()
		server := ReadFixture[T](t, fixture)
		return func(r *http.Request) (request string, status int, response string, err error) {
			return respond(server, r)
		}
	}
}

// ReadFixture decodes a fixture.
func ReadFixture[T any](t testing.TB, name string) *T {
	t.Helper()
	out := new(T)
	if err := json.Unmarshal([]byte(upstreamtest.Read(t, name)), out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Respond returns the responses of a server, which edit changes. It may be nil.
func Respond(s Server, edit Edit) httpmock.Responder {
	return func(r *http.Request) (*http.Response, error) {
		request, status, response, err := s(r)
		if err != nil {
			return nil, err
		}
		if edit != nil {
			if edited, changed := edit(request, response); edited != 0 {
				status, response = edited, changed
			}
		}
		return httpmock.NewStringResponse(status, response), nil
	}
}

// Connect returns a back end of a chain with these responses.
func (k Kind) Connect(
	t testing.TB, respond httpmock.Responder, chain core.Chain,
) (ports.Chain, *upstreamtest.World) {
	t.Helper()
	mock := httpmock.NewMockTransport()
	mock.RegisterResponder(k.Method, "=~^"+k.URL, respond)
	w := upstreamtest.Open(t, mock)
	c, err := chains.New(w.Factory, chain, 1, k.Text)
	if err != nil {
		t.Fatal(err)
	}
	return c, w
}

// Open returns a back end with the blocks of Fixture, whose responses edit changes.
func (k Kind) Open(t testing.TB, edit Edit) (ports.Chain, *upstreamtest.World) {
	t.Helper()
	return k.Connect(t, Respond(k.Read(t, k.Fixture), edit), k.Chain)
}

// Contract runs the suite of the port with fixtures. other is the ID of another network.
func (k Kind) Contract(t *testing.T, other string, fixtures map[string]Blocks) {
	t.Helper()
	t.Parallel()
	for fixture, b := range fixtures {
		t.Run(fixture, func(t *testing.T) {
			t.Parallel()
			s := porttest.ChainSuite{Blocks: b.Blocks, Final: b.Final}
			s.Chain, _ = k.Connect(t, Respond(k.Read(t, fixture), nil), b.Chain)
			s.Down, _ = k.Connect(t, httpmock.NewErrorResponder(errors.New("planted")), b.Chain)
			b.Chain.ID = other
			s.Other, _ = k.Connect(t, Respond(k.Read(t, fixture), nil), b.Chain)
			porttest.Chain(t, s)
		})
	}
}

// Requests checks which requests read the block at the tip, how they are counted, and that the
// responses may be large.
func (k Kind) Requests(t *testing.T, want, outcomes []string) {
	t.Helper()
	t.Parallel()
	var requests []string
	chain, w := k.Open(t, func(request, response string) (int, string) {
		requests = append(requests, request)
		return http.StatusOK, response + strings.Repeat(" ", 5<<20)
	})
	if _, err := chain.Block(t.Context(), k.Tip); err != nil {
		t.Error(err)
	}
	if !slices.Equal(requests, want) {
		t.Errorf("got %v, want %v", requests, want)
	}
	if got := w.Outcomes(t); !slices.Equal(got, outcomes) {
		t.Errorf("got the metrics %v, want %v", got, outcomes)
	}
}

// Check checks that a back end is of another network only if its response says so. wants are the
// errors of Check by response; unclear responses are unavailable.
func (k Kind) Check(t *testing.T, wants map[string]error, unclear ...string) {
	t.Helper()
	t.Parallel()
	check := func(response string) error {
		chain, _ := k.Connect(t, upstreamtest.Text(http.StatusOK, response), k.Chain)
		return chain.Check(t.Context())
	}
	for response, want := range wants {
		if err := check(response); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", response, err, want)
		}
	}
	for _, response := range unclear {
		if err := check(response); core.CodeOf(err) != core.Unavailable || errors.Is(err, ports.ErrOtherNetwork) {
			t.Errorf("%s: got %v, want %s", response, err, core.Unavailable)
		}
	}
}

// With returns transfers of which one is edited.
func With(all []core.Transfer, i int, edit func(*core.Transfer)) []core.Transfer {
	out := slices.Clone(all)
	edit(&out[i])
	return out
}

// Without returns the other transfers.
func Without(all []core.Transfer, i ...int) (out []core.Transfer) {
	for n, transfer := range all {
		if !slices.Contains(i, n) {
			out = append(out, transfer)
		}
	}
	return out
}

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

// Traps reads the block at the tip from a back end whose responses a trap changes. Neither an error
// nor the log may show an address of the block, or anything that contains "planted".
func (k Kind) Traps(t *testing.T, traps []Trap) {
	t.Helper()
	t.Parallel()
	for i, c := range traps {
		t.Run(fmt.Sprintf("%s %d", c.Name, i), func(t *testing.T) {
			t.Parallel()
			chain, w := k.Open(t, c.edit(t))
			got, err := chain.Block(t.Context(), k.Tip)
			switch {
			case c.Want == nil && c.Err == nil:
				if core.CodeOf(err) != core.Unavailable || errors.Is(err, ports.ErrNoBlock) {
					t.Errorf("got %+v, %v, want %s", got.Transfers, err, core.Unavailable)
				}
			case !errors.Is(err, c.Err) || !cmp.Equal(got.Transfers, c.Want):
				t.Errorf("got %+v, %v, want %+v, %v", got.Transfers, err, c.Want, c.Err)
			}
			shown := fmt.Sprint(err) + w.Printed(t)
			if strings.Contains(shown, "planted") || strings.Contains(shown, k.Address) {
				t.Errorf("the URL, a message or an address is in %s", shown)
			}
		})
	}
}

// Evidence checks that each trap and each other test stands for a fact that is known about the back
// end, that each fact with a test has it, and that evidence.yaml names the source of each fixture in testdata.
func Evidence(t *testing.T, facts []backend.Evidence, traps []Trap, tests ...string) {
	t.Helper()
	t.Parallel()
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
