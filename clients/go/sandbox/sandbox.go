// Package sandbox gives each test a simulated world of its own in a running sandbox:
//
//	causeway serve
package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"testing"

	causeway "causeway/clients/go"
)

// World is a client whose requests use a world of its own: its accounts, prices, clock, faults and
// journal. The accounts and prices derive from the name of the test.
type World struct {
	*causeway.Client

	Name string // for the header Sim-World
	t    testing.TB
}

// NewWorld makes a world in the sandbox that CAUSEWAY_SERVER (http://localhost:8080) and, for its
// operator listener, CAUSEWAY_SIM_OPERATOR (127.0.0.1:9099) name. It is deleted when the test ends.
func NewWorld(t testing.TB, options ...causeway.Option) *World {
	t.Helper()
	// A random part lets runs of a test share a sandbox.
	name := fmt.Sprintf("%.60s-%.10s", regexp.MustCompile(`[^\w.-]`).ReplaceAllString(t.Name(), "_"), rand.Text())
	server := cmp.Or(os.Getenv("CAUSEWAY_SERVER"), "http://localhost:8080")
	client, err := causeway.New(server, append(options, causeway.WithHeader("Sim-World", name))...)
	if err != nil {
		t.Fatal(err)
	}
	w := &World{client, name, t}
	w.control(http.MethodPost, "", map[string]any{"id": name, "seed": t.Name(), "ttl": "10m"})
	t.Cleanup(func() { w.Control(http.MethodDelete, "", nil) })
	return w
}

// Scenario returns a client whose requests have an outcome of the catalog, such as unknown or all_down.
func (w *World) Scenario(outcome string) *causeway.Client {
	return w.With(causeway.WithHeader("Sim-Scenario", outcome), causeway.WithRetries(0))
}

// Control calls the control API of the world: path follows the name of the world, such as
// /clock/advance. A rejected call ends the test.
func (w *World) Control(method, path string, body any) {
	w.t.Helper()
	w.control(method, "/"+url.PathEscape(w.Name)+path, body)
}

func (w *World) control(method, path string, body any) {
	w.t.Helper()
	operator := cmp.Or(os.Getenv("CAUSEWAY_SIM_OPERATOR"), "127.0.0.1:9099")
	text, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(
		context.Background(), method, "http://"+operator+"/_sim/v1/worlds"+path, bytes.NewReader(text))
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatalf("the sandbox does not respond; start it with causeway serve: %v", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if reason, _ := io.ReadAll(resp.Body); resp.StatusCode/100 != 2 {
		w.t.Fatalf("%s %s: %s\n%s", method, path, resp.Status, reason)
	}
}
