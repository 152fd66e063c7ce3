package console

import (
	"maps"
	"net/http"
	"slices"

	"causeway/core"
	"causeway/simulator"
)

// pageView is the page of one world.
type pageView struct {
	World     string
	Base      string
	Pair      core.Pair
	Panels    map[string][]item
	Periods   []period
	Chart     drawing
	Charted   bool // there is a chart
	Catalog   simulator.Catalog
	Providers []providerView
	Public    string
	Default   bool // the world does not end
	Magic     bool // the world has the magic pairs
}

// providerView is a provider that faults can befall.
type providerView struct {
	Name       string
	Operations []string
}

// show is the page.
func (c *Console) show(w http.ResponseWriter, r *http.Request) {
	world := c.world(w, r)
	if world == nil {
		return
	}
	l := c.look(r.Context(), world, r.URL.Query().Get("pair"), origin(r))
	v := pageView{
		World: world.ID(), Base: l.Base, Pair: l.Pair, Panels: map[string][]item{}, Periods: periods, Catalog: c.worlds.Catalog(), Public: c.cfg.Public,
		Default: world.ID() == simulator.DefaultWorld, Magic: world.Options().MagicPairs,
	}
	for _, p := range l.panels() {
		v.Panels[p.Name] = p.Items
	}
	hour, _ := periodOf("")
	v.Chart, v.Charted = draw(world, l.Pair, hour)
	offers := world.Faults().Offers()
	for _, name := range slices.Sorted(maps.Keys(offers)) {
		v.Providers = append(v.Providers, providerView{Name: name, Operations: offers[name].Operations})
	}
	c.render(w, http.StatusOK, "text/html", "page", v)
}

// origin is that of the operator's listener, as the browser calls it.
func origin(r *http.Request) string { return "http://" + r.Host }
