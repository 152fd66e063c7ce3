package institutions_test

import (
	"slices"
	"strings"
	"testing"

	"causeway/adapters/providers"
	"causeway/adapters/providers/provider"
	"causeway/config"
	"causeway/core"
)

// maxLargest is the number of institutions of a country that are called the largest ones.
const maxLargest = 30

// isLargest reports whether an institution of the catalog is one of the largest of its country.
func isLargest(c config.Catalog, bank core.Bank) bool {
	codes := c.LargestBanks[bank.Country]
	return len(codes) == 0 || slices.Contains(codes, bank.Code)
}

// TestLargest checks that each country has at most 30 largest institutions, each once.
func TestLargest(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for _, b := range catalog(t).Banks {
		if isLargest(catalog(t), b) {
			count[b.Country]++
		}
	}
	for _, country := range catalog(t).Countries {
		n, codes := count[country.Code], catalog(t).LargestBanks[country.Code]
		if n == 0 || n > maxLargest || len(codes) > 0 && len(codes) != n {
			t.Errorf("%s: %d institutions, listed are %q", country.Code, n, codes)
		}
	}
}

// TestExpected checks that the catalog expects the code of each of the largest institutions in the
// recorded lists of providers that resolve accounts, and no other code. Doctor then has no warning
// about these lists.
func TestExpected(t *testing.T) {
	together, expected := worldOf(t, providers.AccountProviders()...), 0
	for _, l := range lists {
		if !resolvesAccounts(l) || strings.Contains(l.source(t), "assumed") {
			continue
		}
		for name, w := range map[string]world{"all providers": together, "alone": worldOf(t, l.provider)} {
			for _, b := range w.Banks.List().Banks() {
				if b.Country != l.country || !w.catalog[b.Country+" "+b.Code] {
					continue
				}
				want := ""
				if isLargest(w.Catalog, b) && !b.UnlistedBy(l.provider) {
					want = b.Codes[l.provider]
				}
				if got := b.Expected[l.provider]; got != want {
					t.Errorf("%s, %s: %s %s (%s): expected code %q, want %q", l.provider, name, b.Country, b.Code, b.Name, got, want)
				}
				if want != "" {
					expected++
				}
			}
		}
	}
	if expected == 0 {
		t.Error("nothing is expected")
	}
}

// resolvesAccounts reports whether the provider of a list resolves accounts in its country.
func resolvesAccounts(l list) bool {
	return slices.ContainsFunc(providers.Descriptors, func(d provider.Descriptor) bool {
		return d.Name == l.provider &&
			slices.ContainsFunc(d.Accounts, func(c provider.Coverage) bool { return c.Country == l.country })
	})
}
