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

func TestBatch_Order(t *testing.T) {
	t.Parallel()
	items := []string{
		question(t, "currency", "BTC", "address", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
		question(t, "currency", "NOPE", "address", "x"),
		question(t, "currency", "USDT", "network", "TRC20", "address", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"),
		`null`,
		`{}`,
		question(t, "currency", "BTC", "network", "SOLANA", "address", "x"),
		question(t, "currency", "BTC", "address", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"),
		`"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"`,
		question(t, "currency", "XRP", "address", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "memo", "4294967296"),
		`{"type":"address","currency":["BTC"],"address":7}`,
	}
	got := validateAll(t, items...)
	for i, fields := range [][]string{nil, {"currency"}, nil, {}, {"type", "address", "currency"}, {"network"}, nil, {}, nil, {"currency", "address"}} {
		item := got[i]
		if (item.Error != nil) != (fields != nil) || len(item.Fields) != len(fields) {
			t.Errorf("%s: %+v", items[i], item)
			continue
		}
		if item.Error == nil {
			var one verdict
			if unmarshal(t, send(t, http.MethodPost, "/v1/validate", items[i]), &struct{ Data *verdict }{&one}); !reflect.DeepEqual(item.verdict, one) {
				t.Errorf("%s: in a batch %+v, alone %+v", items[i], item.verdict, one)
			}
			continue
		}
		name := "request_validation"
		if len(fields) == 0 {
			name = "bad_request"
		}
		if item.Error.Name != name || len(item.Error.Message) < 10 {
			t.Errorf("%s: %+v", items[i], item.Error)
		}
		for _, field := range fields {
			if len(item.Fields[field]) == 0 || item.Fields[field][0].Reason == "" {
				t.Errorf("%s: %s is not named: %+v", items[i], field, item.Fields)
			}
		}
	}
}

func TestBatch_Limits(t *testing.T) {
	t.Parallel()
	one := question(t, "currency", "BTC", "address", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")
	for _, item := range validateAll(t, slices.Repeat([]string{one}, 1000)...) {
		if !item.Valid {
			t.Fatalf("got %+v", item)
		}
	}
	for name, body := range map[string]string{
		"1001 items": batch(slices.Repeat([]string{one}, 1001)...), "no items": batch(), "items missing": `{}`, "items null": `{"items":null}`, "items an object": `{"items":{}}`,
	} {
		f := wantFieldErrors(t, send(t, http.MethodPost, batchPath, body), "items")
		if !strings.Contains(f.Error.Message, "items ") {
			t.Errorf("%s: %s", name, f.Error.Message)
		}
	}
	big := batch(one) + strings.Repeat(" ", 1<<20)
	wantError(t, send(t, http.MethodPost, batchPath, big), 413, "payload_too_large")
	if r := send(t, http.MethodPost, batchPath, big[:1<<20]); r.Status != http.StatusOK {
		t.Errorf("exactly 1 MiB: %d %.300s", r.Status, r.Body)
	}
	wantError(t, send(t, http.MethodPost, batchPath, "["+one+"]"), 400, "bad_request")
	wantError(t, driver.Get(t, sandbox.API+batchPath), 405, "method_not_allowed")
}

func TestBatch_SecretsMasked(t *testing.T) {
	t.Parallel()
	secrets := []string{
		"5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ",
		"SB7BVQG3DHZ5KXGW5PEF4NF4VRY6F7KPQ53HAE5LTKZBPGBVEHNXUJUX",
		"abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
	}
	var items []string
	for _, secret := range secrets {
		for _, currency := range []string{"BTC", "ETH", "XLM", "USDT"} {
			items = append(items, question(t, "currency", currency, "address", secret))
		}
	}
	r := send(t, http.MethodPost, batchPath, batch(items...))
	for i, item := range data[[]judged](t, r) {
		if item.Valid || item.Reason != "secret_key" {
			t.Errorf("%s: %+v", items[i], item)
		}
	}
	for _, secret := range secrets {
		if text, _ := json.Marshal(secret); strings.Contains(string(r.Body), string(text)) || strings.Contains(sandbox.Log(), secret) {
			t.Errorf("a secret is in the answer or the log: %.8s…", secret)
		}
	}
}
