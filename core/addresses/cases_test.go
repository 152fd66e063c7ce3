package addresses_test

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/core/addresses"
)

//go:embed testdata/cases.jsonl
var casesFile []byte

// aCase is one line of testdata/cases.jsonl.
type aCase struct {
	ID, Currency, Network, Address, Why string
	Memo                                *string
	MemoType                            string `json:"memo_type"`
	Valid, Disputed                     bool
}

// notYet are the networks of the cases that have no row yet, with the number of their cases.
var notYet = map[string]int{
	"acala": 9, "aeternity": 22, "agoric": 2, "aion": 11, "akash": 8, "algorand": 28, "aptos": 35,
	"arweave": 12, "astar": 9, "avalanche-p": 12, "avalanche-x": 13, "axelar": 9, "babylon": 8, "band": 8,
	"bitcoin-cash": 88, "bitcoin-cash-testnet": 25, "bitcoin-gold": 24, "bitcoin-sv": 23, "bittensor": 15,
	"bnb-beacon": 24, "cardano": 63, "cardano-testnet": 31, "casper": 29, "celestia": 8, "centrifuge": 6,
	"chia": 14, "conflux": 11, "coreum": 6, "cosmoshub": 35, "cronos-pos": 13, "dash": 21, "dash-testnet": 12,
	"decred": 25, "digibyte": 30, "dogecoin": 25, "dogecoin-testnet": 14, "dydx": 13, "dymension": 6,
	"ecash": 23, "eos": 54, "ergo": 14, "evmos": 8, "fetch": 7, "filecoin": 73, "firo": 13, "flow": 9,
	"flux": 6, "harmony": 13, "hedera": 64, "horizen": 17, "hydration": 7, "icon": 20, "icp": 31, "initia": 6,
	"injective": 18, "iota": 13, "iotex": 16, "juno": 8, "kaspa": 20, "kava": 13, "komodo": 20, "kusama": 25,
	"mayachain": 7, "mina": 16, "monacoin": 18, "monero": 33, "monero-stagenet": 6, "monero-testnet": 13,
	"multiversx": 26, "namecoin": 22, "nano": 33, "near": 49, "near-testnet": 6, "nem": 19, "neo": 35,
	"neo3": 10, "nervos": 15, "neutron": 12, "nimiq": 17, "noble": 10, "oasis": 15, "ontology": 28,
	"osmosis": 19, "peercoin": 17, "persistence": 4, "pivx": 14, "polkadot": 33, "polymesh": 9, "qtum": 25,
	"ravencoin": 13, "secret": 8, "sei": 10, "sia": 20, "stacks": 21, "stacks-testnet": 7, "stargaze": 8,
	"starknet": 15, "stride": 6, "sui": 33, "symbol": 16, "syscoin": 23, "terra": 18, "tezos": 38,
	"thorchain": 17, "verge": 14, "vertcoin": 31, "viacoin": 15, "waves": 26, "waves-testnet": 11, "wax": 17,
	"zcash": 64, "zcash-testnet": 14, "zeitgeist": 7, "zetachain": 11, "zilliqa": 22,
}

func cases(t testing.TB) []aCase {
	t.Helper()
	var list []aCase
	lines := bufio.NewScanner(bytes.NewReader(casesFile))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c aCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("cases.jsonl: %v", err)
		}
		list = append(list, c)
	}
	if len(list) != 3178 {
		t.Fatalf("got %d cases, want 3178", len(list))
	}
	return list
}

// catalog is every currency of the cases on the networks that exist and are in use.
func catalog(t testing.TB) []core.Currency {
	t.Helper()
	known := map[string]bool{}
	for _, n := range addresses.Registry() {
		known[n.Code] = n.Retired == ""
	}
	carried := map[string]map[string]bool{}
	for _, c := range cases(t) {
		if carried[c.Currency] == nil {
			carried[c.Currency] = map[string]bool{}
		}
		if code := codeOf[chain(c.Network)]; known[code] {
			carried[c.Currency][code] = true
		}
	}
	var list []core.Currency
	for code, on := range carried {
		list = append(list, core.Currency{Code: code, Type: core.Crypto, Networks: slices.Sorted(maps.Keys(on))})
	}
	return list
}

// chain is the name of a case's network without the suffix of its test networks.
func chain(network string) string {
	return strings.TrimSuffix(strings.TrimSuffix(network, "-testnet"), "-stagenet")
}

func service(t testing.TB, testnet bool) *addresses.Service {
	t.Helper()
	s, err := addresses.New(catalog(t), addresses.Policy{Testnet: testnet})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCases judges every case. One of a main network is asked of production; one of a test network is asked of the sandbox
// and is right when it is valid there and not an address of the main network alone. The rules of a retired network
// are tested too, although questions may not name it.
func TestCases(t *testing.T) {
	t.Parallel()
	production, sandbox := service(t, false), service(t, true)
	rows := map[string]addresses.Row{}
	for _, n := range addresses.Registry() {
		rows[n.Code] = n
	}
	missing := map[string]int{}
	for _, c := range cases(t) {
		row, ok := rows[codeOf[chain(c.Network)]]
		if !ok {
			missing[c.Network]++
			continue
		}
		q := core.AddressQuery{
			Currency: c.Currency, Network: row.Code, Address: core.Private(c.Address), Memo: c.Memo, MemoType: c.MemoType,
		}
		var v core.Verdict
		var err error
		switch {
		case row.Retired != "":
			if _, err := production.Validate(q); err == nil {
				t.Errorf("%s: %s is retired and was answered", c.ID, row.Code)
			}
			v = addresses.JudgeRetired(row.Code, c.Address, c.Memo)
			v.Valid = v.Valid && v.Environment != core.Testnet
		case c.Network == chain(c.Network):
			v, err = production.Validate(q)
		default:
			v, err = sandbox.Validate(q)
			v.Valid = v.Valid && v.Environment != core.Mainnet
		}
		if err != nil || v.Valid != c.Valid {
			t.Errorf("%s %s %q (%s, disputed %v): got %v %s %s %v, want %v",
				c.ID, c.Network, short(c.Address), c.Why, c.Disputed, v.Valid, v.Reason, v.Environment, err, c.Valid)
		}
	}
	if diff := cmp.Diff(notYet, missing); diff != "" {
		t.Errorf("networks without a row (-listed +found):\n%s", diff)
	}
}

func short(text string) string { return text[:min(len(text), 120)] }
