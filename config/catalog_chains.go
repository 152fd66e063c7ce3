package config

import (
	"slices"
	"strings"
	"time"

	"causeway/core"
)

type chainTable struct {
	head `yaml:",inline"`

	Chains []chainRow
}

// chainRow has the fields of core.Chain.
type chainRow struct {
	Network         string
	ID              string
	BlockTime       time.Duration `yaml:"block_time"`
	Confirmations   int64
	Finality        bool
	TransactionLink string `yaml:"transaction_link"`
	AddressLink     string `yaml:"address_link"`
	Source          string // of the row
	Assets          []assetRow
}

type assetRow struct {
	Currency string
	Contract string
	Decimals int32
	Source   string // of the contract
}

func (l *loader) addChains(t chainTable, c *Catalog) {
	networks := map[string]bool{}
	for _, currency := range c.Currencies {
		for _, network := range currency.Networks {
			networks[network] = true
		}
	}
	for i, row := range t.Chains {
		at := place{chainsFile, "chains", i, row.Network}
		seen := func(chain core.Chain) bool { return chain.Network == row.Network }
		l.want(networks[row.Network], at, "network %q is of no currency in currencies.yaml", row.Network)
		l.want(!slices.ContainsFunc(c.Chains, seen), at, "is there twice")
		l.want(!blank(row.ID), at, "id is missing: the chain ID, or the hash of the first block")
		l.want(!blank(row.Source), at, "source is missing")
		l.want(row.BlockTime >= 100*time.Millisecond && row.BlockTime <= time.Hour, at,
			"block_time is %s; accepted: 100ms to 1h", row.BlockTime)
		l.want(row.Confirmations > 0 || row.Confirmations == 0 && row.Finality, at,
			"confirmations is %d; accepted: 1 or more, or 0 with finality: true", row.Confirmations)
		l.wantLink(at, "transaction_link", row.TransactionLink, "{hash}")
		l.wantLink(at, "address_link", row.AddressLink, "{address}")
		c.Chains = append(c.Chains, core.Chain{
			Network: row.Network, ID: row.ID, BlockTime: row.BlockTime, Confirmations: row.Confirmations,
			Finality: row.Finality, TransactionLink: row.TransactionLink, AddressLink: row.AddressLink,
			Assets: l.assets(row, c),
		})
	}
}

// wantLink reports a fault unless a link is empty, or a page with a placeholder.
func (l *loader) wantLink(at place, key, link, placeholder string) {
	ok := link == "" || strings.HasPrefix(link, "https://") && strings.Count(link, placeholder) == 1
	l.want(ok, at, "%s is %q; accepted: an https URL with %s in it, or none", key, link, placeholder)
}

// assets returns the assets of a chain.
func (l *loader) assets(row chainRow, c *Catalog) []core.Asset {
	const maxDecimals = 18
	var out []core.Asset
	contracts, currencies := map[string]string{}, map[string]bool{} // contracts in lower case
	for i, a := range row.Assets {
		at := place{chainsFile, row.Network + " assets", i, a.Currency}
		j := index(c.Currencies, func(c core.Currency) string { return c.Code }, a.Currency)
		l.want(j >= 0 && slices.Contains(c.Currencies[max(0, j)].Networks, row.Network), at,
			"currency %q does not have the network %s in currencies.yaml", a.Currency, row.Network)
		l.want(!currencies[a.Currency], at, "is there twice")
		same := strings.ToLower(a.Contract)
		l.want(contracts[same] == "", at, "has the contract of %s", contracts[same])
		l.want(a.Contract == "" || !blank(a.Contract) && !blank(a.Source), at,
			"contract is %q, source is %q; accepted: a contract with its source, or none for the coin of the network",
			a.Contract, a.Source)
		l.want(a.Decimals >= 0 && a.Decimals <= maxDecimals, at, "decimals is %d; accepted: 0 to %d", a.Decimals, maxDecimals)
		contracts[same], currencies[a.Currency] = a.Currency, true
		out = append(out, core.Asset{Currency: a.Currency, Contract: a.Contract, Decimals: a.Decimals})
	}
	l.want(contracts[""] != "", place{chainsFile, "chains", len(c.Chains), row.Network},
		"assets lacks the coin of the network: a currency without a contract")
	return out
}
