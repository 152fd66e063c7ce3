package console

import (
	"encoding/json"
	"io"
	"net/url"
	"strings"
	"time"

	g "maragu.dev/gomponents"

	"causeway/simulator"
)

// call is a call of the control API, as a button has it in its attribute data-call: a list of these.
type call struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   any    `json:"body,omitempty"`
}

// members are a body.
type members map[string]any

// worldPath is where the control API has a world.
func worldPath(id string) string { return "/_sim/v1/worlds/" + url.PathEscape(id) }

// inQuery is a text as a value in the query of a link.
func inQuery(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// told is an attribute whose value is JSON. It cannot be rendered where the value cannot be written.
type told struct {
	name  string
	value any
}

// Render writes the attribute.
func (a told) Render(w io.Writer) error {
	text, err := json.Marshal(a.value)
	if err != nil {
		return err
	}
	return g.Attr(a.name, string(text)).Render(w)
}

// Type says that it is an attribute.
func (told) Type() g.NodeType { return g.AttributeType }

// does is a button that makes a call; without a body where there is none.
func does(label, method, path string, body members, more ...g.Node) g.Node {
	c := call{Method: method, Path: path}
	if body != nil {
		c.Body = body
	}
	return button(label, told{"data-call", []call{c}}, g.Group(more))
}

// arms are the calls that put rules to work.
func arms(base string, rules []simulator.Rule, provider string) []call {
	calls := make([]call, 0, len(rules))
	for _, r := range rules {
		r.Match.Plane, r.Match.Provider = simulator.Upstream, provider
		calls = append(calls, call{Method: "POST", Path: base + "/faults", Body: r})
	}
	return calls
}

// sample is a button that copies a request as a command.
func sample(label string, s simulator.Sample) g.Node {
	return button("Copy "+label+" as curl", told{"data-sample", s.Request})
}

// copies is a button that copies a text.
func copies(label, text string) g.Node { return button("Copy "+label, attr("data-copy", text)) }

func button(label string, more ...g.Node) g.Node {
	return el("button", attr("type", "button"), g.Group(more), g.Text(label))
}

// at and instant are times as they are shown.
func at(t time.Time) string { return t.UTC().Format("15:04:05.000") }

func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// brief is a duration without the zeros at its end: 1h30m, not 1h30m0s.
func brief(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
