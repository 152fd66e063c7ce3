package contract_test

import (
	"net/http"
	"net/url"
	"testing"

	"causeway/test/driver"
)

type balance struct {
	Currency                  string
	Pending, Available, Total struct{ Amount, Currency string }
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

// TestTransactions_Received checks pages, filters and the balance of a user without and with two deposits.
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
	if none, next := page(""); none == nil || len(none) > 0 || next != "" {
		t.Errorf("before the first deposit: got %+v, want an empty list", none)
	}
	if b := data[balance](t, get(t, "/v1/balances/usdt?fiat=NGN", as...)); b.Pending.Amount != "0" || b.Total.Amount != "0" || b.Total.Currency != "USDT" {
		t.Errorf("before the first deposit: got %+v, want zeros", b)
	}
	change("transfers", `{"profile_id":"`+user+`","currency":"USDT","amount":"10.5"}`)
	change("mine", `{"blocks":15}`)
	change("transfers", `{"profile_id":"`+user+`","currency":"BNB","amount":"0.000000000000000001"}`)
	change("mine", `{}`)
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

// TestBalances_FirstValue checks that the first response of a world has the value of a balance.
func TestBalances_FirstValue(t *testing.T) {
	t.Parallel()
	b := data[struct {
		Total struct {
			Fiat struct{ Amount, Currency string }
		}
	}](t, get(t, "/v1/balances/USDT?fiat=NGN", "Sim-World", "first-value"))
	if b.Total.Fiat.Amount != "0" || b.Total.Fiat.Currency != "NGN" {
		t.Errorf("got %+v, want 0 NGN", b.Total.Fiat)
	}
}
