package config_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"causeway/adapters/chains"
	"causeway/core"
	"causeway/core/addresses"
)

// TestChains_Contracts checks that each contract is an address of its network, in the spelling whose upper case is the
// checksum (EIP-55), and that the known ones are the currencies that they should be.
func TestChains_Contracts(t *testing.T) {
	t.Parallel()
	c := load(t)
	service, err := addresses.New(c.Currencies, addresses.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]core.Asset{}
	for _, chain := range c.Chains {
		for _, asset := range chain.Assets {
			known[chain.Network+" "+asset.Currency] = asset
			if asset.Contract == "" {
				continue
			}
			v, err := service.Validate(core.AddressQuery{
				Currency: asset.Currency, Network: chain.Network, Address: core.Private(asset.Contract),
			})
			if err != nil || !v.Valid || v.Normalized != asset.Contract {
				t.Errorf("%s on %s: got %+v, %v, want %s valid as it is", asset.Currency, chain.Network, v, err, asset.Contract)
			}
		}
	}
	for key, want := range map[string]core.Asset{
		"ETH USDT":   {Currency: "USDT", Contract: "0xdAC17F958D2ee523a2206206994597C13D831ec7", Decimals: 6},
		"BSC USDT":   {Currency: "USDT", Contract: "0x55d398326f99059fF775485246999027B3197955", Decimals: 18},
		"BSC BNB":    {Currency: "BNB", Decimals: 18},
		"MATIC POL":  {Currency: "POL", Decimals: 18},
		"TRX TRX":    {Currency: "TRX", Decimals: 6},
		"MATIC USDC": {Currency: "USDC", Contract: "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", Decimals: 6},
	} {
		if known[key] != want {
			t.Errorf("%s: got %+v, want %+v", key, known[key], want)
		}
	}
}

// TestChains_Readable checks that each network which a back end can read has a row.
func TestChains_Readable(t *testing.T) {
	t.Parallel()
	c := load(t)
	id := regexp.MustCompile(`^([1-9][0-9]*|[0-9a-f]{64}|[0-9A-F]{64})$`)
	var networks []string
	for _, chain := range c.Chains {
		networks = append(networks, chain.Network)
		if !id.MatchString(chain.ID) {
			t.Errorf("%s: got the id %q", chain.Network, chain.ID)
		}
		if chain.TransactionLink == "" || chain.AddressLink == "" {
			t.Errorf("%s has no links", chain.Network)
		}
	}
	for _, d := range chains.Descriptors {
		for _, network := range d.Networks {
			if !slices.Contains(networks, network) {
				t.Errorf("%s, which %s reads, has no row", network, d.Name)
			}
		}
	}
}

func TestChains_Faults(t *testing.T) {
	t.Parallel()
	const (
		currencies, table = "currencies.yaml", "chains.yaml"

		bnb  = "{currency: BNB, decimals: 18}"
		bsc  = "network: BSC"
		usdc = `{currency: USDC, contract: "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", decimals: 18, source: `
	)
	for _, c := range []struct{ name, file, old, with, want string }{
		{"an unknown network", table, bsc, "network: BSCX", `chains row 2 (BSCX): network "BSCX" is of no currency`},
		{"a network twice", table, bsc, "network: ETH", "chains row 2 (ETH): is there twice"},
		{"no id", table, `id: "56"`, `id: ""`, "chains row 2 (BSC): id is missing"},
		{"no source", table, `source: "block time: BNB`, `source: "" # BNB`, "chains row 2 (BSC): source is missing"},
		{"no time", table, "block_time: 450ms", "block_time: 0s", "(BSC): block_time is 0s; accepted: 100ms to 1h"},
		{"no end", table, "confirmations: 3\n", "confirmations: 0\n", "(BTC): confirmations is 0; accepted: 1 or more"},
		{"a link to nowhere", table, "bscscan.com/tx/{hash}", "bscscan.com/tx/", "(BSC): transaction_link is"},
		{"an unknown currency", table, bnb, "{currency: BNX, decimals: 18}", `BSC assets row 1 (BNX): currency "BNX" does not have`},
		{"a currency of other networks", table, bnb, "{currency: BTC, decimals: 8}", `BSC assets row 1 (BTC): currency "BTC" does not`},
		{
			"a currency that left the network", currencies, "code: BNB, name: BNB, decimals: 8, rank: 5, networks: [BSC]",
			"code: BNB, name: BNB, decimals: 8, rank: 5, networks: [ETH]", `BSC assets row 1 (BNB): currency "BNB" does not have`,
		},
		{"a currency twice", table, bnb, bnb + "\n      - " + bnb, "BSC assets row 2 (BNB): is there twice"},
		{"a contract twice", table, usdc, strings.ReplaceAll(usdc, "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d",
			"0x55D398326f99059fF775485246999027B3197955"), "BSC assets row 3 (USDC): has the contract of USDT"},
		{"a contract without a source", table, usdc, usdc + "\"\"}\n      # ", "BSC assets row 3 (USDC): contract is"},
		{"no coin", table, "      - " + bnb + "\n", "", "chains row 2 (BSC): assets lacks the coin of the network"},
		{"too many decimals", table, bnb, "{currency: BNB, decimals: 19}", "(BNB): decimals is 19; accepted: 0 to 18"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := loadWith(t, map[string]string{c.file: edited(t, c.file, c.old, c.with)})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
