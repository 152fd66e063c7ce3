package console

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	g "maragu.dev/gomponents"

	"causeway/simulator"
)

func (l look) faults() []item {
	now := l.World.Now()
	var out []item
	for _, f := range l.World.Faults().List() {
		out = append(out, item{f.ID, l.fault(f, !f.Until.IsZero() && !f.Until.After(now))})
	}
	if len(out) == 0 {
		return none("Nothing goes wrong.")
	}
	return out
}

func (l look) fault(f simulator.Fault, over bool) g.Node {
	class := either(f.Hits > 0, "halted", "fresh")
	if over {
		class = "stale"
	}
	return el("li", attr("data-key", f.ID), attr("class", "fault"),
		line(
			el("strong", g.Text(f.ID)), g.Text(string(f.Rule.Effect.Kind)),
			badge(class, fmt.Sprintf("%d hits of %d%s", f.Hits, f.Matched, either(over, ", over", ""))),
			does("Remove "+f.ID, "DELETE", l.Base+"/faults/"+url.PathEscape(f.ID), nil),
		),
		noteLine(whereabouts(f)),
		folded("The rule of "+f.ID, jsonCode("The rule of "+f.ID, f.Rule)),
	)
}

// whereabouts say what a fault is about, until when, and whom it befell.
func whereabouts(f simulator.Fault) string {
	text := "at every provider"
	switch {
	case f.Rule.Match.Plane == simulator.Edge:
		text = "our answers"
	case f.Rule.Match.Provider != "":
		text = "at " + f.Rule.Match.Provider
	}
	text += led(", ", f.Rule.Match.Operation)
	if !f.Until.IsZero() {
		text += ", until " + instant(f.Until)
	}
	return text + hits(f.HitProvider) + hits(f.HitOperation)
}

func hits(by map[string]uint64) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(by)) {
		_, _ = fmt.Fprintf(&text, " · %s %d", name, by[name])
	}
	return text.String()
}

// jsonCode is a value as JSON.
func jsonCode(name string, v any) g.Node {
	return g.NodeFunc(func(w io.Writer) error {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return code(name, string(text)).Render(w)
	})
}

func (s sheet) faultsSection() g.Node {
	return section("faults", "Faults",
		live("ul", "faults", s.panels["faults"], attr("class", "rows")),
		buttons(does("Remove all faults", "DELETE", s.Base+"/faults", nil)),
		el("p", attr("class", "fields"), spaced(
			labelled("Preset", el("select", attr("id", "preset"), g.Map(s.catalog.Presets, s.preset))),
			button("Arm the preset", attr("data-calls-of", "preset")),
		)),
		folded("Add a fault", s.faultForm()),
	)
}

// preset is a choice for every provider that it can befall, and one for all of them where it needs none.
func (s sheet) preset(p simulator.PresetEntry) g.Node {
	const one = ":<provider>" // at the end of the name of a preset that needs a provider
	name := strings.TrimSuffix(p.Name, one)
	choice := func(name, provider string) g.Node {
		return el("option", told{"value", arms(s.Base, p.Rules, provider)}, g.Text(name+": "+p.Title))
	}
	return el("optgroup", attr("label", p.Name), g.If(name == p.Name, choice(name, "")),
		g.Map(s.providers, func(o provider) g.Node { return choice(name+":"+o.Name, o.Name) }))
}

func (s sheet) faultForm() g.Node {
	digits := g.Group{attr("data-type", "int"), attr("inputmode", "numeric")}
	return form("POST", s.Base+"/faults",
		labelled("Between", el("select", attr("name", "match.plane"), attr("data-planes"),
			option(string(simulator.Upstream), "the service and its providers"), option(string(simulator.Edge), "clients and the service"))),
		labelled("Kind", el("select", attr("name", "effect.kind"), attr("data-kinds"), g.Map(s.catalog.Faults, faultKind))),
		labelled("Provider", el("select", attr("name", "match.provider"), option("", "every one"), g.Map(s.providers, func(p provider) g.Node {
			return el("option", g.Text(p.Name))
		})), on(simulator.Upstream)),
		labelled("Operation", el("input", attr("autocomplete", "off"), attr("name", "match.operation"), attr("list", "provider-operations"), attr("placeholder", "every one")),
			on(simulator.Upstream)),
		labelled("Operation", el("select", attr("name", "match.operation"), option("", "every one"), g.Map(s.catalog.Operations, func(name string) g.Node {
			return el("option", g.Text(name))
		})), on(simulator.Edge)),
		el("datalist", attr("id", "provider-operations"), g.Map(s.providers, provider.operations)),
		effectField("Status", "status", "503", digits),
		effectField("Code", "code", ""),
		effectField("Retry after", "retry_after", "60s"),
		effectField("Milliseconds", "ms", "1500", digits),
		effectField("At most, ms", "max_ms", "", digits),
		labelled("Distribution", el("select", attr("name", "effect.distribution"), option("", "fixed"), el("option", g.Text("uniform")), el("option", g.Text("lognormal"))),
			attr("data-take", "distribution")),
		effectField("By", "by", "1h"),
		effectField("Bytes", "bytes", "", digits),
		textField("Probability", attr("name", "when.probability"), attr("inputmode", "decimal"), attr("placeholder", "1")),
		countField("After so many", "when.after", attr("placeholder", "0")),
		countField("Every so manieth", "when.every", attr("placeholder", "1")),
		countField("At most so often", "when.max_hits"),
		textField("For", attr("name", "when.ttl"), attr("placeholder", "for ever")),
		labelled("Phase", el("select", attr("name", "phase"), option("", "before the work is done"), option("after", "after: the answer is lost"))),
		buttons(submits("Add")),
	)
}

// on is for what a plane alone has.
func on(plane simulator.Plane) g.Node { return attr("data-on", string(plane)) }

func faultKind(f simulator.FaultEntry) g.Node {
	var planes []string
	for _, p := range f.Planes {
		planes = append(planes, string(p))
	}
	return option(string(f.Kind), string(f.Kind)+": "+f.Title, attr("data-takes", strings.Join(f.Takes, " ")), attr("data-planes", strings.Join(planes, " ")))
}

// effectField is of a field of the effect, and is there for the kinds that take it.
func effectField(label, name, placeholder string, attributes ...g.Node) g.Node {
	return labelled(label, el("input", attr("name", "effect."+name), attr("autocomplete", "off"), g.If(placeholder != "", attr("placeholder", placeholder)), g.Group(attributes)),
		attr("data-take", name))
}

func (p provider) operations() g.Node {
	return g.Map(p.Operations, func(name string) g.Node { return option(name, p.Name) })
}
