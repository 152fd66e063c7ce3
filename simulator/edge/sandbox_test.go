package edge_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/edge"
	"causeway/simulator/journal"
	"causeway/simulator/world"
)

// sandbox is an edge.Handler before a handler, which without another one responds with the name of the world.
type sandbox struct {
	http.Handler
	edge *edge.Handler
}

type worldKey struct{}

func worldName(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Request-Id", "req_000000000001")
	name, _ := r.Context().Value(worldKey{}).(string)
	_, _ = io.WriteString(w, name)
}

func refuse(w http.ResponseWriter, _ *http.Request, err error) {
	w.WriteHeader(http.StatusTeapot)
	fields := ""
	if e, ok := errors.AsType[*core.Error](err); ok && len(e.Fields) > 0 {
		fields = `,"fields":{"` + e.Fields[0].Field + `":[]}`
	}
	_, _ = io.WriteString(w, `{"error":{"name":"`+string(core.CodeOf(err))+`"}`+fields+"}")
}

func door(t *testing.T, serve http.HandlerFunc) (sandbox, *world.Registry) {
	t.Helper()
	worlds, err := world.NewRegistry(world.RegistryConfig{Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	e := edge.New(edge.Config{
		Worlds: worlds, Refuse: refuse,
		Enter: func(r *http.Request, w *world.World) (*http.Request, func(), error) {
			if w.ID() == "broken" {
				return nil, nil, errors.New("no services")
			}
			return r.WithContext(context.WithValue(r.Context(), worldKey{}, w.ID())), func() {}, nil
		},
		Operation: func(r *http.Request) string {
			return map[string]string{
				"/v1/banks": "list-banks", "/v1/recipients/resolve-bank-account": "resolve-account",
			}[r.URL.Path]
		},
		Votes: func(*world.World, string, *http.Request) []journal.Vote {
			return []journal.Vote{{Source: "kraken"}}
		},
	})
	if serve == nil {
		serve = worldName
	}
	return sandbox{e.Middleware(serve), e}, worlds
}

func ask(t *testing.T, e sandbox, method, body string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	path := "/v1/banks"
	if method == http.MethodPost {
		path = "/v1/recipients/resolve-bank-account"
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	e.ServeHTTP(rec, r)
	return rec
}

func entries(t *testing.T, worlds *world.Registry, id string) []journal.Entry {
	t.Helper()
	w, err := worlds.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	list, err := w.Journal().Find(journal.Match{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestResponses_WorldHeaders(t *testing.T) {
	t.Parallel()
	e, _ := door(t, nil)
	instant := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	for name, c := range map[string]struct {
		method, body string
		header       []string
		world        string
	}{
		"a plain read":                     {http.MethodGet, "default", nil, "default"},
		"the default world by its name":    {http.MethodGet, "default", []string{"Sim-World", "default"}, "default"},
		"an empty name":                    {http.MethodGet, "default", []string{"Sim-World", ""}, "default"},
		"a world that nobody asked before": {http.MethodGet, "TestX/y", []string{"Sim-World", "TestX/y"}, "TestX/y"},
		"a question":                       {http.MethodPost, "default", nil, "default"},
	} {
		rec := ask(t, e, c.method, "", c.header...)
		h := rec.Header()
		if rec.Body.String() != c.body || h.Get("Sim-World") != c.world || h.Get("Sim-Applied") != "none" || !instant.MatchString(h.Get("Sim-Time")) {
			t.Errorf("%s: %q of %v", name, rec.Body, h)
		}
	}
}

// TestJournal_API opens the start page with its stylesheet, and then calls the API.
func TestJournal_API(t *testing.T) {
	t.Parallel()
	e, worlds := door(t, nil)
	var got []string
	for _, path := range []string{
		"/", "/docs", "/docs/assets/base.css", "/docs/assets/start.js", "/errors/not_found", "/openapi.json", "/favicon.ico",
		"/v1/banks", "/v1/bankz",
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
		e.ServeHTTP(httptest.NewRecorder(), r)
	}
	for _, entry := range entries(t, worlds, "default") {
		got = append(got, entry.Request.Path)
	}
	if want := []string{"/v1/banks", "/v1/bankz"}; !slices.Equal(got, want) {
		t.Errorf("the journal has %q, want %q", got, want)
	}
}

func TestScenarios(t *testing.T) {
	t.Parallel()
	var forced bool
	e, worlds := door(t, func(w http.ResponseWriter, r *http.Request) {
		call := world.RequestFrom(r.Context())
		forced = call.Forced()
		_, _ = io.Copy(io.Discard, r.Body)
		call.Decide("scenario:unknown")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":{"name":"not_found"},"fields":{"bank_code":[]}}`)
	})
	rec := ask(t, e, http.MethodPost, `{"account_number":"0123456789"}`, "Sim-Scenario", "unknown", "Sim-World", "a")
	if !forced || rec.Header().Get("Sim-Applied") != "scenario:unknown" {
		t.Errorf("forced %t, %v", forced, rec.Header())
	}
	got := entries(t, worlds, "a")
	if len(got) != 1 || got[0].Applied != "scenario:unknown" || got[0].Answer.Error != "not_found" || len(got[0].Answer.Fields) != 1 || got[0].Operation != "resolve-account" {
		t.Fatalf("%+v", got)
	}
	if strings.Contains(string(got[0].Request.Body), "0123456789") || got[0].Request.BodyBytes == 0 || len(got[0].Votes) != 1 {
		t.Errorf("%+v", got[0])
	}
	if rec := ask(t, e, http.MethodPost, "", "Sim-Scenario", "nonsense"); rec.Code != http.StatusTeapot || !strings.Contains(rec.Body.String(), string(core.Invalid)) {
		t.Errorf("a scenario that does not exist: %d %s", rec.Code, rec.Body)
	}
}

func TestQueuedOutcomes(t *testing.T) {
	t.Parallel()
	var forced []bool
	e, worlds := door(t, func(w http.ResponseWriter, r *http.Request) {
		call := world.RequestFrom(r.Context())
		forced = append(forced, call.Forced())
		if len(forced) == 1 { // rejected before any provider is called
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if call.Forced() {
			call.Decide("next:unknown")
		}
		w.WriteHeader(http.StatusOK)
	})
	w, err := worlds.Use("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Queue().Add("resolve-account", "unknown"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		ask(t, e, http.MethodPost, "{}", "Sim-World", "a")
	}
	if !slices.Equal(forced, []bool{true, true, false}) {
		t.Errorf("forced %v, want the refused request and the request after it", forced)
	}
}

func TestWorlds_Rejected(t *testing.T) {
	t.Parallel()
	e, worlds := door(t, nil)
	ask(t, e, http.MethodGet, "", "Sim-World", "gone")
	if err := worlds.Delete("gone"); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]core.Code{"gone": core.Expired, strings.Repeat("x", 200): core.Invalid, "broken": core.Internal} {
		if rec := ask(t, e, http.MethodGet, "", "Sim-World", id); rec.Code != http.StatusTeapot || !strings.Contains(rec.Body.String(), `"`+string(want)+`"`) {
			t.Errorf("%.10s: %d %s, want %s", id, rec.Code, rec.Body, want)
		} else {
			world := id
			if strings.Contains(rec.Body.String(), `"fields":{"Sim-World":`) != (want == core.Invalid) {
				t.Errorf("%.10s: the header at fault is not named: %s", id, rec.Body)
			}
			if want == core.Invalid {
				world = "default" // which answers in the place of one that cannot be
			}
			if h := rec.Header(); h.Get("Sim-Applied") != "none" || h.Get("Sim-World") != world || h.Get("Sim-Time") == "" {
				t.Errorf("%.10s: %v", id, h)
			}
		}
	}
}

// client is one who looks into the journal as soon as he has the whole answer.
type client struct {
	*httptest.ResponseRecorder
	whole  int
	looked func()
}

func (c *client) Write(b []byte) (int, error) {
	n, err := c.ResponseRecorder.Write(b)
	if c.Body.Len() == c.whole {
		c.looked()
	}
	return n, err
}

// TestJournal_RecordsBeforeResponse: a large body reaches its client before the handler is done.
func TestJournal_RecordsBeforeResponse(t *testing.T) {
	t.Parallel()
	const body = "one part and another one"
	e, worlds := door(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Header().Set("X-Request-Id", "req_000000000001")
		for _, part := range []string{"", body[:8], body[8:]} {
			_, _ = io.WriteString(w, part)
		}
	})
	var found []journal.Entry
	c := &client{ResponseRecorder: httptest.NewRecorder(), whole: len(body)}
	c.looked = func() { found = entries(t, worlds, "a") }
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/banks", strings.NewReader(`{"country":"NG"}`))
	r.Header.Set("Sim-World", "a")
	e.ServeHTTP(c, r)
	if len(found) != 1 || found[0].ID != "req_000000000001" || found[0].Answer.Bytes != int64(len(body)) || string(found[0].Request.Body) != `{"country":"NG"}` ||
		found[0].Answer.SHA256 != sha256.Sum256([]byte(body)) || found[0].Answer.Status != http.StatusOK {
		t.Errorf("%+v", found)
	}
	if again := entries(t, worlds, "a"); len(again) != 1 {
		t.Errorf("it is there %d times", len(again))
	}
}

// TestForcedResponses_NotCached: a cache would return a forced response to other clients.
func TestForcedResponses_NotCached(t *testing.T) {
	t.Parallel()
	e, _ := door(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=60")
		world.RequestFrom(r.Context()).Decide(r.Header.Get("Decided"))
		w.WriteHeader(http.StatusOK)
	})
	if rec := ask(t, e, http.MethodGet, "", "Decided", "fault:f1"); rec.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%v", rec.Header())
	}
	if rec := ask(t, e, http.MethodGet, "", "Decided", "none"); rec.Header().Get("Cache-Control") != "public, max-age=60" {
		t.Errorf("%v", rec.Header())
	}
}
