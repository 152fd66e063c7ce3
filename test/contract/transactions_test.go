package contract_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"causeway/test/driver"
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

type transaction struct {
	ID, Object, Type, Status, Amount, Currency, Network string
	ProfileID                                           string `json:"profile_id"`
	Required                                            int    `json:"confirmations_required"`
	Meta                                                struct {
		Source struct {
			Address, Hash string
			Confirmations int
		}
	}
}

// TestTransactions_Received checks pages, filters and the balance of a user with two deposits.
func TestTransactions_Received(t *testing.T) {
	t.Parallel()
	const user = "receives"
	as := []string{"X-BU-PROFILE-ID", user}
	change := func(what, body string) {
		r := driver.Do(t, http.MethodPost, sandbox.Operator+"/_sim/v1/worlds/default/chains/BSC/"+what, body)
		if r.Status/100 != 2 {
			t.Fatalf("%s: %d %s", what, r.Status, r.Body)
		}
	}
	change("transfers", `{"profile_id":"`+user+`","currency":"USDT","amount":"10.5"}`)
	change("mine", `{"blocks":15}`)
	change("transfers", `{"profile_id":"`+user+`","currency":"BNB","amount":"0.000000000000000001"}`)
	change("mine", `{}`)
	page := func(query string) (items []transaction, next string) {
		t.Helper()
		var got struct {
			Data       []transaction
			Pagination struct {
				Next string `json:"next_cursor"`
				Size int    `json:"current_entries_size"`
			}
		}
		unmarshal(t, get(t, "/v1/transactions?"+query, as...), &got)
		if got.Pagination.Size != len(got.Data) {
			t.Errorf("%s: the page of %d transactions has the size %d", query, len(got.Data), got.Pagination.Size)
		}
		return got.Data, got.Pagination.Next
	}
	newest, next := page("limit=1")
	oldest, end := page("limit=1&cursor=" + url.QueryEscape(next))
	if len(newest) != 1 || len(oldest) != 1 || next == "" || end != "" || newest[0].Currency != "BNB" || newest[0].Status != "pending" ||
		newest[0].Amount != "0.000000000000000001" {
		t.Fatalf("got %+v, then %+v, then %q", newest, oldest, end)
	}
	first := oldest[0]
	if first.Status != "completed" || first.Amount != "10.5" || first.Meta.Source.Confirmations != first.Required || first.ProfileID != user ||
		!validate(t, "currency", "USDT", "network", "BSC", "address", first.Meta.Source.Address).Valid {
		t.Errorf("got %+v", first)
	}
	if got, _ := page("currency=usdt&network=bsc&status=completed"); len(got) != 1 {
		t.Errorf("filtered: got %+v, want one", got)
	}
	if got, _ := page("sort=asc"); len(got) != 2 || got[0].ID != first.ID {
		t.Errorf("oldest first: got %+v", got)
	}
	if got := data[transaction](t, get(t, "/v1/transactions/"+first.ID, as...)); got != first {
		t.Errorf("got %+v, want %+v", got, first)
	}
	wantError(t, get(t, "/v1/transactions/"+first.ID, "X-BU-PROFILE-ID", "another"), http.StatusNotFound, "not_found")
	b := data[balance](t, get(t, "/v1/balances/USDT", as...))
	if b.Available.Amount != "10.5" || b.Pending.Amount != "0" || b.Total.Amount != "10.5" {
		t.Errorf("got %+v", b)
	}
	if list := data[[]balance](t, get(t, "/v1/balances?currency=BNB", as...)); len(list) != 1 || list[0].Pending.Amount != "0.000000000000000001" {
		t.Errorf("got %+v", list)
	}
}
