package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"causeway/adapters/httpapi"
	"causeway/adapters/httpapi/site"
	"causeway/adapters/web/apierror"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/docs"
)

func TestErrorPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *httpapi.Config, _ *httpapi.Services) {
		c.Headers.Verdicts = map[string]string{"wrong_network": `{"type":"address","currency":"BTC","address":"TR7N"}`}
	})
	texts := map[string]string{}
	for _, name := range apierror.Names() {
		kind, _ := name.Kind()
		texts[string(name)] = fmt.Sprintf("HTTP status %d: %s", kind.Status, kind.Title)
	}
	maps.Copy(texts, addresses.Codes())
	texts["memo_required"], texts["simulated_address"] = "All users share", "The address belongs to a sandbox"
	texts["deposits_not_detected"], texts["deposits_delayed"] = "Causeway does not read", "The blocks of the network"
	if len(texts) < 13+24+12 {
		t.Errorf("only %d codes", len(texts))
	}
	for code, text := range texts {
		rec := w.get("/errors/" + code)
		body := rec.Body.String()
		if rec.Code != http.StatusOK || !strings.Contains(body, "<code>"+code+"</code>") ||
			rec.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%s: got %d %s", code, rec.Code, body)
		}
		if !strings.Contains(body, html.EscapeString(text[:10])) {
			t.Errorf("%s: the page does not say %q", code, text)
		}
		if kind, _ := apierror.Name(code).Kind(); kind.Status != 0 && !strings.Contains(body, "Sim-Scenario: error:"+code) {
			t.Errorf("%s: the page does not say which Sim-Scenario produces it", code)
		}
	}
	if body := w.get("/errors/wrong_network").Body.String(); !strings.Contains(body, "-d &#39;{&#34;type&#34;:") ||
		!strings.Contains(body, "&#34;reason&#34;: &#34;wrong_network&#34;") {
		t.Errorf("the page of a verdict has no sample: %s", body)
	}
}

// TestErrorsGuide compares docs/errors.md, from which /errors/{name} is rendered, with the errors and
// the codes of addresses.
func TestErrorsGuide(t *testing.T) {
	t.Parallel()
	guide, err := docs.Files.ReadFile("errors.md")
	if err != nil {
		t.Fatal(err)
	}
	says := func(text string) {
		if !bytes.Contains(guide, []byte(text)) {
			t.Errorf("docs/errors.md lacks %q", text)
		}
	}
	for _, name := range apierror.Names() {
		k, _ := name.Kind()
		retry := "Do not retry it unchanged."
		if k.Retryable {
			retry = "Retry it, after `Retry-After` seconds if the response has this header."
		}
		says(fmt.Sprintf("\n## `%s`\n\nHTTP status %d: %s. %s\n\n", name, k.Status, k.Title, retry))
	}
	codes := addresses.Codes()
	for code, meaning := range codes {
		says(fmt.Sprintf("\n| `%s` | %s |\n", code, meaning))
	}
	if rows, depositWarnings := bytes.Count(guide, []byte("\n| `")), 4; rows != len(codes)+depositWarnings {
		t.Errorf("docs/errors.md has %d codes, want %d", rows, len(codes)+depositWarnings)
	}
}

func TestGuides_Served(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	list := w.get("/llms.txt").Body.String()
	files, err := fs.Glob(docs.Files, "*.md")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".md")
		if name == "README" {
			continue
		}
		page, source := w.get("/docs/"+name), w.get("/docs/"+file)
		text, err := docs.Files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), "<h1 id=") || page.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: got %d %.200s", name, page.Code, page.Body)
		}
		if source.Code != http.StatusOK || source.Body.String() != string(text) {
			t.Errorf("%s: got %d %.200s", file, source.Code, source.Body)
		}
		if !strings.Contains(list, "(/docs/"+file+"): ") || !strings.Contains(page.Body.String(), `href="/docs/`+name+`" aria-current="page"`) {
			t.Errorf("%s is missing in docs/README.md", file)
		}
	}
	for _, path := range []string{"/docs/README", "/docs/assets/nonsense"} {
		if rec := w.get(path); rec.Code != http.StatusNotFound {
			t.Errorf("%s: got %d", path, rec.Code)
		}
	}
}

// TestNoPage requests pages that do not exist: a browser gets a page with the navigation, a program the envelope.
func TestNoPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/docs/nonsense", "/docs/nonsense.md", "/errors/nonsense"} {
		rec := w.do(http.MethodGet, path, "", "Accept: text/html,application/xhtml+xml,*/*;q=0.8")
		if body := rec.Body.String(); rec.Code != http.StatusNotFound || !strings.Contains(body, "There is no page about") ||
			!strings.Contains(body, `<nav aria-label="Guides">`) || rec.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s for a browser: got %d %s", path, rec.Code, body)
		}
		if rec := w.get(path); rec.Code != http.StatusNotFound || errorOf(t, rec.Body.Bytes()).Error.Name != "not_found" {
			t.Errorf("%s: got %d %s", path, rec.Code, rec.Body)
		}
	}
}

// TestSearchIndex checks that what the search finds is served.
func TestSearchIndex(t *testing.T) {
	t.Parallel()
	w, page := newWorld(t), pages(t)
	var entries []site.Entry
	if err := json.Unmarshal(w.get("/docs/search.json").Body.Bytes(), &entries); err != nil {
		t.Fatal(err)
	}
	operations := 0
	for _, e := range entries {
		path, anchor, _ := strings.Cut(e.URL, "#")
		if path == site.Reference {
			operations++
			continue // the library makes the anchors
		}
		if rec := page(path); rec.Code != http.StatusOK || anchor != "" && !strings.Contains(rec.Body.String(), `id="`+anchor+`"`) {
			t.Errorf("%s: got %d", e.URL, rec.Code)
		}
	}
	if want := len(core.Operations()); operations != want {
		t.Errorf("the index has %d operations, want %d", operations, want)
	}
}

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pageLink     = regexp.MustCompile(`(?:href|src)="([^"]+)"`)
	codeBlock    = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
)

// pages returns a function that requests each path of a new API once.
func pages(t *testing.T) func(path string) *httptest.ResponseRecorder {
	w, requested := newWorld(t), map[string]*httptest.ResponseRecorder{}
	return func(path string) *httptest.ResponseRecorder {
		if requested[path] == nil {
			requested[path] = w.get(path)
		}
		return requested[path]
	}
}

// TestGuides_Links checks that links of the guides lead to files in the repository, and that those
// of the pages lead to pages and headings that are served.
func TestGuides_Links(t *testing.T) {
	t.Parallel()
	page := pages(t)
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md", "../../CHANGELOG.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range markdownLink.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(text), ""), -1) {
			link, _, _ := strings.Cut(m[1], "#")
			if link == "" || strings.Contains(link, ":") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), link)); err != nil {
				t.Errorf("%s links to %s, which does not exist", file, m[1])
			}
		}
	}
	served := []string{"/", "/docs", "/docs/api", "/errors/not_found"}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".md"); name != "README" {
			served = append(served, "/docs/"+name)
		}
	}
	checked := 0
	for _, at := range served {
		for _, m := range pageLink.FindAllStringSubmatch(page(at).Body.String(), -1) {
			link, anchor, _ := strings.Cut(m[1], "#")
			switch {
			case strings.Contains(link, ":"):
				continue
			case link == "":
				link = at
			case !path.IsAbs(link):
				t.Errorf("%s links to %s, which is relative", at, m[1])
				continue
			}
			checked++
			rec := page(link)
			if rec.Code != http.StatusOK || anchor != "" && !strings.Contains(rec.Body.String(), `id="`+anchor+`"`) {
				t.Errorf("%s links to %s: got %d", at, m[1], rec.Code)
			}
		}
	}
	if checked < 300 {
		t.Errorf("only %d links were checked", checked)
	}
}
