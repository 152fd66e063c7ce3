package control_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"causeway/simulator/catalog"
	"causeway/simulator/control"
	"causeway/simulator/wire"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

func TestWhatTheAPINeeds(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, c := range []struct {
		worlds *world.Registry
		cfg    control.Config
	}{{nil, control.Config{Entropy: func() uint64 { return 1 }}}, {l.worlds, control.Config{}}} {
		if _, err := control.New(c.worlds, c.cfg); err == nil {
			t.Errorf("%+v will do", c)
		}
	}
	if _, err := control.New(l.worlds, control.Config{Entropy: func() uint64 { return 1 }}); err != nil {
		t.Error(err)
	}
}

func TestPathsAndMethods(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, path := range []string{"", "/", "/nope", "/worlds/", "//worlds", "/worlds/a/b", "/worlds/../worlds", "/worlds/default/journal/nothing", "/./catalog"} {
		l.refused(http.MethodGet, path, "", http.StatusNotFound, "not_found", "openapi.json", "%2F")
	}
	for path, allow := range map[string]string{
		"/worlds": "GET, HEAD, OPTIONS, POST", "/worlds/default": "DELETE, GET, HEAD, OPTIONS", "/worlds/default/market/play": "DELETE, GET, HEAD, OPTIONS, POST, PUT", "/worlds/default/clock/advance": "OPTIONS, POST", "/catalog": "GET, HEAD, OPTIONS",
	} {
		if r := l.ask(http.MethodPatch, path, ""); r.status != http.StatusMethodNotAllowed || r.Error.Name != "method_not_allowed" || r.header.Get("Allow") != allow {
			t.Errorf("%s: %d %v %s", path, r.status, r.header, r.body)
		}
		if r := l.ask(http.MethodOptions, path, ""); r.status != http.StatusNoContent || r.header.Get("Allow") != allow || len(r.body) > 0 {
			t.Errorf("%s: %d %v %s", path, r.status, r.header, r.body)
		}
	}
	if r := l.ask(http.MethodHead, "/worlds", ""); r.status != http.StatusOK || len(r.body) > 0 || r.header.Get("Content-Length") == "0" {
		t.Errorf("%d %v %s", r.status, r.header, r.body)
	}
}

func TestEveryAnswerHasAnIDAndIsNotKept(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for sent, kept := range map[string]bool{"": false, "req_0123456789ab": true, "req_short": false, "req_0123456789a!": false, "x_0123456789abcdef": false, "req_" + strings.Repeat("a", 200): false} {
		r := l.ask(http.MethodGet, "/worlds", "", "X-Request-Id", sent)
		if id := r.header.Get("X-Request-Id"); (id == sent) != kept || !strings.HasPrefix(id, "req_") || len(id) < 16 {
			t.Errorf("%q became %q", sent, id)
		}
		if r.header.Get("Cache-Control") != "no-store" || r.header.Get("X-Content-Type-Options") != "nosniff" || r.header.Get("Set-Cookie") != "" {
			t.Errorf("%v", r.header)
		}
	}
}

func TestPagesOfOtherOriginsMayNotChangeAnything(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.test"}} {
		for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodPut} {
			if r := l.ask(method, "/worlds/default/faults", `{"preset":"slow_tail"}`, headers...); r.status != http.StatusForbidden || r.Error.Name != "forbidden" || r.ID == "" {
				t.Errorf("%s %v: %d %s", method, headers, r.status, r.body)
			}
		}
	}
	if got := string(l.do(http.MethodGet, "/worlds/default/faults", "")); got != "[]" {
		t.Errorf("%s", got)
	}
	for _, headers := range [][]string{{"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "none"}, {"Origin", "http://operator.test"}, {}} {
		if r := l.ask(http.MethodPost, "/worlds/default/faults", `{"preset":"slow_tail"}`, headers...); r.status != http.StatusCreated {
			t.Errorf("%v: %d %s", headers, r.status, r.body)
		}
	}
}

func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.refused(http.MethodPost, "/worlds", `{"id":"`+strings.Repeat("a", 1<<20)+`"}`, http.StatusRequestEntityTooLarge, "payload_too_large", "1048576")
	l.refused(http.MethodPost, "/worlds/a/import", `{"format":`+strings.Repeat(" ", 16<<20)+`1}`, http.StatusRequestEntityTooLarge, "payload_too_large", "16777216")
	l.refused(http.MethodPost, "/worlds/a/import", `{"format":`+strings.Repeat(" ", 2<<20)+`7}`, http.StatusBadRequest, "request_validation", "accepted: 1")
	l.refused(http.MethodPost, "/worlds", strings.Repeat(`{"clock":`, 20_000), http.StatusBadRequest, "request_validation")
	l.refused(http.MethodPut, "/worlds/default/market/BTCUSDT", `{"venues":`+strings.Repeat(`{"kraken":`, 20_000), http.StatusBadRequest, "request_validation")
	if r := l.ask(http.MethodPost, "/worlds", "\x1f\x8b", "Content-Encoding", "gzip"); r.status != http.StatusUnsupportedMediaType || r.Error.Name != "unsupported_media_type" || r.header.Get("Accept-Encoding") != "identity" {
		t.Errorf("%d %v %s", r.status, r.header, r.body)
	}
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-8"} {
		if r := l.ask(http.MethodPost, "/worlds", `{"id":"`+url.PathEscape(strings.NewReplacer("/", ".", ";", ".", " ", "", "=", "").Replace(kind))+`x"}`, "Content-Type", kind, "Content-Encoding", "identity"); r.status != http.StatusCreated {
			t.Errorf("%q: %d %s", kind, r.status, r.body)
		}
	}
}

func TestTheCatalogAndTheDivergencesAreServed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := decode[catalog.Catalog](t, l.do(http.MethodGet, "/catalog", ""))
	if c.Dataset != l.worlds.Dataset() || len(c.Accounts) == 0 || len(c.Pairs) == 0 || len(c.Outcomes) == 0 || len(c.Errors) == 0 || len(c.Addresses) == 0 || len(c.Faults) == 0 || len(c.Presets) == 0 || len(c.Scenarios) == 0 || len(c.Operations) == 0 {
		t.Errorf("%+v", c)
	}
	if got := decode[[]provider.Divergence](t, l.do(http.MethodGet, "/divergences", "")); !slices.Equal(got, wire.Divergences()) {
		t.Errorf("%+v", got)
	}
	l.refused(http.MethodGet, "/catalog?lang=fr", "", http.StatusBadRequest, "request_validation", "accepted: none")
}

// FuzzBodies sends anything to every operation that takes a body: whatever it is, it is taken or refused in the envelope.
func FuzzBodies(f *testing.F) {
	worlds, err := world.NewRegistry(world.Shared{Clock: (&lab{}).machine, Offers: wire.Offers(), Most: 1000})
	if err != nil {
		f.Fatal(err)
	}
	handler, err := control.New(worlds, control.Config{Entropy: func() uint64 { return 7 }})
	if err != nil {
		f.Fatal(err)
	}
	targets := map[string]string{
		"/worlds": http.MethodPost, "/worlds/default/clock/advance": http.MethodPost, "/worlds/default/market/BTCUSDT": http.MethodPut, "/worlds/default/market/play": http.MethodPost, "/worlds/default/accounts/pay_bill/1": http.MethodPut,
		"/worlds/default/faults": http.MethodPost, "/worlds/default/next": http.MethodPost, "/worlds/default/journal/assert": http.MethodPost, "/worlds/x/import": http.MethodPost, "/worlds/default/fork": http.MethodPost,
	}
	for _, seed := range []string{
		`{"id":"x","clock":{"now":"2026-11-16T12:00:00Z","frozen":true}}`, `{"by":"37s"}`, `{"pin":"1400.50","venues":{"kraken":{"offset_bps":1,"state":"down"}}}`, `{"scenario":"dai-2020","speed":2}`, `{"outcome":"unknown"}`,
		`{"match":{"provider":"kraken"},"effect":{"kind":"inverted"},"when":{"probability":"0.5"}}`, `{"preset":"slow_tail:okx"}`, `{"operation":"resolve-account","outcomes":["unknown"]}`, `{"match":{"status":404},"order":[{"path":"/*"}]}`,
		`{"format":1,"world":{"id":"x"},"clock":{"rate":1},"faults":{"made":1,"rules":[{"id":"f1","rule":{"effect":{"kind":"reset"}}}]}}`, `[`, `{"a":`, `null`, "\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, target := range slices.Sorted(maps.Keys(targets)) {
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), targets[target], control.Prefix+target, strings.NewReader(body)))
			if text := rec.Body.String(); rec.Code >= http.StatusInternalServerError || !strings.HasPrefix(text, `{"status":"success",`) && !strings.HasPrefix(text, `{"error":{"name":"`) {
				t.Errorf("%s: %d %s", target, rec.Code, text)
			}
		}
		for _, w := range worlds.List() {
			_ = worlds.Delete(w.ID()) // but for the default one
		}
		if _, err := worlds.Reset(world.Default); err != nil {
			t.Fatal(err)
		}
	})
}
