package operator_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"causeway/cmd/causeway/operator"
)

func TestProtect_OtherMachines(t *testing.T) {
	t.Parallel()
	all := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	const open, shut = http.StatusTeapot, http.StatusForbidden
	for _, c := range []struct {
		from, path          string
		production, sandbox int
	}{
		{"127.0.0.1:5000", "/debug/pprof/", open, open},
		{"[::1]:5000", operator.AcknowledgePath, open, open},
		{"[::ffff:127.0.0.1]:5000", "/debug/prices", open, open},
		{"127.0.0.6:5000", "/debug/prices", shut, open}, // an Istio sidecar
		{"127.0.0.6:5000", "/readyz", open, open},
		{"10.0.0.7:5000", "/livez", open, open},
		{"10.0.0.7:5000", "/readyz", open, open},
		{"10.0.0.7:5000", "/metrics", open, open},
		{"10.0.0.7:5000", "/debug/pprof/", shut, open},
		{"10.0.0.7:5000", "/debug/prices", shut, open},
		{"10.0.0.7:5000", operator.AcknowledgePath, shut, open},
		{"[fe80::1%eth0]:5000", operator.AcceptPath, shut, open},
		{"10.0.0.7:5000", "/metrics/", shut, open},
		{"10.0.0.7:5000", "//livez", shut, open},
		{"unknown", "/debug/pprof/", shut, open},
	} {
		for production, want := range map[bool]int{true: c.production, false: c.sandbox} {
			rec := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			r.RemoteAddr, r.URL.Path = c.from, c.path
			operator.Protect(all, ":9099", production).ServeHTTP(rec, r)
			if rec.Code != want {
				t.Errorf("%s of %s, production %t: got %d, want %d", c.path, c.from, production, rec.Code, want)
			}
			if rec.Header().Get("X-Content-Type-Options") != "nosniff" || rec.Header().Get("Content-Security-Policy") == "" {
				t.Errorf("%s: %v", c.path, rec.Header())
			}
		}
	}
}

func TestProtect_Proxy(t *testing.T) {
	t.Parallel()
	all := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	for _, header := range []string{"X-Forwarded-For", "Forwarded", "Via"} {
		for path, want := range map[string]int{"/debug/prices": http.StatusForbidden, "/metrics": http.StatusTeapot} {
			rec := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			r.RemoteAddr = "127.0.0.1:5000"
			r.Header.Set(header, "127.0.0.1")
			operator.Protect(all, "127.0.0.1:9099", true).ServeHTTP(rec, r)
			if rec.Code != want {
				t.Errorf("%s with %s: got %d, want %d", path, header, rec.Code, want)
			}
		}
	}
}

func TestProtect_Rebinding(t *testing.T) {
	t.Parallel()
	all := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	const open, shut = http.StatusTeapot, http.StatusMisdirectedRequest
	for _, c := range []struct {
		listen, at, host string
		pages, metrics   int
	}{
		{"127.0.0.1:9099", "127.0.0.1:9099", "127.0.0.1:9099", open, open},
		{"127.0.0.1:9099", "127.0.0.1:9099", "localhost:9099", open, open},
		{"127.0.0.1:9099", "127.0.0.1:9099", "LocalHost", open, open},
		{"127.0.0.1:9099", "127.0.0.1:9099", "localhost:18912", open, open}, // ssh -L 18912:…
		{"127.0.0.1:9099", "127.0.0.1:9099", "127.8.9.1", open, open},
		{"127.0.0.1:9099", "127.0.0.1:9099", "", open, open},
		{"[::1]:9099", "[::1]:9099", "[::1]:9099", open, open},
		{"[::1]:9099", "[::1]:9099", "[::1]", open, open},
		{"ops.internal:9099", "127.0.0.1:9099", "OPS.internal:9099", open, open},
		{"127.0.0.1:9099", "127.0.0.1:9099", "evil.example:18912", shut, shut},
		{"127.0.0.1:9099", "127.0.0.1:9099", "127.0.0.1.evil.example", shut, shut},
		{"127.0.0.1:9099", "127.0.0.1:9099", "localhost.evil.example:9099", shut, shut},
		{"127.0.0.1:9099", "127.0.0.1:9099", "10.0.0.7:9099", shut, shut},
		{"localhost:9099", "[::1]:9099", "evil.example", shut, shut},
		{":9099", "127.0.0.1:9099", "localhost:9099", open, open},    // kubectl port-forward
		{":9099", "127.0.0.1:9099", "evil.example:9099", shut, open}, // the same, and a page; a sidecar that asks for probes
		{":9099", "10.0.0.7:9099", "10.0.0.7:9099", open, open},      // kubelet, Prometheus
		{":9099", "10.0.0.7:9099", "causeway.prod.svc", open, open},  // a team's sandbox
		{"0.0.0.0:9099", "[::ffff:127.0.0.1]:9099", "evil", shut, open},
	} {
		for path, want := range map[string]int{
			"/debug/prices": c.pages, operator.AcknowledgePath: c.pages, "/metrics": c.metrics,
			"/livez": c.metrics,
		} {
			rec := httptest.NewRecorder()
			at, err := net.ResolveTCPAddr("tcp", c.at)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, at), http.MethodPost,
				path, nil)
			r.Host, r.RemoteAddr = c.host, "127.0.0.1:5000"
			r.Header.Set("Origin", "http://"+c.host)
			operator.Protect(all, c.listen, false).ServeHTTP(rec, r)
			if rec.Code != want {
				t.Errorf("%s of %q at %s, listening on %s: got %d %s, want %d", path, c.host, c.at, c.listen, rec.Code, rec.Body,
					want)
			}
		}
	}
}
