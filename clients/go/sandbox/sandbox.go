// Package sandbox gives each test a simulated world of its own in a sandbox: a running one
// ("causeway serve"), or one that it starts.
package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	causeway "causeway/clients/go"
)

// World is a client whose requests use a world of its own: its accounts, prices, clock, faults and
// journal. The accounts and prices derive from the name of the test.
type World struct {
	*causeway.Client

	Name     string // for the header Sim-World
	Server   string // URL of the public API
	Operator string // URL of the operator listener

	t testing.TB
}

// NewWorld makes a world, which is deleted when the test ends. The sandbox is the one at
// CAUSEWAY_SERVER (http://localhost:8080) with its operator listener at CAUSEWAY_SIM_OPERATOR
// (http://localhost:9099). If CAUSEWAY_BINARY is the path of a causeway binary instead, the first
// world of a test process starts a sandbox, which ends with the process.
func NewWorld(t testing.TB, options ...causeway.Option) *World {
	t.Helper()
	// A random part lets runs of a test share a sandbox.
	name := fmt.Sprintf("%.60s-%.10s", regexp.MustCompile(`[^\w.-]`).ReplaceAllString(t.Name(), "_"), rand.Text())
	w := &World{
		Name: name, t: t, Server: cmp.Or(os.Getenv("CAUSEWAY_SERVER"), "http://localhost:8080"),
		Operator: cmp.Or(os.Getenv("CAUSEWAY_SIM_OPERATOR"), "http://localhost:9099"),
	}
	if !strings.Contains(w.Operator, "://") {
		w.Operator = "http://" + w.Operator
	}
	if os.Getenv("CAUSEWAY_SERVER") == "" && os.Getenv("CAUSEWAY_BINARY") != "" {
		started, err := shared()
		if err != nil {
			t.Fatal(err)
		}
		w.Server, w.Operator = started.API, started.Operator
	}
	client, err := causeway.New(w.Server, append(options, causeway.WithHeader("Sim-World", name))...)
	if err != nil {
		t.Fatal(err)
	}
	w.Client = client
	w.control(http.MethodPost, "", map[string]any{"id": name, "seed": t.Name(), "ttl": "10m"}, nil)
	t.Cleanup(func() { w.Control(http.MethodDelete, "", nil, nil) })
	return w
}

// Scenario returns a client whose requests have an outcome of the catalog, such as unknown or all_down.
func (w *World) Scenario(outcome string) *causeway.Client {
	return w.With(causeway.WithHeader("Sim-Scenario", outcome), causeway.WithRetries(0))
}

// Next sets the outcomes of the next requests of an operation, for example "resolve-account" to
// "all_down".
func (w *World) Next(operation string, outcomes ...string) {
	w.t.Helper()
	w.Control(http.MethodPost, "/next", map[string]any{"operation": operation, "outcomes": outcomes}, nil)
}

// SetAccount sets the account_name or the outcome of an account.
func (w *World) SetAccount(bank, number string, account map[string]string) {
	w.t.Helper()
	w.Control(http.MethodPut, "/accounts/"+url.PathEscape(bank)+"/"+url.PathEscape(number), account, nil)
}

// Deposit sends an amount of a currency to the deposit address of a profile and returns the hash of
// the transaction, which is in the next block of the network.
func (w *World) Deposit(profile, currency, network, amount string) string {
	w.t.Helper()
	var sent struct{ Data []struct{ Hash string } }
	w.Control(http.MethodPost, chainPath(network, "transfers"),
		map[string]string{"profile_id": profile, "currency": currency, "amount": amount}, &sent)
	if len(sent.Data) == 0 {
		w.t.Fatal("the sandbox sent no transfer")
	}
	return sent.Data[0].Hash
}

// ChainHeight is the newest block of a simulated chain, and the newest one that the service has read.
type ChainHeight struct {
	Height     int64  `json:"height"`
	ReadHeight int64  `json:"read_height"`
	Problem    string `json:"problem"` // why the service has not read more; empty: it has read all
}

// Mine adds blocks to the chain of a network and lets the service read them.
func (w *World) Mine(network string, blocks int) ChainHeight {
	w.t.Helper()
	return w.changeChain(network, "mine", map[string]any{"blocks": blocks})
}

// Reorganize replaces the newest blocks of a network by a new branch of one block more, and lets the
// service read it. The last new block has the transfers of the replaced ones, unless they are dropped.
func (w *World) Reorganize(network string, depth int, drop bool) ChainHeight {
	w.t.Helper()
	return w.changeChain(network, "reorganize", map[string]any{"depth": depth, "drop": drop})
}

func (w *World) changeChain(network, change string, body any) ChainHeight {
	w.t.Helper()
	var after struct{ Data ChainHeight }
	w.Control(http.MethodPost, chainPath(network, change), body, &after)
	return after.Data
}

func chainPath(network, below string) string {
	return "/chains/" + url.PathEscape(network) + "/" + below
}

// Assert fails the test, which continues, unless exactly count requests to the world match, for
// example {"operation": "resolve-account", "status": 200}. It reports the closest one and what
// differs.
func (w *World) Assert(match map[string]any, count int) {
	w.t.Helper()
	var report struct {
		Data struct {
			Pass    bool
			Message string
		}
	}
	w.Control(http.MethodPost, "/journal/assert", map[string]any{"match": match, "count": count}, &report)
	if !report.Data.Pass {
		w.t.Error(report.Data.Message)
	}
}

// Control calls an operation of the control API on the world: path follows the name of the world,
// such as /clock/advance. body is encoded as JSON, and the response is decoded into to, unless they
// are nil. A rejected call ends the test.
func (w *World) Control(method, path string, body, to any) {
	w.t.Helper()
	w.control(method, "/"+url.PathEscape(w.Name)+path, body, to)
}

func (w *World) control(method, path string, body, to any) {
	w.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(
		context.Background(), method, w.Operator+"/_sim/v1/worlds"+path, bytes.NewReader(text))
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatalf("the sandbox does not respond; start it with causeway serve, or set CAUSEWAY_BINARY: %v", err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode/100 != 2 {
		err = errors.New(resp.Status + "\n" + string(answer))
	}
	if err == nil && to != nil {
		err = json.Unmarshal(answer, to)
	}
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
}
