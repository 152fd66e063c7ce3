package test_test

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
)

// TestCatalog_CarriesEveryNetwork asks the service, with the catalog as it is served, about every currency on every network of the
// reference list (testdata/networks.csv), by our code and by every other name, and then every case of
// the reference cases on the main networks.
func TestCatalog_CarriesEveryNetwork(t *testing.T) {
	t.Parallel()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	judge, err := addresses.New(catalog.Currencies, addresses.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("testdata/networks.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	codes, retired := map[string]string{}, map[string]bool{}
	for _, row := range rows[1:] {
		codes[row[0]] = row[1]
		for currency := range strings.FieldsSeq(row[3]) {
			for _, name := range append(strings.Fields(row[2]), row[1], strings.ToLower(row[1])) {
				v, err := judge.Validate(core.AddressQuery{Currency: currency, Network: name, Address: "x"})
				if err != nil && strings.Contains(err.Error(), "retired") {
					retired[row[1]] = true
				} else if err != nil || v.Network != row[1] && row[1] != "NEOLEGACY" {
					t.Errorf("%s on %s: %v, answered %s, want %s", currency, name, err, v.Network, row[1])
				}
			}
		}
	}
	if !retired["BNBBEACON"] || len(retired) > 2 {
		t.Errorf("refused as retired: %v", retired)
	}
	right := 0
	for _, c := range cases(t) {
		code, listed := codes[c.Network]
		if !listed || retired[code] || code == "NEOLEGACY" {
			continue
		}
		v, err := judge.Validate(core.AddressQuery{Currency: c.Currency, Network: code, Address: core.Private(c.Address), Memo: c.Memo, MemoType: c.MemoType})
		const link = "a1935" // a payment link, which is accepted as the address in it
		if want := c.Valid || c.ID == link; err != nil || v.Valid != want {
			t.Errorf("%s: %s on %s %q: valid %v (%s, %v), want %v: %s", c.ID, c.Currency, code, c.Address, v.Valid, v.Reason, err, want, c.Why)
			continue
		}
		right++
	}
	if right < 2500 {
		t.Errorf("only %d cases were judged", right)
	}
	t.Logf("%d cases of the main networks judged as labelled", right)
}

// reference is a case of the reference list.
type reference struct {
	ID, Currency, Network, Address, Why string
	Memo                                *string
	MemoType                            string `json:"memo_type"`
	Valid                               bool
}

func cases(t *testing.T) []reference {
	t.Helper()
	file, err := os.Open("../core/addresses/testdata/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var out []reference
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c reference
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	if err := lines.Err(); err != nil || len(out) < 3000 {
		t.Fatalf("%d cases, %v", len(out), err)
	}
	return out
}
