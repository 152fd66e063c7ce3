package site

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"causeway/docs"
)

// Entry is a section of a guide, a code of an error, or an operation of the API, for the search. The browser searches:
// the index is a file.
type Entry struct {
	Title string `json:"title"`
	Guide string `json:"guide"` // whose section it is
	URL   string `json:"url"`
	Text  string `json:"text"`
}

// errorsGuide is the guide whose sections and rows have pages of their own.
const errorsGuide = "errors"

// codeRow matches a row of a table of codes.
var codeRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (.+) \\|$")

// findCode returns what the guide of errors says about a code: a section, or a row of a table.
func findCode(code string) (text string, found bool) {
	guide, _ := docs.Files.ReadFile(errorsGuide + ".md") // it is embedded
	for section := range strings.SplitSeq(string(guide), "\n## ") {
		title, text, _ := strings.Cut(section, "\n")
		if title == "`"+code+"`" {
			return text, true
		}
		for _, row := range codeRow.FindAllStringSubmatch(text, -1) {
			if row[1] == code {
				return title + ": " + row[2], true
			}
		}
	}
	return "", false
}

// Index returns the sections of all guides and all codes, in the order of reading.
func (s *Site) Index() ([]Entry, error) {
	var entries []Entry
	for _, g := range s.groups {
		for _, l := range g.Links {
			source, err := docs.Files.ReadFile(strings.TrimPrefix(l.URL, Path+"/") + ".md")
			if err != nil {
				return nil, err
			}
			sections := sectionsOf(l, source)
			if l.URL == Path+"/"+errorsGuide {
				sections = codesOf(sections, source)
			}
			entries = append(entries, sections...)
		}
	}
	return entries, nil
}

// sectionsOf returns the sections of a guide: what follows each heading, up to the next one.
func sectionsOf(guide link, source []byte) []Entry {
	var entries []Entry
	document := markdown.Parser().Parse(text.NewReader(source))
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		h, begins := n.(*ast.Heading)
		switch {
		case begins && h.Level == 1:
			entries = append(entries, Entry{Title: plain(h, source), Guide: guide.Title, URL: guide.URL})
		case begins:
			entries = append(entries,
				Entry{Title: plain(h, source), Guide: guide.Title, URL: guide.URL + "#" + headingID(h)})
		case len(entries) > 0:
			last := &entries[len(entries)-1]
			last.Text = strings.TrimSpace(last.Text + " " + plain(n, source))
		}
	}
	return entries
}

// codesOf replaces the sections of the guide of errors by its codes, each with the page of its own.
func codesOf(sections []Entry, source []byte) []Entry {
	codes := sections[:1]
	for _, section := range sections[1:] {
		if _, found := findCode(section.Title); found {
			section.URL = "/errors/" + section.Title
			codes = append(codes, section)
		}
	}
	for _, row := range codeRow.FindAllSubmatch(source, -1) {
		code := string(row[1])
		codes = append(codes, Entry{Title: code, Guide: sections[0].Guide, URL: "/errors/" + code, Text: string(row[2])})
	}
	return codes
}
