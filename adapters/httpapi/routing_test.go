package httpapi_test

import (
	"net/http"
	"testing"

	"causeway/adapters/httpapi"
)

// TestRouting_SecondMethod adds a second method to a path. Each method keeps its own authorization.
func TestRouting_SecondMethod(t *testing.T) {
	t.Parallel()
	w := newWorld(t, production, func(c *httpapi.Config, _ *httpapi.Services) {
		c.Auth.Operations = append(c.Auth.Operations, "keyed")
	})
	w.api.Add("open", http.MethodGet, resolvePath) // the path of a keyed POST
	w.api.Add("keyed", http.MethodPost, "/v1/countries")
	w.api.Add("remove", http.MethodDelete, "/v1/countries")
	for name, c := range map[string]struct {
		method, path string
		status       int
		allow        string
	}{
		"open GET and a keyed POST":      {http.MethodGet, resolvePath, http.StatusNoContent, ""},
		"keyed POST and an open GET":     {http.MethodPost, resolvePath, http.StatusUnauthorized, ""},
		"open GET of a list":             {http.MethodGet, "/v1/countries", http.StatusOK, ""},
		"open HEAD of a list":            {http.MethodHead, "/v1/countries", http.StatusOK, ""},
		"HEAD of nothing":                {http.MethodHead, "/v1/nothing", http.StatusNotFound, ""},
		"keyed POST and an open list":    {http.MethodPost, "/v1/countries", http.StatusUnauthorized, ""},
		"open DELETE and an open list":   {http.MethodDelete, "/v1/countries", http.StatusNoContent, ""},
		"methods of a path with two":     {http.MethodOptions, resolvePath, http.StatusNoContent, "GET, HEAD, OPTIONS, POST"},
		"another method of three":        {http.MethodPut, "/v1/countries", http.StatusMethodNotAllowed, "DELETE, GET, HEAD, OPTIONS, POST"},
		"methods of overlapping paths":   {http.MethodOptions, "/v1/addresses/regenerate", http.StatusNoContent, "GET, HEAD, OPTIONS, POST"},
		"methods of a path with one":     {http.MethodOptions, "/v1/addresses/BTC", http.StatusNoContent, "GET, HEAD, OPTIONS"},
		"another method of a path alone": {http.MethodGet, "/v1/validate", http.StatusMethodNotAllowed, "OPTIONS, POST"},
	} {
		t.Run(name, func(t *testing.T) {
			rec := w.do(c.method, c.path, "")
			if rec.Code != c.status || rec.Header().Get("Allow") != c.allow {
				t.Errorf("got %d, Allow %q, want %d, %q", rec.Code, rec.Header().Get("Allow"), c.status, c.allow)
			}
		})
	}
}

// TestRouting_Duplicate registers a method of a path twice, which stops the start.
func TestRouting_Duplicate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	defer func() {
		if recover() == nil {
			t.Error("a second GET /v1/banks was registered")
		}
	}()
	w.api.Add("banks-again", http.MethodGet, "/v1/banks")
}
