package core_test

import (
	"slices"
	"testing"

	"causeway/core"
)

func TestAliases(t *testing.T) {
	t.Parallel()
	bank := core.Bank{Code: "000013", Codes: map[string]string{"cbn": "058", "paystack": "058", "swift": "GTBINGLA", "nip": "000013"}}
	if got, want := bank.Aliases(), []string{"058", "GTBINGLA"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := (core.Bank{Code: "MTN"}).Aliases(); got == nil || len(got) != 0 {
		t.Errorf("without other codes: got %#v, want an empty list", got)
	}
}

func TestPairSpellings(t *testing.T) {
	t.Parallel()
	p := core.Pair{Base: "BTC", Counter: "NGN"}
	if p.ID() != "BTCNGN" || p.String() != "BTC/NGN" || p.Inverse() != (core.Pair{Base: "NGN", Counter: "BTC"}) {
		t.Errorf("got %s %s %s", p.ID(), p, p.Inverse())
	}
}
