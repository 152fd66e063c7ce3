package httpapi

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/middleware"
)

// route routes the literal path only: a ServeMux redirects other spellings of a path.
func (a *API) route(w http.ResponseWriter, r *http.Request) {
	u := r.URL
	if u.Path == "*" || u.RawPath != "" || path.Clean(u.Path) != u.Path {
		a.notFound(w, r)
		return
	}
	if u.RawQuery != "" { // huma binds its values as they are
		q, readable := requestFrom(r.Context()), *u
		q.query, q.unreadable = parseQuery(u.RawQuery)
		readable.RawQuery = q.query.Encode()
		r.URL = &readable
	}
	a.mux.ServeHTTP(w, r)
}

// notFound answers what no operation serves: an unknown path, another method, or OPTIONS.
func (a *API) notFound(w http.ResponseWriter, r *http.Request) {
	if err := requestFrom(r.Context()).take(r); err != nil {
		WriteError(w, r, err)
		return
	}
	methods, route := a.methods(r)
	switch {
	case methods == "":
		WriteError(w, r, a.unknownPath(r.URL.Path))
	case r.Method == http.MethodOptions:
		w.Header().Set("Allow", methods)
		a.cors.Preflight(w.Header(), r, methods)
		w.WriteHeader(http.StatusNoContent)
	default:
		e := apierror.New(apierror.MethodNotAllowed, "%s accepts %s, not %s", route, methods, quoted(r.Method))
		e.Allow = methods
		WriteError(w, r, e)
	}
}

// methods returns the methods of a path as Allow lists them, and the path as it is documented. Both
// are empty for an unknown path.
func (a *API) methods(r *http.Request) (allow, route string) {
	u := r.URL
	switch {
	case u.Path == "*" && r.Method == http.MethodOptions:
		return "GET, HEAD, OPTIONS, POST", "*"
	case u.RawPath != "" || path.Clean(u.Path) != u.Path:
		return "", ""
	}
	var all []string
	for _, method := range []string{
		http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodPatch, http.MethodPost, http.MethodPut,
	} {
		if op := a.find(&http.Request{Method: method, URL: u}); op != a.unknown {
			all, route = append(all, method), op.route
		}
	}
	if len(all) == 0 {
		return "", ""
	}
	all = append(all, http.MethodOptions)
	slices.Sort(all)
	return strings.Join(all, ", "), route
}

// pattern returns the pattern by which the mux routes an operation.
func pattern(op *huma.Operation) string { return op.Method + " " + op.Path }

// find returns the operation that serves a request, or a.unknown.
func (a *API) find(r *http.Request) *operation {
	_, matched := a.mux.Handler(r)
	if op := a.operations[matched]; op != nil {
		return op
	}
	return a.unknown
}

// unknownPath returns the error of an unknown path and suggests the path that was probably meant.
func (a *API) unknownPath(given string) error {
	hint := "see /docs for all paths"
	if meant := path.Clean("/" + strings.ToLower(given)); meant != given && meant != "/" {
		if _, route := a.methods(&http.Request{URL: &url.URL{Path: meant}}); route != "" {
			hint = "paths must be written exactly: did you mean " + route + "?"
		}
	}
	return apierror.New(apierror.NotFound, "There is nothing at this path; %s", hint)
}

// Refuse counts a call and answers it with an error, for middleware that does not pass it on.
func (a *API) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	q := requestFrom(r.Context())
	q.operation = a.find(r)
	if limited := q.take(r); limited != nil {
		err = limited
	}
	WriteError(w, r, err)
}

// Operation returns the documented operation that serves a request, or "" if there is none.
func (a *API) Operation(r *http.Request) string {
	if op := a.find(r); op.documented {
		return op.id
	}
	return ""
}

func newCORS(config Config) middleware.CORS {
	c := middleware.CORS{
		Origins: config.CORSOrigins,
		Allow: []string{
			"Accept", "Authorization", "Content-Type", "If-None-Match", "Last-Event-ID", "Traceparent",
			"X-BU-PROFILE-ID", "X-BU-Version", idempotencyHeader,
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
