package catalog_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/simulator/catalog"
)

// TestCatalog_Addresses asks the real code for the verdicts that the catalog promises.
func TestCatalog_Addresses(t *testing.T) {
	t.Parallel()
	c, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	left := addresses.Codes()
	for _, v := range catalog.New().Addresses {
		var question struct {
			Type, Currency, Network, Address string
			Memo                             *string
			MemoType                         string `json:"memo_type"`
		}
		if err := json.Unmarshal([]byte(v.Try.Request.Body), &question); err != nil || question.Type != "address" {
			t.Fatalf("%s: %v in %s", v.Code, err, v.Try.Request.Body)
		}
		service, err := addresses.New(c.Currencies, addresses.Policy{Testnet: len(v.Try.Setup) == 0})
		if err != nil {
			t.Fatal(err)
		}
		verdict, err := service.Validate(core.AddressQuery{
			Currency: question.Currency, Network: question.Network, Address: core.Private(question.Address), Memo: question.Memo, MemoType: question.MemoType,
		})
		if err != nil {
			t.Errorf("%s: %v", v.Code, err)
			continue
		}
		if verdict.Reason != v.Try.Want.Reason || verdict.Valid != *v.Try.Want.Valid || v.Warning && !slices.Contains(verdict.Warnings, v.Code) || !v.Warning && v.Try.Want.Reason != v.Code {
			t.Errorf("%s: %t, %q, %v", v.Code, verdict.Valid, verdict.Reason, verdict.Warnings)
		}
		delete(left, v.Code)
	}
	if len(left) > 0 {
		t.Errorf("no address for %v", slices.Sorted(maps.Keys(left)))
	}
}
