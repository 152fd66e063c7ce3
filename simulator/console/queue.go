package console

import (
	"strings"
	"time"

	g "maragu.dev/gomponents"

	"causeway/simulator"
)

func (l look) queue() []item {
	var out []item
	for _, q := range l.World.Pending() {
		out = append(out, item{q.Operation, el("li", attr("data-key", q.Operation), el("strong", g.Text(q.Operation)), g.Text(": "+strings.Join(q.Outcomes, ", then ")))})
	}
	if len(out) == 0 {
		return none("Nothing is queued.")
	}
	return out
}

func (s sheet) queueSection() g.Node {
	return section("queue", "What the next requests get",
		live("ul", "queue", s.panels["queue"], attr("class", "rows")),
		form("POST", s.Base+"/next",
			labelled("Operation", el("select", attr("name", "operation"), g.Map(s.catalog.Operations, func(name string) g.Node {
				return el("option", g.If(name == "resolve-account", attr("selected")), g.Text(name))
			}))),
			textField("Outcomes, with commas between", attr("name", "outcomes"), attr("data-type", "list"), attr("list", "outcomes"), attr("required"), attr("placeholder", "unknown, all_down")),
			el("datalist", attr("id", "outcomes"), g.Map(s.catalog.Outcomes, func(o simulator.OutcomeEntry) g.Node { return option(o.Name, o.Title) })),
			buttons(submits("Queue"), does("Forget what is queued", "DELETE", s.Base+"/next", nil)),
		),
	)
}

func (s sheet) scenariosSection() g.Node {
	return section("scenarios", "Scenarios", el("ul", attr("class", "rows"), g.Map(s.catalog.Scenarios, func(e simulator.ScenarioEntry) g.Node {
		return el("li",
			line(does("Play "+e.Name, "POST", s.Base+"/market/play", members{"scenario": e.Name}), el("span", g.Text(e.Title+", "+brief(time.Duration(e.Lasts))))),
			folded("About "+e.Name, el("p", g.Text(e.What)), el("p", g.Text(e.Here)), noteLine(e.Source)),
		)
	})))
}
