package markup

import (
	"errors"
	"fmt"
	"html"
	"net/url"
	"strings"
	"text/template/parse"
)

// escape makes a text harmless where an action stands.
type escape func(string) string

// position is where in a page something stands; the zero one is text between tags.
type position struct {
	in        where
	tag       string // inside a tag, or the element whose content is raw
	attribute string
	query     bool // the value is beyond a question mark
}

type where int

const (
	inText where = iota
	inTag
	inValue   // of an attribute
	inRaw     // a script or a style
	inComment //
)

var (
	errOpen   = errors.New("it ends inside a tag, an attribute, a script, a style or a comment")
	errQuotes = errors.New("a value of an attribute has no double quotes")
)

// place finds where every action stands, and how it is to be escaped. Whatever branches comes back to where it was.
func (s *Set) place(list *parse.ListNode, at position) (position, error) {
	if list == nil {
		return at, nil
	}
	for _, n := range list.Nodes {
		var err error
		switch n := n.(type) {
		case *parse.TextNode:
			at, err = at.after(string(n.Text))
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 {
				s.escapes[n], err = at.escape()
			}
		case *parse.IfNode:
			err = s.branches(&n.BranchNode, at)
		case *parse.RangeNode:
			err = s.branches(&n.BranchNode, at)
		case *parse.WithNode:
			err = s.branches(&n.BranchNode, at)
		case *parse.TemplateNode:
			if at.in != inText {
				err = errors.New("a template is called inside a tag")
			}
		default:
			err = errors.New("it is not understood")
		}
		if err != nil {
			return at, fmt.Errorf("%.80s: %w", n, err)
		}
	}
	return at, nil
}

func (s *Set) branches(n *parse.BranchNode, at position) error {
	for _, list := range []*parse.ListNode{n.List, n.ElseList} {
		end, err := s.place(list, at)
		if err != nil {
			return err
		}
		if end.query = at.query; end != at {
			return errOpen
		}
	}
	return nil
}

// escape is what is done to an action here.
func (p position) escape() (escape, error) {
	name := strings.ToLower(p.attribute)
	switch {
	case p.in == inText:
		return html.EscapeString, nil
	case p.in != inValue:
		return nil, errors.New("an action may stand in text and in quoted values of attributes, not here")
	case name == "href" && p.query:
		return func(text string) string {
			return html.EscapeString(strings.ReplaceAll(url.QueryEscape(text), "+", "%20"))
		}, nil
	case name == "href":
		return nil, errors.New("an action may stand in the query of a link, not before it")
	case strings.HasPrefix(name, "on"), strings.Contains(name, "src"), strings.Contains(name, "action"), name == "style", name == "content", name == "xlink:href":
		return nil, fmt.Errorf("an action may not stand in the attribute %s", name)
	default:
		return html.EscapeString, nil
	}
}

// after is where a text ends that begins here.
func (p position) after(text string) (position, error) {
	for text != "" {
		var err error
		switch p.in {
		case inText:
			p, text = p.leaveText(text)
		case inTag:
			p, text, err = p.leaveTag(text)
		case inValue:
			value, rest, closed := strings.Cut(text, `"`)
			p.query = p.query || strings.Contains(value, "?")
			if text = rest; closed {
				p = position{in: inTag, tag: p.tag}
			}
		case inRaw:
			p, text = p.leave(text, "</"+p.tag+">")
		case inComment:
			p, text = p.leave(text, "-->")
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

// leave goes on behind a text that ends a script, a style or a comment.
func (p position) leave(text, end string) (position, string) {
	_, rest, closed := strings.Cut(text, end)
	if closed {
		p = position{}
	}
	return p, rest
}

func (p position) leaveText(text string) (position, string) {
	_, rest, tag := strings.Cut(text, "<")
	switch {
	case !tag:
		return p, ""
	case strings.HasPrefix(rest, "!--"):
		return position{in: inComment}, rest
	default:
		end := strings.IndexAny(rest, " \t\n>")
		if end < 0 {
			end = len(rest)
		}
		return position{in: inTag, tag: strings.ToLower(rest[:end])}, rest[end:]
	}
}

func (p position) leaveTag(text string) (position, string, error) {
	end := strings.IndexAny(text, ">=")
	switch {
	case end < 0:
		return p, "", nil
	case text[end] == '>' && (p.tag == "script" || p.tag == "style"):
		return position{in: inRaw, tag: p.tag}, text[end+1:], nil
	case text[end] == '>':
		return position{}, text[end+1:], nil
	}
	words := strings.Fields(text[:end])
	if len(words) == 0 || !strings.HasPrefix(text[end+1:], `"`) {
		return p, "", errQuotes
	}
	return position{in: inValue, tag: p.tag, attribute: words[len(words)-1]}, text[end+2:], nil
}
