package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"path"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/swaggest/swgui/v5/static"

	"causeway/adapters/httpapi/apierror"
	"causeway/core/addresses"
)

//go:embed pages
var pages embed.FS

var codePage = template.Must(template.ParseFS(pages, "pages/code.html"))

// pagePolicy lets a page load what this process serves and nothing else, with no inline code.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src " +
	"'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

type docsInput struct {
	Name string `path:"name"`
}

// registerDocs registers the OpenAPI document, a page to read it with, and a page for every error
// name and every verdict about an address. They load nothing from other hosts.
func (a *API) registerDocs() {
	document := a.huma.OpenAPI()
	a.page("openapi", "/openapi.json", cacheOnce("application/json",
		func() ([]byte, error) { return json.Marshal(document) }))
	a.page("openapi", "/openapi.yaml", cacheOnce("application/yaml", document.YAML))
	a.page("docs", "/docs", cacheOnce(contentTypes[".html"],
		func() ([]byte, error) { return pages.ReadFile("pages/docs.html") }))
	files := map[string]func(string) (*encoded, error){}
	for _, name := range []string{"docs.js", "causeway.css"} {
		files[name] = cacheOnce(contentTypes[path.Ext(name)],
			func() ([]byte, error) { return pages.ReadFile("pages/" + name) })
	}
	for _, name := range []string{"swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"} {
		files[name] = cacheOnce(contentTypes[path.Ext(name)], func() ([]byte, error) { return readAsset(name) })
	}
	a.page("docs", "/docs/{name}", func(name string) (*encoded, error) {
		if file, ok := files[name]; ok {
			return file(name)
		}
		return nil, a.unknownPath("/docs/" + name)
	})
	a.page("errors", "/errors/{name}", renderCode)
}

var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".png": "image/png",
}

// page registers a page that is not in the OpenAPI document. read gets the last segment of the
// path.
func (a *API) page(id, at string, read func(name string) (*encoded, error)) {
	register(a, huma.Operation{
		OperationID: id, Method: http.MethodGet, Path: at, Hidden: true, SkipValidateParams: true,
	}, func(ctx context.Context, in *docsInput) (*huma.StreamResponse, error) {
		e, err := read(in.Name)
		if err != nil {
			return nil, err
		}
		requestFrom(ctx).Header().Set("Content-Security-Policy", pagePolicy)
		return e.respond(cacheRevalidate), nil
	})
}

// cacheOnce reads a file when it is first requested.
func cacheOnce(contentType string, read func() ([]byte, error)) func(string) (*encoded, error) {
	once := sync.OnceValues(func() (*encoded, error) {
		body, err := read()
		return newEncoded(contentType, body, true), err
	})
	return func(string) (*encoded, error) { return once() }
}

// readAsset reads a file of Swagger UI, of which the large ones are embedded in gzip.
func readAsset(name string) ([]byte, error) {
	plain, err := static.FS.ReadFile(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return plain, err
	}
	packed, err := static.FS.ReadFile(name + ".gz")
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// renderCode renders the page about an error name, or about a verdict.
func renderCode(code string) (*encoded, error) {
	page := struct{ Code, Kind, Text string }{Code: code}
	if kind, ok := apierror.Name(code).Kind(); ok {
		page.Kind, page.Text = fmt.Sprintf("Error, HTTP status %d: %s", kind.Status, kind.Title), kind.Explanation
	} else if text, ok := addresses.Codes()[code]; ok {
		page.Kind, page.Text = "Verdict about an address, from POST /v1/validate", text
	} else {
		return nil, apierror.New(apierror.NotFound, "There is no error or verdict named %s; see /docs", quoted(code))
	}
	var out bytes.Buffer
	if err := codePage.Execute(&out, page); err != nil {
		return nil, err
	}
	return newEncoded(contentTypes[".html"], out.Bytes(), true), nil
}
