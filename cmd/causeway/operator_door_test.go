package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestOtherMachinesGetProbesAndMetricsAlone: in production; a sandbox is open to whoever reaches it.
func TestOtherMachinesGetProbesAndMetricsAlone(t *testing.T) {
	t.Parallel()
	all := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	const open, shut = http.StatusTeapot, http.StatusForbidden
	for _, c := range []struct {
		from, path          string
		production, sandbox int
	}{
		{"127.0.0.1:5000", "/debug/pprof/", open, open},
		{"[::1]:5000", acknowledgePath, open, open},
		{"[::ffff:127.0.0.1]:5000", "/debug/prices", open, open},
		{"10.0.0.7:5000", "/livez", open, open},
		{"10.0.0.7:5000", "/readyz", open, open},
		{"10.0.0.7:5000", "/metrics", open, open},
		{"10.0.0.7:5000", "/debug/pprof/", shut, open},
		{"10.0.0.7:5000", "/debug/prices", shut, open},
		{"10.0.0.7:5000", acknowledgePath, shut, open},
		{"[fe80::1%eth0]:5000", acceptPath, shut, open},
		{"10.0.0.7:5000", "/metrics/", shut, open},
		{"10.0.0.7:5000", "//livez", shut, open},
		{"nobody", "/debug/pprof/", shut, open},
	} {
		for production, want := range map[bool]int{true: c.production, false: c.sandbox} {
			rec := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			r.RemoteAddr, r.URL.Path = c.from, c.path
			r.Header.Set("X-Forwarded-For", "127.0.0.1")
			operatorDoor(all, production).ServeHTTP(rec, r)
			if rec.Code != want {
				t.Errorf("%s of %s, production %t: got %d, want %d", c.path, c.from, production, rec.Code, want)
			}
			if rec.Header().Get("X-Content-Type-Options") != "nosniff" || rec.Header().Get("Content-Security-Policy") == "" {
				t.Errorf("%s: %v", c.path, rec.Header())
			}
		}
	}
}
