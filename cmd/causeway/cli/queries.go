package cli

import (
	"net/http"

	"github.com/spf13/cobra"

	"causeway/clients/go/api"
)

// exitCodes ends the help of commands that call a server.
const exitCodes = "\n\nExit code: 0 success, 1 no such thing or no usable response, 2 usage error or rejected input."

var channels = []string{"bank_transfer", "mobile_money", "pay_bill", "till"}

// listBanks makes causeway banks, which also holds the commands about bank lists.
func listBanks() *cobra.Command {
	return operation{
		use: "banks", short: "List the banks and mobile-money operators of a country",
		long: "Lists banks and other institutions with the code that account resolution takes. With --account it\n" +
			"lists the Nigerian banks for which the check digit of a number is valid, likeliest first." + exitCodes,
		example: "  causeway banks --country NG\n" +
			"  causeway banks --country NG --name zenith -o json\n" +
			"  causeway banks --channel mobile_money -o csv > operators.csv",
		args: NoArgs, method: http.MethodGet, path: "/v1/banks",
		parameters: []parameter{
			{"country", "country", "two-letter code of a country, such as NG", nil},
			{"currency", "currency", "code of a currency, or several, comma-separated", nil},
			{"channel", "channel", "bank_transfer, mobile_money, pay_bill or till", channels},
			{"name", "q", "part of the name", nil},
			{"account", "account_number", "guess the bank of a Nigerian account number", nil},
		},
		view: NewView("CODE,NAME,COUNTRY,CURRENCY,TYPE,CHANNELS,RESOLVABLE,ALIASES", func(t *Table, b api.Bank) {
			t.Row(b.Code, b.Name, b.Country, b.Currency, b.Type, b.Channels, b.Resolvable, b.Aliases)
		}).Optional("ALIASES", "CHANNELS", "TYPE", "CURRENCY", "RESOLVABLE", "COUNTRY"),
	}.command()
}

func countriesCommand() *cobra.Command {
	return operation{
		use: "countries", short: "List the supported countries with their currencies and channels",
		long:    "Lists the countries whose banks and mobile-money operators are known." + exitCodes,
		example: "  causeway countries",
		args:    NoArgs, method: http.MethodGet, path: "/v1/countries",
		view: NewView("CODE,NAME,CURRENCIES,CHANNELS", func(t *Table, c api.Country) {
			t.Row(c.Code, c.Name, c.Currencies, Column(c.Channels, func(r api.Channel) string { return string(r.Channel) }))
		}),
	}.command()
}

func currenciesCommand() *cobra.Command {
	return operation{
		use: "currencies", short: "List the supported currencies with their networks",
		long: "Lists currencies, and for cryptocurrencies the default network and all networks that carry them." +
			exitCodes,
		example: "  causeway currencies\n  causeway currencies -o json",
		args:    NoArgs, method: http.MethodGet, path: "/v1/currencies",
		view: NewView("CODE,NAME,TYPE,DEFAULT,NETWORKS", func(t *Table, c api.Currency) {
			t.Row(c.Code, c.Name, c.Type, c.DefaultNetwork, Column(c.Networks, func(n api.Network) string { return n.Code }))
		}),
	}.command()
}

func resolveCommand() *cobra.Command {
	cmd := operation{
		use: "resolve", short: "Show the name of the holder of a bank account or wallet",
		long: "Asks the bank or the operator for the holder of an account. With --name it also says whether the\n" +
			"holder has that name." + exitCodes,
		example: "  causeway resolve --country NG --currency NGN --bank 058 --account 0123456789\n" +
			"  causeway resolve --country KE --currency KES --channel mobile_money --account 0712345678 --name 'Ada Obi'",
		args: NoArgs, method: http.MethodPost, path: "/v1/recipients/resolve-bank-account", mayMiss: true,
		parameters: []parameter{
			{"country", "country_id", "two-letter code of the country, such as NG", nil},
			{"currency", "currency_id", "currency of the account, such as NGN", nil},
			{"channel", "channel", "bank_transfer, mobile_money, pay_bill or till", channels},
			{"bank", "bank_code", "code of the bank, or an alias; see causeway banks", nil},
			{"account", "account_number", "account or phone number", nil},
			{"name", "account_name", "name to compare with the name of the holder", nil},
			{"document-type", "document_type", "kind of the identity document, in countries that need one", nil},
			{"document", "document_number", "number of the identity document", nil},
		},
		view: NewView("NAME,BANK,CODE,ACCOUNT,MATCH,WARNINGS", func(t *Table, a api.Account) {
			t.Row(a.AccountName, a.BankName, a.BankCode, a.AccountNumber, Words(a.NameMatch, a.DocumentMatch), a.Warnings)
		}),
	}.command()
	channel := cmd.Flags().Lookup("channel")
	channel.DefValue = channels[0]
	_ = channel.Value.Set(channel.DefValue)
	return cmd
}

// pairFilters are the filters of causeway pairs and causeway watch.
var pairFilters = []parameter{
	{"type", "type", "class of the base currency: fiat, crypto or stablecoins", []string{"fiat", "crypto", "stablecoins"}},
	{"currency", "currency", "currency on either side", nil},
	{"base", "base", "base currency", nil},
	{"counter", "counter", "counter currency", nil},
}

func pairsCommand() *cobra.Command {
	return operation{
		use: "pairs", short: "List currency pairs with their prices",
		long: "Lists pairs with their prices, all of one instant. -o json and -o csv have the limits, too." + exitCodes,
		example: "  causeway pairs --counter NGN --type stablecoins\n" +
			"  causeway pairs --sort-by price_change --sort desc\n" +
			"  causeway pairs -o csv > prices.csv",
		args: NoArgs, method: http.MethodGet, path: "/v1/pairs",
		parameters: append([]parameter{
			{
				"sort-by", "sort_by", "alphabetical, current_price, price_change or market_cap",
				[]string{"alphabetical", "current_price", "price_change", "market_cap"},
			},
			{"sort", "sort", "asc or desc", []string{"asc", "desc"}},
		}, pairFilters...),
		view: NewView("PAIR,TYPE,BUY,SELL,CURRENCY,CHANGE,MIN BUY,MAX BUY,STATUS", func(t *Table, p api.Pair) {
			t.Row(p.ID, p.Type, p.BuyPrice.Amount, p.SellPrice.Amount, p.Counter, p.PercentageChange,
				p.MinBuyAmount.Amount, p.MaxBuyAmount.Amount, p.Status)
		}).Optional("MAX BUY", "MIN BUY", "TYPE", "CHANGE", "CURRENCY"),
	}.command()
}

func priceCommand() *cobra.Command {
	return operation{
		use: "price PAIR", short: "Show the price of a pair and where it comes from",
		long: "Shows the price of a pair, its age in seconds and its sources. -o json has every quote." + exitCodes,
		example: "  causeway price BTCNGN\n" +
			"  causeway price USDTNGN -o json",
		args: cobra.ExactArgs(1), method: http.MethodGet, path: "/v1/pairs/{}/price", mayMiss: true,
		view: NewView("PAIR,BUY,SELL,CURRENCY,STATUS,REASON,AGE,SOURCES,EXCLUDED", func(t *Table, p api.Price) {
			t.Row(p.ID, p.BuyPrice.Amount, p.SellPrice.Amount, p.BuyPrice.Currency, p.Status, p.Reason, p.Age,
				Column(p.Sources.Used, func(u api.Used) string { return u.Source }),
				Column(p.Sources.Excluded, func(e api.Excluded) string { return e.Source }))
		}),
	}.command()
}

var depositView = NewView("CURRENCY,NETWORK,ADDRESS,MEMO,CURRENT,CREATED", func(t *Table, d api.Deposit) {
	t.Row(d.Currency, d.Network, d.Address, d.Memo, d.Current, d.CreatedAt)
}).Optional("CREATED")

// listDeposits makes causeway deposits list.
func listDeposits() *cobra.Command {
	return operation{
		use: "list [CURRENCY]", short: "List the deposit addresses of a user at a server",
		long: "Lists the addresses that a user has. For a currency it assigns them if there are none, with\n" +
			"a key that has the scope addresses:write." + exitCodes,
		example: "  causeway deposits list BTC --user user-4711\n" +
			"  causeway deposits list --user user-4711 -o csv",
		args: cobra.MaximumNArgs(1), method: http.MethodGet, path: "/v1/addresses/{}",
		parameters: []parameter{
			{"user", userHeader, "the user (default: the default user of the key)", nil},
			{"network", "network", "network that carries the currency", nil},
			{"include", "include", "previous: also the 100 newest replaced addresses of each network", []string{"previous"}},
		},
		view: depositView,
	}.command()
}

// depositOwner makes causeway deposits owner.
func depositOwner() *cobra.Command {
	return operation{
		use: "owner ADDRESS --network NETWORK", short: "Find the user of a deposit address at a server",
		long: "Finds the user whose address received a deposit. A key with the scope addresses:owner finds the users of\n" +
			"all keys." + exitCodes,
		example: "  causeway deposits owner bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4 --network BTC\n" +
			"  causeway deposits owner rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh --network XRP --memo 12345 -o json",
		args: cobra.ExactArgs(1), method: http.MethodGet, path: "/v1/addresses/owner", argument: "address", mayMiss: true,
		parameters: []parameter{
			{"network", "network", "network of the deposit, such as BTC", nil},
			{"memo", "memo", "memo or tag of the deposit", nil},
		},
		view: NewView("USER,ACCOUNT,NETWORK,ADDRESS,MEMO,CURRENT,CREATED", func(t *Table, o api.AddressOwner) {
			t.Row(o.ProfileID, o.Account, o.Network, o.Address, o.Memo, o.Current, o.CreatedAt)
		}),
	}.command()
}

// regenerateDeposit makes causeway deposits regenerate.
func regenerateDeposit() *cobra.Command {
	return operation{
		use: "regenerate CURRENCY", short: "Assign a new deposit address to a user at a server",
		long: "Assigns a new address. Earlier ones stay assigned to the user: causeway deposits list --include previous\n" +
			"shows them." + exitCodes,
		example: "  causeway deposits regenerate BTC --user user-4711\n" +
			"  causeway deposits regenerate USDT --network TRX --user user-4711 --idempotency-key 8e03978e-40d5",
		args: cobra.ExactArgs(1), method: http.MethodPost, path: "/v1/addresses/regenerate", argument: "currency",
		parameters: []parameter{
			{"user", userHeader, "the user (default: the default user of the key)", nil},
			{"network", "network", "network that carries the currency (default: the currency's own)", nil},
			{"idempotency-key", idempotencyHeader, "a text of yours; commands with the same one get the same address", nil},
		},
		view: depositView,
	}.command()
}
