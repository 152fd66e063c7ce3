package control_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"causeway/simulator/catalog"
	"causeway/simulator/control"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

func TestPathsAndMethods(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, path := range []string{"", "/", "/nope", "/worlds/", "//worlds", "/worlds/a/b", "/worlds/../worlds", "/./catalog"} {
		f.rejected(http.MethodGet, path, "", http.StatusNotFound, "not_found", "openapi.json", "%2F")
	}
	for path, allow := range map[string]string{
		"/worlds": "GET, POST", "/worlds/default": "DELETE, GET", "/worlds/default/clock/advance": "POST", "/catalog": "GET",
	} {
		r := f.ask(http.MethodPatch, path, "")
		if r.status != http.StatusMethodNotAllowed || r.Error.Name != "method_not_allowed" || r.header.Get("Allow") != allow {
			t.Errorf("%s: %d %v %s", path, r.status, r.header, r.body)
		}
	}
}

func TestResponseHeaders(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for sent, kept := range map[string]bool{"": false, "req_0123456789ab": true, "req_short": false} {
		h := f.ask(http.MethodGet, "/worlds", "", "X-Request-Id", sent).header
		if id := h.Get("X-Request-Id"); (id == sent) != kept || !strings.HasPrefix(id, "req_") || len(id) < 16 {
			t.Errorf("%q became %q", sent, id)
		}
		if h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Set-Cookie") != "" {
			t.Errorf("got %v", h)
		}
	}
}

func TestOtherOrigins(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.test"}} {
		for _, method := range []string{http.MethodPost, http.MethodDelete} {
			r := f.ask(method, "/worlds/default/faults", `{"preset":"slow_tail"}`, headers...)
			if r.status != http.StatusForbidden || r.Error.Name != "forbidden" || r.ID == "" {
				t.Errorf("%s %v: %d %s", method, headers, r.status, r.body)
			}
		}
	}
	if got := string(f.do(http.MethodGet, "/worlds/default/faults", "")); got != "[]" {
		t.Errorf("got %s", got)
	}
	for _, headers := range [][]string{{"Sec-Fetch-Site", "same-origin"}, {"Origin", "http://operator.test"}} {
		if r := f.ask(http.MethodPost, "/worlds/default/faults", `{"preset":"slow_tail"}`, headers...); r.status != http.StatusCreated {
			t.Errorf("%v: %d %s", headers, r.status, r.body)
		}
	}
}

func TestCORS(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.start(control.Config{CORSOrigins: []string{"http://app.test"}})
	for origin, status := range map[string]int{"http://app.test": http.StatusCreated, "http://evil.test": http.StatusForbidden} {
		t.Run(origin, func(t *testing.T) {
			preflight := f.ask(http.MethodOptions, "/worlds", "", "Origin", origin, "Access-Control-Request-Method", "POST",
				"Access-Control-Request-Headers", "content-type", "Sec-Fetch-Site", "cross-site")
			call := f.ask(http.MethodPost, "/worlds", `{"id":"w"}`, "Origin", origin, "Sec-Fetch-Site", "cross-site")
			allowed := ""
			if status == http.StatusCreated {
				allowed = origin
			}
			for _, h := range []http.Header{preflight.header, call.header} {
				if got := h.Get("Access-Control-Allow-Origin"); got != allowed {
					t.Errorf("Access-Control-Allow-Origin %q, want %q", got, allowed)
				}
			}
			if got := preflight.header.Get("Access-Control-Allow-Headers"); strings.Contains(got, "Content-Type") != (allowed != "") {
				t.Errorf("Access-Control-Allow-Headers %q", got)
			}
			if preflight.status != http.StatusNoContent || call.status != status {
				t.Errorf("got %d and %d, want %d", preflight.status, call.status, status)
			}
		})
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for body, word := range map[string]string{
		"": "empty", "{": "not valid JSON", "[]": "not an object", `"x"`: "not an object", `{"id":"x"} {}`: "not valid JSON",
		strings.Repeat(`{"clock":`, 20_000): "levels deep",
		`{"id":"x","id":"y"}`:               "same name twice", `{"id":"x","ID":"y"}`: "same name twice",
		`{"clock":{"frozen":true,"frozen":false}}`: "same name twice",
	} {
		f.rejected(http.MethodPost, "/worlds", body, http.StatusBadRequest, "bad_request", word)
	}
	large := `{"id":"` + strings.Repeat("a", 1<<20) + `"}`
	f.rejected(http.MethodPost, "/worlds", large, http.StatusRequestEntityTooLarge, "payload_too_large", "1048576")
	r := f.ask(http.MethodPost, "/worlds", "\x1f\x8b", "Content-Encoding", "gzip")
	if r.status != http.StatusUnsupportedMediaType || r.header.Get("Accept-Encoding") != "identity" {
		t.Errorf("%d %v %s", r.status, r.header, r.body)
	}
	for kind, id := range map[string]string{"": "a", "text/plain": "b", "application/x-www-form-urlencoded": "c"} {
		if r := f.ask(http.MethodPost, "/worlds", `{"id":"`+id+`"}`, "Content-Type", kind); r.status != http.StatusCreated {
			t.Errorf("%q: %d %s", kind, r.status, r.body)
		}
	}
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := decode[catalog.Catalog](t, f.do(http.MethodGet, "/catalog", ""))
	if c.Dataset != f.worlds.Dataset() || len(c.Accounts) == 0 || len(c.Outcomes) == 0 || len(c.Faults) == 0 || len(c.Scenarios) == 0 {
		t.Errorf("got %+v", c)
	}
	if got := decode[[]wire.Divergence](t, f.do(http.MethodGet, "/divergences", "")); !slices.Equal(got, wire.Divergences()) {
		t.Errorf("got %+v", got)
	}
}

// FuzzBodies sends anything to every operation that has a body: it gets a response in an envelope.
func FuzzBodies(f *testing.F) {
	worlds, err := world.NewRegistry(world.RegistryConfig{Clock: (&fixture{}).machine, Providers: wire.Offers(), MaxWorlds: 1000})
	if err != nil {
		f.Fatal(err)
	}
	handler := control.New(worlds, control.Config{Entropy: func() uint64 { return 7 }})
	targets := map[string]string{
		"/worlds": http.MethodPost, "/worlds/default/clock/advance": http.MethodPost, "/worlds/default/market/BTCUSDT": http.MethodPut,
		"/worlds/default/market/play": http.MethodPost, "/worlds/default/accounts/pay_bill/1": http.MethodPut,
		"/worlds/default/faults": http.MethodPost, "/worlds/default/next": http.MethodPost,
		"/worlds/default/journal/assert": http.MethodPost, "/worlds/default/fork": http.MethodPost,
	}
	for _, seed := range []string{
		`{"id":"x","clock":{"now":"2026-11-16T12:00:00Z","frozen":true}}`, `{"by":"37s"}`, `{"scenario":"dai-2020","speed":2}`,
		`{"pin":"1400.50","venues":{"kraken":{"offset_bps":1,"state":"down"}}}`, `{"outcome":"unknown"}`,
		`{"match":{"provider":"kraken"},"effect":{"kind":"inverted"},"when":{"probability":"0.5"}}`, `{"preset":"slow_tail:okx"}`,
		`{"operation":"resolve-account","outcomes":["unknown"]}`, `{"match":{"status":404},"order":[{"path":"/*"}]}`,
		`[`, `{"a":`, `null`, "\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, target := range slices.Sorted(maps.Keys(targets)) {
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), targets[target], control.Prefix+target, strings.NewReader(body)))
			text := rec.Body.String()
			if rec.Code >= http.StatusInternalServerError || !strings.HasPrefix(text, `{"status":"success",`) && !strings.HasPrefix(text, `{"error":{"name":"`) {
				t.Errorf("%s: %d %s", target, rec.Code, text)
			}
		}
		for _, w := range worlds.List() {
			_ = worlds.Delete(w.ID()) // except the default one
		}
		if _, err := worlds.Reset(world.Default); err != nil {
			t.Fatal(err)
		}
	})
}
