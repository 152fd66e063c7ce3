package contract_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"causeway/test/driver"
)

// TestRoutes_Unknown checks that the public listener serves nothing that belongs to the operator, and no other method.
func TestRoutes_Unknown(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/nothing", "/metrics", "/livez", "/readyz", "/debug/pprof/", "/_sim/v1/worlds"} {
		t.Run(path, func(t *testing.T) { wantError(t, driver.Get(t, sandbox.API+path), http.StatusNotFound, "not_found") })
	}
	wantError(t, driver.Do(t, http.MethodDelete, sandbox.API+"/v1/pairs/BTCNGN", ""), http.StatusMethodNotAllowed, "method_not_allowed")
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	ours := regexp.MustCompile(`^req_[A-Za-z0-9]{12,}$`)
	seen := map[string]bool{}
	for _, path := range []string{"/v1/pairs", "/v1/pairs", "/v1/nothing", "/openapi.json", "/docs"} {
		id := driver.Get(t, sandbox.API+path).Header.Get("X-Request-Id")
		if !ours.MatchString(id) || seen[id] {
			t.Errorf("%s: request id %q is malformed or not new", path, id)
		}
		seen[id] = true
	}
	if id := driver.Get(t, sandbox.API+"/v1/pairs", "X-Request-Id", "req_abcdefABCDEF0123").Header.Get("X-Request-Id"); id != "req_abcdefABCDEF0123" {
		t.Errorf("a well-formed id was not kept: %q", id)
	}
	for _, bad := range []string{"abc", "req_short", "req_" + strings.Repeat("a", 500), "req_abcdef<script>"} {
		if id := driver.Get(t, sandbox.API+"/v1/pairs", "X-Request-Id", bad).Header.Get("X-Request-Id"); id == bad || !ours.MatchString(id) {
			t.Errorf("%q was answered with %q", bad, id)
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	const good = `{"type":"address","currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`
	for name, c := range map[string]struct {
		body   string
		header []string
		status int
		code   string
	}{
		"not JSON":   {"currency=BTC", nil, 400, "bad_request"},
		"too large":  {`{"address":"` + strings.Repeat("a", 65<<10) + `"}`, nil, 413, "payload_too_large"},
		"compressed": {good, []string{"Content-Encoding", "br"}, 415, "unsupported_media_type"},
	} {
		t.Run(name, func(t *testing.T) {
			wantError(t, send(t, http.MethodPost, "/v1/validate", c.body, c.header...), c.status, c.code)
		})
	}
}

func TestHeaders_Ignored(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"X-BU-PROFILE-ID": "BUS_123", "X-BU-Version": "2025-07-11", "Accept": "text/html", "Authorization": "Bearer anything",
	} {
		t.Run(name, func(t *testing.T) {
			data[[]pair](t, get(t, "/v1/pairs", name, value))
			data[account](t, send(t, http.MethodPost, resolvePath, published, name, value))
		})
	}
}

func TestCompression(t *testing.T) {
	t.Parallel()
	for _, coding := range []string{"gzip", "zstd"} {
		t.Run(coding, func(t *testing.T) {
			plain, packed := get(t, "/v1/banks"), get(t, "/v1/banks", "Accept-Encoding", coding)
			if got := packed.Header.Get("Content-Encoding"); got != coding || len(packed.Body) >= len(plain.Body)/2 {
				t.Errorf("got %d bytes in %q, want fewer than half of %d", len(packed.Body), got, len(plain.Body))
			}
		})
	}
}

func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/banks", "/v1/pairs/BTCNGN"} {
		t.Run(path, func(t *testing.T) {
			if r := get(t, path, "If-None-Match", "*"); r.Status != http.StatusNotModified || len(r.Body) != 0 || r.Header.Get("ETag") == "" {
				t.Errorf("got %d, %d bytes, ETag %q", r.Status, len(r.Body), r.Header.Get("ETag"))
			}
		})
	}
}

func TestDocs(t *testing.T) {
	t.Parallel()
	docs := driver.Get(t, sandbox.API+"/docs")
	csp := docs.Header.Get("Content-Security-Policy")
	if docs.Status != 200 || !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe-eval") || strings.Contains(csp, "script-src 'self' 'unsafe-inline'") {
		t.Errorf("docs: %d, policy %q", docs.Status, csp)
	}
	if regexp.MustCompile(`(src|<link[^>]* href)="(https?:)?//`).Match(docs.Body) {
		t.Error("the page loads something from elsewhere")
	}
}
