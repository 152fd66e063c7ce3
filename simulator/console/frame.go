package console

import (
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"causeway/simulator/accounts"
	"causeway/simulator/catalog"
	"causeway/simulator/faults"
	"causeway/simulator/input"
	"causeway/simulator/world"
)

// frame is what every page shows, and the data of its view.
type frame struct {
	View   view
	Views  []view
	World  *world.World
	API    string // path of the world in the control API
	Public string
	Active active
	Recent []*world.World // other worlds, the last used first
	Data   any

	query url.Values
	path  string
}

// active is what differs from an undisturbed world.
type active struct {
	Faults    []faults.Fault
	Markets   []string
	Scenarios []world.Playing
	Queue     []accounts.Queued
}

// Count returns how many things there are to stop.
func (a active) Count() int {
	return len(a.Faults) + len(a.Markets) + len(a.Scenarios) + a.Queued()
}

// Queued counts the queued outcomes.
func (a active) Queued() (n int) {
	for _, q := range a.Queue {
		n += len(q.Outcomes)
	}
	return n
}

const maxRecent = 12

func (c *Console) newFrame(r *http.Request, w *world.World, v view) *frame {
	f := &frame{
		View: v, Views: views, World: w, API: apiPath(w.ID()), Public: c.cfg.Public,
		query: r.URL.Query(), path: r.URL.EscapedPath(), Recent: c.worlds.List(),
	}
	slices.SortStableFunc(f.Recent, func(a, b *world.World) int { return b.Used().Compare(a.Used()) })
	f.Recent = f.Recent[:min(len(f.Recent), maxRecent)]
	now := w.Now()
	for _, fault := range w.Faults().List() {
		if !fault.Over(now) {
			f.Active.Faults = append(f.Active.Faults, fault)
		}
	}
	for _, pair := range w.Market().Changed(now) {
		f.Active.Markets = append(f.Active.Markets, pair.String())
	}
	f.Active.Scenarios, f.Active.Queue = w.Playing(), w.Queue().List()
	return f
}

// apiPath returns the path of a world in the control API.
func apiPath(id string) string { return "/_sim/v1/worlds/" + url.PathEscape(id) }

// Clock returns the state of the world's clock.
func (f *frame) Clock() world.ClockState { return f.World.ClockState() }

// Link returns the address of a view in the world, with query parameters as names and values in turn.
func (f *frame) Link(view string, parameters ...string) string {
	return f.link(f.World.ID(), Path+"/"+view, url.Values{}, parameters)
}

// In returns the address of the present view in another world.
func (f *frame) In(w *world.World) string {
	return f.link(w.ID(), Path+"/"+f.View.Name, url.Values{}, nil)
}

// With returns the address of the present page with some query parameters changed. Empty ones are removed.
func (f *frame) With(parameters ...string) string {
	return f.link(f.World.ID(), f.path, maps.Clone(f.query), parameters)
}

func (f *frame) link(w, path string, query url.Values, parameters []string) string {
	query.Del("world")
	if w != world.Default {
		query.Set("world", w)
	}
	for i := 0; i+1 < len(parameters); i += 2 {
		query.Set(parameters[i], parameters[i+1])
		if parameters[i+1] == "" {
			query.Del(parameters[i])
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// Guide returns the address of a section of a guide.
func (f *frame) Guide(section string) string { return f.Public + "/docs/" + section }

// Catalog returns everything that can be simulated.
func (f *frame) Catalog() catalog.Catalog { return catalog.New() }

// Query returns a parameter of the present page.
func (f *frame) Query(name string) string { return f.query.Get(name) }

// Flags returns the flag of causeway sim that names the world.
func (f *frame) Flags() string { return worldFlag(f.World) }

func worldFlag(w *world.World) string {
	if w.ID() == world.Default {
		return ""
	}
	return "--world " + shellQuote(w.ID())
}

// Curl returns a request of the catalog as a command.
func (f *frame) Curl(r catalog.Request) string {
	id := f.World.ID()
	fill := func(text, id string) string { return strings.ReplaceAll(text, "{world}", id) }
	headers := []string{}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		headers = append(headers, name+": "+fill(r.Headers[name], id))
	}
	if r.Body != "" && r.Headers["Content-Type"] == "" {
		headers = append(headers, "Content-Type: application/json")
	}
	if id != world.Default && r.Headers["Sim-World"] == "" {
		headers = append(headers, "Sim-World: "+id)
	}
	return curl(r.Method, f.Public+fill(r.Path, url.PathEscape(id)), headers, r.Body)
}

func curl(method, address string, headers []string, body string) string {
	var out strings.Builder
	out.WriteString("curl")
	if method != http.MethodGet {
		out.WriteString(" -X " + shellQuote(method))
	}
	out.WriteString(" " + shellQuote(address))
	for _, header := range headers {
		out.WriteString(" -H " + shellQuote(header))
	}
	if body != "" {
		out.WriteString(" -d " + shellQuote(body))
	}
	return out.String()
}

func shellQuote(text string) string {
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

var functions = template.FuncMap{
	"instant":  func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
	"iso":      func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"day":      func(t time.Time) string { return t.UTC().Format("2006-01-02") },
	"time":     func(t time.Time) string { return t.UTC().Format("15:04:05") },
	"clock":    func(t time.Time) string { return t.UTC().Format("15:04:05.000") },
	"number":   number,
	"duration": func(d input.Duration) string { return shortDuration(time.Duration(d)) },
	"ms":       milliseconds,
	"json": func(v any) (string, error) {
		text, err := json.MarshalIndent(v, "", "  ")
		return string(text), err
	},
	"join":      strings.Join,
	"list":      func(items ...string) []string { return items },
	"plural":    plural,
	"escape":    url.PathEscape,
	"apiPath":   apiPath,
	"worldFlag": worldFlag,
}

// plural returns a number with its noun: "1 fault", "2 faults", "3 tries".
func plural(n any, noun string) string {
	count := fmt.Sprint(n)
	if stem, y := strings.CutSuffix(noun, "y"); count != "1" && y {
		noun = stem + "ies"
	} else if count != "1" {
		noun += "s"
	}
	return count + " " + noun
}

// milliseconds returns a time in milliseconds for people: 0.7 ms, 2.5 s.
func milliseconds(ms float64) string {
	switch {
	case ms >= 1000:
		return fmt.Sprintf("%.1f s", ms/1000)
	case ms < 0.05:
		return "<0.1 ms"
	}
	return fmt.Sprintf("%.1f ms", ms)
}

// shortDuration returns a duration without zeros at its end: 1h30m instead of 1h30m0s.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
