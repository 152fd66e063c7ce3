package providers_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"causeway/adapters/providers"
	"causeway/adapters/providers/provider"
)

var update = flag.Bool("update", false, "rewrite docs/providers.md")

// outcomesFile counts the tested responses of a provider by outcome. Package providertest writes
// it.
const outcomesFile = "outcomes.yaml"

// assumed is the evidence of a fixture without a source.
const assumed = "assumed"

// notSupported lists what could be added if its API were better known.
const notSupported = `
## Not supported

| API | reason |
|---|---|
| Paystack: account names in Kenya | One error text of 2026-08-30 says that resolve accepts KES. No response is known, and the documentation names only Nigeria and Ghana. |
| Flutterwave v4 (OAuth client credentials) | The token request and the resolve request are documented, but public sources disagree about the production host and the resolve path, and no error text is known. v3 keys work. |
`

// TestEvidence checks that each fixture of each provider names its source or says that it is
// assumed, and that docs/providers.md shows it.
func TestEvidence(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	page.WriteString(`# Providers

What is known about the API of each provider and where it comes from. No provider was called. A fact is
documented if a vendor's page, specification or SDK, a public client or a recorded response shows it, and
assumed otherwise; confirm assumed facts before you rely on a provider. Generated from the descriptors and
fixtures by ` + "`go test ./adapters/providers -update`" + `.

## Check against the real API

` + "`go test -tags live -run TestLive ./adapters/providers`" + ` runs the contract suites against the real API of each provider
whose credentials are set (` + "`CAUSEWAY_PAYSTACK__KEYS__NG`" + ` and so on) and says which variables are missing.
`)
	for _, d := range providers.Descriptors {
		writeProvider(&page, d, fixtures(t, d.Name))
	}
	writeOutcomes(t, &page)
	page.WriteString(notSupported)
	path := filepath.Join("..", "..", "docs", "providers.md")
	if *update {
		if err := os.WriteFile(path, page.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, page.Bytes()) {
		t.Errorf("%s is not current; run this test with -update (%v)", path, err)
	}
}

// fixtures returns the sources of the files in testdata.
func fixtures(t *testing.T, name string) map[string]string {
	t.Helper()
	dir := filepath.Join(name, "testdata")
	text, err := os.ReadFile(filepath.Join(dir, "evidence.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{}
	if err := yaml.Unmarshal(text, &sources); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	exists := map[string]bool{}
	for _, e := range entries {
		exists[e.Name()] = true
		if !e.IsDir() && e.Name() != "evidence.yaml" && e.Name() != outcomesFile && sources[e.Name()] == "" {
			t.Errorf("%s: the fixture %s has no source in evidence.yaml", name, e.Name())
		}
	}
	for file := range sources {
		if !exists[file] {
			t.Errorf("%s: evidence.yaml has %s, which does not exist", name, file)
		}
	}
	return sources
}

func writeProvider(page *bytes.Buffer, d provider.Descriptor, sources map[string]string) {
	fmt.Fprintf(page, "\n## %s\n\n`%s`, %s\n\nBase URL: `%s`", d.Title, d.Name, d.Homepage, d.BaseURL)
	if d.TestURL != "" {
		fmt.Fprintf(page, "; with test credentials: `%s`", d.TestURL)
	}
	page.WriteString("\n\n")
	if len(d.Accounts) > 0 {
		page.WriteString("| country | channels | answer |\n|---|---|---|\n")
		for _, c := range d.Accounts {
			var channels []string
			for _, channel := range c.Channels {
				channels = append(channels, string(channel))
			}
			fmt.Fprintf(page, "| %s | %s | %s |\n", c.Country, strings.Join(channels, ", "),
				map[bool]string{false: "name", true: "document match only"}[c.ByDocument])
		}
		page.WriteString("\n")
	}
	page.WriteString("| fact | source |\n|---|---|\n")
	for _, e := range d.Evidence {
		source := e.Source
		if source == "" {
			source = assumed
		}
		fmt.Fprintf(page, "| %s | %s |\n", e.Fact, source)
	}
	bySource := map[string][]string{}
	for file, source := range sources {
		bySource[source] = append(bySource[source], file)
	}
	documented := len(sources) - len(bySource[assumed])
	fmt.Fprintf(page, "\nFixtures: %d documented, %d assumed.\n", documented, len(bySource[assumed]))
	for _, source := range slices.Sorted(maps.Keys(bySource)) {
		if source != assumed {
			fmt.Fprintf(page, "\n* %s: `%s`", source, strings.Join(slices.Sorted(slices.Values(bySource[source])), "`, `"))
		}
	}
	if documented > 0 {
		page.WriteString("\n")
	}
}

// writeOutcomes writes how many responses of each account provider are tested, by outcome.
func writeOutcomes(t *testing.T, page *bytes.Buffer) {
	t.Helper()
	columns := []string{"named", "not_found", "undecided", "malformed", "unavailable", "refused", "throttled"}
	page.WriteString(`
## Tested responses

Responses to account lookups in the tests, by what Causeway makes of them. Each provider also gets the same malformed,
truncated, oversized and slow responses and rejected credentials, which never name a holder or deny an account.

`)
	fmt.Fprintf(page, "| provider | %s |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, d := range providers.Descriptors {
		text, err := os.ReadFile(filepath.Join(d.Name, "testdata", outcomesFile))
		if err != nil {
			if len(d.Accounts) > 0 {
				t.Error(err)
			}
			continue
		}
		counts := map[string]int{}
		if err := yaml.Unmarshal(text, &counts); err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		fmt.Fprintf(page, "| %s |", d.Title)
		for _, column := range columns {
			fmt.Fprintf(page, " %d |", counts[column])
			delete(counts, column)
		}
		page.WriteString("\n")
		if len(counts) > 0 {
			t.Errorf("%s: the table lacks columns for %v", d.Name, counts)
		}
	}
}
