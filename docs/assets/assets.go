// Package assets holds the stylesheet and the scripts of every HTML page of Causeway, so that the pages look
// alike and work without access to the internet.
//
// The libraries in vendor come from npm and are unchanged; vendor/LICENSES has their licences. htmx sends the
// requests of buttons and forms and refreshes live parts, idiomorph merges refreshed parts into the page without
// losing focus, uPlot draws charts, and Scalar shows the OpenAPI document.
package assets

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"net/http"
	"path"
	"time"
)

//go:embed *.css *.js vendor/*.js vendor/*.css vendor/*.gz
var files embed.FS

// Read returns a file. The largest is embedded with gzip.
func Read(name string) ([]byte, error) {
	body, err := files.ReadFile(name)
	if err == nil {
		return body, nil
	}
	file, openErr := files.Open(name + ".gz")
	if openErr != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	decompressed, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(decompressed)
}

// ContentType returns the content type of a file.
func ContentType(name string) string {
	if path.Ext(name) == ".css" {
		return "text/css; charset=utf-8"
	}
	return "text/javascript; charset=utf-8"
}

// Handler serves the files below a path that ends in a slash.
func Handler(prefix string) http.Handler {
	return http.StripPrefix(prefix, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := Read(r.URL.Path)
		if err != nil {
			http.Error(w, "There is no such file.", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", ContentType(r.URL.Path))
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	}))
}
