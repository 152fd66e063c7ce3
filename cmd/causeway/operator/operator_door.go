package operator

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// forAnybody are the places of the operator's listener that other machines may ask in production: what probes and Prometheus need. Profiles, prices with
// their votes and the operator's word are for this machine, or whoever can log in to it.
func forAnybody(path string) bool {
	return path == "/livez" || path == "/readyz" || path == "/metrics"
}

// door stands before everything on an operator's listener.
type door struct {
	next       http.Handler
	host       string // where the listener is, as configured: a name, an address, or nothing
	alone      bool   // that is this machine's loopback interface
	production bool
}

// Protect gives every answer the headers that keep a browser from doing more with it than it should, refuses pages that reach this machine by a name of
// their own, and in production keeps other machines away from all but probes and metrics. A sandbox has nothing to hide, and is used from containers and by
// whole teams. listen is the listener's address as configured.
func Protect(next http.Handler, listen string, production bool) http.Handler {
	host := hostIn(listen)
	return door{next: next, host: host, alone: isLoopback(host), production: production}
}

// ServeHTTP lets a request pass, or says why not.
func (d door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "frame-ancestors 'none'") // pages have their own, which say it too
	h.Set("Cache-Control", "no-store")
	anybody := forAnybody(r.URL.Path)
	switch {
	case d.misled(r) && (d.alone || !anybody):
		WriteReply(w, http.StatusMisdirectedRequest, "refused", "the Host of the request is not a name of this machine's loopback interface; accepted: localhost, 127.0.0.1, [::1], and the host that this listener was told to listen on, with any port")
	case d.production && !anybody && !fromHere(r):
		WriteReply(w, http.StatusForbidden, "refused", "other machines and proxies get /livez, /readyz and /metrics here; ask from the machine itself (ssh -L, kubectl port-forward)")
	default:
		d.next.ServeHTTP(w, r)
	}
}

// misled reports whether a request came to a loopback address by a name that is not one's own: a page has its own name mean this machine (DNS rebinding), and a
// browser then takes us for the page's origin. Who sends no name is no browser.
func (d door) misled(r *http.Request) bool {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if at == nil || r.Host == "" || !isLoopback(hostIn(at.String())) {
		return false
	}
	host := hostIn(r.Host)
	return !isLoopback(host) && !strings.EqualFold(host, d.host)
}

// hostIn is the host of a host and port, of which the port may be missing.
func hostIn(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
	}
	return host
}

// isLoopback reports whether a host is an address of the loopback interface, or the name that no DNS server is asked for.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// fromHere reports whether a program of this machine sent the request by itself. Those that deliver for others say so, or come from another address of the
// loopback interface (an Istio sidecar: 127.0.0.6); one that does neither cannot be told from a person who logged in.
func fromHere(r *http.Request) bool {
	for _, forwarded := range []string{"Forwarded", "Via", "X-Forwarded-For"} {
		if len(r.Header[forwarded]) > 0 {
			return false
		}
	}
	from, err := netip.ParseAddr(hostIn(r.RemoteAddr))
	from = from.Unmap()
	return err == nil && (from == netip.IPv6Loopback() || from == netip.AddrFrom4([4]byte{127, 0, 0, 1}))
}
