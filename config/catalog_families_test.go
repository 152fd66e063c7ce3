package config_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"causeway/config"
	"causeway/core"
)

// TestFamilies_Docs checks that docs/prices.md shows the families of every pair.
func TestFamilies_Docs(t *testing.T) {
	t.Parallel()
	const file, begin, end = "../docs/prices.md", "| pair | routes |\n", "\n## "
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := load(t)
	var table strings.Builder
	table.WriteString(begin + "|---|---|\n")
	for _, l := range c.Listings {
		table.WriteString("| " + l.Pair.String() + " | " + strings.Join(routes(c, l), "; or ") + " |\n")
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no table of families", file)
	}
	want := before + table.String() + end + after
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s is not up to date; run this test with -update", file)
	}
	if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}

// routes describes the routes of a listing in the order of preference, each leg with its number of
// independent families of sources and the quorum that it needs: "BTC/USD 4 of 2, USD/GHS 1 of 1".
// Families of mid prices, which are a last resort, do not count.
func routes(c config.Catalog, l core.Listing) []string {
	var routes []string
	add := func(currencies ...string) {
		legs := make([]string, len(currencies)-1)
		for i := range legs {
			legs[i] = leg(c, currencies[i], currencies[i+1])
		}
		routes = append(routes, strings.Join(legs, ", "))
	}
	if l.Via == "" || l.Direct {
		add(l.Pair.Base, l.Pair.Counter)
	}
	for _, via := range []string{l.Via, l.Else} {
		switch via {
		case "":
		case core.DirectRoute:
			add(l.Pair.Base, l.Pair.Counter)
		default:
			add(l.Pair.Base, via, l.Pair.Counter)
		}
	}
	return routes
}

// leg describes the market between two currencies. Its stand-in, if there is one, is not counted.
func leg(c config.Catalog, from, to string) string {
	pair := core.Pair{Base: from, Counter: to}
	for _, m := range c.Markets {
		if m.StandIn || m.Pair != pair && m.Pair != pair.Inverse() {
			continue
		}
		if !m.Fixed.IsZero() {
			return m.Pair.String() + " fixed"
		}
		families := map[string]bool{}
		for _, name := range m.Sources {
			if s := named(c.Sources, name, func(s core.Source) string { return s.Name }); s.Kind != core.MidSource {
				families[s.Family] = true
			}
		}
		class := named(c.MarketClasses, m.Class, func(m core.MarketClass) string { return m.Name })
		quorum := cmp.Or(m.Quorum, class.Quorum)
		return fmt.Sprintf("%s %d of %d", m.Pair, len(families), quorum)
	}
	return pair.String() + " missing"
}

func named[T any](items []T, name string, nameOf func(T) string) T {
	return items[slices.IndexFunc(items, func(item T) bool { return nameOf(item) == name })]
}
