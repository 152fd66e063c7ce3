package app

import (
	"maps"
	"slices"
	"testing"

	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
)

// TestSandboxSources checks that every network with Ethereum's addresses has the EVM wallet.
func TestSandboxSources(t *testing.T) {
	t.Parallel()
	for network, want := range map[string][]string{
		"ETH": {"EVM"}, "MATIC": {"EVM"}, "RON": {"EVM"}, "RBTC": {"RBTC"}, "BTC": {"BTC"}, "VET": {"EVM"}, "DOT": nil,
	} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			currencies := []core.Currency{{Code: "X", Networks: []string{network}}}
			validator, err := addresses.New(currencies, addresses.Policy{})
			if err != nil {
				t.Fatal(err)
			}
			sources := sandboxSources(config.Catalog{PriceCatalog: core.PriceCatalog{Currencies: currencies}}, Environment{}, validator)
			if got := slices.Sorted(maps.Keys(sources)); !slices.Equal(got, want) {
				t.Errorf("wallets %v, want %v", got, want)
			}
		})
	}
}
