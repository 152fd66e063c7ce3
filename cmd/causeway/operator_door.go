package main

import (
	"net"
	"net/http"
	"net/netip"
)

// forAnybody are the places of the operator's listener that other machines may ask in production: what probes and Prometheus need. Profiles, prices with
// their votes and the operator's word are for this machine, or whoever can log in to it.
func forAnybody(path string) bool {
	return path == "/livez" || path == "/readyz" || path == "/metrics"
}

// operatorDoor gives every answer the headers that keep a browser from doing more with it than it should, and in production keeps other machines away
// from all but probes and metrics. A sandbox has nothing to hide, and is used from containers and by whole teams.
func operatorDoor(next http.Handler, production bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "frame-ancestors 'none'") // pages have their own, which say it too
		h.Set("Cache-Control", "no-store")
		if production && !forAnybody(r.URL.Path) && !fromHere(r) {
			answer(w, http.StatusForbidden, "refused", "other machines get /livez, /readyz and /metrics here; ask from the machine itself (ssh -L, kubectl port-forward)")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// fromHere reports whether a request came over the loopback interface. Nobody else can have such an address.
func fromHere(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	from, err := netip.ParseAddr(host)
	return err == nil && from.Unmap().IsLoopback()
}
