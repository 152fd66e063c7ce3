package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// try runs the command with the given arguments and standard input.
func try(t *testing.T, in string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := validateCommand()
	cmd.SetArgs(args)
	cmd.SetIn(strings.NewReader(in))
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	err := cmd.Execute()
	return out.String(), err
}

func TestValidateOneAddress(t *testing.T) {
	t.Parallel()
	const segwit, wif = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"btc", segwit}, 0, "p2wpkh"},
		{[]string{"ETH", segwit}, 1, "NOT valid: wrong_network"},
		{[]string{"USDT", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "--network", "TRC20"}, 0, "TRX"},
		{[]string{"XRP", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "--memo", "1e3"}, 1, "memo_not_a_number"},
		{[]string{"XLM", "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ", "--memo", "12", "--memo-type", "id"}, 0, "valid"},
		{[]string{"BTC", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"}, 1, "wrong_environment"},
		{[]string{"BTC", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "--testnet"}, 0, "testnet"},
		{[]string{"BTC", wif}, 1, "secret_key"},
		{[]string{"BTC", segwit, "--json"}, 0, `"valid":true`},
		{[]string{"NOPE", segwit}, 2, ""},
		{[]string{"BTC", segwit, "--network", "TRX"}, 2, ""},
		{[]string{"--file", "/nowhere.csv"}, 2, ""},
		{[]string{"--file", "-"}, 2, ""}, // empty
		{[]string{"BTC"}, 2, ""},
		{[]string{wif, "BTC"}, 2, ""}, // the wrong way round
	} {
		out, err := try(t, "", c.args...)
		if ExitCode(err) != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%v: exit code %d, %v, want %d and %q in\n%s", c.args, ExitCode(err), err, c.code, c.want, out)
		}
		if strings.Contains(strings.ToUpper(out+fmt.Sprint(err)), strings.ToUpper(wif[:40])) {
			t.Errorf("%v: a secret is repeated: %s %v", c.args, out, err)
		}
	}
}

func TestValidateACSVList(t *testing.T) {
	t.Parallel()
	const wif = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"
	list := "\ufeffid,Currency,address,memo\n" +
		"1,BTC,bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4,\n" +
		"2,xrp,rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh,99\n" +
		"3,BTC," + wif + ",\n" +
		"4,NOPE,x,\n" +
		"5,ETH,\"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\n\",\n" +
		"6,BTC,bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4\n" +
		"7,BTC,bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4,,one,too many\n" +
		"8," + wif + ",bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4,\n" +
		"9,BTC,a \"quote,\n"
	path := filepath.Join(t.TempDir(), "list.csv")
	if err := os.WriteFile(path, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := try(t, "", "--file", path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 10 {
		t.Fatalf("%v, %d rows:\n%s", err, len(rows), out)
	}
	columns := map[string]int{}
	for i, name := range rows[0] {
		columns[name] = i
	}
	for i, want := range []struct{ valid, reason, failed string }{
		{"true", "", ""},
		{"true", "", ""},
		{"false", "secret_key", ""},
		{"", "", "is not supported; accepted: USDT, USDC"},
		{"false", "whitespace", ""},
		{"true", "", ""},
		{"", "", "the row has 6 fields, the header 4"},
		{"", "", "may be a secret key"},
		{"", "", "the row cannot be read"},
	} {
		row := rows[i+1]
		if row[columns["valid"]] != want.valid || row[columns["reason"]] != want.reason || !strings.Contains(row[columns["error"]], want.failed) {
			t.Errorf("row %d: %q, want %+v", i+1, row, want)
		}
		if row[0] != string(rune('1'+i)) && want.failed != "the row cannot be read" {
			t.Errorf("row %d lost its own column: %q", i+1, row)
		}
	}
	if strings.Contains(out, wif) {
		t.Error("a secret is repeated")
	}
	if _, err := try(t, "a,b\n1,2\n", "--file", "-"); err == nil || !strings.Contains(err.Error(), "lacks the columns currency and address") {
		t.Errorf("a list without the columns: %v", err)
	}
}

func TestValidateAJSONList(t *testing.T) {
	t.Parallel()
	const wif = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"
	list := `{"currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4","note":{"a":1}}` + "\n\n" +
		`{"currency":"XRP","address":"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh","memo":"1e3"}` + "\n" +
		`{"currency":"BTC","address":"` + wif + `"}` + "\n" +
		`{"currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4","memo":"` + wif + `"}` + "\n" +
		`{"currency":"BTC","address":7}` + "\n" + `not json` + "\n{}\n"
	out, err := try(t, list, "--file", "-")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 7 {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	for i, want := range []string{
		`"note":{"a":1},"verdict":{"valid":true`, `"reason":"memo_not_a_number"`, `"reason":"secret_key"`, `"valid":false,"network":"BTC","reason":"secret_key","message":"The memo`,
		`"verdict":{"error":"the line is not a JSON object`, `"verdict":{"error":"the line is not a JSON object`, `"verdict":{"error":`, // which is no verdict: neither valid nor not
	} {
		if !strings.Contains(lines[i], want) || !json.Valid([]byte(lines[i])) {
			t.Errorf("line %d: %s, want %s", i+1, lines[i], want)
		}
	}
	if strings.Contains(out, wif) {
		t.Error("a secret is repeated")
	}
}
