package edge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"causeway/core"
	"causeway/simulator/faults"
	"causeway/simulator/journal"
	"causeway/simulator/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const plainBody = `{"data":[{"code":"000013","name":"A & B"},{"code":"000014","name":"C"}],"status":"success"}`

// stricken is a door on a socket, in whose world "a" an effect befalls answers. Work counts the questions that were answered behind the door.
func stricken(t *testing.T, rule faults.Rule) (e sandbox, worlds *world.Registry, server *httptest.Server, work *atomic.Int64) {
	t.Helper()
	work = new(atomic.Int64)
	e, worlds = door(t, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Request-Id", "req_000000000001")
		h.Set("Content-Type", "application/json")
		if f, fails := world.RequestFrom(r.Context()).Fail(); fails {
			w.WriteHeader(f.Status)
			_, _ = fmt.Fprintf(w, `{"error":{"name":%q}}`, f.Error)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		work.Add(1)
		if r.Method == http.MethodPost { // tells what it was asked
			_, _ = w.Write(body)
			return
		}
		h.Set("Etag", `"1"`)
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h.Set("Content-Length", fmt.Sprint(len(plainBody)))
		_, _ = io.WriteString(w, plainBody)
	})
	sim, err := worlds.Use("a")
	if err != nil {
		t.Fatal(err)
	}
	rule.Match.Plane = faults.Edge
	if _, err := sim.Faults().Add(rule, sim.Now()); err != nil {
		t.Fatal(err)
	}
	server = httptest.NewServer(e)
	t.Cleanup(server.Close)
	return e, worlds, server, work
}

// said is an answer that was read to its end, or as far as it came.
type said struct {
	status int
	header http.Header
	body   string
	err    error
	took   time.Duration
}

// hear sends a request to the world "a", on a connection of its own.
func hear(ctx context.Context, t *testing.T, server *httptest.Server, method, body string, header ...string) said {
	t.Helper()
	path := "/v1/banks"
	if method == http.MethodPost {
		path = "/v1/recipients/resolve-bank-account"
	}
	r, err := http.NewRequestWithContext(ctx, method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sim-World", "a")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	start := time.Now()
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		return said{err: err, took: time.Since(start)}
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	return said{resp.StatusCode, resp.Header, string(text), err, time.Since(start)}
}

// ended waits for the entry of a request of the world "a" to be in its journal: then its handler has left.
func ended(t *testing.T, worlds *world.Registry) journal.Entry {
	t.Helper()
	w, err := worlds.Find("a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	report, err := w.Journal().Wait(ctx, journal.Match{}, 1)
	if err != nil || len(report.Entries) != 1 {
		t.Fatalf("the handler did not leave: %v, %+v", err, report)
	}
	return report.Entries[0]
}

// broken reports whether a connection ended without an answer.
func broken(r said) bool { return r.err != nil && r.status == 0 }

// document reports whether the answer is plainBody after a change.
func document(r said, change func(map[string]any)) bool {
	var want, got map[string]any
	if r.err != nil || json.Unmarshal([]byte(plainBody), &want) != nil || json.Unmarshal([]byte(r.body), &got) != nil {
		return false
	}
	change(want)
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	return bytes.Equal(a, b) && r.status == http.StatusOK
}

func rowsOf(document map[string]any) (out []map[string]any) {
	list, _ := document["data"].([]any)
	for _, row := range list {
		one, _ := row.(map[string]any)
		out = append(out, one)
	}
	return out
}

const moment = 60 * time.Millisecond

// edited reports whether a fault that the API edits itself, or that is an error of the API, is right.
// The wire suite checks the responses of all other faults, which come from the same injector.
func edited(kind faults.Kind, r said) bool {
	switch kind {
	case faults.Status:
		return r.status == http.StatusTooManyRequests && r.body == `{"error":{"name":"too_many_requests"}}`
	case faults.UnknownFields:
		return strings.Contains(r.body, "A & B") && document(r, func(d map[string]any) {
			added := map[string]any{"since": "2026-11-21", "values": []any{1, nil, true}}
			for _, row := range append(rowsOf(d), d) {
				row["unannounced"] = added
			}
		})
	case faults.MissingField:
		return document(r, func(d map[string]any) {
			for _, row := range rowsOf(d) {
				delete(row, "code")
			}
		})
	case faults.ChangedType:
		return document(r, func(d map[string]any) {
			for _, row := range rowsOf(d) {
				row["code"] = []any{row["code"]}
			}
		})
	default:
		return true
	}
}

func TestFaults_Effects(t *testing.T) {
	t.Parallel()
	for _, name := range faults.Kinds() {
		kind := faults.Kind(name)
		if kind == faults.Hang || !slices.Contains(kind.Planes(), faults.Edge) { // see TestFaults_Hang
			continue
		}
		effect := faults.Effect{Kind: kind}
		switch kind {
		case faults.Status:
			effect.Status, effect.Code = http.StatusTooManyRequests, "too_many_requests"
		case faults.Latency, faults.SlowHeaders, faults.Dribble:
			effect.MS = moment.Milliseconds()
		default:
		}
		for _, phase := range []faults.Phase{faults.Before, faults.After} {
			t.Run(name+" "+string(phase), func(t *testing.T) {
				t.Parallel()
				_, worlds, server, work := stricken(t, faults.Rule{Effect: effect, Phase: phase})
				r := hear(t.Context(), t, server, http.MethodGet, "", "Accept-Encoding", "gzip", "If-None-Match", map[bool]string{true: `"1"`}[kind.Alters()])
				if !edited(kind, r) {
					t.Errorf("%d, %v, %v: %.300q", r.status, r.header, r.err, r.body)
				}
				if r.status != 0 && (r.header.Get("Sim-Applied") != "fault:f1" || r.header.Get("Sim-World") != "a" || r.header.Get("Sim-Time") == "") {
					t.Errorf("it does not say where it is from: %v", r.header)
				}
				if kind.Alters() && r.header.Get("Etag") != "" {
					t.Error("a changed answer has the tag of the unchanged answer")
				}
				if did := work.Load() == 1; did != (kind.Alters() || kind.Slows() || kind == faults.Latency || phase == faults.After) {
					t.Errorf("the work was done: %t", did)
				}
				entry := ended(t, worlds)
				if entry.Applied != "fault:f1" || entry.Answer.Status != r.status || entry.Answer.Bytes != int64(len(r.body)) {
					t.Errorf("the journal has %+v, the client %d bytes", entry.Answer, len(r.body))
				}
			})
		}
	}
}

func TestFaults_Hang(t *testing.T) {
	t.Parallel()
	for _, phase := range []faults.Phase{faults.Before, faults.After} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			t.Run(method+" "+string(phase), func(t *testing.T) {
				t.Parallel()
				hang := faults.Rule{Effect: faults.Effect{Kind: faults.Hang}, Phase: phase}
				t.Run("with the client", func(t *testing.T) {
					t.Parallel()
					_, worlds, server, work := stricken(t, hang)
					ctx, cancel := context.WithTimeout(t.Context(), moment)
					defer cancel()
					if r := hear(ctx, t, server, method, `{"a":1}`); !errors.Is(r.err, context.DeadlineExceeded) {
						t.Errorf("%d %v", r.status, r.err)
					}
					w, err := worlds.Find("a")
					if err != nil {
						t.Fatal(err)
					}
					if w.Faults().List()[0].Hits == 0 {
						return // the machine is so slow that the client gave up before it asked
					}
					if entry := ended(t, worlds); entry.Answer.Status != 0 || entry.Applied != "fault:f1" {
						t.Errorf("%+v", entry.Answer)
					}
					if did := work.Load() == 1; did != (phase == faults.After) {
						t.Errorf("the work was done: %t", did)
					}
				})
				t.Run("with the server", func(t *testing.T) {
					t.Parallel()
					e, _, server, _ := stricken(t, hang)
					begin := time.Now()
					time.AfterFunc(moment, e.edge.Close)
					if r := hear(t.Context(), t, server, method, `{"a":1}`); !broken(r) || time.Since(begin) < moment {
						t.Errorf("%d %v after %s", r.status, r.err, time.Since(begin))
					}
				})
			})
		}
	}
}

// TestFaults_LateResponseIsComplete has a server that cuts off whatever takes long by itself.
func TestFaults_LateResponseIsComplete(t *testing.T) {
	t.Parallel()
	for _, kind := range []faults.Kind{faults.Latency, faults.SlowHeaders, faults.Dribble} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			t.Run(string(kind)+" "+method, func(t *testing.T) {
				t.Parallel()
				e, _, _, _ := stricken(t, faults.Rule{Effect: faults.Effect{Kind: kind, MS: 1500}})
				server := httptest.NewUnstartedServer(e)
				server.Config.ReadTimeout, server.Config.WriteTimeout = time.Second, time.Second
				server.Start()
				t.Cleanup(server.Close)
				if r := hear(t.Context(), t, server, method, `{"a":1}`); r.err != nil || r.status != http.StatusOK || r.took < 1500*time.Millisecond {
					t.Errorf("after %s: %d, %v", r.took, r.status, r.err)
				}
			})
		}
	}
}

func TestRequest_BodyIsPreserved(t *testing.T) {
	t.Parallel()
	_, worlds, server, _ := stricken(t, faults.Rule{Effect: faults.Effect{Kind: faults.Latency, MS: 1}})
	const question = `{"account_number":"0123456789"}`
	if r := hear(t.Context(), t, server, http.MethodPost, question); r.err != nil || r.body != question {
		t.Errorf("it was asked %q, %v", r.body, r.err)
	}
	if entry := ended(t, worlds); entry.Request.BodyBytes != len(question) {
		t.Errorf("the journal has %d bytes of it", entry.Request.BodyBytes)
	}
	large := strings.Repeat("x", 3<<20)
	if r := hear(t.Context(), t, server, http.MethodPost, large); r.err != nil || r.body != large {
		t.Errorf("of %d bytes %d arrived, %v", len(large), len(r.body), r.err)
	}
}

// TestScenarios_BeforeFaults follows the order of decisions.
func TestScenarios_BeforeFaults(t *testing.T) {
	t.Parallel()
	_, worlds, server, _ := stricken(t, faults.Rule{Effect: faults.Effect{Kind: faults.Empty}})
	w, err := worlds.Find("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Queue().Add("list-banks", "error:conflict"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"next:error:conflict", "fault:f1"} {
		if r := hear(t.Context(), t, server, http.MethodGet, ""); r.header.Get("Sim-Applied") != want {
			t.Errorf("%d, by %s, want %s", r.status, r.header.Get("Sim-Applied"), want)
		}
	}
	if r := hear(t.Context(), t, server, http.MethodGet, "", "Sim-Scenario", "error:not_found"); r.status != http.StatusNotFound || r.header.Get("Sim-Applied") != "scenario:error:not_found" {
		t.Errorf("%d, %v", r.status, r.header)
	}
	if r := hear(t.Context(), t, server, http.MethodGet, "", "Sim-Scenario", "nonsense"); r.status != http.StatusTeapot || !strings.Contains(r.body, string(core.Invalid)) {
		t.Errorf("%d %s", r.status, r.body)
	}
}
