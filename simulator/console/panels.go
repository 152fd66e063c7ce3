package console

import (
	"context"

	g "maragu.dev/gomponents"

	"causeway/core"
	"causeway/simulator"
)

// item is a piece of a panel: one element, which has its key in the attribute data-key. Keys are unique within a panel.
type item struct {
	Key  string
	Node g.Node
}

// panel is a part of the page that changes by itself: a list of items.
type panel struct {
	Name  string
	Items []item
}

// shown are how many entries of the journal the page has.
const shown = 100

// look is a world at an instant, as the page shows it.
type look struct {
	World  *simulator.World
	Base   string // of its calls
	Pair   core.Pair
	Prices []Price
	Fault  string // why there are no prices
	public string
	worlds []*simulator.World
}

// look gathers what the page shows of a world. The pair is the one that is looked at closely, the first of the board where it is not on it.
func (c *Console) look(ctx context.Context, w *simulator.World, pair string) look {
	l := look{World: w, Base: worldPath(w.ID()), public: c.cfg.Public, worlds: c.worlds.List()}
	var err error
	if l.Prices, err = c.cfg.Prices(ctx, w); err != nil {
		l.Fault = message(err)
	}
	for _, p := range l.Prices {
		if p.Pair.String() == pair {
			l.Pair = p.Pair
		}
	}
	if l.Pair == (core.Pair{}) && len(l.Prices) > 0 {
		l.Pair = l.Prices[0].Pair
	}
	return l
}

// panels are all parts of the page that change.
func (l look) panels() []panel {
	entries := l.entries()
	return []panel{
		{"clock", l.clock()},
		{"worlds", l.list()},
		{"prices", l.board()},
		{"venues", l.venues()},
		{"faults", l.faults()},
		{"queue", l.queue()},
		{"journal", l.journal(entries)},
		{"errors", errorsOf(entries)},
	}
}
