package console

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"

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

func (l look) journal(entries []journal.Entry) []item {
	var out []item
	for i := range entries {
		key := strconv.FormatUint(entries[i].Seq, 10)
		out = append(out, item{key, entryItem(key, &entries[i])})
	}
	if len(out) == 0 {
		return none("Nothing was asked yet.")
	}
	return out
}

func entryItem(key string, e *journal.Entry) g.Node {
	status := strconv.Itoa(e.Answer.Status)
	class := "fresh"
	switch {
	case e.Answer.Status >= 500 || e.Answer.Status == 0:
		class = "halted"
	case e.Answer.Status >= 400:
		class = "stale"
	}
	about := at(e.At) + " " + e.Operation
	if e.Applied != "none" {
		about += " · " + e.Applied
	}
	return el("li", attr("data-key", key), attr("class", "entry"), attr("data-operation", e.Operation), attr("data-status", status), attr("data-applied", e.Applied),
		attr("data-kind", either(e.Control, "control", "request")),
		el("details",
			el("summary", spaced(badge(class, status), el("span", attr("class", "path"), g.Text(e.Request.Method+" "+e.Request.Path)), note(about+led(" · ", e.Answer.Error)))),
			el("ul", attr("class", "tree"), requestPart(key, e), el("li", g.Textf("decided by %s; cache %s", e.Applied, e.Cache)), g.Map(e.Attempts, attemptPart),
				g.Map(e.Votes, votePart), answerPart(e), g.If(e.LeftOut > 0, el("li", g.Textf("%d parts are not shown", e.LeftOut)))),
		))
}

func requestPart(key string, e *journal.Entry) g.Node {
	query := g.Map(e.Request.Query, func(f journal.Field) g.Node { return g.Text(" · " + f.Name + "=" + f.Value) })
	return el("li", g.Text("request "+e.ID), query, g.If(len(e.Request.Body) > 0, code("Body of request "+key, string(e.Request.Body))))
}

func attemptPart(a journal.Attempt) g.Node {
	tail := led(", breaker ", a.Breaker) + led(", fault ", a.Fault) + fmt.Sprintf(", %v ms", a.Took)
	if a.Status != 0 {
		tail = " " + strconv.Itoa(a.Status) + tail
	}
	return el("li", g.Textf("attempt %d at %s%s: ", a.Attempt, a.Provider, either(a.Hedged, ", hedged", "")), el("strong", g.Text(a.Outcome)), g.Text(tail))
}

func votePart(v journal.Vote) g.Node {
	if !v.Used {
		return el("li", attr("class", "unused"), g.Text("vote of "+v.Source+" on "+v.Market+", not used: "+v.Reason))
	}
	return el("li", attr("class", "used"), g.Text("vote of "+v.Source+" on "+v.Market+": "), book(v.Bid, v.Ask), g.Text(", "+v.Age+" s old"))
}

func answerPart(e *journal.Entry) g.Node {
	return el("li", g.Textf("answer %d%s%s, %d bytes in %v ms", e.Answer.Status, led(" ", e.Answer.Error), led(", at fault: ", strings.Join(e.Answer.Fields, ", ")),
		e.Answer.Bytes, e.Took))
}

func (s sheet) journalSection() g.Node {
	filter := func(label, by, placeholder string) g.Node {
		return labelled(label, el("input", attr("type", "search"), attr("data-filter", "journal"), attr("data-by", by), attr("autocomplete", "off"), attr("placeholder", placeholder)))
	}
	return section("journal", "Journal",
		el("p", attr("class", "fields"), attr("role", "group"), attr("aria-label", "Show only"), spaced(
			filter("Operation", "operation", "get-pair"), filter("Status", "status", "503"), filter("Decided by", "applied", "fault"),
			labelled("Kind", el("select", attr("data-filter", "journal"), attr("data-by", "kind"),
				option("", "requests and control calls"), option("request", "requests"), option("control", "control calls"))),
		)),
		live("ul", "journal", s.panels["journal"], attr("class", "rows")),
	)
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
		group := groups[name]
		if group == nil {
			group = &errorView{Name: name, Last: *e}
			groups[name] = group
		}
		group.Count++
		if !slices.Contains(group.Asked, e.Operation) {
			group.Asked = append(group.Asked, e.Operation)
		}
	}
	all := slices.SortedFunc(maps.Values(groups), func(a, b *errorView) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.Name, b.Name)
	})
	out := make([]item, 0, len(all))
	for _, one := range all {
		out = append(out, item{one.Name, one.item()})
	}
	if len(out) == 0 {
		return none("No error was answered.")
	}
	return out
}

func (e *errorView) item() g.Node {
	return el("li", attr("data-key", e.Name), spaced(badge("halted", strconv.Itoa(e.Count)), el("strong", g.Text(e.Name)),
		note(strings.Join(e.Asked, ", ")+"; last at "+at(e.Last.At)+", decided by "+e.Last.Applied)))
}

func (s sheet) errorsSection() g.Node {
	return section("errors", "Errors", live("ul", "errors", s.panels["errors"], attr("class", "rows")))
}
