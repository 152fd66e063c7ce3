package simtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Account is what a world knows of an account. What is empty it makes up.
type Account struct {
	Name    string `json:"account_name,omitempty"` // of the holder
	Outcome string `json:"outcome,omitempty"`      // what the providers do, by its name in the catalog: unknown, closed, all_down, …
	Country string `json:"country,omitempty"`      // of the institution, where its code does not tell that
}

// Match says which requests are meant. What is empty matches all of them.
type Match struct {
	Operation string            `json:"operation,omitempty"` // as in the API's document: resolve-account
	Method    string            `json:"method,omitempty"`
	Path      string            `json:"path,omitempty"` // * is anything but a slash
	Query     map[string]string `json:"query,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Body      map[string]string `json:"body,omitempty"`    // members of the body's object
	Applied   string            `json:"applied,omitempty"` // what Sim-Applied begins with: fault
	Cache     string            `json:"cache,omitempty"`   // hit, miss or none
	Status    int               `json:"status,omitempty"`
	Error     string            `json:"error,omitempty"`    // name of the error
	Field     string            `json:"field,omitempty"`    // that was at fault
	Provider  string            `json:"provider,omitempty"` // that was asked
	Outcome   string            `json:"outcome,omitempty"`  // of that
}

// query returns the match as parameters of the control API.
func (m Match) query() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{
		"operation": m.Operation, "method": m.Method, "path": m.Path, "applied": m.Applied, "cache": m.Cache,
		"error": m.Error, "field": m.Field, "provider": m.Provider, "outcome": m.Outcome,
	} {
		query.Set(name, value) // an empty one counts as absent
	}
	if m.Status != 0 {
		query.Set("status", strconv.Itoa(m.Status))
	}
	for name, values := range map[string]map[string]string{"query": m.Query, "headers": m.Headers, "body": m.Body} {
		for member, value := range values {
			query.Set(name+"["+member+"]", value)
		}
	}
	return query
}

// Advance moves the world's clock on, and returns its time when all that fell due on the way is
// done: prices were asked for, settings began and ended.
func (w *World) Advance(by time.Duration) time.Time {
	w.t.Helper()
	var now struct{ Now time.Time }
	w.Control(http.MethodPost, "/clock/advance", map[string]string{"by": by.String()}, &now)
	return now.Now
}

// SetAccount sets an account at an institution, which is named by its code or any alias of it.
func (w *World) SetAccount(bank, number string, a Account) {
	w.t.Helper()
	w.Control(http.MethodPut, "/accounts/"+url.PathEscape(bank)+"/"+url.PathEscape(number), a, nil)
}

// Next lets outcomes befall the next requests for an operation, one each, in order.
func (w *World) Next(operation string, outcomes ...string) {
	w.t.Helper()
	w.Control(http.MethodPost, "/next", map[string]any{"operation": operation, "outcomes": outcomes}, nil)
}

// Fault lets something go wrong by a rule, or by the name of a preset, in the words of the control
// API:
//
//	world.Fault(`{"match": {"provider": "kraken"}, "effect": {"kind": "inverted"}, "when": {"max_hits": 2}}`)
//	world.Fault(`{"preset": "provider_down:kraken"}`)
//
// It returns the ids of the faults that it made.
func (w *World) Fault(rule string) (ids []string) {
	w.t.Helper()
	var made []struct{ ID string }
	w.Control(http.MethodPost, "/faults", json.RawMessage(rule), &made)
	for _, f := range made {
		ids = append(ids, f.ID)
	}
	return ids
}

// Pin sets the price of a pair at all venues, as a decimal: Pin("USDTNGN", "1400.50"). The prices
// of the API follow as the world's time goes on: a second is enough.
func (w *World) Pin(pair, price string) {
	w.t.Helper()
	w.Control(http.MethodPut, "/market/"+url.PathEscape(pair), map[string]string{"pin": price}, nil)
}

// Play plays an incident of the library from the world's now on.
func (w *World) Play(scenario string) {
	w.t.Helper()
	w.Control(http.MethodPost, "/market/play", map[string]string{"scenario": scenario}, nil)
}

// report is what came of an assertion or a wait.
type report struct {
	Pass    bool
	Message string
}

// Assert fails the test, which goes on, unless exactly so many requests to the world match. It says
// which one is closest, what differs, and where it wrote a bundle for causeway sim replay.
func (w *World) Assert(m Match, count int) {
	w.t.Helper()
	var r report
	w.Control(http.MethodPost, "/journal/assert", map[string]any{"match": m, "count": count}, &r)
	if !r.Pass {
		w.t.Errorf("simtest: %s\n%s", r.Message, w.saveBundle())
	}
}

// Wait waits until so many requests to the world match, those before it included, and ends the test
// where that takes longer than the limit, which is a minute at most.
func (w *World) Wait(m Match, count int, limit time.Duration) {
	w.t.Helper()
	query := m.query()
	query.Set("count", fmt.Sprint(count))
	query.Set("timeout", limit.String())
	var r report
	w.Control(http.MethodGet, "/journal/wait?"+query.Encode(), nil, &r)
	if !r.Pass {
		w.t.Fatalf("simtest: %s\n%s", r.Message, w.saveBundle())
	}
}

// saveBundle writes the bundle of the world to a file that outlives the test, and returns how to use it.
func (w *World) saveBundle() string {
	bundle, err := w.send(http.MethodGet, w.path()+"/journal/bundle", nil)
	if err != nil {
		return "no bundle: " + err.Error()
	}
	file, err := os.CreateTemp("", "simtest-*.json")
	if err == nil {
		_, err = file.Write(bundle)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return "no bundle: " + err.Error()
	}
	return "replay the requests with: causeway sim replay " + file.Name()
}

// Control makes any call of the control API about the world: path is what stands behind the world's
// id there, such as "/reset". Body becomes JSON; nil: there is none. The data of the answer is read
// into to, unless that is nil. A call that is refused ends the test.
func (w *World) Control(method, path string, body, to any) {
	w.t.Helper()
	if err := w.call(method, w.path()+path, body, to); err != nil {
		w.t.Fatalf("simtest: %v", err)
	}
}

func (w *World) path() string { return "/worlds/" + url.PathEscape(w.ID) }

// refusal is an error that the control API answered with.
type refusal struct{ name, text string }

// Error is what was refused, with every field that was at fault.
func (r *refusal) Error() string { return r.name + ": " + r.text }

// call makes one call and decodes the data of the response.
func (w *World) call(method, path string, body, to any) error {
	text, err := w.send(method, path, body)
	if err != nil || to == nil {
		return err
	}
	return json.Unmarshal(text, &struct{ Data any }{to})
}

// send makes one call and returns the body of the response.
func (w *World) send(method, path string, body any) ([]byte, error) {
	var content bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&content).Encode(body); err != nil {
			return nil, fmt.Errorf("%s %s: %w", method, path, err)
		}
	}
	req, err := http.NewRequestWithContext(context.Background(), method, w.Operator+"/_sim/v1"+path, &content)
	if err != nil {
		return nil, err
	}
	resp, err := w.plain.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode/100 != 2 {
		return nil, refusalOf(resp.Status, text)
	}
	return text, nil
}

// refusalOf reads an error from the body of an answer.
func refusalOf(status string, body []byte) error {
	var e struct {
		Error  struct{ Name, Message string }
		Fields map[string][]struct{ Reason string }
	}
	if err := json.Unmarshal(body, &e); err != nil || e.Error.Name == "" {
		return fmt.Errorf("the control API answers %s %s", status, body)
	}
	said := e.Error.Message
	for _, field := range slices.Sorted(maps.Keys(e.Fields)) {
		for _, f := range e.Fields[field] {
			if more := field + " " + f.Reason; !strings.Contains(said, more) {
				said += "; " + more
			}
		}
	}
	return &refusal{e.Error.Name, said}
}
