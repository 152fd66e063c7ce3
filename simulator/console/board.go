package console

import (
	"fmt"
	"strings"

	g "maragu.dev/gomponents"

	"causeway/simulator/journal"
)

func (l look) board() []item {
	if l.Fault != "" {
		return none("There are no prices: " + l.Fault)
	}
	if len(l.Prices) == 0 {
		return none("There are no prices yet.")
	}
	out := make([]item, 0, len(l.Prices))
	for _, p := range l.Prices {
		out = append(out, item{p.Pair.String(), l.price(p)})
	}
	return out
}

func (l look) price(p Price) g.Node {
	used, close := 0, p.Pair == l.Pair // close: it is the one that is looked at
	var left []string
	for _, v := range p.Votes {
		if v.Used {
			used++
		} else {
			left = append(left, v.Source+": "+v.Reason)
		}
	}
	link := Path + "?world=" + inQuery(l.World.ID()) + "&pair=" + inQuery(p.Pair.String()) + "#pair"
	return el("li", attr("data-key", p.Pair.String()), attr("data-status", p.Status), attr("class", either(close, "price close", "price")),
		line(
			el("a", attr("href", link), g.If(close, attr("aria-current", "true")), g.Text(p.Pair.ID())),
			badge(p.Status, p.Status+led(": ", p.Reason)),
			el("strong", attr("class", "n"), g.Text(p.Mid)),
		),
		el("details",
			el("summary", g.Text(fmt.Sprintf("%d of %d votes used", used, len(p.Votes))+led("; not used: ", strings.Join(left, ", "))),
				el("span", attr("class", "hidden"), g.Text(" for "+p.Pair.ID()))),
			noteLine("buy "+p.Buy+" · sell "+p.Sell),
			el("ul", attr("class", "votes"), g.Map(p.Votes, vote)),
		))
}

func vote(v journal.Vote) g.Node {
	who := el("span", g.Text(v.Market+" at "+v.Source))
	if !v.Used {
		return el("li", attr("class", "unused"), spaced(who, el("span", attr("class", "why"), g.Text("not used: "+v.Reason))))
	}
	return el("li", attr("class", "used"), spaced(who, el("span", attr("class", "n"), g.Text(v.Bid+" / "+v.Ask)), note(v.Age+" s old")))
}

func (s sheet) boardSection() g.Node {
	return section("prices", "Prices",
		el("p", attr("class", "fields"), labelled("Only pairs with",
			el("input", attr("type", "search"), attr("data-filter", "prices"), attr("autocomplete", "off"), attr("placeholder", "BTC, stale, NGN")))),
		live("ul", "prices", s.panels["prices"], attr("class", "rows scroll"), attr("tabindex", "0"), attr("aria-labelledby", "prices-title")),
	)
}

// pairSection is the price that is looked at closely, with its chart and its markets.
func (s sheet) pairSection() g.Node {
	title := "Pair"
	if s.Pair.Base != "" {
		title = s.Pair.String()
	}
	return section("pair", title,
		noteLine("The true price, around which venues quote, and what can be done to the markets on its way. Choose another pair on the board."),
		el("div", attr("id", "chart"), s.chart()),
		live("div", "venues", s.panels["venues"]),
	)
}

func (s sheet) chart() g.Node {
	hour, _ := periodOf("")
	d, drawn := draw(s.World, s.Pair, hour)
	if !drawn {
		return el("p", g.Text("There is no chart of it."))
	}
	n := attr("class", "n")
	return g.Group{
		el("p", attr("class", "scale"), spaced(el("span", attr("data-high"), n, g.Text(d.High)), el("span", n, g.Text("now "), el("strong", attr("data-last"), g.Text(d.Last))))),
		el("div", attr("data-plot"), d.plot()),
		el("p", attr("class", "scale"), el("span", attr("data-low"), n, g.Text(d.Low))),
		el("p", attr("class", "buttons"), attr("role", "group"), attr("aria-label", "Period"), spaced(g.Map(periods, func(p period) g.Node {
			return button(p.Title, attr("data-period", p.Name), attr("aria-pressed", either(p.Name == hour.Name, "true", "false")))
		})...)),
	}
}
