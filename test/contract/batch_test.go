package contract_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
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

// TestBatch checks the order and the forms of the answers, with as many items as a batch may have.
func TestBatch(t *testing.T) {
	t.Parallel()
	valid := question(t, "currency", "BTC", "address", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")
	wrong := question(t, "currency", "BTC", "network", "SOLANA", "address", "x")
	items := append(slices.Repeat([]string{valid}, 998), `null`, wrong)
	got := validateAll(t, items...)
	for i, item := range got[:998] {
		if !item.Valid || item.Error != nil {
			t.Fatalf("item %d: %+v", i, item)
		}
	}
	if got[998].Error == nil || got[998].Error.Name != "bad_request" || len(got[998].Fields) > 0 {
		t.Errorf("null: %+v, want bad_request", got[998])
	}
	if got[999].Error == nil || got[999].Error.Name != "request_validation" || len(got[999].Fields["network"]) != 1 {
		t.Errorf("a network that does not carry the currency: %+v, want an error of network", got[999])
	}
	wantFieldErrors(t, send(t, http.MethodPost, batchPath, batch(append(items, valid)...)), "items")
}
