package simtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"causeway/simulator/journal"
)

// Account is the setting of an account. The world makes up what is empty.
type Account struct {
	Name    string `json:"account_name,omitempty"` // of the holder
	Outcome string `json:"outcome,omitempty"`      // what the providers do, by its name in the catalog: unknown, closed, all_down, …
	Country string `json:"country,omitempty"`      // of the institution, where its code does not tell that
}

// Match selects requests, as in the control API.
type Match = journal.Match

// Advance advances the clock of the world. It returns the new time when all work that is due on the
// way is done: prices are polled, settings start and end.
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

// Next queues outcomes for the next requests for an operation, one each, in order.
func (w *World) Next(operation string, outcomes ...string) {
	w.t.Helper()
	w.Control(http.MethodPost, "/next", map[string]any{"operation": operation, "outcomes": outcomes}, nil)
}

// Fault adds a fault, as a rule or a preset of the control API:
//
//	world.Fault(`{"match": {"provider": "kraken"}, "effect": {"kind": "inverted"}, "when": {"max_hits": 2}}`)
//	world.Fault(`{"preset": "provider_down:kraken"}`)
//
// It returns the IDs of the new faults.
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

// Assert fails the test, which goes on, unless exactly count requests to the world match. It reports
// the closest one, what differs, and the path of a bundle for causeway sim replay.
func (w *World) Assert(m Match, count int) {
	w.t.Helper()
	var r journal.Report
	w.Control(http.MethodPost, "/journal/assert", map[string]any{"match": m, "count": count}, &r)
	if !r.Pass {
		w.t.Errorf("simtest: %s\n%s", r.Message, w.saveBundle())
	}
}

// Wait waits until count requests to the world match, including earlier ones, and ends the test if
// that takes longer than the limit, which is a minute at most.
func (w *World) Wait(m Match, count int, limit time.Duration) {
	w.t.Helper()
	query := m.Values()
	query.Set("count", fmt.Sprint(count))
	query.Set("timeout", limit.String())
	var r journal.Report
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

// Control makes any call of the control API about the world: path follows the ID of the world, such as
// "/reset". body is encoded as JSON unless it is nil. The data of the response is decoded into to,
// unless that is nil. A call that is rejected ends the test.
func (w *World) Control(method, path string, body, to any) {
	w.t.Helper()
	if err := w.call(method, w.path()+path, body, to); err != nil {
		w.t.Fatalf("simtest: %v", err)
	}
}

func (w *World) path() string { return "/worlds/" + url.PathEscape(w.ID) }

// errConflict is the error of a call that creates a world whose name is in use.
var errConflict = errors.New("the name is in use")

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
	switch {
	case resp.StatusCode == http.StatusConflict:
		return nil, errConflict
	case resp.StatusCode/100 != 2:
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, text)
	}
	return text, nil
}
