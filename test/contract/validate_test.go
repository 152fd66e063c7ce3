package contract_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

type verdict struct {
	Address, Network    string
	Valid               bool
	Reason, Normalized  string
	Format, Environment string
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

func batch(items ...string) string { return `{"items":[` + strings.Join(items, ",") + `]}` }

func validateAll(t *testing.T, items ...string) []verdict {
	t.Helper()
	got := data[[]verdict](t, send(t, http.MethodPost, batchPath, batch(items...)))
	if len(got) != len(items) {
		t.Fatalf("%d answers to %d items", len(got), len(items))
	}
	return got
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
