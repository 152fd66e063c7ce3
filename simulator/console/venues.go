package console

import (
	"maps"
	"slices"

	"causeway/core"
	"causeway/simulator"
)

// marketView is a market on the way to a price, with its knobs.
type marketView struct {
	Base    string
	Pair    core.Pair
	Setting simulator.Setting
	Set     bool // something is set
	Venues  []venueView
	States  []simulator.State
}

type venueView struct {
	Name    string
	Setting simulator.VenueSetting
	State   simulator.State
	Bid     string // of the book, as the venue tells it; empty: it tells none
	Ask     string
}

// venues are the markets on the way to the price that is looked at, with the venues that have a book of them.
func (l look) venues() []item {
	now, m := l.World.Now(), l.World.Market()
	settings := m.Settings(now)
	sources := map[core.Pair][]string{}
	var order []core.Pair
	for _, p := range l.Prices {
		if p.Pair != l.Pair {
			continue
		}
		for _, v := range p.Votes {
			pair := pairOf(v.Market)
			if !slices.Contains(m.Listed(v.Source), pair) {
				continue
			}
			if sources[pair] == nil {
				order = append(order, pair)
			}
			sources[pair] = append(sources[pair], v.Source)
		}
	}
	var out []item
	for _, pair := range order {
		s, set := settings[pair]
		v := marketView{Base: l.Base, Pair: pair, Setting: s, Set: set, States: []simulator.State{
			simulator.VenueUp, simulator.VenueDown, simulator.VenuePaused, simulator.VenueAbsent,
		}}
		names := slices.AppendSeq(sources[pair], maps.Keys(s.Venues))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			one := venueView{Name: name, Setting: s.Venues[name], State: m.State(name, pair, now)}
			if book, there := m.Book(name, pair, now); there && one.State != simulator.VenueAbsent && one.State != simulator.VenueDown {
				one.Bid, one.Ask = book.Bid.Trimmed(), book.Ask.Trimmed()
			}
			v.Venues = append(v.Venues, one)
		}
		out = append(out, item{pair.String(), v})
	}
	if len(out) == 0 {
		out = []item{{"none", marketView{}}}
	}
	return out
}
