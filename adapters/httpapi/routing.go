package httpapi

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"causeway/adapters/httpapi/apierror"
	"causeway/adapters/httpapi/middleware"
)

// route routes the literal path only: a ServeMux redirects other spellings of a path.
func (a *API) route(w http.ResponseWriter, r *http.Request) {
	u := r.URL
	if u.Path == "*" || u.RawPath != "" || path.Clean(u.Path) != u.Path {
		a.notFound(w, r)
		return
	}
	if u.RawQuery != "" {
		normalized := *u
		normalized.RawQuery = normalizeQuery(u.RawQuery)
		r.URL = &normalized
	}
	a.mux.ServeHTTP(w, r)
}

// notFound answers what no operation serves: an unknown path, another method, or OPTIONS.
func (a *API) notFound(w http.ResponseWriter, r *http.Request) {
	if err := requestFrom(r.Context()).take(r); err != nil {
		WriteError(w, r, err)
		return
	}
	methods, documented := a.methods(r)
	switch {
	case methods == "":
		WriteError(w, r, a.unknownPath(r.URL.Path))
	case r.Method == http.MethodOptions:
		w.Header().Set("Allow", methods)
		a.cors.Preflight(w.Header(), r, methods)
		w.WriteHeader(http.StatusNoContent)
	default:
		e := apierror.New(apierror.MethodNotAllowed, "%s accepts %s, not %s", documented, methods, quoted(r.Method))
		e.Allow = methods
		WriteError(w, r, e)
	}
}

// methods returns the methods of a path as Allow lists them, and the path as it is documented. Both
// are empty for an unknown path.
func (a *API) methods(r *http.Request) (allow, documented string) {
	u := r.URL
	if u.Path == "*" && r.Method == http.MethodOptions {
		return "GET, HEAD, OPTIONS, POST", "*"
	}
	if u.RawPath != "" || path.Clean(u.Path) != u.Path {
		return "", ""
	}
	var methods []string
	for _, method := range []string{
		http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete,
	} {
		_, pattern := a.mux.Handler(&http.Request{Method: method, URL: u, Host: r.Host})
		if place, ok := strings.CutPrefix(pattern, method+" "); ok {
			methods, documented = append(methods, method), place
		}
	}
	if len(methods) == 0 {
		return "", ""
	}
	if slices.Contains(methods, http.MethodGet) {
		methods = append(methods, http.MethodHead)
	}
	methods = append(methods, http.MethodOptions)
	slices.Sort(methods)
	return strings.Join(methods, ", "), documented
}

// unknownPath returns the error of an unknown path and suggests the path that was probably meant.
func (a *API) unknownPath(given string) error {
	hint := "see /docs for all paths"
	if meant := path.Clean("/" + strings.ToLower(given)); meant != given && meant != "/" {
		if _, place := a.methods(&http.Request{URL: &url.URL{Path: meant}}); place != "" {
			hint = "paths must be written exactly: did you mean " + place + "?"
		}
	}
	return apierror.New(apierror.NotFound, "There is nothing at this path; %s", hint)
}

// Refuse counts a call and answers it with an error, for middleware that does not pass it on.
func (a *API) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	q := requestFrom(r.Context())
	_, pattern := a.mux.Handler(r)
	_, route, _ := strings.Cut(pattern, " ")
	if op := a.operations[route]; op != nil {
		q.operation = op
	}
	if limited := q.take(r); limited != nil {
		err = limited
	}
	WriteError(w, r, err)
}

// Operation returns the operation that serves a request, or "" if there is none.
func (a *API) Operation(r *http.Request) string {
	_, pattern := a.mux.Handler(r)
	return a.byRoute[pattern]
}

func newCORS(config Config) middleware.CORS {
	c := middleware.CORS{
		Origins: config.CORSOrigins,
		Allow: []string{
			"Accept", "Authorization", "Content-Type", "If-None-Match", "Last-Event-ID", "Traceparent",
			"X-BU-PROFILE-ID", "X-BU-Version",
			apierror.RequestIDHeader,
		},
		Expose: []string{"ETag", "RateLimit", "RateLimit-Policy", "Retry-After", headerCalls, apierror.RequestIDHeader},
	}
	for _, h := range config.Headers.Request {
		c.Allow = append(c.Allow, h.Name)
	}
	for _, h := range config.Headers.Response {
		c.Expose = append(c.Expose, h.Name)
	}
	return c
}
