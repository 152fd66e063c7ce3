package middleware

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"causeway/adapters/web/apierror"
	"causeway/core"
)

// RequestID sets X-Request-Id of the response: the ID that the client sent if it is well-formed,
// otherwise a new one.
func RequestID(entropy core.Entropy) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(apierror.RequestIDHeader, apierror.RequestID(r, entropy))
			next.ServeHTTP(w, r)
		})
	}
}

// Security sets the headers that browsers rely on. With hsts, browsers use TLS only for a year.
//
// It also closes the connection after a request whose length a proxy may judge differently (a
// chunked body, HTTP/1.0), so that the bytes that follow are never taken for another request.
func Security(hsts bool) Middleware {
	fixed := http.Header{"X-Content-Type-Options": {"nosniff"}, "Referrer-Policy": {"no-referrer"}}
	if hsts {
		fixed.Set("Strict-Transport-Security", "max-age=31536000")
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			maps.Copy(h, fixed)
			if len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1) {
				h.Set("Connection", "close")
			}
			next.ServeHTTP(w, r)
		})
	}
}

// CORS lets pages of some origins call the API.
type CORS struct {
	Origins []string // "*": all; none: CORS is off
	Allow   []string // request headers that pages may send
	Expose  []string // response headers that pages may read
}

// Middleware sets the CORS headers of responses. Preflight answers preflight requests.
func (c CORS) Middleware(next http.Handler) http.Handler {
	if len(c.Origins) == 0 {
		return next
	}
	exposed := []string{strings.Join(c.Expose, ", ")}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Add("Vary", "Origin")
		if origin := r.Header.Get("Origin"); c.allows(origin) {
			h.Set("Access-Control-Allow-Origin", origin)
			h["Access-Control-Expose-Headers"] = exposed
		}
		next.ServeHTTP(w, r)
	})
}

func (c CORS) allows(origin string) bool {
	return origin != "" && (slices.Contains(c.Origins, origin) || slices.Contains(c.Origins, "*"))
}

// Preflight sets the headers of the response to a preflight request for a path that has the given
// methods.
func (c CORS) Preflight(h http.Header, r *http.Request, methods string) {
	if !c.allows(r.Header.Get("Origin")) || r.Header.Get("Access-Control-Request-Method") == "" {
		return
	}
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", strings.Join(c.Allow, ", "))
	h.Set("Access-Control-Max-Age", "600")
}
