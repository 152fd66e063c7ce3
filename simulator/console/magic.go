package console

import (
	"fmt"

	g "maragu.dev/gomponents"

	"causeway/simulator"
)

// magicSection has the values that have an outcome of their own, each with a request to try it.
func (s sheet) magicSection() g.Node {
	return section("magic", "Magic values",
		folded("Account numbers at the institution 001 of every country", rows(s.catalog.Accounts, func(_ int, a simulator.AccountEntry) g.Node {
			number := "0000000" + a.Suffix
			about := fmt.Sprintf("%s: %d%s", a.Title, a.Try.Want.Status, led(" ", a.Try.Want.Error))
			return line(value(number), el("span", g.Text(about)), copies(number, number), sample(a.Suffix, a.Try))
		})),
		folded("Pairs"+either(s.World.Options().MagicPairs, "", ", in worlds that were created with them"), rows(s.catalog.Pairs, func(_ int, p simulator.PairEntry) g.Node {
			return line(value(p.ID), el("span", g.Text(p.Title+": "+p.Status+led(", ", p.Reason))), copies(p.ID, p.ID), sample(p.ID, p.Try))
		})),
		folded("Outcomes for the header Sim-Scenario", rows(s.catalog.Outcomes, func(_ int, o simulator.OutcomeEntry) g.Node {
			return line(value(o.Name), el("span", g.Text(o.Title)), copies(o.Name, o.Name), sample(o.Name, o.Try))
		})),
		folded("Addresses", rows(s.catalog.Addresses, func(i int, a simulator.AddressEntry) g.Node {
			about := either(a.Warning, "valid, with this warning", "not valid, for this reason")
			return line(value(a.Code), el("span", g.Text(about)), sample(fmt.Sprintf("%s (%d)", a.Code, i), a.Try))
		})),
	)
}

func value(text string) g.Node { return el("code", g.Text(text)) }

// rows are a list with a line for each of some things.
func rows[T any](all []T, content func(i int, one T) g.Node) g.Node {
	var out g.Group
	for i, one := range all {
		out = append(out, el("li", content(i, one)))
	}
	return el("ul", attr("class", "rows"), out)
}
