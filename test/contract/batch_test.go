package contract_test

import (
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
		`null`,
		question(t, "currency", "BTC", "address", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"),
		question(t, "currency", "BTC", "network", "SOLANA", "address", "x"),
	}
	got := validateAll(t, items...)
	for _, i := range []int{0, 2} {
		if one := data[verdict](t, send(t, http.MethodPost, "/v1/validate", items[i])); !reflect.DeepEqual(got[i].verdict, one) || got[i].Error != nil {
			t.Errorf("in a batch %+v, alone %+v", got[i], one)
		}
	}
	if got[1].Error == nil || got[1].Error.Name != "bad_request" || len(got[1].Fields) > 0 {
		t.Errorf("null: %+v, want bad_request", got[1])
	}
	if got[3].Error == nil || got[3].Error.Name != "request_validation" || len(got[3].Fields["network"]) != 1 {
		t.Errorf("a network that does not carry the currency: %+v, want an error of network", got[3])
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
	for name, body := range map[string]string{"1001 items": batch(slices.Repeat([]string{one}, 1001)...), "no items": batch(), "items missing": `{}`} {
		t.Run(name, func(t *testing.T) { wantFieldErrors(t, send(t, http.MethodPost, batchPath, body), "items") })
	}
	big := batch(one) + strings.Repeat(" ", 1<<20)
	wantError(t, send(t, http.MethodPost, batchPath, big), 413, "payload_too_large")
	if r := send(t, http.MethodPost, batchPath, big[:1<<20]); r.Status != http.StatusOK {
		t.Errorf("exactly 1 MiB: %d %.300s", r.Status, r.Body)
	}
	wantError(t, driver.Get(t, sandbox.API+batchPath), 405, "method_not_allowed")
}
