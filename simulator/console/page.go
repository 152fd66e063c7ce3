package console

import (
	"maps"
	"net/http"
	"slices"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"causeway/simulator"
)

// sheet is the page of one world.
type sheet struct {
	look

	panels    map[string][]item
	catalog   simulator.Catalog
	providers []provider
}

// provider is one that faults can befall.
type provider struct {
	Name       string
	Operations []string
}

// show is the page.
func (c *Console) show(w http.ResponseWriter, r *http.Request) {
	world := c.world(w, r)
	if world == nil {
		return
	}
	s := sheet{look: c.look(r.Context(), world, r.URL.Query().Get("pair")), panels: map[string][]item{}, catalog: c.worlds.Catalog()}
	for _, p := range s.look.panels() {
		s.panels[p.Name] = p.Items
	}
	offers := world.Faults().Offers()
	for _, name := range slices.Sorted(maps.Keys(offers)) {
		s.providers = append(s.providers, provider{Name: name, Operations: offers[name].Operations})
	}
	c.render(w, http.StatusOK, "text/html", s.page())
}

// document is a whole page.
func document(title string, script, body g.Node) g.Node {
	return h.Doctype(el("html", attr("lang", "en"),
		el("head",
			el("meta", attr("charset", "utf-8")),
			el("meta", attr("name", "viewport"), attr("content", "width=device-width, initial-scale=1")),
			el("meta", attr("name", "color-scheme"), attr("content", "light dark")),
			el("link", attr("rel", "icon"), attr("href", "data:,")),
			el("link", attr("rel", "stylesheet"), attr("href", Path+"/assets/console.css")),
			el("title", g.Text(title+" · Causeway console")),
			script,
		),
		body,
	))
}

func (s sheet) page() g.Node {
	name := s.World.ID()
	return document(name, el("script", attr("type", "module"), attr("src", Path+"/assets/main.js")),
		el("body", attr("data-world", name), attr("data-pair", s.Pair.String()), attr("data-public", s.public),
			el("a", attr("class", "skip"), attr("href", "#main"), g.Text("Skip to the world")),
			s.header(),
			el("main", attr("id", "main"), attr("tabindex", "-1"),
				el("div", attr("class", "column"), s.clockSection(), s.worldsSection(), s.boardSection(), s.scenariosSection(), s.queueSection()),
				el("div", attr("class", "column"), s.pairSection(), s.faultsSection(), s.journalSection(), s.errorsSection(), s.magicSection()),
			),
			bar(),
		))
}

func (s sheet) header() g.Node {
	link := func(to, label string) g.Node { return el("li", el("a", attr("href", "#"+to), g.Text(label))) }
	return el("header",
		el("h1", g.Text("Causeway console")),
		el("p", attr("class", "note"), g.Text("World "), el("strong", attr("id", "world"), g.Text(s.World.ID())), g.Text(". Everything here is simulated. "),
			el("span", attr("id", "live"), attr("role", "status"), g.Text("Not live yet."))),
		el("noscript", el("p", attr("class", "warning"), g.Text("This page shows the world as it is now. Its buttons, and whatever changes by itself, need JavaScript. "+
			"Without it reload to see news, and use the control API, which every button calls: /_sim/v1/."))),
		el("nav", attr("aria-label", "Panels"), el("ul",
			link("clock", "Clock"), link("worlds", "Worlds"), link("prices", "Prices"), link("scenarios", "Scenarios"), link("queue", "Next"),
			link("pair", "Pair"), link("faults", "Faults"), link("journal", "Journal"), link("errors", "Errors"), link("magic", "Magic"),
		)),
	)
}

// bar shows the call that a button makes, and what came of it.
func bar() g.Node {
	return el("aside", attr("id", "bar"), attr("aria-label", "Control call"),
		el("p", attr("id", "said"), attr("role", "status"), attr("aria-live", "polite"), g.Text("Every button is a call of the control API. Focus one to see which.")),
		el("div", attr("class", "copy"), attr("id", "command"), attr("hidden"),
			el("pre", attr("id", "call"), attr("tabindex", "0"), attr("role", "group"), attr("aria-label", "The call as a command")),
			el("button", attr("type", "button"), attr("id", "copy-call"), g.Text("Copy the call"))),
	)
}
