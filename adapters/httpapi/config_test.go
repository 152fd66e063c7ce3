package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"causeway/adapters/httpapi"
)

func TestNewRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	good := httpapi.Services{Pairs: &pairBook{}, Banks: bankService(t), Recipients: newResolver(), Addresses: newValidator()}
	for name, c := range map[string]struct {
		config   httpapi.Config
		services func(*httpapi.Services)
	}{
		"no pairs":          {httpapi.Config{Sandbox: true}, func(s *httpapi.Services) { s.Pairs = nil }},
		"no banks":          {httpapi.Config{Sandbox: true}, func(s *httpapi.Services) { s.Banks = nil }},
		"no recipients":     {httpapi.Config{Sandbox: true}, func(s *httpapi.Services) { s.Recipients = nil }},
		"no addresses":      {httpapi.Config{Sandbox: true}, func(s *httpapi.Services) { s.Addresses = nil }},
		"keys needed, none": {httpapi.Config{Auth: httpapi.Auth{Operations: []string{"resolve-account"}}}, func(*httpapi.Services) {}},
	} {
		services := good
		c.services(&services)
		if _, err := httpapi.New(c.config, services, zap.NewNop(), prometheus.NewRegistry(), time.Now, func() uint64 { return 1 }); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestWhoMayResolve(t *testing.T) {
	t.Parallel()
	locked := newWorld(t, production)
	for header, want := range map[string]int{
		"Authorization:": 401, "Authorization: Bearer": 401, "Authorization: Bearer ": 401, "Authorization: Basic key-of-alice": 401, "Authorization: key-of-alice": 401,
		"Authorization: Bearer key-of-alic": 401, "Authorization: Bearer key-of-alice2": 401, "Authorization: Bearer KEY-OF-ALICE": 401,
		"Authorization: Bearer key-of-alice": 200, "Authorization: BEARER key-of-bob": 200,
	} {
		if rec := locked.post(resolvePath, goodQuestion, header); rec.Code != want {
			t.Errorf("%s: got %d, want %d", header, rec.Code, want)
		}
		if rec := locked.post("/v1/validate", goodAddress, header); rec.Code != http.StatusOK {
			t.Errorf("%s on a public operation: got %d", header, rec.Code)
		}
		if rec := locked.get("/v1/pairs", header); rec.Code != http.StatusOK {
			t.Errorf("%s on a public operation: got %d", header, rec.Code)
		}
	}
	if n := locked.recipients.asked.Load(); n != 2 {
		t.Errorf("asked %d times", n)
	}
	if rec := locked.post(resolvePath, "not JSON"); rec.Code != http.StatusUnauthorized || rec.Header().Get("Www-Authenticate") != "Bearer" {
		t.Errorf("without a key the body is not looked at: got %d", rec.Code)
	}
	opened := newWorld(t, func(c *httpapi.Config, _ *httpapi.Services) { c.Sandbox = false })
	if rec := opened.post(resolvePath, goodQuestion); rec.Code != http.StatusOK {
		t.Errorf("production, opened: got %d", rec.Code)
	}
	closed := newWorld(t, func(c *httpapi.Config, _ *httpapi.Services) {
		c.Auth = httpapi.Auth{Operations: []string{"resolve-account"}, Keys: ring{}}
	})
	if rec := closed.post(resolvePath, goodQuestion); rec.Code != http.StatusUnauthorized {
		t.Errorf("sandbox, closed: got %d", rec.Code)
	}
}

const origin = "https://app.example.com"

func TestCORSIsOffByDefault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, method := range []string{"GET", "OPTIONS"} {
		h := w.ask(method, "/v1/pairs", "", "Origin: "+origin, "Access-Control-Request-Method: GET").Header()
		for name := range h {
			if strings.HasPrefix(name, "Access-Control") {
				t.Errorf("%s: %v", method, h)
			}
		}
	}
}

func TestCORSOfAConfiguredOrigin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *httpapi.Config, _ *httpapi.Services) { c.CORSOrigins = []string{origin} })
	for _, target := range []string{"/v1/pairs", "/v1/nothing", "/v1/banks?channel=x", "/v1/validate"} {
		method, body := http.MethodGet, ""
		if target == "/v1/validate" {
			method, body = http.MethodPost, goodAddress
		}
		h := w.ask(method, target, body, "Origin: "+origin).Header()
		if h.Get("Access-Control-Allow-Origin") != origin || !strings.Contains(h.Get("Access-Control-Expose-Headers"), "X-Request-Id") || !strings.Contains(h.Get("Vary"), "Origin") {
			t.Errorf("%s: %v", target, h)
		}
		h = w.ask(method, target, body, "Origin: https://evil.example.com").Header()
		if h.Get("Access-Control-Allow-Origin") != "" || !strings.Contains(h.Get("Vary"), "Origin") {
			t.Errorf("%s from elsewhere: %v", target, h)
		}
	}
}

func TestCORSPreflight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *httpapi.Config, _ *httpapi.Services) { c.CORSOrigins = []string{origin} })
	rec := w.ask("OPTIONS", "/v1/validate", "", "Origin: "+origin, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: content-type,x-bu-profile-id")
	h := rec.Header()
	if rec.Code != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != origin || h.Get("Access-Control-Allow-Methods") != "OPTIONS, POST" {
		t.Errorf("got %d %v", rec.Code, h)
	}
	if !strings.Contains(h.Get("Access-Control-Allow-Headers"), "X-BU-PROFILE-ID") || h.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("got %v", h)
	}
}

func TestLimitOfBodiesCanBeSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *httpapi.Config, _ *httpapi.Services) { c.MaxBody = int64(len(goodAddress)) })
	if rec := w.post("/v1/validate", goodAddress); rec.Code != http.StatusOK {
		t.Errorf("at the limit: got %d", rec.Code)
	}
	if rec := w.post("/v1/validate", goodAddress+" "); rec.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("over the limit: got %d", rec.Code)
	}
}

func TestRequestsAreTimedByTheStopwatch(t *testing.T) {
	t.Parallel()
	var reads []time.Time
	w := newWorld(t, func(c *httpapi.Config, _ *httpapi.Services) {
		c.Stopwatch = func() time.Time {
			reads = append(reads, noon.Add(time.Duration(len(reads))*time.Second))
			return reads[len(reads)-1]
		}
	})
	reads = nil
	w.get("/v1/banks")
	lines := w.logs.FilterMessage("request").All()
	if len(lines) != 1 || lines[0].ContextMap()["duration"] != time.Second {
		t.Errorf("logged %v", lines)
	}
	if !slices.IsSortedFunc(reads, time.Time.Compare) || len(reads) != 2 {
		t.Errorf("read %v", reads)
	}
}
