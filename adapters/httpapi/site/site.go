// Package site renders the pages of the public listener: the guides of package docs, the API
// reference, the start page of a sandbox, and what /errors says. The pages share one frame and one
// stylesheet, and load nothing from other hosts.
package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"regexp"
	"strings"

	"causeway/docs"
)

const (
	// Path is the path of the guides.
	Path = "/docs"
	// Reference is the path of the API reference.
	Reference = Path + "/api"

	index = "README" // the guide that lists the others
)

// Policy is the Content-Security-Policy of the pages: they load what this process serves and
// nothing else, with no inline code.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src " +
	"'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ReferencePolicy also allows inline styles, which the API reference creates.
var ReferencePolicy = strings.Replace(Policy, "style-src 'self'", "style-src 'self' 'unsafe-inline'", 1)

//go:embed *.html
var files embed.FS

// Site renders pages.
type Site struct {
	Sandbox bool   // there is a start page
	Console string // URL of the console; empty: none

	groups    []group
	templates *template.Template
}

// group is a section of the list of guides.
type group struct {
	Title string
	Links []link
}

type link struct{ Title, URL, Summary string }

// New returns a site. A sandbox has a start page, which links to the console.
func New(sandbox bool, console string) (*Site, error) {
	source, err := docs.Files.ReadFile(index + ".md")
	if err != nil {
		return nil, fmt.Errorf("list of guides: %w", err)
	}
	templates, err := template.ParseFS(files, "*.html")
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	return &Site{Sandbox: sandbox, Console: console, groups: readIndex(string(source)), templates: templates}, nil
}

// guideLink matches an item of the list of guides: a link and a summary.
var guideLink = regexp.MustCompile(`^- \[(.+)\]\((.+)\): (.+)\n`)

// readIndex reads the groups of guides: headings of level two, and below them lists of guideLinks.
func readIndex(source string) []group {
	var groups []group
	for line := range strings.Lines(source) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			groups = append(groups, group{Title: strings.TrimSpace(title)})
		} else if item := guideLink.FindStringSubmatch(line); item != nil {
			url, _ := destination(item[2])
			g := &groups[len(groups)-1]
			g.Links = append(g.Links, link{Title: item[1], URL: url, Summary: item[3]})
		}
	}
	return groups
}

// page is what the templates show.
type page struct {
	*Site

	Groups   []group
	Path     string // of the page, or of the guide that it belongs to
	Title    string
	Body     template.HTML
	Contents []heading
	Part     bool   // the page shows a part of the guide at Path
	Missing  string // why there is no text
}

// Guide renders the guide at Path/name, or the list of guides for an empty name. The error is
// fs.ErrNotExist if there is no such guide.
func (s *Site) Guide(name string) ([]byte, error) {
	file, at := name, Path+"/"+name
	switch name {
	case "":
		file, at = index, Path
	case index:
		return nil, fs.ErrNotExist
	}
	source, err := docs.Files.ReadFile(file + ".md")
	if err != nil {
		return nil, fs.ErrNotExist
	}
	return s.article(page{Path: at, Title: title(source)}, source)
}

// title returns the heading of a guide.
func title(source []byte) string {
	line, _, _ := strings.Cut(strings.TrimPrefix(string(source), "# "), "\n")
	return line
}

// article renders a page with a text in Markdown.
func (s *Site) article(p page, source []byte) (_ []byte, err error) {
	if p.Body, p.Contents, err = render(source); err != nil {
		return nil, err
	}
	return s.execute("guide.html", p)
}

// Source returns the Markdown of a guide.
func (s *Site) Source(name string) ([]byte, error) { return docs.Files.ReadFile(name + ".md") }

// Sample is a request, as a command for a shell, and its response in JSON.
type Sample struct{ Command, Response string }

// Code renders what the guide of errors says about an error name, a verdict or a warning: a section
// of its own or a row of a table. The error is fs.ErrNotExist if it says nothing. The sample of a row may be nil.
func (s *Site) Code(code string, sample *Sample) ([]byte, error) {
	text, ok := findCode(code)
	if !ok {
		return nil, fs.ErrNotExist
	}
	text = "# `" + code + "`\n\n" + text
	if sample != nil {
		text += "\n\n```console\n$ " + sample.Command + "\n" + sample.Response + "\n```\n"
	}
	return s.article(page{Path: Path + "/errors", Title: code, Part: true}, []byte(text))
}

// Missing renders the page that a browser gets where there is none.
func (s *Site) Missing(message string) ([]byte, error) {
	return s.execute("guide.html", page{Title: "Not found", Missing: message})
}

// Start renders the start page of a sandbox.
func (s *Site) Start() ([]byte, error) {
	return s.execute("start.html", page{Path: "/", Title: "Sandbox"})
}

// APIReference renders the page that shows the OpenAPI document.
func (s *Site) APIReference() ([]byte, error) {
	return s.execute("reference.html", page{Path: Reference, Title: "API reference"})
}

func (s *Site) execute(name string, p page) ([]byte, error) {
	p.Site, p.Groups = s, s.groups
	var out bytes.Buffer
	err := s.templates.ExecuteTemplate(&out, name, p)
	return out.Bytes(), err
}

// List returns the list of pages for language models, in the form of llmstxt.org.
func (s *Site) List() []byte {
	var out bytes.Buffer
	out.WriteString("# Causeway\n\n> One HTTP API for bank lists, account names, crypto addresses, deposit addresses " +
		"and prices, with a sandbox that simulates every provider.\n\n")
	out.WriteString("- [OpenAPI document](/openapi.json): every operation, field and error\n")
	for _, g := range s.groups {
		fmt.Fprintf(&out, "\n## %s\n\n", g.Title)
		for _, l := range g.Links {
			fmt.Fprintf(&out, "- [%s](%s.md): %s\n", l.Title, l.URL, l.Summary)
		}
	}
	return out.Bytes()
}
