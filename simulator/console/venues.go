package console

import (
	"maps"
	"net/url"
	"slices"
	"strconv"

	g "maragu.dev/gomponents"

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
		v := marketView{Base: l.Base, Pair: pair, Setting: s, Set: set}
		names := slices.AppendSeq(sources[pair], maps.Keys(s.Venues))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			one := venueView{Name: name, Setting: s.Venues[name], State: m.State(name, pair, now)}
			if book, there := m.Book(name, pair, now); there && one.State != simulator.VenueAbsent && one.State != simulator.VenueDown {
				one.Bid, one.Ask = book.Bid.Trimmed(), book.Ask.Trimmed()
			}
			v.Venues = append(v.Venues, one)
		}
		out = append(out, item{pair.String(), v.item()})
	}
	if len(out) == 0 {
		out = []item{{"none", el("p", attr("data-key", "none"), g.Text("No venue has a book on the way to this price."))}}
	}
	return out
}

func (v marketView) item() g.Node {
	pair, path := v.Pair.String(), v.Base+"/market/"+url.PathEscape(v.Pair.ID())
	return el("div", attr("class", "market"), attr("data-key", pair),
		el("h3", spaced(g.Text(pair), g.If(v.Set, badge("stale", "set")))),
		form("PUT", path,
			textField("Pin", attr("name", "pin"), attr("inputmode", "decimal"), attr("value", v.Setting.Pin), attr("placeholder", "1400.50")),
			countField("Spread, bps", "spread_bps", set(&v.Setting.SpreadBPS, v.Setting.SpreadBPS != 0)),
			wholeField("Drift, bps a minute", "drift", set(v.Setting.Drift, v.Setting.Drift != nil)),
			countField("Volatility, % a year", "volatility", set(v.Setting.Volatility, v.Setting.Volatility != nil)),
			spaced(g.Map(v.Venues, venueView.fields)...),
			buttons(submits("Set "+pair), does("Lift "+pair, "DELETE", path, nil, g.If(!v.Set, attr("disabled")))),
		))
}

// set is the value of a field, if one is set.
func set(value *int64, is bool) g.Node {
	return g.Iff(is, func() g.Node { return attr("value", strconv.FormatInt(*value, 10)) })
}

func (v venueView) fields() g.Node {
	states := []simulator.State{simulator.VenueUp, simulator.VenueDown, simulator.VenuePaused, simulator.VenueAbsent}
	name := "venues." + v.Name
	return el("fieldset",
		el("legend", spaced(g.Text(v.Name), badge(either(v.State == simulator.VenueUp, "fresh", "halted"), string(v.State)), book(v.Bid, v.Ask))),
		spaced(
			wholeField("Offset, bps", name+".offset_bps", set(&v.Setting.OffsetBPS, v.Setting.OffsetBPS != 0)),
			countField("Lag, ms", name+".lag_ms", set(v.Setting.LagMS, v.Setting.LagMS != nil)),
			labelled("State", el("select", attr("name", name+".state"), g.Map(states, func(s simulator.State) g.Node {
				value := string(s)
				if s == simulator.VenueUp {
					value = ""
				}
				return option(value, string(s), g.If(s == v.State, attr("selected")))
			}))),
		))
}

// book is a bid and an ask; nothing in it where there is no bid.
func book(bid, ask string) g.Node {
	text := bid + " / " + ask
	if bid == "" {
		text = ""
	}
	return el("span", attr("class", "n"), g.Text(text))
}
