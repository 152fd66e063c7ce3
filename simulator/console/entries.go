package console

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"causeway/simulator/journal"
)

// entries are the newest of the journal, newest first, requests and control calls alike.
func (l look) entries() []journal.Entry {
	j := l.World.Journal()
	requests, _ := j.Find(journal.Match{}, shown) // an empty match is in order
	calls, _ := j.Find(journal.Match{Control: true}, shown)
	all := slices.Concat(requests, calls)
	slices.SortFunc(all, func(a, b journal.Entry) int { return int(int64(b.Seq) - int64(a.Seq)) }) //nolint:gosec // far below 2^63
	return all[:min(len(all), shown)]
}

type entryView struct {
	journal.Entry

	Curl string
	Kind string // for the filter: "request" or "control"
}

func (l look) journal(entries []journal.Entry) []item {
	var out []item
	for i := range entries {
		v := entryView{Entry: entries[i], Curl: entries[i].Curl(journal.Hosts{Public: l.public, Control: l.host}), Kind: "request"}
		if v.Control {
			v.Kind = "control"
		}
		out = append(out, item{strconv.FormatUint(v.Seq, 10), v})
	}
	if len(out) == 0 {
		return []item{{"none", entryView{}}}
	}
	return out
}

// errorView is how often an error was answered.
type errorView struct {
	Name  string
	Count int
	Last  journal.Entry
	Asked []string // operations
}

// errorsOf groups the entries that ended with an error by its name, the most frequent first.
func errorsOf(entries []journal.Entry) []item {
	groups := map[string]*errorView{}
	for i := range entries {
		e := &entries[i]
		if e.Answer.Status < 400 && e.Answer.Error == "" && e.Answer.Status != 0 {
			continue
		}
		name := e.Answer.Error
		if name == "" {
			name = "status " + strconv.Itoa(e.Answer.Status)
		}
		g := groups[name]
		if g == nil {
			g = &errorView{Name: name, Last: *e}
			groups[name] = g
		}
		g.Count++
		if !slices.Contains(g.Asked, e.Operation) {
			g.Asked = append(g.Asked, e.Operation)
		}
	}
	all := slices.SortedFunc(maps.Values(groups), func(a, b *errorView) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.Name, b.Name)
	})
	out := make([]item, 0, len(all))
	for _, g := range all {
		out = append(out, item{g.Name, *g})
	}
	if len(out) == 0 {
		return []item{{"none", errorView{}}}
	}
	return out
}
