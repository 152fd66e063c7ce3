package config

import (
	"slices"

	"causeway/core"
)

type currencyTable struct {
	head `yaml:",inline"`

	Fiat       []currencyRow
	Stablecoin []currencyRow
	Crypto     []currencyRow
}

type currencyRow struct {
	Code     string
	Name     string
	Decimals int32
	Rank     int
	Networks []string // the first one is the default
}

const maxDecimals = 18 // of an amount on the wire

func (l *loader) takeCurrencies(t currencyTable, c *Catalog) {
	l.currencies, l.ranks = map[string]core.CurrencyType{}, map[int]string{}
	l.takeKind(core.Fiat, t.Fiat, c)
	l.takeKind(core.Stablecoin, t.Stablecoin, c)
	l.takeKind(core.Crypto, t.Crypto, c)
}

func (l *loader) takeKind(kind core.CurrencyType, rows []currencyRow, c *Catalog) {
	for i, row := range rows {
		at := place{currenciesFile, string(kind), i, row.Code}
		l.want(code(row.Code) && !blank(row.Name), at, "code %q, name %q; accepted: capital letters, digits and hyphens, and a name", row.Code, row.Name)
		l.want(l.currencies[row.Code] == "", at, "is there twice")
		l.want(row.Decimals >= 0 && row.Decimals <= maxDecimals, at, "decimals is %d; accepted: 0 to %d", row.Decimals, maxDecimals)
		l.currencies[row.Code] = kind
		currency := core.Currency{
			Code: row.Code, Name: row.Name, Type: kind, Decimals: row.Decimals, Rank: row.Rank, Networks: row.Networks,
		}
		if kind == core.Fiat {
			l.want(row.Rank == 0 && len(row.Networks) == 0, at, "rank %d, networks %v; accepted: neither for fiat", row.Rank, row.Networks)
		} else {
			l.want(row.Rank > 0 && l.ranks[row.Rank] == "", at, "rank is %d; accepted: 1 or more, once (it is that of %q)", row.Rank, l.ranks[row.Rank])
			l.ranks[row.Rank] = row.Code
		}
		for n, network := range row.Networks {
			l.want(code(network) && !slices.Contains(row.Networks[:n], network), at, "network %q is no code or is there twice", network)
			currency.DefaultNetwork = row.Networks[0]
		}
		c.Currencies = append(c.Currencies, currency)
	}
}
