package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	segwit = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	wif    = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ" // a secret key
	aptos  = "0xeeff357ea5c1a4e7bc11b2b17ff2dc2dcca69750bfef1e1ebcaccf8c8018175b"
)

// run executes a command with standard input, and returns its standard output.
func run(t *testing.T, in string, args ...string) (stdout string, err error) {
	t.Helper()
	stdout, _, err = runBoth(t, in, args...)
	return stdout, err
}

// runBoth runs a command and returns both outputs.
func runBoth(t *testing.T, in string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	root := Group("causeway", "", Commands(Build{Version: "test"})...)
	root.SilenceErrors, root.SilenceUsage = true, true
	var out, notes bytes.Buffer
	root.SetIn(strings.NewReader(in))
	root.SetOut(&out)
	root.SetErr(&notes)
	root.SetArgs(args)
	err = Execute(t.Context(), root)
	return out.String(), notes.String(), err
}

func TestValidate(t *testing.T) {
	t.Parallel()
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
		{[]string{"BTC", segwit, "-o", "json"}, 0, `"valid": true`},
		{[]string{"BTC", "bitcoin:" + segwit + "?amount=0.5&label=Ada"}, 0, "link: amount  0.5\nlink: label   Ada"},
		{[]string{"BTC", "bitcoin:" + segwit + "?amount=0.5", "-o", "json"}, 0, `"amount": "0.5"`},
		{[]string{"BTC", "bitcoin:" + segwit + "?req-x=1"}, 1, "payment_uri_required_parameter"},
		{[]string{"BTC", "bitcoin:" + wif}, 1, "secret_key"},
		{[]string{"NOPE", segwit}, 2, ""},
		{[]string{"BTC", segwit, "--network", "TRX"}, 2, ""},
		{[]string{"BTC", segwit, "--networks", "BTC"}, 2, ""},
		{[]string{"BTC", segwit, "-o", "xml"}, 2, ""},
		{[]string{"--file", "/nowhere.csv"}, 2, ""},
		{[]string{"--file", "-"}, 2, ""}, // empty
		{[]string{"--file", "-", "BTC"}, 2, ""},
		{[]string{"--file", "-", "-o", "json"}, 2, ""},
		{[]string{"BTC"}, 2, ""},
		{[]string{wif, "BTC"}, 2, ""}, // swapped
	} {
		out, err := run(t, "", append([]string{"validate"}, c.args...)...)
		if ExitCode(err) != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%v: exit code %d, %v, want %d and %q in\n%s", c.args, ExitCode(err), err, c.code, c.want, out)
		}
		if strings.Contains(strings.ToUpper(out+fmt.Sprint(err)), strings.ToUpper(wif[:40])) {
			t.Errorf("%v: a secret is shown: %s %v", c.args, out, err)
		}
	}
}

func TestValidate_CSV(t *testing.T) {
	t.Parallel()
	list := "\ufeffid,Currency,address,memo,network,note\n" +
		"1,BTC," + segwit + ",,,\n" +
		"2,xrp,rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh,99,,\n" +
		"3,BTC," + wif + ",,,\n" +
		"4,planted,x,,,\n" +
		"5,ETH,\"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\n\",,,\n" +
		"6,BTC," + segwit + "\n" +
		"7,BTC," + segwit + ",,,one,too many\n" +
		"8," + wif + "," + segwit + ",,,\n" +
		"9,BTC,a \"quote,,,\n" +
		"10,BTC," + segwit + ",,planted,\n" +
		"11,BTC," + segwit + ",,," + wif + "\n" +
		"12,APT," + aptos + ",,,\n" +
		"13,NOPE," + wif + ",,,\n" +
		"14,BTC,bitcoin:" + wif + ",,,\n" +
		"15,XRP,ripple:rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh?amount=10&dt=0,,,\n"
	path := filepath.Join(t.TempDir(), "list.csv")
	if err := os.WriteFile(path, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := run(t, "", "validate", "--file", path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 16 {
		t.Fatalf("%v, %d rows:\n%s", err, len(rows), out)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	for i, want := range []struct{ address, valid, reason, failed string }{
		{segwit, "true", "", ""},
		{"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "true", "", ""},
		{mask, "false", "secret_key", ""},
		{"x", "", "", "currency is not supported; accepted: USDT, USDC"},
		{"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\n", "false", "whitespace", ""},
		{segwit, "true", "", ""},
		{segwit, "", "", "the row has 7 fields, the header 6"},
		{segwit, "", "", "may be a secret key"},
		{"", "", "", "the row cannot be read"},
		{segwit, "", "", "network is not a network we know"},
		{segwit, "true", "", ""},
		{aptos, "true", "", ""}, // 64 hexadecimal digits are an address here
		{mask, "", "", "currency is not supported"},
		{mask, "false", "secret_key", ""},
		{"ripple:rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh?amount=10&dt=0", "true", "", ""},
	} {
		row := rows[i+1]
		failed := row[column("error")]
		if row[column("address")] != want.address || row[column("valid")] != want.valid || row[column("reason")] != want.reason || !strings.Contains(failed, want.failed) || strings.Contains(failed, "planted") {
			t.Errorf("row %d: %q, want %+v", i+1, row, want)
		}
		if row[0] != fmt.Sprint(i+1) && want.address != "" {
			t.Errorf("row %d lost its own column: %q", i+1, row)
		}
	}
	if strings.Contains(out, wif) {
		t.Error("a secret is shown")
	}
	if last := rows[len(rows)-1]; last[column("payment_amount")] != "10" || last[column("payment_memo")] != "0" ||
		last[column("normalized")] != "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh" {
		t.Errorf("the row of a payment link: %q", last)
	}
}

func TestValidate_JSON(t *testing.T) {
	t.Parallel()
	list := `{"currency":"BTC","address":"` + segwit + `","note":{"a":1}}` + "\n\n" +
		`{"currency":"XRP","address":"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh","memo":"1e3"}` + "\n" +
		`{"currency":"BTC","address":"` + wif + `"}` + "\n" +
		`{"currency":"BTC","address":"` + segwit + `","memo":"` + wif + `"}` + "\n" +
		`{"currency":"BTC","address":"` + segwit + `","notes":["a \"b\"",{"k":"\u0035` + wif[1:] + `"}],"` + wif + `":1 }` + "\n" +
		`{"currency":"BTC","address":7}` + "\n" + `not json` + "\n{}\n" +
		`{"currency":"planted","address":"` + segwit + `"}` + "\n" +
		`{"currency":"BTC","address":"bitcoin:` + segwit + `?amount=1&label=a%20b"}` + "\n" +
		`{"currency":"BTC","address":"bitcoin:` + segwit + `?label=%35` + wif[1:] + `"}` + "\n"
	out, err := run(t, list, "validate", "--file", "-")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	wants := []string{
		`"note":{"a":1},"verdict":{"valid":true`, `"reason":"memo_not_a_number"`, `"address":"****","verdict":{"valid":false`, `"memo":"****","verdict":{"valid":false`,
		`"notes":["a \"b\"",{"k":"****"}],"****":1,"verdict":{"valid":true`,
		`{"verdict":{"error":"the line is not a JSON object`, `{"verdict":{"error":"the line is not a JSON object`, `{"verdict":{"error":"currency is required`,
		`"verdict":{"error":"currency is not supported`,
		`"payment":{"address":"` + segwit + `","network":"BTC","currency":"BTC","amount":"1","label":"a b"}`,
		`{"currency":"BTC","address":"****","verdict":{"valid":false,"network":"BTC","reason":"secret_key"`,
	}
	if len(lines) != len(wants) {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	for i, want := range wants {
		if !strings.Contains(lines[i], want) || !json.Valid([]byte(lines[i])) {
			t.Errorf("line %d: %s, want %s", i+1, lines[i], want)
		}
	}
	if strings.Contains(out, wif[1:]) {
		t.Error("a secret is shown")
	}
}

// TestValidate_UnusableList checks lists that are refused. No error shows "planted".
func TestValidate_UnusableList(t *testing.T) {
	t.Parallel()
	for want, list := range map[string]string{
		"lacks the columns currency and address": "planted," + segwit + "\n",
		"has a column error":                     "currency,address,Error\nBTC," + segwit + ",planted\n",
		"line 2 has a member verdict":            "{}\n" + `{"currency":"BTC","address":"planted","verdict":true}` + "\n",
		"a line is longer than":                  "{" + strings.Repeat(" planted", maxLine/8),
	} {
		_, err := run(t, list, "validate", "--file", "-")
		if ExitCode(err) != exitUsage || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "planted") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestProgressBar(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	bar := &progressBar{Reader: strings.NewReader(strings.Repeat("x", 1000)), out: &out, size: 500} // grew since
	for range 4 {
		if _, err := bar.Read(make([]byte, 250)); err != nil {
			t.Fatal(err)
		}
	}
	half, full := strings.Repeat("#", 25), strings.Repeat("#", 50)
	if want := "\r[" + half + strings.Repeat(" ", 25) + "]  50 %\r[" + full + "] 100 %"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
