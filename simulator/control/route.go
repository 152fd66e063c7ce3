package control

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
)

// routes registers all operations and the document that describes them.
func (a *api) routes() error {
	all := slices.Concat(aboutWorlds(), aboutDocuments(), aboutClocks(), aboutMarkets(), aboutAccounts(), aboutFaults(), aboutNext(), aboutJournals(), aboutCatalog())
	for i := range all {
		o := &all[i]
		pattern := o.method + " " + Prefix + o.path
		a.places[pattern] = o
		a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { a.begin(w, r).answer(r.Context(), o) })
	}
	a.mux.HandleFunc("/", a.fallback)
	return a.describe(all)
}

// ServeHTTP answers one request. Only the literal path is routed: ServeMux would answer the others with redirects and plain text.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if escaped := r.URL.EscapedPath(); path.Clean(escaped) != escaped {
		a.begin(w, r).fail(nowhere())
		return
	}
	a.mux.ServeHTTP(w, r)
}

// fallback answers what no operation takes: a method that the path does not have, or a path that does not exist.
func (a *api) fallback(w http.ResponseWriter, r *http.Request) {
	c := a.begin(w, r)
	methods, place := a.methodsOf(r)
	if methods == "" {
		c.fail(nowhere())
		return
	}
	if r.Method == http.MethodOptions {
		w.Header().Set("Allow", methods)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	e := apierror.New(apierror.MethodNotAllowed, "%s takes %s; %s is not one of them", place, methods, core.Quoted(r.Method))
	e.Allow = methods
	c.fail(e)
}

// nowhere says that a path does not exist.
func nowhere() *apierror.Error {
	return apierror.New(apierror.NotFound, "%s", "There is nothing at this path; "+Prefix+"/openapi.json says what there is. A name in a path is percent-encoded: a slash in it is %2F")
}

// methodsOf names the methods of a path, as Allow has them, and the path as it is documented; nothing for one that does not exist.
func (a *api) methodsOf(r *http.Request) (allowed, place string) {
	var methods []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
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
