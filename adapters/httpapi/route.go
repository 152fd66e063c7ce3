package httpapi

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// route hands the request to its operation. Only the literal path is routed: ServeMux would answer the others with
// redirects and plain text.
func (a *API) route(x *exchange) {
	if a.origins != nil {
		a.allowOrigin(x)
	}
	u := x.r.URL
	switch {
	case u.Path == "*" && x.r.Method == http.MethodOptions:
		a.unrouted(x, func() { a.options(x, "GET, HEAD, OPTIONS, POST") })
	case u.Path == "*" || u.RawPath != "" || path.Clean(u.Path) != u.Path:
		a.unrouted(x, func() { a.problem(x, a.unknownPath(u.Path)) })
	default:
		a.mux.ServeHTTP(x, x.r)
	}
}

// unrouted answers what no operation takes, which has a limit as well: the default one, for all of it together.
func (a *API) unrouted(x *exchange, answer func()) {
	if err := x.limit(a.unknown); err != nil {
		a.problem(x, err)
		return
	}
	answer()
}

// fallback answers what no operation takes: a method that the path does not have, or a path that does not exist.
func (a *API) fallback(w http.ResponseWriter, r *http.Request) {
	x := exchangeOf(w)
	a.unrouted(x, func() { a.unmatched(x, r) }) //nolint:contextcheck // the exchange has the request
}

func (a *API) unmatched(x *exchange, r *http.Request) {
	methods, place := a.methodsOf(r)
	switch {
	case methods == "":
		a.problem(x, a.unknownPath(r.URL.Path))
	case r.Method == http.MethodOptions:
		a.options(x, methods)
	default:
		f := fail(methodNotAllowed, "%s takes %s; %s is not one of them", place, methods, given(r.Method))
		f.allow = methods
		a.problem(x, f)
	}
}

// options names the methods of a path.
func (a *API) options(x *exchange, methods string) {
	h := x.w.Header()
	h.Set(headerAllow, methods)
	if a.origins != nil {
		h[headerVary] = a.varyError
		a.allowMethods(x, methods)
	}
	x.WriteHeader(http.StatusNoContent)
}

// methodsOf names the methods that a path takes, as Allow has them, and the path as it is documented; nothing for a path that does
// not exist.
func (a *API) methodsOf(r *http.Request) (allowed, place string) {
	var methods []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		probe := http.Request{Method: method, URL: r.URL, Host: r.Host}
		_, pattern := a.mux.Handler(&probe)
		if documented, ok := strings.CutPrefix(pattern, method+" "); ok {
			methods, place = append(methods, method), documented
			if method == http.MethodGet {
				methods = append(methods, http.MethodHead)
			}
		}
	}
	if len(methods) == 0 {
		return "", ""
	}
	methods = append(methods, http.MethodOptions)
	slices.Sort(methods)
	return strings.Join(methods, ", "), place
}

// unknownPath says that a path does not exist, and guesses at the one that was meant.
func (a *API) unknownPath(given string) *failure {
	meant := path.Clean("/" + strings.ToLower(given))
	hint := "see /docs for what there is"
	if meant != given && meant != "/" {
		probe := http.Request{Method: http.MethodGet, URL: &url.URL{Path: meant}}
		if _, place := a.methodsOf(&probe); place != "" {
			hint = "paths are taken exactly as written: did you mean " + place + "?"
		}
	}
	return fail(notFound, "There is nothing at this path; %s", hint)
}
