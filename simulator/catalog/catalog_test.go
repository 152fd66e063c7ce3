package catalog_test

import (
	"slices"
	"testing"
	"time"

	"causeway/config"
	"causeway/simulator/accounts"
	"causeway/simulator/world"
)

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// TestMarket_HasCatalogPairs joins the two tables: a market that the sandbox does not have would be a pair that
// is halted there for ever.
func TestMarket_HasCatalogPairs(t *testing.T) {
	t.Parallel()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(world.RegistryConfig{Clock: func() time.Time { return noon }, Banks: slices.Concat(catalog.Banks, accounts.MagicBanks(catalog.Countries)), Default: world.Options{Seed: "catalog"}})
	if err != nil {
		t.Fatal(err)
	}
	m := w.Market()
	for _, market := range catalog.Markets {
		for _, source := range market.Sources {
			listed := slices.Contains(m.Listed(source), market.Pair)
			switch source {
			case "openexchangerates", "frankfurter", "exchangerateapi":
				_, listed = m.Official(market.Pair, noon)
			case "coingecko":
				_, listed = m.Aggregate(market.Pair, noon)
			}
			if !listed {
				t.Errorf("%s is not quoted by the simulated %s", market.Pair, source)
			}
		}
	}
}
