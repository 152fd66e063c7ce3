package contract_test

import (
	"net/http"
	"slices"
	"testing"
)

// deposit is a deposit address.
type deposit struct {
	ID, Network, Chain, Currency, Address, Memo, Label string
	CurrencyID                                         string `json:"currency_id"`
	CreatedAt                                          string `json:"created_at"`
	Warnings                                           []string
}

// deposits returns the addresses of a currency.
func deposits(t *testing.T, currency string, header ...string) []deposit {
	t.Helper()
	return data[[]deposit](t, get(t, "/v1/addresses/"+currency, header...))
}

// TestDepositAddresses checks that a sandbox assigns deposit addresses without a key: one per user and network, which
// are valid by POST /v1/validate and carry the warning that no private key is known for them.
func TestDepositAddresses(t *testing.T) {
	t.Parallel()
	if list := data[[]deposit](t, get(t, "/v1/addresses", "X-BU-PROFILE-ID", "new")); len(list) != 0 {
		t.Errorf("a new user has %v", list)
	}
	for _, currency := range []string{"BTC", "LTC", "DOGE", "BCH", "ETH", "USDT", "TRX", "SOL", "XRP", "XLM", "TON", "ADA", "ATOM"} {
		t.Run(currency, func(t *testing.T) {
			items := deposits(t, currency, "X-BU-PROFILE-ID", "u")
			for _, d := range items {
				if d.Currency != currency || d.CurrencyID != currency || d.Chain != d.Network || d.ID == "" || d.Label == "" || d.CreatedAt == "" {
					t.Errorf("got %+v", d)
				}
				if !slices.Contains(d.Warnings, "simulated_address") || slices.Contains(d.Warnings, "memo_required") != (d.Memo != "") {
					t.Errorf("%s: warnings %v", d.Network, d.Warnings)
				}
				v := validate(t, "currency", currency, "network", d.Network, "address", d.Address, "memo", d.Memo)
				if !v.Valid || v.Normalized != d.Address {
					t.Errorf("%s: %+v", d.Network, v)
				}
				owner := data[struct {
					ProfileID string `json:"profile_id"`
				}](t, get(t, "/v1/addresses/owner?network="+d.Network+"&address="+d.Address+"&memo="+d.Memo))
				if owner.ProfileID != "u" {
					t.Errorf("%s: the owner is %q", d.Network, owner.ProfileID)
				}
			}
			if again := deposits(t, currency, "X-BU-PROFILE-ID", "u"); again[0].ID != items[0].ID {
				t.Errorf("the address changed: %+v", again[0])
			}
		})
	}
	wantError(t, get(t, "/v1/addresses/BTC", "X-BU-PROFILE-ID", ""), http.StatusBadRequest, "request_validation")
}
