package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/shopspring/decimal"

	"causeway/adapters/httpapi/site"
	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
	"causeway/core"
	"causeway/docs"
	"causeway/docs/assets"
)

type pageInput struct {
	Name   string `path:"name"`
	Accept string `header:"Accept"`
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
	completeSchemas(document)
	a.registerFile("openapi", "/openapi.json", "application/json",
		func() ([]byte, error) { return json.Marshal(document) })
	a.registerFile("openapi", "/openapi.yaml", "application/yaml", document.YAML)
	a.registerFile("openapi", "/openapi-3.0.json", "application/json", document.Downgrade)
	a.registerFile("openapi", "/openapi-3.0.yaml", "application/yaml", document.DowngradeYAML)
	pages, err := site.New(a.config.Sandbox, a.config.Console)
	if err != nil {
		panic(err) // the pages are embedded
	}
	a.pages = pages
	a.registerFile("docs", site.Path, typeHTML, func() ([]byte, error) { return pages.Guide("") })
	a.registerFile("docs", site.Reference, typeHTML, pages.APIReference)
	a.registerFile("docs", "/llms.txt", typeText, func() ([]byte, error) { return pages.List(), nil })
	if a.config.Sandbox {
		a.registerFile("docs", "/{$}", typeHTML, pages.Start)
		a.registerSparklines()
	}
	a.registerPage("docs", site.Path+"/{name}", func(name string) (*encoded, error) {
		if source, ok := strings.CutSuffix(name, ".md"); ok {
			return newPage(typeText, pages.Source, source)
		}
		return newPage(typeHTML, pages.Guide, name)
	})
	a.registerFile("docs", site.Path+"/search.json", "application/json", func() ([]byte, error) {
		entries, err := pages.Index()
		if err != nil {
			return nil, err
		}
		return json.Marshal(append(entries, searchEntries(document)...))
	})
	a.registerFile("errors", "/errors", typeHTML, func() ([]byte, error) { return pages.Guide("errors") })
	a.registerPage("errors", "/errors/{name}", func(name string) (*encoded, error) {
		body, err := pages.Code(name, a.sampleOf(name))
		return newEncoded(typeHTML, body, true), err
	})
	for _, name := range []string{
		"base.css", "causeway.css", "guides.css", "guides.js", "reference.js", "start.js", "vendor/scalar-1.72.1.js",
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
			return a.noPage(ctx, in)
		} else if err != nil {
			return nil, err
		}
		requestFrom(ctx).Header().Set("Content-Security-Policy", policy)
		return e.respond(cacheRevalidate), nil
	})
}

// registerSparklines registers the prices of the last 24 hours that the start page draws, of all its pairs in one
// request. It is not an operation of the API, so that the journal of a world shows what clients request and no pages.
func (a *API) registerSparklines() {
	file := core.Operation{ID: "docs", Method: http.MethodGet, Path: site.Path + "/sparklines.json"}
	registerOperation(a, file, huma.Operation{Hidden: true}, func(ctx context.Context, in *struct {
		Pairs []string `query:"pairs" maxItems:"20"`
	},
	) (*huma.StreamResponse, error) {
		lines, book := map[string][]decimal.Decimal{}, instanceFrom(ctx).pairs.book
		for _, id := range in.Pairs {
			points, err := book.History(ctx, id, "1d")
			if err != nil {
				continue // the page shows the pair without a line
			}
			for _, point := range points {
				lines[id] = append(lines[id], point.Mid)
			}
		}
		return newEncoded("application/json", apierror.Encode(lines), false).respond(cacheRevalidate), nil
	})
}

// noPage returns the response about a page that does not exist: a page for browsers, otherwise the error.
func (a *API) noPage(ctx context.Context, in *pageInput) (*huma.StreamResponse, error) {
	requestFrom(ctx).Header().Add("Vary", "Accept")
	failure := apierror.New(apierror.NotFound, "There is no page about %s; see %s", quoted(in.Name), site.Path)
	if !strings.Contains(in.Accept, "text/html") {
		return nil, failure
	}
	body, err := a.pages.Missing(failure.Detail.Message)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		_, w := humago.Unwrap(ctx)
		w.Header().Set("Content-Security-Policy", site.Policy)
		w.Header().Set("Content-Type", typeHTML)
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write(body)
	}}, nil
}

// searchEntries lists the operations of the document for the search.
func searchEntries(document *huma.OpenAPI) []site.Entry {
	var entries []site.Entry
	for _, at := range slices.Sorted(maps.Keys(document.Paths)) {
		item := document.Paths[at]
		for _, op := range []*huma.Operation{item.Get, item.Post} {
			if op == nil {
				continue
			}
			entries = append(entries, site.Entry{
				Title: op.Summary, Guide: "API reference", Text: op.Method + " " + at + ": " + op.Description,
				URL: site.Reference + "#tag/" + strings.ToLower(op.Tags[0]) + "/" + op.Method + at,
			})
		}
	}
	return entries
}

// sampleOf returns a request that gets a verdict or warning about an address, with its response. Nil: no request is
// known.
func (a *API) sampleOf(code string) *site.Sample {
	body, ok := a.config.Headers.Verdicts[code]
	if !ok {
		return nil
	}
	var request validateRequest
	if json.Unmarshal([]byte(body), &request) != nil {
		return nil
	}
	verdict, errs := request.judge(a.instance.services.Addresses)
	if len(errs) > 0 || verdict.Reason != code && !slices.Contains(verdict.Warnings, code) {
		return nil
	}
	path, _ := core.FindOperation(core.OpValidateAddress)
	return &site.Sample{
		Command:  "curl -s localhost:8080" + path.Path + " -d '" + strings.ReplaceAll(body, "'", `'\''`) + "'",
		Response: string(apierror.Encode(envelope.NewSuccess("Address checked", newVerdictBody(&verdict)))),
	}
}

func newPage(contentType string, read func(name string) ([]byte, error), name string) (*encoded, error) {
	body, err := read(name)
	return newEncoded(contentType, body, true), err
}
