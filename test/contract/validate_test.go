package contract_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/test/driver"
)

type verdict struct {
	Type             string   `json:"type"`
	Address          string   `json:"address"`
	Currency         string   `json:"currency"`
	Network          string   `json:"network"`
	Memo             *string  `json:"memo"`
	Valid            bool     `json:"valid"`
	Reason           string   `json:"reason"`
	Message          string   `json:"message"`
	Warnings         []string `json:"warnings"`
	Format           string   `json:"format"`
	Environment      string   `json:"environment"`
	Checksum         *bool    `json:"checksum"`
	Normalized       string   `json:"normalized"`
	PossibleNetworks []string `json:"possible_networks"`
}

// question is the body of a validation from names and values in turn.
func question(t *testing.T, fields ...string) string {
	t.Helper()
	body := map[string]string{"type": "address"}
	for i := 0; i+1 < len(fields); i += 2 {
		body[fields[i]] = fields[i+1]
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func validate(t *testing.T, fields ...string) verdict {
	t.Helper()
	return data[verdict](t, send(t, http.MethodPost, "/v1/validate", question(t, fields...)))
}

func TestValidate_ValidAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		currency, network, address, answered, format, environment string
		checksum                                                  bool
	}{
		{"BTC", "", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "BTC", "p2wpkh", "mainnet", true},
		{"BTC", "BITCOIN", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "BTC", "p2pkh", "mainnet", true},
		{"btc", "", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", "BTC", "p2tr", "mainnet", true},
		{"ETH", "", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "ETH", "eip55", "any", true},
		{"USDT", "TRC20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "TRX", "", "", true},
		{"USDT", "ERC20", "0xdAC17F958D2ee523a2206206994597C13D831ec7", "ETH", "eip55", "any", true},
		{"SOL", "", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "SOL", "", "", false},
		{"XRP", "", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "XRP", "", "", true},
		{"XLM", "", "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ", "XLM", "", "", true},
		{"LTC", "", "LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1", "LTC", "p2pkh", "mainnet", true},
		{"TON", "", "EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs", "TON", "", "any", true},
	} {
		v := validate(t, "currency", c.currency, "network", c.network, "address", c.address)
		if !v.Valid || v.Reason != "" || v.Network != c.answered || v.Address != c.address || v.Currency != strings.ToUpper(c.currency) || v.Normalized == "" || v.Type != "address" {
			t.Errorf("%s %s: %+v", c.currency, c.address, v)
			continue
		}
		if c.format != "" && v.Format != c.format || c.environment != "" && v.Environment != c.environment || v.Checksum == nil || *v.Checksum != c.checksum {
			t.Errorf("%s %s: format %s, environment %s, checksum %v", c.currency, c.address, v.Format, v.Environment, v.Checksum)
		}
		if again := validate(t, "currency", c.currency, "network", v.Network, "address", v.Normalized); !again.Valid || again.Normalized != v.Normalized {
			t.Errorf("%s: the normalised form %s became %+v", c.currency, v.Normalized, again)
		}
		if v.Memo != nil {
			t.Errorf("a memo that was not sent: %q", *v.Memo)
		}
	}
}

func TestValidate_InvalidAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ currency, address, reason string }{
		{"BTC", "", "empty"},
		{"BTC", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", "bad_checksum"},
		{"BTC", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4 ", "whitespace"},
		{"BTC", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4\n", "whitespace"},
		{"BTC", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t４", "not_ascii"},
		{"BTC", strings.Repeat("1", 500), "too_long"},
		{"BTC", "bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=1", "payment_uri"},
		{"ETH", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", "bad_checksum"},
		{"ETH", "vitalik.eth", "name_not_address"},
		{"ETH", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "wrong_network"},
		{"TRX", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "wrong_network"},
		{"BTC", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "wrong_network"},
	} {
		v := validate(t, "currency", c.currency, "address", c.address)
		if v.Valid || v.Reason != c.reason || len(v.Message) < 10 {
			t.Errorf("%s %.60q: %+v, want %s", c.currency, c.address, v, c.reason)
		}
		if page := driver.Get(t, sandbox.API+"/errors/"+c.reason); page.Status != 200 || !strings.Contains(string(page.Body), c.reason) {
			t.Errorf("/errors/%s answers %d", c.reason, page.Status)
		}
	}
	if v := validate(t, "currency", "ETH", "address", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"); !slices.Contains(v.PossibleNetworks, "TRX") {
		t.Errorf("possible networks %v", v.PossibleNetworks)
	}
}

func TestValidate_SecretsMasked(t *testing.T) {
	t.Parallel()
	for currency, secret := range map[string]string{
		"BTC": "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ",
		"XLM": "SB7BVQG3DHZ5KXGW5PEF4NF4VRY6F7KPQ53HAE5LTKZBPGBVEHNXUJUX",
		"ETH": "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
	} {
		r := send(t, http.MethodPost, "/v1/validate", question(t, "currency", currency, "address", secret))
		v := data[verdict](t, r)
		if strings.Contains(string(r.Body), secret) || v.Valid {
			t.Errorf("%s: a secret was echoed or judged valid: %s", currency, r.Body)
		}
		if v.Reason != "secret_key" {
			t.Errorf("%s: reason %s", currency, v.Reason)
		}
		if strings.Contains(sandbox.Log(), secret) {
			t.Error("a secret is in the log")
		}
	}
}

func TestValidate_Memos(t *testing.T) {
	t.Parallel()
	const xrp, xlm = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"
	for _, c := range []struct {
		currency, address, memo, kind string
		valid                         bool
		code                          string
	}{
		{"XRP", xrp, "4294967295", "", true, ""},
		{"XRP", xrp, "4294967296", "", false, "memo_out_of_range"},
		{"XRP", xrp, "1e3", "", false, "memo_not_a_number"},
		{"XRP", xrp, "-1", "", false, "memo_not_a_number"},
		{"XLM", xlm, strings.Repeat("a", 28), "", true, ""},
		{"XLM", xlm, strings.Repeat("é", 15), "", false, "memo_too_long"},
		{"XLM", xlm, "12", "id", true, ""},
		{"XLM", xlm, "abc", "id", false, "memo_not_a_number"},
		{"BTC", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "anything", "", true, "memo_ignored"},
	} {
		v := validate(t, "currency", c.currency, "address", c.address, "memo", c.memo, "memo_type", c.kind)
		if v.Valid != c.valid || v.Memo == nil || *v.Memo != c.memo {
			t.Errorf("%+v: %+v", c, v)
		}
		if c.code != "" && v.Reason != c.code && !slices.Contains(v.Warnings, c.code) {
			t.Errorf("%+v: %+v", c, v)
		}
	}
	if v := validate(t, "currency", "XRP", "address", xrp); !v.Valid || !slices.Contains(v.Warnings, "memo_recommended") {
		t.Errorf("XRP without a tag: %+v", v)
	}
}

func TestValidate_FieldErrors(t *testing.T) {
	t.Parallel()
	address := "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	for _, c := range []struct {
		body   string
		fields []string
	}{
		{`{}`, []string{"type", "address", "currency"}},
		{question(t, "currency", "BTC", "address", address, "type", "iban"), []string{"type"}},
		{question(t, "currency", "NOPE", "address", address), []string{"currency"}},
		{question(t, "currency", "NGN", "address", address), []string{"currency"}},
		{question(t, "currency", "BTC", "network", "SOLANA", "address", address), []string{"network"}},
		{question(t, "currency", "USDT", "network", "NOPE", "address", address), []string{"network"}},
		{question(t, "currency", "BTC", "address", strings.Repeat("a", 513)), []string{"address"}},
		{`{"type":"address","currency":"BTC","address":null}`, []string{"address"}},
		{`{"type":"address","currency":"BTC","address":123}`, []string{"address"}},
		{`{"type":"address","currency":["BTC"],"address":7}`, []string{"currency", "address"}},
	} {
		wantFieldErrors(t, send(t, http.MethodPost, "/v1/validate", c.body), c.fields...)
	}
	supported := data[[]struct{ Code, Type string }](t, get(t, "/v1/currencies"))
	for _, code := range []string{"", "NOPE", "NGN"} {
		f := wantFieldErrors(t, send(t, http.MethodPost, "/v1/validate", question(t, "currency", code, "address", address, "type", "")), "type", "currency")
		said := f.Fields["currency"][0].Reason
		for _, c := range supported {
			if c.Type != "fiat" && !strings.Contains(said, " "+c.Code+",") && !strings.Contains(said, " "+c.Code+".") {
				t.Errorf("%q is not answered with %s: %s", code, c.Code, said)
			}
		}
		if said := f.Fields["type"][0].Reason; said != "is required; accepted: address" {
			t.Errorf("an empty type: %s", said)
		}
	}
	f := wantFieldErrors(t, send(t, http.MethodPost, "/v1/validate", question(t, "currency", "USDT", "network", "BTC", "address", address)), "network")
	if !strings.Contains(f.Error.Message, "TRX") {
		t.Errorf("the message does not list the networks that carry it: %s", f.Error.Message)
	}
}

// TestValidate_Testnets checks that only a sandbox accepts addresses of test networks.
func TestValidate_Testnets(t *testing.T) {
	t.Parallel()
	const address = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"
	v := validate(t, "currency", "BTC", "address", address)
	switch inSandbox := !production; {
	case v.Valid != inSandbox, v.Environment != "testnet", !inSandbox && v.Reason != "wrong_environment", inSandbox && (v.Network != "BTC" || v.Format != "p2wpkh" || v.Normalized != address):
		t.Errorf("in a sandbox (%t): %+v", inSandbox, v)
	}
}
