package addresses_test

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
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

// links are the cases that are payment links. They are labelled as no address, and are read all the same.
var links = map[string]bool{"a1935": true}

// notYet counts the cases of networks without a row.
var notYet = map[string]int{}

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

// catalog returns the currencies of the cases with the networks in use.
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

// chain returns the network of a case without the suffix of test networks.
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

// TestCases validates every case: in production for a main network, in the sandbox for a test network.
// A test address passes if it is valid there and not an address of the main network only. The rules of
// retired networks are tested too, although requests may not name them. With -v it prints the number
// of passed cases by network.
func TestCases(t *testing.T) {
	t.Parallel()
	production, sandbox := service(t, false), service(t, true)
	rows := map[string]addresses.Row{}
	for _, n := range addresses.Registry() {
		rows[n.Code] = n
	}
	missing, tally := map[string]int{}, map[string]*outcome{}
	for _, c := range cases(t) {
		count := tally[c.Network]
		if count == nil {
			count = new(outcome)
			tally[c.Network] = count
		}
		count.cases++
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
				t.Errorf("%s: %s is retired: got no error, want one", c.ID, row.Code)
			}
			v = addresses.JudgeRetired(row.Code, c.Address, c.Memo)
			v.Valid = v.Valid && v.Environment != core.Testnet
		case c.Network == chain(c.Network):
			v, err = production.Validate(q)
		default:
			v, err = sandbox.Validate(q)
			v.Valid = v.Valid && v.Environment != core.Mainnet
		}
		if err != nil || v.Valid != (c.Valid || links[c.ID]) {
			t.Errorf("%s %s %q (%s, disputed %v): got %v %s %s %v, want %v",
				c.ID, c.Network, short(c.Address), c.Why, c.Disputed, v.Valid, v.Reason, v.Environment, err, c.Valid)
			continue
		}
		count.right++
		if c.Disputed {
			count.disputed++
		}
	}
	if diff := cmp.Diff(notYet, missing); diff != "" {
		t.Errorf("networks without a row (-listed +found):\n%s", diff)
	}
	t.Log("cases judged as labelled\n" + summary(tally))
}

// outcome counts the cases of one network.
type outcome struct{ cases, right, disputed int }

// summary returns a table of the cases by network with the total.
func summary(tally map[string]*outcome) string {
	rows, all := [][]string{{"network", "cases", "right", "of them disputed"}}, outcome{}
	row := func(name string, o *outcome) {
		rows = append(rows, []string{name, strconv.Itoa(o.cases), strconv.Itoa(o.right), strconv.Itoa(o.disputed)})
	}
	for _, name := range slices.Sorted(maps.Keys(tally)) {
		row(name, tally[name])
		all.cases += tally[name].cases
		all.right += tally[name].right
		all.disputed += tally[name].disputed
	}
	row("all", &all)
	return columns(rows)
}

func short(text string) string { return text[:min(len(text), 120)] }
