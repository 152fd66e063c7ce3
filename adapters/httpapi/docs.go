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

type pageInput struct {
	Name string `path:"name"`
}

// registerDocs registers the OpenAPI document, a page to read it with, and a page for every error
// name and every verdict about an address. They load nothing from other hosts.
func (a *API) registerDocs() {
	document := a.huma.OpenAPI()
	shareParameters(document)
	a.registerFile("openapi", "/openapi.json", "application/json",
		func() ([]byte, error) { return json.Marshal(document) })
	a.registerFile("openapi", "/openapi.yaml", "application/yaml", document.YAML)
	a.registerFile("docs", "/docs", typeHTML, func() ([]byte, error) { return pages.ReadFile("pages/docs.html") })
	for _, name := range []string{"docs.js", "causeway.css"} {
		a.registerFile("docs", "/docs/"+name, contentTypes[path.Ext(name)],
			func() ([]byte, error) { return pages.ReadFile("pages/" + name) })
	}
	for _, name := range []string{"swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"} {
		a.registerFile("docs", "/docs/"+name, contentTypes[path.Ext(name)],
			func() ([]byte, error) { return readAsset(name) })
	}
	a.registerPage("errors", "/errors/{name}", renderCode)
}

const typeHTML = "text/html; charset=utf-8"

// contentTypes are those of the files of the page. mime.TypeByExtension varies by machine.
var contentTypes = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".png": "image/png",
}

// registerFile registers a file, which is read and encoded when it is first requested.
func (a *API) registerFile(id, at, contentType string, read func() ([]byte, error)) {
	file := sync.OnceValues(func() (*encoded, error) {
		body, err := read()
		return newEncoded(contentType, body, true), err
	})
	a.registerPage(id, at, func(string) (*encoded, error) { return file() })
}

// registerPage registers an operation that is not in the OpenAPI document.
func (a *API) registerPage(id, at string, render func(name string) (*encoded, error)) {
	register(a, huma.Operation{
		OperationID: id, Method: http.MethodGet, Path: at, Hidden: true, SkipValidateParams: true,
	}, func(ctx context.Context, in *pageInput) (*huma.StreamResponse, error) {
		e, err := render(in.Name)
		if err != nil {
			return nil, err
		}
		requestFrom(ctx).Header().Set("Content-Security-Policy", pagePolicy)
		return e.respond(cacheRevalidate), nil
	})
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
	} else if text, ok := depositWarnings[code]; ok {
		page.Kind, page.Text = "Warning about a deposit address, from GET /v1/addresses", text
	} else {
		return nil, apierror.New(apierror.NotFound, "There is no error or verdict named %s; see /docs", quoted(code))
	}
	var out bytes.Buffer
	if err := codePage.Execute(&out, page); err != nil {
		return nil, err
	}
	return newEncoded(typeHTML, out.Bytes(), true), nil
}
