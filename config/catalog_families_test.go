package config_test

import (
	"os"
	"strings"
	"testing"
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
		table.WriteString("| " + l.Pair.String() + " | " + strings.Join(c.Families(l), "; or ") + " |\n")
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

// TestFamilies_NoneAlone checks that the first route of every pair has two families or more in each
// market. USDT/GHS, for which a single source is documented, is in reserve only.
func TestFamilies_NoneAlone(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, l := range c.Listings {
		for i, route := range c.Families(l) {
			alone := strings.Contains(route, " 1 of 1")
			if alone && (i == 0 || !strings.Contains(route, "USDT/GHS 1 of 1")) {
				t.Errorf("%s: a market of the route %q rests on one family", l.Pair, route)
			}
		}
	}
}
