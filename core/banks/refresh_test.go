package banks_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/banks"
)

func refreshed(t *testing.T, list []core.Bank, country string, listed ...core.Bank) (*registry, banks.Outcome) {
	t.Helper()
	s := service(t, list, &directory{name: "paystack", lists: map[string][]core.Bank{country: listed}})
	s.refresh(t)
	state := s.state(t, "paystack", country)
	if state.LastError != nil {
		t.Fatalf("Tick: %v", state.LastError)
	}
	return s, state.Outcome
}

func find(t testing.TB, s *registry, country, code string) core.Bank {
	t.Helper()
	b, err := s.Find(country, code)
	if err != nil {
		t.Fatalf("%s %s: %v", country, code, err)
	}
	return b
}

func TestRefreshJoins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		country    string
		listed     core.Bank
		own, learn string // the institution, and the code that it then has at Paystack
	}{
		{"by the NIP code, whatever the name", "NG", bank("NG", "000013", "GTBank Plc", "paystack", "058"), "000013", "058"},
		{"by the NIP code, with a code that nobody knew", "NG", bank("NG", "000015", "ZENITH BANK PLC", "paystack", "0057"), "000015", "0057"},
		{"by the CBN code and a similar name", "NG", bank("NG", "50515", "Moniepoint Microfinance Bank", "paystack", "50515"), "090405", "50515"},
		{"by the national code and a similar name", "GH", bank("GH", "030100", "ABSA BANK GHANA LTD", "paystack", "030100"), "030100", "030100"},
		{"by the national code and a similar name in brackets", "KE", bank("KE", "01", "KCB Bank (ex Kenya Commercial Bank)", "paystack", "01"), "01", "01"},
		{"a wallet by its short code", "GH", wallet("GH", "MTN", "MTN", "paystack", "mtn"), "MTN", "mtn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, outcome := refreshed(t, catalog(), c.country, c.listed)
			got := find(t, s, c.country, c.own)
			if got.Codes["paystack"] != c.learn || outcome.Joined != 1 || len(s.List().Entries()) != len(catalog()) {
				t.Errorf("got %+v and %+v, want it joined with the code %q", got, outcome, c.learn)
			}
			before := find(t, service(t, catalog()), c.country, c.own)
			if got.Name != before.Name || got.Type != before.Type || got.Code != before.Code {
				t.Errorf("got %+v, want the name, type and code of %+v", got, before)
			}
			if again := find(t, s, c.country, c.learn); again.Code != c.own {
				t.Errorf("the code %q means %s, want %s", c.learn, again.Code, c.own)
			}
		})
	}
}

func TestRefreshLeavesOut(t *testing.T) {
	t.Parallel()
	odd := bank("NG", "50999", "Odd Bank", "paystack", "50999")
	with := func(change func(*core.Bank)) core.Bank {
		b := odd
		change(&b)
		return b
	}
	for _, c := range []struct {
		name    string
		country string
		listed  core.Bank
		want    banks.Reason
	}{
		// Paystack's published list pairs 01 with Equity and 68 with KCB, the KBA does the reverse.
		{"Kenya's 01 as Equity", "KE", bank("KE", "01", "Equity Bank", "paystack", "01"), banks.DifferentName},
		{"Kenya's 68 as KCB", "KE", bank("KE", "68", "Kenya Commercial Bank", "paystack", "68"), banks.DifferentName},
		{"a CBN code with another name", "NG", bank("NG", "044", "Zenith Bank", "paystack", "044"), banks.DifferentName},
		{"a NIP code with another bank's CBN code", "NG", bank("NG", "000013", "Guaranty Trust Bank", "paystack", "057"), banks.Ambiguous},
		{"a known name under new codes", "NG", bank("NG", "50777", "MONIEPOINT  mfb", "paystack", "50777"), banks.SameName},
		{"no code", "NG", with(func(b *core.Bank) { b.Code = " " }), banks.Malformed},
		{"no code of the provider", "NG", with(func(b *core.Bank) { b.Codes = nil }), banks.Malformed},
		{"no name", "NG", with(func(b *core.Bank) { b.Name = "\t" }), banks.Malformed},
		{"another country's", "NG", with(func(b *core.Bank) { b.Country = "GH" }), banks.Malformed},
		{"another currency", "NG", with(func(b *core.Bank) { b.Currency = "USD" }), banks.Malformed},
		{"no type", "NG", with(func(b *core.Bank) { b.Type = "" }), banks.Malformed},
		{"no channel that the country has", "NG", with(func(b *core.Bank) { b.Channels = []core.Channel{core.Till} }), banks.Malformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, got := refreshed(t, catalog(), c.country, c.listed)
			want := banks.Outcome{
				Directory: "paystack", Country: c.country, Listed: 1,
				LeftOut: []banks.LeftOut{{Institution: banks.Institution{Code: c.listed.Code, Name: c.listed.Name}, Reason: c.want}},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(service(t, catalog()).List().Entries(), s.List().Entries()); diff != "" {
				t.Errorf("the list changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestRefreshAdds(t *testing.T) {
	t.Parallel()
	fresh := bank("NG", "mfb50094", " Newcomer   Microfinance  Bank ", "paystack", "mfb50094")
	fresh.Type = core.MicrofinanceBank
	fresh.Channels = []core.Channel{core.BankTransfer, core.PayBill}
	s, outcome := refreshed(t, catalog(), "NG", fresh)
	got := find(t, s, "NG", "MFB50094")
	want := fresh
	want.Code, want.Name, want.Channels = "MFB50094", "Newcomer Microfinance Bank", []core.Channel{core.BankTransfer}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bank (-want +got):\n%s", diff)
	}
	if outcome.Added != 1 {
		t.Errorf("got %+v, want one added", outcome)
	}
	fresh.Codes["paystack"] = "changed by the directory"
	if find(t, s, "NG", "MFB50094").Codes["paystack"] != "mfb50094" {
		t.Error("the list shares a map with the directory")
	}
}

// Providers list Nigeria's institutions as accounts; what they are reached by follows their type.
func TestRefreshAddsNigeriasWalletsAsSuch(t *testing.T) {
	t.Parallel()
	transfer, wallets := []core.Channel{core.BankTransfer}, []core.Channel{core.BankTransfer, core.MobileMoney}
	for _, c := range []struct {
		kind   core.BankType
		listed []core.Channel
		want   []core.Channel
	}{
		{core.CommercialBank, wallets, transfer},
		{core.MicrofinanceBank, transfer, transfer},
		{core.MobileMoneyBank, transfer, wallets},
		{core.PaymentServiceBank, transfer, wallets},
	} {
		fresh := bank("NG", "109999", "Newcomer", "paystack", "109999")
		fresh.Type, fresh.Channels = c.kind, c.listed
		s, _ := refreshed(t, catalog(), "NG", fresh)
		if got := find(t, s, "NG", "109999").Channels; !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.kind, got, c.want)
		}
	}
	ghanaian := wallet("GH", "NEW", "Newcomer", "paystack", "NEW")
	s, _ := refreshed(t, catalog(), "GH", ghanaian)
	if got := find(t, s, "GH", "NEW").Channels; !slices.Equal(got, ghanaian.Channels) {
		t.Errorf("GH: got %v, want what was listed", got)
	}
}

func TestWhoHasYetToAnswerIsAwaited(t *testing.T) {
	t.Parallel()
	ghana := []core.Bank{bank("GH", "400100", "New Bank", "slow", "400100")}
	slow := &directory{name: "slow", errs: map[string]error{"NG": errors.New("down"), "FR": nil}, lists: map[string][]core.Bank{"GH": ghana}}
	s := service(t, catalog(), slow, &directory{name: "quick", lists: map[string][]core.Bank{"KE": nil}})
	check := func(when string, want ...string) {
		t.Helper()
		var got []string
		for _, directory := range []string{"slow", "quick", "nobody"} {
			for _, country := range []string{"NG", "GH", "KE", "CI", "FR"} {
				if s.Awaits(directory, country) {
					got = append(got, directory+" "+country)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: awaits %q, want %q", when, got, want)
		}
	}
	check("at the start", "slow NG", "slow GH", "quick KE")
	s.refresh(t)
	check("an empty list is no answer", "slow NG", "quick KE")

	told := false
	s.Subscribe(func(list *banks.List) {
		if b, err := list.Find("NG", "000015"); err == nil && b.Codes["slow"] == "57" {
			told = true
			check("while it is published", "slow NG", "quick KE")
		}
	})
	slow.errs, slow.lists["NG"] = nil, []core.Bank{bank("NG", "000015", "Zenith", "slow", "57")}
	s.refresh(t)
	check("after it answered", "quick KE")
	if !told {
		t.Error("its code was not published")
	}
	slow.errs = map[string]error{"NG": errors.New("down again")}
	s.refresh(t)
	check("a later failure changes nothing", "quick KE")
}

func TestRefreshChoosesAmongSeveralCodes(t *testing.T) {
	t.Parallel()
	twice := func(name string, codes ...string) []core.Bank {
		var out []core.Bank
		for _, c := range codes {
			out = append(out, bank("NG", "090286", name, "paystack", c))
		}
		return out
	}
	t.Run("the one it had stays", func(t *testing.T) {
		t.Parallel()
		s, _ := refreshed(t, catalog(), "NG", twice("Safe Haven", "951113", "51113")...)
		if got := find(t, s, "NG", "090286").Codes["paystack"]; got != "51113" {
			t.Errorf("got %q, want 51113", got)
		}
	})
	t.Run("one that is gone is replaced by one that is known", func(t *testing.T) {
		t.Parallel()
		s, _ := refreshed(t, catalog(), "NG", twice("Safe Haven", "11", "951113")...)
		if got := find(t, s, "NG", "090286").Codes["paystack"]; got != "951113" {
			t.Errorf("got %q, want 951113", got)
		}
	})
	t.Run("else the first in order", func(t *testing.T) {
		t.Parallel()
		s, _ := refreshed(t, catalog(), "NG", twice("Safe Haven", "22", "11")...)
		if got := find(t, s, "NG", "090286").Codes["paystack"]; got != "11" {
			t.Errorf("got %q, want 11", got)
		}
	})
	t.Run("one code for two institutions is nobody's", func(t *testing.T) {
		t.Parallel()
		s, outcome := refreshed(t, catalog(), "NG",
			bank("NG", "000013", "GTB", "paystack", "777"), bank("NG", "000015", "Zenith", "paystack", "777"))
		if b, err := s.Find("NG", "777"); err == nil || len(outcome.LeftOut) != 2 || outcome.LeftOut[0].Reason != banks.Ambiguous || outcome.LeftOut[1].Reason != banks.Ambiguous {
			t.Errorf("got %s and %+v, want both left out", b.Code, outcome)
		}
	})
	t.Run("a NIP code is learned where none was known", func(t *testing.T) {
		t.Parallel()
		s, _ := refreshed(t, catalog(), "NG", bank("NG", "000029", "Lotus Bank", "paystack", "303"))
		if got := find(t, s, "NG", "000029"); got.Code != "303" {
			t.Errorf("000029 means %s, want 303", got.Code)
		}
	})
}

func TestRefreshSurvivesFailure(t *testing.T) {
	t.Parallel()
	down := core.Errorf(core.Unavailable, "down")
	bad := &directory{
		name: "bad", errs: map[string]error{"NG": down},
		lists: map[string][]core.Bank{"KE": nil, "FR": {bank("FR", "1", "Abroad", "bad", "1")}},
	}
	good := &directory{name: "good", lists: map[string][]core.Bank{"GH": {bank("GH", "400100", "New Bank", "good", "400100")}}}
	s := service(t, catalog(), bad, good)
	s.refresh(t)
	if st := s.state(t, "bad", "NG"); !errors.Is(st.LastError, down) || st.Failures != 1 || st.Failed != 1 || !st.LastSuccess.IsZero() {
		t.Errorf("bad NG: %+v", st)
	}
	if st := s.state(t, "bad", "KE"); core.CodeOf(st.LastError) != core.Unavailable {
		t.Errorf("an empty list is no failure: %+v", st)
	}
	for _, st := range s.States() {
		if st.Country == "FR" {
			t.Errorf("a country that is not served was asked for: %+v", st)
		}
	}
	if got := len(s.List().Entries()); got != len(catalog())+1 {
		t.Errorf("got %d banks, want those of the catalog and the new one", got)
	}
	if st := s.state(t, "good", "GH"); st.LastError != nil || st.Added != 1 || st.Answered != 1 || st.LastSuccess.IsZero() {
		t.Errorf("good GH: %+v", st)
	}
}

// Whatever a provider lists, no institution vanishes or is renamed, and no code comes to mean
// another institution.
func TestRefreshNeverRedirects(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		listed := genCatalog(rt)
		for i := range listed {
			if rapid.Bool().Draw(rt, "names its code") {
				listed[i].Codes["paystack"] = listed[i].Code
			}
		}
		byCountry := map[string][]core.Bank{}
		for _, b := range listed {
			byCountry[b.Country] = append(byCountry[b.Country], b)
		}
		s := service(t, genCatalog(rt), &directory{name: "paystack", lists: byCountry})
		before := slices.Clone(s.List().Entries())
		s.refresh(t)
		for _, e := range before {
			for _, code := range append(slices.Clone(e.Aliases), e.Code) {
				got, err := s.Find(e.Country, code)
				forgotten := err != nil && code != e.Code // the provider renamed its own code
				if want := (core.Bank{Code: e.Code, Name: e.Name, Type: e.Type}); !forgotten && want.Code+want.Name+string(want.Type) != got.Code+got.Name+string(got.Type) {
					rt.Fatalf("%s %q meant %s, now %+v, %v", e.Country, code, e.Name, got, err)
				}
			}
		}
	})
}

func TestRefreshWhileInUse(t *testing.T) {
	t.Parallel()
	s := service(t, catalog(), &directory{name: "paystack", lists: map[string][]core.Bank{
		"NG": {bank("NG", "000013", "GTBank", "paystack", "058"), bank("NG", "50001", "New One", "paystack", "50001")},
	}})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			s.refresh(t)
		})
		all.Go(func() {
			for range 100 {
				if _, err := s.Find("NG", "058"); err != nil {
					t.Errorf("Find: %v", err)
				}
				s.States()
			}
		})
	}
	all.Wait()
	if got := len(s.List().Entries()); got != len(catalog())+1 {
		t.Errorf("got %d banks, want one more than the catalog's", got)
	}
}
