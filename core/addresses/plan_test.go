package addresses_test

import (
	"strings"
	"testing"

	"causeway/core"
	"causeway/core/addresses"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	coin := core.Currency{Code: "BTC", Name: "Bitcoin", Type: core.Crypto, Decimals: 8, DefaultNetwork: "BTC"}
	s, err := addresses.New([]core.Currency{coin}, addresses.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	known := func(currency string) bool {
		_, err := s.Validate(core.AddressQuery{Currency: currency, Address: "x"})
		return err == nil
	}
	other := coin
	other.Code = "XBT"
	change, err := s.Plan([]core.Currency{other})
	if err != nil || !known("BTC") || known("XBT") {
		t.Fatalf("got %v, or a change before it was applied", err)
	}
	if change(); known("BTC") || !known("XBT") {
		t.Error("the applied change had no effect")
	}
	other.DefaultNetwork = "NONE"
	if _, err := s.Plan([]core.Currency{other}); err == nil || !strings.Contains(err.Error(), `network "NONE"`) || !known("XBT") {
		t.Errorf("unknown network: got %v", err)
	}
}
