// Package assets holds the stylesheet and the scripts of every HTML page of Causeway, so that the pages look
// alike and work without access to the internet.
//
// The libraries in vendor come from npm and are unchanged; vendor/LICENSES has their licences. htmx sends the
// requests of buttons and forms and refreshes live parts, idiomorph merges refreshed parts into the page without
// losing focus, uPlot draws charts, and Scalar shows the OpenAPI document.
package assets

import (
	"embed"
	"net/http"
	"path"
)

//go:embed *.css *.js vendor/*.js vendor/*.css
var files embed.FS

// Read returns a file and its content type.
func Read(name string) (body []byte, contentType string, err error) {
	body, err = files.ReadFile(name)
	if path.Ext(name) == ".css" {
		return body, "text/css; charset=utf-8", err
	}
	return body, "text/javascript; charset=utf-8", err
}

// Handler serves the files below a path that ends in a slash.
func Handler(prefix string) http.Handler {
	return http.StripPrefix(prefix, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, contentType, err := Read(r.URL.Path)
		if err != nil {
			http.Error(w, "There is no such file.", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(body) //nolint:gosec // an embedded file
	}))
}
