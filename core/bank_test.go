package core_test

import (
	"slices"
	"testing"

	"causeway/core"
)

func TestBank_Aliases(t *testing.T) {
	t.Parallel()
	bank := core.Bank{Code: "000013", Codes: map[string]string{"cbn": "058", "paystack": "058", "swift": "GTBINGLA", "nip": "000013"}}
	if got, want := bank.Aliases(), []string{"058", "GTBINGLA"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := (core.Bank{Code: "MTN"}).Aliases(); got == nil || len(got) != 0 {
		t.Errorf("no other codes: got %#v, want an empty list", got)
	}
}

// The NUBAN standard of 2020 prefixes the 5 digits of institutions other than commercial banks with a
// 9. Both spellings are in use.
func TestBank_CBNCodeLengths(t *testing.T) {
	t.Parallel()
	for cbn, other := range map[string]string{
		"50547": "950547", "951113": "51113", "00103": "103",
		"058": "", "035A": "", "FC40163": "", "120001": "", "5054": "", "": "",
	} {
		bank := core.Bank{Code: "090405", Codes: map[string]string{core.CBN: cbn}}
		want := []string{cbn, other}
		slices.Sort(want)
		want = slices.DeleteFunc(want, func(c string) bool { return c == "" })
		if got := bank.Aliases(); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", cbn, got, want)
		}
		if other != "" && !bank.Known(other) || bank.Known("999999") {
			t.Errorf("%q: Known(%q) is %t, Known(999999) is %t", cbn, other, bank.Known(other), bank.Known("999999"))
		}
	}
	if got := (core.Bank{Code: "50547", Codes: map[string]string{"paystack": "50547"}}).Aliases(); len(got) != 0 {
		t.Errorf("code of a provider: got aliases %v, want none", got)
	}
}

func TestBank_UnlistedBy(t *testing.T) {
	t.Parallel()
	bank := core.Bank{Code: "000013", Unlisted: []string{"korapay", "paystack"}}
	if !bank.UnlistedBy("paystack") || bank.UnlistedBy("flutterwave") || (core.Bank{}).UnlistedBy("") {
		t.Errorf("paystack: got %t, want true; flutterwave: got %t, want false",
			bank.UnlistedBy("paystack"), bank.UnlistedBy("flutterwave"))
	}
}

func TestPair(t *testing.T) {
	t.Parallel()
	p := core.Pair{Base: "BTC", Counter: "NGN"}
	if p.ID() != "BTCNGN" || p.String() != "BTC/NGN" || p.Inverse() != (core.Pair{Base: "NGN", Counter: "BTC"}) {
		t.Errorf("got %s %s %s", p.ID(), p, p.Inverse())
	}
}
