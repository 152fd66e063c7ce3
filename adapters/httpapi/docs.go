package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/httpapi/site"
	"causeway/adapters/web/apierror"
	"causeway/core"
	"causeway/docs"
	"causeway/docs/assets"
)

type pageInput struct {
	Name string `path:"name"`
}

const (
	typeHTML = "text/html; charset=utf-8"
	typeText = "text/plain; charset=utf-8"
)

// registerDocs registers the OpenAPI document, a page to read it with, the guides, and a page for
// every error name and every verdict about an address. They load nothing from other hosts.
func (a *API) registerDocs() {
	document := a.huma.OpenAPI()
	shareParameters(document)
	a.registerFile("openapi", "/openapi.json", "application/json",
		func() ([]byte, error) { return json.Marshal(document) })
	a.registerFile("openapi", "/openapi.yaml", "application/yaml", document.YAML)
	pages, err := site.New(a.config.Sandbox, a.config.Console)
	if err != nil {
		panic(err) // the pages are embedded
	}
	a.registerFile("docs", site.Path, typeHTML, func() ([]byte, error) { return pages.Guide("") })
	a.registerFile("docs", site.Reference, typeHTML, pages.APIReference)
	a.registerFile("docs", "/llms.txt", typeText, func() ([]byte, error) { return pages.List(), nil })
	if a.config.Sandbox {
		a.registerFile("docs", "/{$}", typeHTML, pages.Start)
	}
	a.registerPage("docs", site.Path+"/{name}", func(name string) (*encoded, error) {
		if source, ok := strings.CutSuffix(name, ".md"); ok {
			return newPage(typeText, pages.Source, source)
		}
		return newPage(typeHTML, pages.Guide, name)
	})
	a.registerFile("errors", "/errors", typeHTML, func() ([]byte, error) { return pages.Guide("errors") })
	a.registerPage("errors", "/errors/{name}", func(name string) (*encoded, error) {
		return newPage(typeHTML, pages.Code, name)
	})
	for _, name := range []string{
		"base.css", "causeway.css", "reference.js", "start.js", "vendor/scalar-1.72.1.js",
	} {
		a.registerFile("docs", site.Path+"/assets/"+name, assets.ContentType(name),
			func() ([]byte, error) { return assets.Read(name) })
	}
	drawings, _ := fs.Glob(docs.Files, "*.svg")
	for _, name := range drawings {
		a.registerFile("docs", site.Path+"/assets/"+name, "image/svg+xml",
			func() ([]byte, error) { return docs.Files.ReadFile(name) })
	}
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
	policy := site.Policy
	if at == site.Reference {
		policy = site.ReferencePolicy
	}
	page := core.Operation{ID: id, Method: http.MethodGet, Path: at}
	registerOperation(a, page, huma.Operation{
		Hidden: true, SkipValidateParams: true,
	}, func(ctx context.Context, in *pageInput) (*huma.StreamResponse, error) {
		e, err := render(in.Name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, apierror.New(apierror.NotFound, "There is no page about %s; see %s", quoted(in.Name), site.Path)
		} else if err != nil {
			return nil, err
		}
		requestFrom(ctx).Header().Set("Content-Security-Policy", policy)
		return e.respond(cacheRevalidate), nil
	})
}

func newPage(contentType string, read func(name string) ([]byte, error), name string) (*encoded, error) {
	body, err := read(name)
	return newEncoded(contentType, body, true), err
}
