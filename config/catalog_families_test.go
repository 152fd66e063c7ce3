package config_test

import (
	"os"
	"strings"
	"sync"
	"testing"
)

// TestFamilies_Docs checks that docs/pairs.md shows the families of every pair.
func TestFamilies_Docs(t *testing.T) {
	t.Parallel()
	c := load(t)
	var rows []string
	for _, l := range c.Listings {
		rows = append(rows, "| "+l.Pair.String()+" | "+strings.Join(c.Families(l), "; or ")+" |")
	}
	replaceTable(t, "| pair | routes |\n|---|---|\n", strings.Join(rows, "\n"))
}

// pricesPage is held while a test reads or updates docs/pairs.md.
var pricesPage sync.Mutex

// replaceTable checks that docs/pairs.md has the table, or updates it.
func replaceTable(t *testing.T, head, rows string) {
	t.Helper()
	const file = "../docs/pairs.md"
	pricesPage.Lock()
	defer pricesPage.Unlock()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), head)
	_, after, closed := strings.Cut(rest, "\n\n")
	want := before + head + rows + "\n\n" + after
	switch {
	case !found || !closed:
		t.Fatalf("%s has no table %s", file, head)
	case want == string(text):
	case !*update:
		t.Fatalf("%s is not up to date; run this test with -update", file)
	default:
		if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
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
