package httpapi

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/danielgtaylor/huma/v2"
	"github.com/swaggest/swgui/v5/static"
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"causeway/core/addresses"
)

//go:embed pages
var pages embed.FS

// registerDocs serves the OpenAPI document, a page to read it with, and a page for every error and verdict. All of it is in the
// binary and loads nothing from elsewhere.
func (a *API) registerDocs(document *huma.OpenAPI) error {
	// Rendering takes longer than all the rest of the start; the first reader waits for it.
	a.openapi("/openapi.json", typeJSON, func() ([]byte, error) { return json.Marshal(document) })
	a.openapi("/openapi.yaml", typeYAML, document.YAML)
	for path, contentType := range map[string][]string{"docs.html": typeHTML, "docs.js": typeScript, "causeway.css": typeCSS} {
		body, err := pages.ReadFile("pages/" + path)
		if err != nil {
			return err
		}
		if path == "docs.html" {
			path = ""
		} else {
			path = "/" + path
		}
		a.document("docs", "/docs"+path, newDocument(a.packer, contentType, body))
	}
	for path, contentType := range map[string][]string{
		"swagger-ui.css": typeCSS, "swagger-ui-bundle.js": typeScript, "favicon-32x32.png": typePNG,
	} {
		if err := a.asset(path, contentType); err != nil {
			return err
		}
	}
	a.registerErrorPages()
	return nil
}

func (a *API) openapi(path string, contentType []string, render func() ([]byte, error)) {
	made := sync.OnceValues(func() (*document, error) {
		text, err := render()
		return newDocument(a.packer, contentType, text), err
	})
	a.page("openapi", path, func(x *exchange) error {
		d, err := made()
		if err != nil {
			return err
		}
		x.serve(d, revalidate)
		return nil
	})
}

// document serves a page, or what a page loads.
func (a *API) document(id, path string, d *document) {
	a.page(id, path, func(x *exchange) error {
		x.servePage(d)
		return nil
	})
}

func (x *exchange) servePage(d *document) {
	x.w.Header()[headerPolicy] = pagePolicy
	x.serve(d, revalidate)
}

// asset serves a file of Swagger UI. The large ones are embedded in gzip; they are unpacked for the rare client that does not
// take it, when it comes.
func (a *API) asset(name string, contentType []string) error {
	plain, err := static.FS.ReadFile(name)
	if err == nil {
		a.document("docs", "/docs/"+name, newDocument(a.packer, contentType, plain))
		return nil
	}
	if _, err := fs.Stat(static.FS, name+".gz"); err != nil {
		return err
	}
	// Read when somebody first opens the page: a megabyte that most processes never need.
	small := sync.OnceValues(func() (representation, error) {
		packed, err := fs.ReadFile(static.FS, name+".gz")
		return represent(packed, assetTag(packed)+`-gzip"`, encodingGzip), err
	})
	large := sync.OnceValues(func() (representation, error) {
		packed, err := fs.ReadFile(static.FS, name+".gz")
		if err != nil {
			return representation{}, err
		}
		body, err := unpack(packed)
		return represent(body, assetTag(packed)+`"`, nil), err
	})
	a.page("docs", "/docs/"+name, func(x *exchange) error {
		read := small
		if chooseCoding(x.r.Header[headerAcceptEncoding], gzipped) != gzipped {
			read = large
		}
		rep, err := read()
		if err != nil {
			return err
		}
		x.send(&rep, contentType, revalidate)
		return nil
	})
	return nil
}

// assetTag is the ETag of an asset up to what tells its representations apart.
func assetTag(packed []byte) string { return fmt.Sprintf(`"%016x`, xxhash.Sum64(packed)) }

func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// registerErrorPages makes a page for every error name, and for every reason and warning of an address.
func (a *API) registerErrorPages() {
	all := map[string]g.Node{}
	for name, kind := range errorKinds {
		all[string(name)] = codePage(string(name), fmt.Sprintf("Error, HTTP status %d: %s", kind.status, kind.title), kind.explain)
	}
	for verdict, sentence := range addresses.Codes() {
		all[verdict] = codePage(verdict, "Verdict about an address, from POST /v1/validate", sentence)
	}
	a.page("errors", "/errors/{code}", func(x *exchange) error {
		page, ok := all[x.r.PathValue("code")]
		if !ok {
			return fail(notFound, "There is no error or verdict named %s; see /docs", given(x.r.PathValue("code")))
		}
		var out bytes.Buffer
		if err := page.Render(&out); err != nil {
			return err
		}
		x.servePage(newDocument(a.packer, typeHTML, out.Bytes()))
		return nil
	})
}

// codePage says what a code means.
func codePage(code, kind, text string) g.Node {
	return h.Doctype(h.HTML(h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.TitleEl(g.Text(code+" · Causeway API")),
			h.Link(h.Rel("icon"), h.Type("image/png"), h.Href("/docs/favicon-32x32.png")),
			h.Link(h.Rel("stylesheet"), h.Href("/docs/causeway.css")),
		),
		h.Body(h.Main(h.Class("text"),
			h.H1(h.Code(g.Text(code))),
			h.P(h.Class("kind"), g.Text(kind)),
			h.P(g.Text(text)),
			h.P(h.A(h.Href("/docs"), g.Text("API documentation"))),
		)),
	))
}
