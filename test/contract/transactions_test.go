package contract_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

type balance struct {
	Currency                  string
	Pending, Available, Total struct{ Amount, Currency string }
}

// TestTransactions_NothingReceived checks what a user without transactions sees: an empty page and zeros.
func TestTransactions_NothingReceived(t *testing.T) {
	t.Parallel()
	var page struct {
		Data       []any
		Pagination map[string]json.RawMessage
	}
	r := get(t, "/v1/transactions", "X-BU-PROFILE-ID", "new")
	if err := json.Unmarshal(r.Body, &page); err != nil || page.Data == nil || len(page.Data) != 0 ||
		len(page.Pagination) != 1 || string(page.Pagination["current_entries_size"]) != "0" {
		t.Errorf("got %d %s, want an empty page of size 0, a number", r.Status, r.Body)
	}
	if r.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("Cache-Control is %s", r.Header.Get("Cache-Control"))
	}
	for _, target := range []string{"/v1/balances/usdt", "/v1/balances/BTC?fiat=NGN"} {
		b := data[balance](t, get(t, target, "X-BU-PROFILE-ID", "new"))
		if b.Pending.Amount != "0" || b.Available.Amount != "0" || b.Total.Amount != "0" || b.Total.Currency != b.Currency {
			t.Errorf("%s: got %+v, want zeros", target, b)
		}
	}
	if list := data[[]balance](t, get(t, "/v1/balances?currency=BTC")); len(list) != 1 || list[0].Currency != "BTC" {
		t.Errorf("got %+v, want the balance in BTC alone", list)
	}
}

func TestTransactions_Errors(t *testing.T) {
	t.Parallel()
	for target, field := range map[string]string{
		"/v1/transactions?currency=NOPE": "currency", "/v1/transactions?network=NOPE": "network", "/v1/transactions?status=done": "status",
		"/v1/transactions?sort=newest": "sort", "/v1/transactions?limit=101": "limit",
		"/v1/balances?currency=NGN": "currency", "/v1/balances?fiat=BTC": "fiat", "/v1/balances/BTC?fiat=NOPE": "fiat",
	} {
		wantFieldErrors(t, get(t, target), field)
	}
	for _, target := range []string{"/v1/transactions/tx_1", "/v1/transactions/" + strings.Repeat("t", 99), "/v1/balances/NOPE", "/v1/balances/NGN"} {
		wantError(t, get(t, target), http.StatusNotFound, "not_found")
	}
}
