package accounts_test

import (
	"fmt"
	"strings"
	"testing"

	"causeway/core"
	"causeway/simulator/accounts"
)

func TestStore_Set(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		bank, number string
		overlay      accounts.Overlay
		at           core.Bank
		asked        string
		want         accounts.Account
	}{
		{"by the institution's own code", "000013", "0123456780", accounts.Overlay{AccountName: new("TEST A")}, gtbank, "0123456780", accounts.Account{Outcome: accounts.Found, Name: "TEST A"}},
		{"by an alias", "058", "0123456780", accounts.Overlay{AccountName: new("TEST A")}, gtbank, "0123456780", accounts.Account{Outcome: accounts.Found, Name: "TEST A"}},
		{"by its SWIFT code in lower case", "gtbingla", "0123456780", accounts.Overlay{AccountName: new("TEST A")}, gtbank, "0123456780", accounts.Account{Outcome: accounts.Found, Name: "TEST A"}},
		{"with spaces and hyphens", "058", "012-345 6780", accounts.Overlay{Outcome: "dormant"}, gtbank, "0123456780", accounts.Account{Outcome: accounts.Dormant}},
		{"unknown", "058", "0123456780", accounts.Overlay{Outcome: "unknown"}, gtbank, "0123456780", accounts.Account{Outcome: accounts.Unknown}},
		{"an outcome with a name", "058", "0123456780", accounts.Overlay{Outcome: "slow", AccountName: new("TEST A")}, gtbank, "0123456780", accounts.Account{Outcome: accounts.Slow, Name: "TEST A"}},
		{"an outcome that brings a name", "058", "0123456780", accounts.Overlay{Outcome: "single_name"}, gtbank, "0123456780", accounts.Account{Outcome: accounts.Found, Name: "TESTPERSON"}},
		{"an empty name", "058", "0123456780", accounts.Overlay{AccountName: new("")}, gtbank, "0123456780", accounts.Account{Outcome: accounts.Found}},
		{"the example of the documents", "058", "0123456789", accounts.Overlay{Outcome: "closed"}, gtbank, "0123456789", accounts.Account{Outcome: accounts.Closed}},
		{"a phone in another notation", "MTN", "024 123 4567", accounts.Overlay{AccountName: new("TEST B"), Country: "GH"}, mtn, "+233241234567", accounts.Account{Outcome: accounts.Found, Name: "TEST B"}},
		{"an ordinary number at a magic bank", "001", "0000000017", accounts.Overlay{Outcome: "closed", Country: "ng"}, simulated, "0000000017", accounts.Account{Outcome: accounts.Closed}},
		{"a till", "till", "123456", accounts.Overlay{AccountName: new("TEST SHOP")}, accounts.Organization("KE"), "till 123456", accounts.Account{Outcome: accounts.Found, Name: "TEST SHOP"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, other := newStore(t, "a"), newStore(t, "b")
			before := w.Get(c.at, c.asked)
			if err := w.Set(c.bank, c.number, c.overlay); err != nil {
				t.Fatal(err)
			}
			if got := w.Get(c.at, c.asked); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if other.Get(c.at, c.asked) == c.want || len(other.List()) > 0 {
				t.Error("another world knows of it")
			}
			if len(w.List()) != 1 {
				t.Errorf("set are %+v", w.List())
			}
			if err := w.Remove(c.bank, c.number, c.overlay.Country); err != nil || w.Get(c.at, c.asked) != before {
				t.Errorf("removed, it is %+v, and was %+v: %v", w.Get(c.at, c.asked), before, err)
			}
			wantCode(t, w.Remove(c.bank, c.number, c.overlay.Country), core.NotFound)
		})
	}
}

func TestStore_InvalidSettings(t *testing.T) {
	t.Parallel()
	w := newStore(t, "a")
	name := accounts.Overlay{AccountName: new("TEST A")}
	for _, c := range []struct {
		bank, number string
		overlay      accounts.Overlay
		words        []string
	}{
		{"999", "0123456780", name, []string{"bank ", `"999" is not an institution`, "/v1/banks"}},
		{"058", "0123456780", accounts.Overlay{Country: "GH", AccountName: new("x")}, []string{"bank ", "country=GH"}},
		{"001", "0000000017", name, []string{"country ", "accepted: ", "GH", "KE", "NG"}},
		{"001", "0000000404", accounts.Overlay{Country: "NG", AccountName: new("x")}, []string{"number ", "404", "does not exist"}},
		{"pay_bill", "123503", name, []string{"number ", "503"}},
		{"till", "123456", accounts.Overlay{Country: "FR", AccountName: new("x")}, []string{"country ", `"FR"`, "KE"}},
		{"058", " - ", name, []string{"number ", "1 to 64"}},
		{"058", strings.Repeat("1", 65), name, []string{"number ", "1 to 64"}},
		{"058", "0123456780", accounts.Overlay{}, []string{"account_name ", "outcome"}},
		{"058", "0123456780", accounts.Overlay{Outcome: "nonsense"}, []string{"outcome ", "all_down", "unknown"}},
		{"058", "0123456780", accounts.Overlay{Outcome: "error:conflict"}, []string{"outcome ", "accepted"}},
		{"058", "0123456780", accounts.Overlay{Outcome: "unknown", AccountName: new("x")}, []string{"account_name ", "unknown"}},
		{"058", "0123456780", accounts.Overlay{Outcome: "long_name", AccountName: new("x")}, []string{"account_name "}},
		{"058", "0123456780", accounts.Overlay{AccountName: new(strings.Repeat("x", 201))}, []string{"account_name ", "200"}},
		{"058", "0123456780", accounts.Overlay{AccountName: new("a\nb")}, []string{"account_name ", "control"}},
		{"058", "0123456780", accounts.Overlay{AccountName: new("a\xff")}, []string{"account_name ", "UTF-8"}},
	} {
		wantCode(t, w.Set(c.bank, c.number, c.overlay), core.Invalid, c.words...)
	}
	if len(w.List()) > 0 {
		t.Errorf("set are %+v", w.List())
	}
	for i := range 10_000 {
		if err := w.Set("058", fmt.Sprintf("%010d", i), name); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, w.Set("058", "9999999999", name), core.Invalid, "10000")
	if err := w.Set("058", "0000000000", accounts.Overlay{Outcome: "closed"}); err != nil {
		t.Errorf("one that is set already: %v", err)
	}
}

func wantCode(t testing.TB, err error, code core.Code, words ...string) {
	t.Helper()
	if core.CodeOf(err) != code {
		t.Errorf("got %v, want %s", err, code)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("nothing of %q in %v", word, err)
		}
	}
}
