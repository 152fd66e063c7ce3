package catalog_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"causeway/simulator/catalog"
	"causeway/simulator/faults"
)

var update = flag.Bool("update", false, "write the tables of docs/sandbox.md again")

// tables are the tables of docs/sandbox.md that are made from the catalog, by their names there.
func tables(c catalog.Catalog) map[string]string {
	head := func(cells ...string) *strings.Builder {
		var out strings.Builder
		fmt.Fprintf(&out, "| %s |\n|%s\n", strings.Join(cells, " | "), strings.Repeat("---|", len(cells)))
		return &out
	}
	answer := func(w catalog.Want) string {
		if w.Error == "" {
			return fmt.Sprint(w.Status)
		}
		return fmt.Sprintf("%d `%s`", w.Status, w.Error)
	}
	accounts := head("ends in", "the provider", "response in Nigeria", "`Sim-Scenario`")
	suffix := map[string]bool{}
	for _, a := range c.Accounts {
		suffix[a.Outcome] = true
		fmt.Fprintf(accounts, "| `%s` | %s | %s | `%s` |\n", a.Suffix, a.Title, answer(a.Try.Want), a.Outcome)
	}
	outcomes := head("`Sim-Scenario`", "response")
	for _, o := range c.Outcomes {
		if o.Plane == faults.Edge {
			fmt.Fprintf(outcomes, "| `%s` | %s |\n", o.Name, answer(o.Try.Want))
		} else if !suffix[o.Name] { // no magic number has it
			fmt.Fprintf(accounts, "| | %s | %s | `%s` |\n", o.Title, answer(o.Try.Want), o.Name)
		}
	}
	pairs := head("pair", "its price", "its status")
	for _, p := range c.Pairs {
		status := "`" + p.Status + "`"
		if p.Reason != "" {
			status += ", `" + p.Reason + "`"
		}
		fmt.Fprintf(pairs, "| `%s` | %s | %s |\n", p.ID, p.Title, status)
	}
	scenarios := head("scenario", "what happens")
	for _, s := range c.Scenarios {
		fmt.Fprintf(scenarios, "| `%s` | %s |\n", s.Name, s.Title)
	}
	rules := head("effect", "applies to", "parameters", "what happens")
	for _, f := range c.Faults {
		var planes []string
		for _, p := range f.Planes {
			planes = append(planes, map[faults.Plane]string{
				faults.Upstream: "responses of providers", faults.Edge: "responses of Causeway", faults.Webhook: "webhooks",
			}[p])
		}
		takes := ""
		if len(f.Takes) > 0 {
			takes = "`" + strings.Join(f.Takes, "`, `") + "`"
		}
		fmt.Fprintf(rules, "| `%s` | %s | %s | %s |\n", f.Kind, strings.Join(planes, ", "), takes, f.Title)
	}
	return map[string]string{"accounts": accounts.String(), "outcomes": outcomes.String(), "pairs": pairs.String(), "scenarios": scenarios.String(), "faults": rules.String()}
}

// TestDocs_Tables holds docs/sandbox.md to what there is. go test ./simulator/catalog -update writes the tables again.
func TestDocs_Tables(t *testing.T) {
	t.Parallel()
	const file = "../../docs/sandbox.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	for name, want := range tables(catalog.New()) {
		begin, end := "<!-- catalog: "+name+" -->\n", "<!-- end -->"
		before, rest, found := strings.Cut(readme, begin)
		have, after, closed := strings.Cut(rest, end)
		switch {
		case !found || !closed:
			t.Errorf("docs/sandbox.md has no place for the %s", name)
		case *update:
			readme = before + begin + want + end + after
		case have != want:
			t.Errorf("docs/sandbox.md has other %s than the catalog; run go test ./simulator/catalog -update\n%s", name, want)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(readme), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
