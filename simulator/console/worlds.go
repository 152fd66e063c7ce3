package console

import (
	"fmt"

	g "maragu.dev/gomponents"

	"causeway/simulator"
)

func (l look) list() []item {
	out := make([]item, 0, len(l.worlds))
	for _, w := range l.worlds {
		j := w.Journal().State()
		about := fmt.Sprintf("seed %s, %d in the journal", w.Options().Seed, j.Entries)
		if j.Dropped > 0 { // entries that made room for newer ones
			about += fmt.Sprintf(", %d dropped", j.Dropped)
		}
		link := el("a", attr("href", Path+"?world="+inQuery(w.ID())), g.If(w.ID() == l.World.ID(), attr("aria-current", "page")), g.Text(w.ID()))
		out = append(out, item{w.ID(), el("li", attr("data-key", w.ID()), spaced(link, note(about)))})
	}
	return out
}

func (s sheet) worldsSection() g.Node {
	name := s.World.ID()
	id := func(label string) g.Node {
		return textField(label, attr("name", "id"), attr("required"), attr("maxlength", "100"))
	}
	check := func(label, name string) g.Node {
		return el("label", attr("class", "check"), spaced(el("input", attr("type", "checkbox"), attr("name", name)), g.Text(label)))
	}
	remove := does("Delete "+name, "DELETE", s.Base, nil, attr("class", "danger"))
	if name == simulator.DefaultWorld { // it does not end
		remove = nil
	}
	return section("worlds", "Worlds",
		live("ul", "worlds", s.panels["worlds"], attr("class", "rows scroll"), attr("tabindex", "0"), attr("aria-labelledby", "worlds-title")),
		folded("Create a world", form("POST", "/_sim/v1/worlds",
			id("Id"),
			textField("Seed", attr("name", "seed"), attr("placeholder", "the id")),
			textField("Ends when idle for", attr("name", "ttl"), attr("placeholder", "1h")),
			textField("Begins at", attr("name", "clock.now"), attr("placeholder", "2026-11-16T12:00:00Z")),
			check("Frozen", "clock.frozen"),
			check("Magic pairs", "magic_pairs"),
			check("Enforce limits", "enforce_limits"),
			buttons(submits("Create")),
		)),
		folded("Fork, reset or delete "+name,
			form("POST", s.Base+"/fork", id("Id of the fork"), buttons(submits("Fork"))),
			buttons(does("Reset "+name, "POST", s.Base+"/reset", nil), remove),
		),
		folded("Export and import",
			buttons(does("Export "+name, "GET", s.Base+"/export", nil, attr("data-export"))),
			el("form", attr("class", "fields"), attr("data-import"), spaced(
				labelled("File of an export", el("input", attr("type", "file"), attr("accept", "application/json,.json"), attr("required"))),
				buttons(submits("Import")),
			)),
		),
	)
}
