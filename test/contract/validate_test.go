package contract_test

import (
	"encoding/json"
	"net/http"
	"reflect"
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

const batchPath = "/v1/validate/batch"

// judged is what becomes of one item: a verdict, or an error.
type judged struct {
	verdict
	Error  *struct{ Name, Message string }
	Fields map[string][]struct{ Reason string }
}

func batch(items ...string) string { return `{"items":[` + strings.Join(items, ",") + `]}` }

func validateAll(t *testing.T, items ...string) []judged {
	t.Helper()
	got := data[[]judged](t, send(t, http.MethodPost, batchPath, batch(items...)))
	if len(got) != len(items) {
		t.Fatalf("%d answers to %d items", len(got), len(items))
	}
	return got
}

func TestValidate_ValidAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		currency, network, address, wantNetwork, format, environment string
		checksum                                                     bool
	}{
		{"btc", "", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "BTC", "p2wpkh", "mainnet", true},
		{"ETH", "", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "ETH", "eip55", "any", true},
		{"USDT", "TRC20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "TRX", "base58check", "any", true},
		{"SOL", "", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "SOL", "account", "any", false},
	} {
		t.Run(c.currency, func(t *testing.T) {
			checksum := c.checksum
			want := verdict{
				Type: "address", Address: c.address, Currency: strings.ToUpper(c.currency), Network: c.wantNetwork, Valid: true,
				Format: c.format, Environment: c.environment, Checksum: &checksum, Normalized: c.address,
			}
			got := validate(t, "currency", c.currency, "network", c.network, "address", c.address)
			if got.Warnings = nil; !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestValidate_InvalidAddresses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ currency, address, reason string }{
		"empty":             {"BTC", "", "empty"},
		"line break":        {"BTC", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4\n", "whitespace"},
		"mistyped":          {"ETH", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", "bad_checksum"},
		"another network's": {"ETH", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "wrong_network"},
	} {
		t.Run(name, func(t *testing.T) {
			v := validate(t, "currency", c.currency, "address", c.address)
			if v.Valid || v.Reason != c.reason || len(v.Message) < 10 {
				t.Errorf("got %+v, want %s", v, c.reason)
			}
			if c.reason == "wrong_network" && !slices.Contains(v.PossibleNetworks, "TRX") {
				t.Errorf("possible networks %v", v.PossibleNetworks)
			}
			if page := driver.Get(t, sandbox.API+"/errors/"+c.reason); page.Status != 200 || !strings.Contains(string(page.Body), c.reason) {
				t.Errorf("/errors/%s: got %d", c.reason, page.Status)
			}
		})
	}
}

func TestValidate_SecretsMasked(t *testing.T) {
	t.Parallel()
	const secret = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
	r := send(t, http.MethodPost, "/v1/validate", question(t, "currency", "ETH", "address", secret))
	if v := data[verdict](t, r); v.Valid || v.Reason != "secret_key" || v.Address != "****" || strings.Contains(string(r.Body), secret) {
		t.Errorf("got %s", r.Body)
	}
	if strings.Contains(sandbox.Log(), secret) {
		t.Error("the log contains the secret")
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
