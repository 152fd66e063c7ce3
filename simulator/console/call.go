package console

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"causeway/core"
	"causeway/markup"
	"causeway/simulator"
)

// call is a call of the control API, as a button has it in its attribute data-call: a list of these.
type call struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   any    `json:"body,omitempty"`
}

// worldPath is where the control API has a world.
func worldPath(id string) string { return "/_sim/v1/worlds/" + url.PathEscape(id) }

// does is a call with a body of the given members, name and value in turn; without any it has none.
func does(method, path string, members ...any) (string, error) {
	if len(members)%2 != 0 {
		return "", errors.New("console: a member of a body has no value")
	}
	c := call{Method: method, Path: path}
	body := map[string]any{}
	for i := 0; i < len(members); i += 2 {
		name, text := members[i].(string)
		if !text {
			return "", errors.New("console: a member of a body has no name")
		}
		body[name] = members[i+1]
		c.Body = body
	}
	return encoded(c)
}

// arms are the calls that put rules to work.
func arms(base string, rules []simulator.Rule, provider string) (string, error) {
	calls := make([]call, 0, len(rules))
	for _, r := range rules {
		r.Match.Plane, r.Match.Provider = simulator.Upstream, provider
		calls = append(calls, call{Method: "POST", Path: base + "/faults", Body: r})
	}
	return encoded(calls...)
}

func encoded(calls ...call) (string, error) {
	text, err := json.Marshal(calls)
	return string(text), err
}

// functions are what the templates use.
func functions() markup.Funcs {
	return markup.Funcs{
		"does": does, "arms": arms, "worldPath": worldPath, "join": strings.Join,
		// narrowed is the name of a preset for one provider.
		"narrowed": func(preset, provider string) string {
			return strings.TrimSuffix(preset, ":<provider>") + ":" + provider
		},
		"id":      func(p core.Pair) string { return p.ID() },
		"at":      func(t time.Time) string { return t.UTC().Format("15:04:05.000") },
		"instant": func(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") },
		"text":    func(v any) (string, error) { out, err := json.Marshal(v); return string(out), err },
		"lasts":   func(d simulator.Duration) string { return brief(time.Duration(d)) },
	}
}

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
