package test_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/test/driver"
)

// TestHTTP_SecurityHeaders requests every path of the OpenAPI document, the pages and unknown paths
// with every method, on both listeners.
func TestHTTP_SecurityHeaders(t *testing.T) {
	t.Parallel()
	c := defaultSandbox.get(t)
	paths, ok := driver.Get(t, c.API+"/openapi.json").JSON(t)["paths"].(map[string]any)
	if !ok || len(paths) < 10 {
		t.Fatalf("the OpenAPI document has %d paths", len(paths))
	}
	targets := []string{
		"/docs", "/docs/api", "/docs/pairs", "/docs/assets/causeway.css", "/docs/assets/start.js", "/llms.txt", "/openapi.json", "/openapi.yaml", "/errors/not_found",
		"/", "/nothing", "//v1/pairs", "/v1/pairs/NOPE", "/v1/banks?account_number=2085886393", "/v1/pairs?type=shares",
	}
	for path := range paths {
		targets = append(targets, strings.NewReplacer("{id}", "BTCNGN", "{code}", "BTC").Replace(path))
	}
	for _, target := range targets {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodOptions} {
			if strings.HasSuffix(target, "/stream") && method == http.MethodGet {
				method = http.MethodHead // a stream does not end
			}
			secure(t, method+" "+target, driver.Do(t, method, c.API+target, "{}"))
		}
	}
	for target, body := range map[string]string{resolvePath: resolvePublished, "/v1/validate": judged, "/v1/validate/batch": `{"items":[` + judged + `]}`} {
		r := driver.Do(t, http.MethodPost, c.API+target, body)
		secure(t, target, r)
		if r.Status != http.StatusOK || !strings.Contains(r.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("%s: %d, Cache-Control %q: a response about an account or address may be cached", target, r.Status, r.Header.Get("Cache-Control"))
		}
	}
	if cached := driver.Get(t, c.API+"/v1/banks?account_number=2085886393").Header.Get("Cache-Control"); !strings.Contains(cached, "no-store") {
		t.Errorf("banks of an account number: Cache-Control %q", cached)
	}
	for _, target := range []string{"/livez", "/readyz", "/metrics", "/debug/prices", "/debug/banks", "/debug/pprof/", "/console", "/_sim/v1/worlds", "/nothing"} {
		r := driver.Get(t, c.Operator+target)
		secure(t, "operator "+target, r)
		if !strings.Contains(r.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("operator %s: frames are allowed", target)
		}
	}
}

// secure checks the headers that all responses have.
func secure(t *testing.T, what string, r driver.Reply) {
	t.Helper()
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Server": "", "X-Powered-By": "", "Strict-Transport-Security": ""} {
		if got := r.Header.Values(name); !slices.Equal(got, slices.DeleteFunc([]string{want}, func(s string) bool { return s == "" })) {
			t.Errorf("%s: %d, %s is %q, want %q", what, r.Status, name, got, want)
		}
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		policy := r.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: the policy of the page is %q", what, policy)
		}
	}
}
