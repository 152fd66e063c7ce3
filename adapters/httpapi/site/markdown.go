package site

import (
	"bytes"
	"encoding/json"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown renders guides. It omits raw HTML, such as the comments that mark generated parts.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Linkify),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(),
		parser.WithASTTransformers(util.Prioritized(links{}, 0))),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(codeBlocks{}, 0))),
)

// scrollable lets wide tables scroll, by the keyboard too.
var scrollable = strings.NewReplacer(
	"<table>", `<div class="scroll" tabindex="0"><table>`, "</table>", "</table></div>")

// heading is an entry of the contents of a page.
type heading struct {
	ID, Title string
	Level     int
}

// render returns the HTML of a guide and its headings of the levels two and three.
func render(source []byte) (template.HTML, []heading, error) {
	document := markdown.Parser().Parse(text.NewReader(source))
	var contents []heading
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && (h.Level == 2 || h.Level == 3) {
			contents = append(contents, heading{ID: headingID(h), Title: plain(h, source), Level: h.Level})
		}
	}
	var out bytes.Buffer
	err := markdown.Renderer().Render(&out, source, document)
	return template.HTML(scrollable.Replace(out.String())), contents, err //nolint:gosec // our own text
}

func headingID(h *ast.Heading) string {
	id, _ := h.AttributeString("id")
	text, _ := id.([]byte)
	return string(text)
}

// plain returns the text of a node and of the nodes in it, without their marks.
func plain(node ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				out.Write(util.UnescapePunctuations(n.Value(source)))
			} else if n.SoftLineBreak() || n.HardLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.String:
			if entering {
				out.Write(n.Value)
			}
		case *ast.AutoLink:
			if entering {
				out.Write(n.Label(source))
			}
		case *ast.FencedCodeBlock:
			if entering {
				out.Write(n.Lines().Value(source))
			}
		default:
			if !entering && n.Type() == ast.TypeBlock {
				out.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(out.String()), " ")
}

// codeBlocks renders blocks of code. In a block of the language "console" it marks the commands, so that a script can
// copy them without their outputs, and indents outputs in JSON.
type codeBlocks struct{}

// RegisterFuncs registers the renderer.
func (codeBlocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, renderCode)
}

func renderCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	block, ok := node.(*ast.FencedCodeBlock)
	if !ok || !entering {
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString(`<div class="code"><pre tabindex="0"><code>`)
	defer func() { _, _ = w.WriteString("</code></pre></div>\n") }()
	code := string(block.Lines().Value(source))
	if string(block.Language(source)) != "console" {
		_, _ = w.WriteString(template.HTMLEscapeString(code))
		return ast.WalkContinue, nil
	}
	continued := false
	for line := range strings.Lines(code) {
		command, begins := strings.CutPrefix(line, "$ ")
		if begins {
			_, _ = w.WriteString(`<span class="prompt" aria-hidden="true">$ </span>`)
		}
		if command = strings.TrimSuffix(command, "\n"); begins || continued {
			continued = strings.HasSuffix(command, `\`)
			_, _ = w.WriteString(`<span class="command">` + template.HTMLEscapeString(command) + "</span>\n")
			continue
		}
		_, _ = w.WriteString(template.HTMLEscapeString(indented(command)) + "\n")
	}
	return ast.WalkContinue, nil
}

// indented returns a line with its JSON object or array over several lines. Other lines remain as they are.
func indented(line string) string {
	if !strings.HasPrefix(line, "{") && !strings.HasPrefix(line, "[") {
		return line
	}
	var out bytes.Buffer
	if json.Indent(&out, []byte(line), "", "  ") != nil {
		return line
	}
	return out.String()
}

// links turns links between files into links between pages, and headings into links to themselves. A link to a file
// that is not served becomes its text.
type links struct{}

// Transform rewrites the links, pictures and headings of a document.
func (links) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	var (
		unserved []*ast.Link
		headings []*ast.Heading
	)
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
		case *ast.Heading:
			if n.Level > 1 {
				headings = append(headings, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range unserved {
		moveChildren(n, func(child ast.Node) { n.Parent().InsertBefore(n.Parent(), n, child) })
		n.Parent().RemoveChild(n.Parent(), n)
	}
	for _, h := range headings {
		link := ast.NewLink()
		link.Destination = []byte("#" + headingID(h))
		link.SetAttributeString("class", []byte("anchor"))
		moveChildren(h, func(child ast.Node) { link.AppendChild(link, child) })
		h.AppendChild(h, link)
	}
}

func moveChildren(from ast.Node, move func(child ast.Node)) {
	for child := from.FirstChild(); child != nil; child = from.FirstChild() {
		move(child)
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
