package site

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown renders guides. It omits raw HTML, such as the comments that mark generated parts.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Linkify),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(),
		parser.WithASTTransformers(util.Prioritized(links{}, 0))),
)

// scrollable lets wide tables and code scroll, by the keyboard too.
var scrollable = strings.NewReplacer("<pre>", `<pre tabindex="0">`,
	"<table>", `<div class="scroll" tabindex="0"><table>`, "</table>", "</table></div>")

// render returns the HTML of a guide.
func render(source []byte) (string, error) {
	var out bytes.Buffer
	err := markdown.Convert(source, &out)
	return scrollable.Replace(out.String()), err
}

// links turns links between files into links between pages. A link to a file that is not served
// becomes its text.
type links struct{}

// Transform rewrites the links and pictures of a document.
func (links) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	var unserved []*ast.Link
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			n.Destination = append([]byte(Path+"/assets/"), n.Destination...)
		case *ast.Link:
			to, ok := destination(string(n.Destination))
			if n.Destination = []byte(to); !ok {
				unserved = append(unserved, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range unserved {
		for child := n.FirstChild(); child != nil; child = n.FirstChild() {
			n.Parent().InsertBefore(n.Parent(), n, child)
		}
		n.Parent().RemoveChild(n.Parent(), n)
	}
}

// destination returns the address of a link on the site, and whether there is one.
func destination(link string) (string, bool) {
	file, anchor, found := strings.Cut(link, "#")
	if found {
		anchor = "#" + anchor
	}
	name, isGuide := strings.CutSuffix(file, ".md")
	switch {
	case strings.Contains(file, ":") || strings.HasPrefix(file, "/") || file == "":
		return link, true
	case !isGuide || strings.Contains(name, "/"):
		return "", false
	case name == index:
		return Path + anchor, true
	}
	return Path + "/" + name + anchor, true
}
