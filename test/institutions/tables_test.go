package institutions_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"unicode"

	"github.com/agnivade/levenshtein"

	"causeway/adapters/providers"
	"causeway/core"
	"causeway/core/banks"
)

var update = flag.Bool("update", false, "rewrite the tables in testdata")

// TestTables compares what becomes of the lists with the tables in testdata: a table for each
// country, and a summary.
func TestTables(t *testing.T) {
	together, alone := worldOf(t, providers.AccountProviders()...), map[string]world{}
	for _, provider := range providers.AccountProviders() {
		alone[provider] = worldOf(t, provider)
	}
	for _, country := range together.Catalog.Countries {
		var rows []row
		table := newTable("What becomes of the institutions that providers list in " + country.Name + ".")
		for _, l := range lists {
			if l.country == country.Code {
				table.line("%s: %s", l.provider, l.source(t))
				rows = append(rows, differing(together.rows(t, l), alone[l.provider].rows(t, l))...)
			}
		}
		if len(rows) == 0 {
			continue // the summary says that there is no list
		}
		table.head("provider", "code", "name", "result", "institution", "its name", "with this provider alone")
		for _, r := range rows {
			table.row(r.provider, r.code, r.name, r.result, r.at.Code, r.at.Name, r.alone)
		}
		table.head("added", "name", "resembles", "its name", "because of")
		for _, pair := range together.resembling(country) {
			table.row(pair...)
		}
		table.compare(t, country.Code+".txt")
	}
	summary(t, together, alone).compare(t, "summary.txt")
}

// differing stores in the rows of all providers together what is different with one provider alone.
func differing(together, alone []row) []row {
	for i, r := range alone {
		if r.result != together[i].result || r.at.Code != together[i].at.Code {
			together[i].alone = strings.TrimSpace(r.result + " " + r.at.Code)
		}
	}
	return together
}

// resembling returns pairs of an institution that only lists contain and another one of the country
// that may be the same: their names or codes are nearly equal.
func (w world) resembling(country core.Country) [][]any {
	var out [][]any
	entries := slices.DeleteFunc(slices.Clone(w.Banks.List().Entries()), func(e banks.Entry) bool {
		return e.Country != country.Code
	})
	slices.SortFunc(entries, func(a, b banks.Entry) int { return cmp.Compare(a.Code, b.Code) })
	for i, added := range entries {
		if w.catalog[country.Code+" "+added.Code] {
			continue
		}
		for j, other := range entries {
			if i == j || !w.catalog[country.Code+" "+other.Code] && j < i {
				continue
			}
			if why := resemblance(added.Bank, other.Bank, country.Name); why != "" {
				out = append(out, []any{added.Code, added.Name, other.Code, other.Name, why})
			}
		}
	}
	return out
}

func resemblance(added, other core.Bank, country string) string {
	for _, name := range append([]string{other.Name}, other.Names...) {
		a, b := distinctive(added.Name, country), distinctive(name, country)
		switch {
		case a == b:
			return "name"
		case min(len(a), len(b)) > 5 && levenshtein.ComputeDistance(a, b) == 1:
			return "similar name"
		}
	}
	for _, code := range append(other.Aliases(), other.Code) {
		if slices.ContainsFunc(append(added.Aliases(), added.Code), func(c string) bool { return sameNumber(c, code) }) {
			return "code " + code
		}
	}
	return ""
}

// sameNumber reports whether codes differ in leading zeros only. NIP codes, which have six digits,
// and codes of the Central Bank of Nigeria are different numbers.
func sameNumber(a, b string) bool {
	return (len(a) == 6) == (len(b) == 6) && strings.TrimLeft(a, "0") == strings.TrimLeft(b, "0")
}

// distinctive returns the letters and digits of a name without the words that many names contain.
func distinctive(name, country string) string {
	common := strings.Fields("bank banks plc limited ltd microfinance micro finance mfb mfbank mortgage merchant psb " +
		"and the of mobile money company " + strings.ToLower(country))
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	kept := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return slices.Contains(common, word) })
	if len(kept) == 0 {
		kept = words
	}
	return strings.Join(kept, "")
}

// summary counts the rows of each list and the institutions that can be resolved.
func summary(t *testing.T, together world, alone map[string]world) *table {
	t.Helper()
	out := newTable("What becomes of the lists, and which institutions of the catalog are resolvable.")
	out.line("A list with assumed or few rows is an example. For an institution that is resolvable and in no list of a")
	out.line("provider, the provider gets a code of the catalog.")
	out.head("country", "list of", "rows", "joined", "added", "left out", "by the parser", "fixture")
	for _, l := range lists {
		rows := together.rows(t, l)
		count := func(prefix string) (n int) {
			for _, r := range rows {
				if strings.HasPrefix(r.result, prefix) {
					n++
				}
			}
			return n
		}
		evidence := "documented"
		if strings.Contains(l.source(t), "assumed") {
			evidence = "assumed"
		}
		out.row(l.country, l.provider, len(rows), count("joined"), count("added"), count("left out:"),
			count(byParser), evidence)
	}
	everything := func(core.Bank) bool { return true }
	isLargest := func(b core.Bank) bool { return isLargest(together.Catalog, b) }
	resolvable := func(w world, _ string) func(core.Bank) bool { return w.Recipients.Resolvable }
	listed := func(w world, provider string) func(core.Bank) bool { return w.listedBy(t, provider) }
	for _, part := range []struct {
		title string
		among func(core.Bank) bool
		of    func(w world, provider string) func(core.Bank) bool
	}{
		{"resolvable", everything, resolvable},
		{fmt.Sprintf("resolvable, the %d largest", maxLargest), isLargest, resolvable},
		{"in a list", everything, listed},
		{fmt.Sprintf("in a list, the %d largest", maxLargest), isLargest, listed},
	} {
		out.head(append([]any{part.title, "institutions", "all providers"}, anys(providers.AccountProviders())...)...)
		for _, country := range together.Catalog.Countries {
			cells := []any{
				country.Code, together.count(country.Code, part.among),
				together.share(country.Code, part.among, part.of(together, "")),
			}
			for _, name := range providers.AccountProviders() {
				cells = append(cells, alone[name].share(country.Code, part.among, part.of(alone[name], name)))
			}
			out.row(cells...)
		}
	}
	return out
}

// listedBy returns a function that reports whether a row of a provider, or of any provider, belongs
// to an institution.
func (w world) listedBy(t *testing.T, provider string) func(core.Bank) bool {
	t.Helper()
	at := map[string]bool{}
	for _, l := range lists {
		if provider == "" || l.provider == provider {
			for _, r := range w.rows(t, l) {
				at[r.country+" "+r.at.Code] = true
			}
		}
	}
	return func(b core.Bank) bool { return at[b.Country+" "+b.Code] }
}

func anys(texts []string) []any {
	out := make([]any, len(texts))
	for i, text := range texts {
		out[i] = text
	}
	return out
}

// count counts institutions of the catalog.
func (w world) count(country string, of func(core.Bank) bool) (n int) {
	for _, e := range w.Banks.List().Entries() {
		if e.Country == country && w.catalog[country+" "+e.Code] && of(e.Bank) {
			n++
		}
	}
	return n
}

// share counts some institutions of the catalog among others.
func (w world) share(country string, among, of func(core.Bank) bool) string {
	n := w.count(country, func(b core.Bank) bool { return among(b) && of(b) })
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%d (%d%%)", n, 100*n/w.count(country, among))
}

// table is a text with aligned columns.
type table struct {
	text    bytes.Buffer
	columns *tabwriter.Writer
}

func newTable(title string) *table {
	t := &table{}
	t.columns = tabwriter.NewWriter(&t.text, 0, 0, 2, ' ', tabwriter.TabIndent)
	t.line("%s", title)
	t.line("Generated by go test ./test/institutions -update.")
	t.line("")
	return t
}

func (t *table) line(format string, args ...any) {
	_ = t.columns.Flush()
	fmt.Fprintf(&t.text, format+"\n", args...)
}

func (t *table) head(cells ...any) {
	t.line("")
	t.row(cells...)
	t.row(anys(make([]string, len(cells)))...)
}

func (t *table) row(cells ...any) {
	for _, cell := range cells {
		fmt.Fprintf(t.columns, "%v\t", cell)
	}
	fmt.Fprintln(t.columns)
}

// compare compares the table with a file in testdata.
func (t *table) compare(test *testing.T, name string) {
	test.Helper()
	_ = t.columns.Flush()
	var got bytes.Buffer
	for line := range bytes.Lines(t.text.Bytes()) {
		got.Write(append(bytes.TrimRight(line, " \n"), '\n'))
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
			test.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || !bytes.Equal(got.Bytes(), want) {
		test.Errorf("%s is not current; run this test with -update and read the difference (%v)", path, err)
	}
}
