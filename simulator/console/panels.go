package console

import (
	"context"
	"time"

	"causeway/core"
	"causeway/simulator"
)

// item is a piece of a panel: what the template of the panel makes of its data. Keys are unique within a panel.
type item struct {
	Key  string
	Data any
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
	host   string
	worlds []*simulator.World
}

// look gathers what the page shows of a world. The pair is the one that is looked at closely, the first of the board where it is not on it.
func (c *Console) look(ctx context.Context, w *simulator.World, pair, host string) look {
	l := look{World: w, Base: worldPath(w.ID()), public: c.cfg.Public, host: host, worlds: c.worlds.List()}
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

type clockView struct {
	simulator.ClockState

	Base string
	Next time.Time // zero: nothing is known to come
	Flag string    // "true" while it stands still
}

func (l look) clock() []item {
	v := clockView{ClockState: l.World.ClockState(), Base: l.Base}
	v.Next, _ = l.World.Next()
	return []item{{"clock", v}}
}

type worldView struct {
	ID      string
	Seed    string
	Current bool
	Entries int
	Dropped uint64 // entries that made room for newer ones
}

func (l look) list() []item {
	out := make([]item, 0, len(l.worlds))
	for _, w := range l.worlds {
		j := w.Journal().State()
		out = append(out, item{w.ID(), worldView{ID: w.ID(), Seed: w.Options().Seed, Current: w.ID() == l.World.ID(), Entries: j.Entries, Dropped: j.Dropped}})
	}
	return out
}

type priceView struct {
	Price

	World string
	Used  int
	Left  []string // sources that were not used, each with its reason
	Close bool     // it is the one that is looked at
}

func (l look) board() []item {
	if l.Fault != "" || len(l.Prices) == 0 {
		return []item{{"none", priceView{Price: Price{Reason: l.Fault}}}}
	}
	out := make([]item, 0, len(l.Prices))
	for _, p := range l.Prices {
		v := priceView{Price: p, World: l.World.ID(), Close: p.Pair == l.Pair}
		for _, vote := range p.Votes {
			if vote.Used {
				v.Used++
			} else {
				v.Left = append(v.Left, vote.Source+": "+vote.Reason)
			}
		}
		out = append(out, item{p.Pair.String(), v})
	}
	return out
}

type faultView struct {
	simulator.Fault

	Base string
	Over bool
	Edge bool // it is about our answers, not about those of providers
}

func (l look) faults() []item {
	now := l.World.Now()
	var out []item
	for _, f := range l.World.Faults().List() {
		out = append(out, item{f.ID, faultView{Fault: f, Base: l.Base, Over: !f.Until.IsZero() && !f.Until.After(now), Edge: f.Rule.Match.Plane == simulator.Edge}})
	}
	if len(out) == 0 {
		return []item{{"none", faultView{}}}
	}
	return out
}

func (l look) queue() []item {
	var out []item
	for _, q := range l.World.Pending() {
		out = append(out, item{q.Operation, q})
	}
	if len(out) == 0 {
		return []item{{"none", simulator.Queued{}}}
	}
	return out
}
