package contract_test

import (
	"net/http"
	"strings"
	"testing"

	"causeway/test/driver"
)

// A sandbox assigns deposit addresses without a key: one per user, network and world, which are valid by POST
// /v1/validate and carry the warning that no private key is known for them.
func TestDepositAddresses(t *testing.T) {
	t.Parallel()
	get := func(path string, header ...string) []any {
		t.Helper()
		return data[[]any](t, driver.Get(t, sandbox.API+path, header...))
	}
	field := func(item any, name string) string { text, _ := item.(map[string]any)[name].(string); return text }
	if list := get("/v1/addresses", "X-BU-PROFILE-ID", "new"); len(list) != 0 {
		t.Errorf("a new user has %v", list)
	}
	seen := map[string]bool{}
	for _, currency := range []string{"BTC", "LTC", "DOGE", "BCH", "ETH", "USDT", "TRX", "SOL", "XRP", "XLM", "TON", "ADA", "ATOM"} {
		items := get("/v1/addresses/"+currency, "X-BU-PROFILE-ID", "u")
		for _, item := range items {
			network, address, memo := field(item, "network"), field(item, "address"), field(item, "memo")
			if field(item, "currency") != currency || field(item, "currency_id") != currency || field(item, "chain") != network ||
				field(item, "id") == "" || field(item, "label") == "" || field(item, "created_at") == "" || seen[field(item, "id")] {
				t.Errorf("%s: %v", currency, item)
			}
			seen[field(item, "id")] = true
			body := `{"type":"address","currency":"` + currency + `","network":"` + network + `","address":"` + address + `","memo":"` + memo + `"}`
			verdict := driver.Do(t, http.MethodPost, sandbox.API+"/v1/validate", body).JSON(t)["data"].(map[string]any)
			if verdict["valid"] != true || verdict["normalized"] != address {
				t.Errorf("%s on %s: %v", currency, network, verdict)
			}
			if warnings := strings.Join(texts(item.(map[string]any)["warnings"]), " "); !strings.Contains(warnings, "simulated_address") ||
				strings.Contains(warnings, "memo_required") != (memo != "") {
				t.Errorf("%s on %s: warnings %s", currency, network, warnings)
			}
			found := driver.Get(t, sandbox.API+"/v1/addresses/owner?network="+network+"&address="+address+"&memo="+memo)
			if found.Status != http.StatusOK || found.JSON(t)["data"].(map[string]any)["profile_id"] != "u" {
				t.Errorf("owner on %s: %d %s", network, found.Status, found.Body)
			}
		}
		if again := get("/v1/addresses/"+currency, "X-BU-PROFILE-ID", "u"); field(again[0], "id") != field(items[0], "id") {
			t.Errorf("%s changed", currency)
		}
	}
	first := field(get("/v1/addresses/BTC", "Sim-World", "w1")[0], "address")
	if same := field(get("/v1/addresses/BTC", "Sim-World", "w1")[0], "address"); same != first || !strings.HasPrefix(first, "tb1") {
		t.Errorf("got %s, %s", first, same)
	}
	if other := field(get("/v1/addresses/BTC", "Sim-World", "w2")[0], "address"); other == first {
		t.Error("two worlds share an address")
	}
	if r := driver.Get(t, sandbox.API+"/v1/addresses/BTC", "X-BU-PROFILE-ID", ""); r.Status != http.StatusBadRequest {
		t.Errorf("an empty profile: got %d", r.Status)
	}
}

// texts returns a list of strings of a JSON document.
func texts(list any) (out []string) {
	items, _ := list.([]any)
	for _, item := range items {
		text, _ := item.(string)
		out = append(out, text)
	}
	return out
}
