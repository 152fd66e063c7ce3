package operator

import (
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strings"
)

// Protect limits who can use the operator's listener and sets the security headers of its
// responses.
//
// On a loopback address it refuses requests whose Host is another name: a web page can point a name
// of its own at 127.0.0.1 (DNS rebinding) and then act as if it had been served from here. In
// production other machines can reach probes and metrics only. listen is the address of the
// listener as configured.
func Protect(next http.Handler, listen string, production bool) http.Handler {
	host := hostOf(listen)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "frame-ancestors 'none'") // pages set their own, which includes it
		h.Set("Cache-Control", "no-store")
		public := isProbe(r.URL.Path)
		switch {
		case isRebound(r, host) && (isLoopback(host) || !public):
			WriteReply(w, http.StatusMisdirectedRequest, "refused",
				"the Host of the request is not a name of this machine's loopback interface; "+
					"accepted: localhost, 127.0.0.1, [::1], and the configured host of this listener, with any port")
		case production && !public && !isLocal(r):
			WriteReply(w, http.StatusForbidden, "refused",
				"other machines and proxies can request only /livez, /readyz and /metrics; "+
					"connect from the machine itself (ssh -L, kubectl port-forward)")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isProbe reports whether other machines may request a path in production.
func isProbe(path string) bool {
	return path == "/livez" || path == "/readyz" || path == "/metrics"
}

// isRebound reports whether a request reached a loopback address under a name that is neither a
// loopback name nor the configured host. Clients that send no Host are not browsers.
func isRebound(r *http.Request, configured string) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil || r.Host == "" || !isLoopback(hostOf(local.String())) {
		return false
	}
	host := hostOf(r.Host)
	return !isLoopback(host) && !strings.EqualFold(host, configured)
}

// hostOf returns the host of an address whose port may be missing.
func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
	}
	return host
}

// isLoopback reports whether a host is a loopback address or localhost.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// isLocal reports whether a program on this machine sent the request for itself. Proxies add a
// header, or connect from another loopback address (an Istio sidecar uses 127.0.0.6); one that does
// neither cannot be distinguished from a local user.
func isLocal(r *http.Request) bool {
	for _, forwarded := range []string{"Forwarded", "Via", "X-Forwarded-For"} {
		if len(r.Header[forwarded]) > 0 {
			return false
		}
	}
	from, err := netip.ParseAddr(hostOf(r.RemoteAddr))
	from = from.Unmap()
	return err == nil && (from == netip.IPv6Loopback() || from == netip.AddrFrom4([4]byte{127, 0, 0, 1}))
}

// profiles serves the profiles of the Go runtime.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// sameOrigin refuses requests that a browser sends on behalf of a page of another origin.
// http.CrossOriginProtection exempts GET, which profiles use, because GET has no effect; but
// recording a profile takes CPU time.
func sameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	denied := refuse(http.StatusForbidden,
		"profiles are not served to pages of other origins; open the page directly or use go tool pprof")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		checked := *r
		checked.Method = http.MethodPost
		if protection.Check(&checked) != nil {
			denied(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
