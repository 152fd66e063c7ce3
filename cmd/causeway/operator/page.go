package operator

import (
	"bytes"
	_ "embed"
	"fmt"
	"net/http"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

const pageStylePath = "/debug/page.css"

//go:embed page.css
var pageStyle []byte

// el is an element, attr is an attribute. Calls of gomponents' own functions are inlined with all that a node does when it is rendered, 700 bytes at each
// of them, which made 0.1 MB of the binary.
//
//go:noinline
func el(name string, content ...g.Node) g.Node { return g.El(name, content...) }

//go:noinline
func attr(name string, value ...string) g.Node { return g.Attr(name, value...) }

// servePage answers with a page of the operator's listener, and with what it may load beside the style that all of them have.
func servePage(w http.ResponseWriter, policy, title string, content ...g.Node) {
	var page bytes.Buffer
	_ = h.Doctype(el("html", attr("lang", "en"),
		el("head",
			el("meta", attr("charset", "utf-8")),
			el("meta", attr("name", "viewport"), attr("content", "width=device-width, initial-scale=1")),
			el("title", g.Text(title+" · Causeway")),
			el("link", attr("rel", "stylesheet"), attr("href", pageStylePath)),
		),
		el("body", el("h1", g.Text(title)), g.Group(content)),
	)).Render(&page) // into a buffer, which takes everything
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"+policy)
	serveDebug(w, "text/html", bytes.ToValidUTF8(page.Bytes(), []byte("\uFFFD"))) // gomponents leaves foreign bytes as they are
}

// servePageStyle serves the style of the pages.
func servePageStyle(w http.ResponseWriter, _ *http.Request) { serveDebug(w, "text/css", pageStyle) }

// serveDebug answers with something that nobody keeps.
func serveDebug(w http.ResponseWriter, kind string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", kind+"; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(body)
}

// grid is a table: a head, and rows or parts of the body.
func grid(head []string, rows ...g.Node) g.Node {
	titles := g.Map(head, func(title string) g.Node { return el("th", g.Text(title)) })
	return el("table", el("thead", el("tr", titles)), el("tbody", rows...))
}

// rowHead names a row.
func rowHead(text string) g.Node { return el("th", attr("scope", "row"), g.Text(text)) }

func cell(text string) g.Node { return el("td", g.Text(text)) }

// number is a cell with what stands below each other: numbers, durations.
func number(v any) g.Node { return el("td", attr("class", "n"), g.Text(fmt.Sprint(v))) }

// led is a text behind what leads to it; nothing where there is no text.
func led(by, text string) string {
	if text == "" {
		return ""
	}
	return by + text
}
