package banks_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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

func TestRefresh_Join(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		country    string
		listed     core.Bank
		own, learn string // code of the institution, and the stored code of Paystack
	}{
		{"NIP code and another name", "NG", bank("NG", "000013", "GTBank Plc", "paystack", "058"), "000013", "058"},
		{"NIP code and an unknown own code", "NG", bank("NG", "000015", "ZENITH BANK PLC", "paystack", "0057"), "000015", "0057"},
		{"CBN code and a similar name", "NG", bank("NG", "50515", "Moniepoint Microfinance Bank", "paystack", "50515"), "090405", "50515"},
		{"national code and a similar name", "GH", bank("GH", "030100", "ABSA BANK GHANA LTD", "paystack", "030100"), "030100", "030100"},
		{"similar name in brackets", "KE", bank("KE", "01", "KCB Bank (ex Kenya Commercial Bank)", "paystack", "01"), "01", "01"},
		{"short code of a wallet", "GH", wallet("GH", "MTN", "MTN", "paystack", "mtn"), "MTN", "mtn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, outcome := refreshed(t, catalog(), c.country, c.listed)
			got := find(t, s, c.country, c.own)
			if got.Codes["paystack"] != c.learn || outcome.Joined != 1 || len(s.List().Entries()) != len(catalog()) {
				t.Errorf("got %+v, outcome %+v; want it joined with code %q", got, outcome, c.learn)
			}
			before := find(t, service(t, catalog()), c.country, c.own)
			if got.Name != before.Name || got.Type != before.Type || got.Code != before.Code {
				t.Errorf("got %+v, want the name, type and code of %+v", got, before)
			}
			if again := find(t, s, c.country, c.learn); again.Code != c.own {
				t.Errorf("code %q: got %s, want %s", c.learn, again.Code, c.own)
			}
		})
	}
}

func TestRefresh_LeftOut(t *testing.T) {
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
		{"CBN code with another name", "NG", bank("NG", "044", "Zenith Bank", "paystack", "044"), banks.DifferentName},
		{"NIP code and CBN code of two banks", "NG", bank("NG", "000013", "Guaranty Trust Bank", "paystack", "057"), banks.Ambiguous},
		{"known name with new codes", "NG", bank("NG", "50777", "MONIEPOINT  mfb", "paystack", "50777"), banks.SameName},
		{"no code", "NG", with(func(b *core.Bank) { b.Code = " " }), banks.Malformed},
		{"no code of the provider", "NG", with(func(b *core.Bank) { b.Codes = nil }), banks.Malformed},
		{"no name", "NG", with(func(b *core.Bank) { b.Name = "\t" }), banks.Malformed},
		{"another country", "NG", with(func(b *core.Bank) { b.Country = "GH" }), banks.Malformed},
		{"another currency", "NG", with(func(b *core.Bank) { b.Currency = "USD" }), banks.Malformed},
		{"no type", "NG", with(func(b *core.Bank) { b.Type = "" }), banks.Malformed},
		{"unsupported channel", "NG", with(func(b *core.Bank) { b.Channels = []core.Channel{core.Till} }), banks.Malformed},
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
			ignored := cmpopts.IgnoreFields(core.Bank{}, "Unlisted")
			if diff := cmp.Diff(service(t, catalog()).List().Entries(), s.List().Entries(), ignored); diff != "" {
				t.Errorf("list (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefresh_Add(t *testing.T) {
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
	if new := (banks.Institution{Code: fresh.Code, Name: fresh.Name}); outcome.Added != 1 || !slices.Equal(outcome.New, []banks.Institution{new}) {
		t.Errorf("got %+v, want %+v added", outcome, new)
	}
	fresh.Codes["paystack"] = "changed by the directory"
	if got := find(t, s, "NG", "MFB50094").Codes["paystack"]; got != "mfb50094" {
		t.Errorf("after the directory changed its map: got code %q, want mfb50094", got)
	}
}

// In Nigeria the channels of a new institution follow from its type.
func TestRefresh_AddNigerianChannels(t *testing.T) {
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
		t.Errorf("GH: got %v, want %v", got, ghanaian.Channels)
	}
}

func TestAwaits(t *testing.T) {
	t.Parallel()
	ghana := []core.Bank{bank("GH", "400100", "New Bank", "slow", "400100")}
	slow := &directory{name: "slow", errs: map[string]error{"NG": errors.New("down"), "FR": nil}, lists: map[string][]core.Bank{"GH": ghana}}
	s := service(t, catalog(), slow, &directory{name: "quick", lists: map[string][]core.Bank{"KE": nil}})
	check := func(when string, want ...string) {
		t.Helper()
		var got []string
		for _, directory := range []string{"slow", "quick", "unknown"} {
			for _, country := range []string{"NG", "GH", "KE", "CI", "FR"} {
				if s.Awaits(directory, country) {
					got = append(got, directory+" "+country)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", when, got, want)
		}
	}
	check("at the start", "slow NG", "slow GH", "quick KE")
	s.refresh(t)
	check("after an empty list", "slow NG", "quick KE")

	published := false
	s.Subscribe(func(list *banks.List) {
		if b, err := list.Find("NG", "000015"); err == nil && b.Codes["slow"] == "57" {
			published = true
			check("during publication", "slow NG", "quick KE")
		}
	})
	slow.errs, slow.lists["NG"] = nil, []core.Bank{bank("NG", "000015", "Zenith", "slow", "57")}
	s.refresh(t)
	check("after publication", "quick KE")
	if !published {
		t.Error("the list was not published")
	}
	slow.errs = map[string]error{"NG": errors.New("down again")}
	s.refresh(t)
	check("after a later failure", "quick KE")
}

func TestRefresh_SeveralCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		codes []string // of 090286, whose code at Paystack is 51113 and which has the alias 951113
		want  string
	}{
		{"keep the stored code", []string{"951113", "51113"}, "51113"},
		{"prefer an alias", []string{"11", "951113"}, "951113"},
		{"else the first in order", []string{"22", "11"}, "11"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var listed []core.Bank
			for _, code := range c.codes {
				listed = append(listed, bank("NG", "090286", "Safe Haven", "paystack", code))
			}
			s, _ := refreshed(t, catalog(), "NG", listed...)
			if got := find(t, s, "NG", "090286").Codes["paystack"]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("one code for two institutions", func(t *testing.T) {
		t.Parallel()
		s, outcome := refreshed(t, catalog(), "NG",
			bank("NG", "000013", "GTB", "paystack", "777"), bank("NG", "000015", "Zenith", "paystack", "777"))
		b, err := s.Find("NG", "777")
		if left := outcome.LeftOut; err == nil || len(left) != 2 || left[0].Reason != banks.Ambiguous || left[1].Reason != banks.Ambiguous {
			t.Errorf("got %q, %+v; want both left out as ambiguous", b.Code, outcome)
		}
	})
	t.Run("one code for two names of an institution", func(t *testing.T) {
		t.Parallel()
		s, outcome := refreshed(t, catalog(), "NG",
			bank("NG", "058", "Guaranty Trust Bank", "paystack", "777"), bank("NG", "058", "Guaranty Trust", "paystack", "777"))
		if got := find(t, s, "NG", "777").Code; got != "000013" || outcome.Joined != 2 || len(outcome.LeftOut) != 0 {
			t.Errorf("got %s, %+v; want both rows joined to 000013", got, outcome)
		}
	})
	t.Run("one code for two names and a third", func(t *testing.T) {
		t.Parallel()
		_, outcome := refreshed(t, catalog(), "NG", bank("NG", "058", "Guaranty Trust Bank", "paystack", "777"),
			bank("NG", "058", "Guaranty Trust", "paystack", "777"), bank("NG", "058", "Zenith", "paystack", "777"))
		if len(outcome.LeftOut) != 3 {
			t.Errorf("got %+v, want all left out", outcome)
		}
	})
	t.Run("learn a NIP code", func(t *testing.T) {
		t.Parallel()
		s, _ := refreshed(t, catalog(), "NG", bank("NG", "000029", "Lotus Bank", "paystack", "303"))
		if got := find(t, s, "NG", "000029"); got.Code != "303" {
			t.Errorf("000029: got %s, want 303", got.Code)
		}
	})
}

// Once the list of a provider has arrived, the institutions of its country that it does not list, or
// lists under another name, are marked, even if the catalog has a code of the provider.
func TestRefresh_Unlisted(t *testing.T) {
	t.Parallel()
	paystack := &directory{name: "paystack", lists: map[string][]core.Bank{"NG": {
		bank("NG", "000013", "GTBank", "paystack", "058"), bank("NG", "044", "Zenith Bank", "paystack", "044"),
		bank("NG", "50999", "Odd Bank", "paystack", "50999"),
	}}}
	korapay := &directory{name: "korapay", lists: map[string][]core.Bank{
		"NG": {bank("NG", "50999", "Odd Bank", "korapay", "50999")},
	}}
	hidden := bank("NG", "001", "Test Bank", "paystack", "001")
	hidden.Hidden = true
	list := append(catalog(), hidden)
	s := service(t, list, paystack, korapay, &directory{name: "monnify", errs: map[string]error{"NG": errDown}})
	check := func(when string, want map[string][]string) {
		t.Helper()
		for _, e := range s.List().Entries() {
			if got := e.Unlisted; !slices.Equal(got, want[e.Country+" "+e.Code]) {
				t.Errorf("%s: %s %s: got unlisted by %v, want %v", when, e.Country, e.Code, got, want[e.Country+" "+e.Code])
			}
		}
	}
	check("at the start", nil)
	s.refresh(t)
	both := []string{"korapay", "paystack"}
	want := map[string][]string{
		"NG 000013": {"korapay"}, "NG 000014": both, "NG 000015": both, "NG 090405": both, "NG 090286": both, "NG 303": both,
	}
	check("after the first lists", want)
	paystack.errs = map[string]error{"NG": errDown}
	s.refresh(t)
	check("after a failure", want)
	change, err := s.Plan(list, nil)
	if err != nil {
		t.Fatal(err)
	}
	change()
	check("after a new catalog", want)
}

func TestRefresh_Failure(t *testing.T) {
	t.Parallel()
	bad := &directory{
		name: "bad", errs: map[string]error{"NG": errDown},
		lists: map[string][]core.Bank{"KE": nil, "FR": {bank("FR", "1", "Abroad", "bad", "1")}},
	}
	good := &directory{name: "good", lists: map[string][]core.Bank{"GH": {bank("GH", "400100", "New Bank", "good", "400100")}}}
	s := service(t, catalog(), bad, good)
	s.refresh(t)
	if st := s.state(t, "bad", "NG"); !errors.Is(st.LastError, errDown) || st.Failures != 1 || st.Failed != 1 || !st.LastSuccess.IsZero() {
		t.Errorf("bad NG: got %+v, want 1 failure", st)
	}
	if st := s.state(t, "bad", "KE"); core.CodeOf(st.LastError) != core.Unavailable {
		t.Errorf("empty list: got %+v, want unavailable", st)
	}
	for _, st := range s.States() {
		if st.Country == "FR" {
			t.Errorf("got %+v, want no state of an unsupported country", st)
		}
	}
	if got := len(s.List().Entries()); got != len(catalog())+1 {
		t.Errorf("got %d banks, want %d", got, len(catalog())+1)
	}
	if st := s.state(t, "good", "GH"); st.LastError != nil || st.Added != 1 || st.Succeeded != 1 || st.LastSuccess.IsZero() {
		t.Errorf("good GH: got %+v, want 1 added", st)
	}
}

// No list removes or renames an institution or reassigns one of its codes.
func TestRefresh_NeverRedirects(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		listed := genCatalog(rt)
		for i := range listed {
			if rapid.Bool().Draw(rt, "has own code") {
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
					rt.Fatalf("%s %q: got %+v, %v; want %s", e.Country, code, got, err, e.Name)
				}
			}
		}
	})
}

func TestRefresh_Concurrent(t *testing.T) {
	t.Parallel()
	s := service(t, catalog(), &directory{name: "paystack", lists: map[string][]core.Bank{
		"NG": {bank("NG", "000013", "GTBank", "paystack", "058"), bank("NG", "50001", "New One", "paystack", "50001")},
	}})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { s.refresh(t) })
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
		t.Errorf("got %d banks, want %d", got, len(catalog())+1)
	}
}

// numberedAt returns a directory of 40 numbered banks with its own codes.
func numberedAt(name string) *directory {
	_, all := numbered(40, 0)
	for i := range all {
		all[i].Codes = map[string]string{name: "own" + all[i].Code}
	}
	return &directory{name: name, lists: map[string][]core.Bank{"NG": all}}
}

func TestTick_OnePublication(t *testing.T) {
	t.Parallel()
	known, _ := numbered(40, 40)
	s := service(t, known, numberedAt("korapay"), numberedAt("monnify"), numberedAt("paystack"))
	var published []*banks.List
	s.Subscribe(func(l *banks.List) { published = append(published, l) })
	s.refresh(t)
	if len(published) != 2 {
		t.Fatalf("got %d publications, want 2", len(published))
	}
	b, err := published[1].Find("NG", "60000")
	if err != nil || len(b.Codes) != 4 {
		t.Errorf("got codes %v, %v; want the codes of the catalog and three directories", b.Codes, err)
	}
}

// A list that is held back does not hold back lists that arrive together with it.
func TestTick_OneListHeldBack(t *testing.T) {
	t.Parallel()
	known, _ := numbered(40, 40)
	korapay, monnify, paystack := numberedAt("korapay"), numberedAt("monnify"), numberedAt("paystack")
	s := service(t, known, korapay, monnify, paystack)
	s.refresh(t)
	newcomer := bank("NG", "61000", "Newcomer", "korapay", "own61000")
	korapay.lists["NG"] = append(korapay.lists["NG"], newcomer)
	monnify.lists["NG"] = monnify.lists["NG"][:20]
	newcomer.Codes = map[string]string{"paystack": "other61000"}
	paystack.lists["NG"] = append(paystack.lists["NG"], newcomer)
	s.refresh(t)
	for directory, want := range map[string]bool{"korapay": false, "monnify": true, "paystack": false} {
		if held := s.state(t, directory, "NG").HeldBack; (held != nil) != want || want && (len(held.Missing) != 20 || held.Of != 40) {
			t.Errorf("%s: got held back %+v, want %t", directory, held, want)
		}
	}
	if got := find(t, s, "NG", "61000").Codes; len(got) != 2 {
		t.Errorf("61000: got codes %v, want 2", got)
	}
	if b := find(t, s, "NG", "60039"); b.UnlistedBy("monnify") {
		t.Errorf("60039: got unlisted by %v, want none", b.Unlisted)
	}
}

// If two first lists contradict each other about institutions outside the catalog, both leave them out
// and neither is held back.
func TestTick_ContradictingFirstLists(t *testing.T) {
	t.Parallel()
	known, _ := numbered(40, 20)
	korapay, paystack := numberedAt("korapay"), numberedAt("paystack")
	for i := range paystack.lists["NG"] {
		if i >= 20 {
			paystack.lists["NG"][i].Name = fmt.Sprintf("Other %c", 'A'+i)
		}
	}
	s := service(t, known, korapay, paystack)
	s.refresh(t)
	if got := len(s.List().Entries()); got != 20 {
		t.Errorf("got %d institutions, want 20", got)
	}
	for _, directory := range []string{"korapay", "paystack"} {
		if st := s.state(t, directory, "NG"); st.HeldBack != nil || st.Joined != 20 || len(st.LeftOut) != 20 {
			t.Errorf("%s: got %+v, want 20 joined and 20 left out", directory, st)
		}
	}
}
