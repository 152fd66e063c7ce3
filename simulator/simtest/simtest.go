// Package simtest gives Go tests a complete Causeway: the sandbox on a loopback port, with a world
// for every test.
//
//	func TestPayout(t *testing.T) {
//		world := simtest.NewWorld(t)
//		world.SetAccount("000013", "0123456789", simtest.Account{Name: "TEST ADA OKAFOR"})
//		shop := NewShop(world.URL, world.Client()) // the code under test
//		…
//		world.Assert(simtest.Match{Operation: "resolve-account", Status: 200}, 1)
//	}
//
// The first world of a test process builds causeway/cmd/causeway, in the version that go.mod
// requires, and starts it; later worlds share that process. To skip the build, set the environment
// variable SIMTEST_BINARY to the path of a causeway binary. Worlds share no data, time, caches,
// circuit breakers or limits, so that tests run in parallel. A world is deleted when its test ends,
// and the sandbox ends with the test process.
//
// The functions here are thin calls of the control API; World.Control makes any other call. The
// catalog of that API lists operations, outcomes, faults and scenarios, and World.Operator +
// "/_sim/v1/openapi.json" is its OpenAPI document. A call that fails, fails the test.
package simtest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"causeway/simulator/world"
)

// Option is an option of NewWorld.
type Option func(*world.Options)

// Seed gives the world the names and prices of a seed. Without it the seed is the name of the test.
func Seed(seed string) Option { return func(o *world.Options) { o.Seed = seed } }

// At freezes the clock of the world at a time: Advance moves it. Without it the clock follows that of
// the machine.
func At(now time.Time) Option {
	return func(o *world.Options) { o.Clock = world.ClockSetting{Now: &now, Frozen: new(true)} }
}

// MagicPairs lists the magic pairs in the world.
func MagicPairs() Option { return func(o *world.Options) { o.MagicPairs = true } }

// EnforceLimits makes the world enforce its rate limits.
func EnforceLimits() Option { return func(o *world.Options) { o.EnforceLimits = true } }

// MainnetOnly makes addresses of test networks invalid, as in production.
func MainnetOnly() Option { return func(o *world.Options) { o.MainnetOnly = true } }

// World is a world of its own in the sandbox of the test process. Its methods are called while its
// test runs.
type World struct {
	ID       string // of the world, for the header Sim-World
	URL      string // of the public API, such as http://127.0.0.1:41233
	Operator string // of the operator's listener

	t      testing.TB
	client *http.Client
	plain  *http.Client
}

// NewWorld creates a world that is named after the test and ends with it.
func NewWorld(t testing.TB, options ...Option) *World {
	t.Helper()
	running, err := shared()
	if err != nil {
		t.Fatalf("simtest: %v", err)
	}
	connections := &http.Transport{} // of this test alone, and without a proxy
	w := &World{URL: running.public, Operator: running.operator, t: t, plain: &http.Client{Transport: connections}}
	t.Cleanup(connections.CloseIdleConnections)
	var s world.Options
	for _, o := range options {
		o(&s)
	}
	for n := 1; ; n++ {
		s.ID = name(t.Name(), n)
		err := w.call(http.MethodPost, "/worlds", s, nil)
		if err == nil {
			break
		}
		if !errors.Is(err, errConflict) { // the test has another world
			t.Fatalf("simtest: %v", err)
		}
	}
	w.ID, w.client = s.ID, &http.Client{Transport: &inWorld{s.ID, connections}}
	t.Cleanup(func() {
		if err := w.call(http.MethodDelete, w.path(), nil, nil); err != nil {
			t.Errorf("simtest: %v", err)
		}
	})
	return w
}

// name returns the name of the n-th world of a test: that of the test, as far as it is valid.
func name(test string, n int) string {
	const (
		longest = 100
		short   = 80
	)
	id := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._/:@#=,+()-", r) {
			return r
		}
		return '_'
	}, test)
	if n > 1 {
		id = fmt.Sprintf("%s#%d", id, n)
	}
	if len(id) > longest || strings.Trim(id, ".") == "" {
		sum := sha256.Sum256([]byte(fmt.Sprint(test, n)))
		id = id[:min(len(id), short)] + "-" + hex.EncodeToString(sum[:4])
	}
	return id
}

// Client returns a client whose requests are about the world.
func (w *World) Client() *http.Client { return w.client }

// inWorld names a world in every request.
type inWorld struct {
	id          string
	connections http.RoundTripper
}

// RoundTrip sends the request with the header Sim-World, unless it has one.
func (i *inWorld) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Sim-World") == "" {
		r = r.Clone(r.Context())
		r.Header.Set("Sim-World", i.id)
	}
	return i.connections.RoundTrip(r)
}
