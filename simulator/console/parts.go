package console

import (
	g "maragu.dev/gomponents"
)

// el is an element, attr is an attribute. Calls of gomponents' own functions are inlined with all that a node does when it is rendered, 700 bytes at each
// of them, which made 0.4 MB of the binary.
//
//go:noinline
func el(name string, content ...g.Node) g.Node { return g.El(name, content...) }

//go:noinline
func attr(name string, value ...string) g.Node { return g.Attr(name, value...) }

// spaced are nodes that have a space between them, where browsers show one.
func spaced(nodes ...g.Node) g.Node {
	var out g.Group
	for _, n := range nodes {
		if n == nil {
			continue
		}
		if len(out) > 0 {
			out = append(out, g.Text(" "))
		}
		out = append(out, n)
	}
	return out
}

// either is one of two words.
func either(which bool, yes, no string) string {
	if which {
		return yes
	}
	return no
}

// led is a text behind what leads to it; nothing where there is no text.
func led(by, text string) string {
	if text == "" {
		return ""
	}
	return by + text
}

// badge is a word about a state. The style has a colour for each of fresh, stale and halted.
func badge(class, text string) g.Node { return el("span", attr("class", "badge "+class), g.Text(text)) }

func note(text string) g.Node { return el("span", attr("class", "note"), g.Text(text)) }

func noteLine(text string) g.Node { return el("p", attr("class", "note"), g.Text(text)) }

func line(nodes ...g.Node) g.Node { return el("p", attr("class", "line"), spaced(nodes...)) }

func buttons(nodes ...g.Node) g.Node { return el("p", attr("class", "buttons"), spaced(nodes...)) }

func submits(label string) g.Node { return el("button", attr("type", "submit"), g.Text(label)) }

// folded is what is seen when its summary is pressed.
func folded(summary string, nodes ...g.Node) g.Node {
	return el("details", el("summary", g.Text(summary)), g.Group(nodes))
}

// code is a text that can be scrolled, and what it is called.
func code(name, text string) g.Node {
	return el("pre", attr("tabindex", "0"), attr("role", "group"), attr("aria-label", name), g.Text(text))
}

// section is a part of the page with a title.
func section(id, title string, nodes ...g.Node) g.Node {
	return el("section", attr("id", id), attr("aria-labelledby", id+"-title"), el("h2", attr("id", id+"-title"), g.Text(title)), g.Group(nodes))
}

// live is the part of a section that changes by itself.
func live(element, name string, items []item, more ...g.Node) g.Node {
	return el(element, attr("data-live", name), g.Group(more), g.Map(items, func(i item) g.Node { return i.Node }))
}

// none is the only item of a panel that has nothing to show.
func none(text string) []item {
	return []item{{"none", el("li", attr("data-key", "none"), g.Text(text))}}
}

// form is sent as a call of the control API by the page's scripts.
func form(method, path string, nodes ...g.Node) g.Node {
	return el("form", attr("class", "fields"), attr("data-method", method), attr("data-path", path), spaced(nodes...))
}

// labelled is an input with what stands before it.
func labelled(label string, input g.Node, more ...g.Node) g.Node {
	return el("label", g.Group(more), g.Text(label+" "), input)
}

func textField(label string, attributes ...g.Node) g.Node {
	return labelled(label, el("input", attr("autocomplete", "off"), g.Group(attributes)))
}

// wholeField is of a whole number, negative ones included.
func wholeField(label, name string, attributes ...g.Node) g.Node {
	return textField(label, attr("name", name), attr("data-type", "int"), g.Group(attributes))
}

// countField is of a whole number that is not negative.
func countField(label, name string, attributes ...g.Node) g.Node {
	return wholeField(label, name, attr("inputmode", "numeric"), g.Group(attributes))
}

func option(value, label string, more ...g.Node) g.Node {
	return el("option", attr("value", value), g.Group(more), g.Text(label))
}
