package banks_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/banks"
	"causeway/ports"
)

// listing returns a directory of Nigeria. The code "own" of each row is the directory's own.
func listing(name string, rows ...core.Bank) *directory {
	for i := range rows {
		rows[i].Codes = map[string]string{name: rows[i].Codes["own"]}
	}
	return &directory{name: name, lists: map[string][]core.Bank{"NG": rows}}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	newcomer := func(code, name, own string) core.Bank { return bank("NG", code, name, "own", own) }
	for _, c := range []struct {
		name  string
		lists []ports.BankDirectory
		want  []string // added institutions: code, name, codes
		left  []string // left out: directory, code, reason
	}{
		{
			"one institution by NIP code, by CBN code and by both",
			[]ports.BankDirectory{
				listing("korapay", newcomer("50999", "Newcomer MFB", "50999")),
				listing("monnify", newcomer("090999", "Newcomer Microfinance", "090999")),
				listing("paystack", newcomer("090999", "NEWCOMER MICROFINANCE BANK", "50999")),
			},
			[]string{"090999 Newcomer Microfinance map[korapay:50999 monnify:090999 nip:090999 paystack:50999]"},
			nil,
		},
		{
			"different names of a code",
			[]ports.BankDirectory{
				listing("korapay", newcomer("50999", "Alpha MFB", "50999")), listing("monnify", newcomer("50999", "Beta MFB", "50999")),
			},
			nil,
			[]string{"korapay 50999 different_name", "monnify 50999 different_name"},
		},
		{
			"different NIP codes of a code",
			[]ports.BankDirectory{
				listing("korapay", newcomer("090998", "Alpha MFB", "50999")), listing("monnify", newcomer("090999", "Alpha MFB", "50999")),
			},
			nil,
			[]string{"korapay 090998 different_nip", "monnify 090999 different_nip"},
		},
		{
			"different codes of a name: the row with the NIP code comes first",
			[]ports.BankDirectory{
				listing("korapay", newcomer("NM1", "Newcomer MFB", "NM1")), listing("monnify", newcomer("090999", "Newcomer MFB", "090999")),
			},
			[]string{"090999 Newcomer MFB map[korapay:NM1 monnify:090999 nip:090999]"},
			nil,
		},
		{
			"different NIP codes of a name",
			[]ports.BankDirectory{
				listing("korapay", newcomer("090998", "Newcomer MFB", "090998")), listing("monnify", newcomer("090999", "Newcomer MFB", "090999")),
			},
			[]string{"090998 Newcomer MFB map[korapay:090998 nip:090998]"},
			[]string{"monnify 090999 same_name"},
		},
		{
			"two codes of a name in one list",
			[]ports.BankDirectory{
				listing("korapay", newcomer("NM1", "Newcomer MFB", "NM1"), newcomer("NM2", "Newcomer Micro-finance Bank", "NM2")),
				listing("monnify", newcomer("ZB1", "ZENITH BANK PLC", "ZB1"), newcomer("ZB2", "ZenithBank", "ZB2")),
			},
			[]string{"NM1 Newcomer MFB map[korapay:NM1]"},
			[]string{"korapay NM2 same_name", "monnify ZB1 same_name", "monnify ZB2 same_name"},
		},
		{
			"NIP code differs from the catalog",
			[]ports.BankDirectory{listing("korapay", newcomer("000999", "Access Bank", "044"))},
			nil,
			[]string{"korapay 000999 different_nip"},
		},
		{
			"different NIP codes of a catalog bank without one",
			[]ports.BankDirectory{
				listing("korapay", newcomer("000029", "Lotus Bank", "303")), listing("monnify", newcomer("000028", "Lotus Bank", "303")),
			},
			nil,
			[]string{"korapay 000029 different_nip", "monnify 000028 different_nip"},
		},
		{
			"code learned from another directory needs a similar name",
			[]ports.BankDirectory{
				listing("korapay", newcomer("000013", "GTBank", "0058")), listing("monnify", newcomer("0058", "Zenith", "0058")),
				listing("paystack", newcomer("0058", "Guaranty Trust", "0058")),
			},
			nil,
			[]string{"monnify 0058 different_name"},
		},
		{
			"known name: another type is added, a variant of the name is not",
			[]ports.BankDirectory{listing("korapay", newcomer("50998", "Access Bank Plc", "50998"), func() core.Bank {
				b := newcomer("50999", "Access Microfinance Bank", "50999")
				b.Type = core.MicrofinanceBank
				return b
			}())},
			[]string{"50999 Access Microfinance Bank map[korapay:50999]"},
			[]string{"korapay 50998 same_name"},
		},
		{
			"6-digit CBN code is not a NIP code",
			[]ports.BankDirectory{listing("korapay", newcomer("950999", "Alpha MFB", "950999"), newcomer("50515", "Moniepoint MFB", "50515")), listing("monnify", newcomer("950999", "Beta MFB", "950999"))},
			nil,
			[]string{"korapay 950999 different_name", "monnify 950999 different_name"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, directories := range [][]ports.BankDirectory{c.lists, reversed(c.lists)} {
				s := service(t, many(), directories...)
				s.refresh(t)
				var added, left []string
				for _, e := range s.List().Entries() {
					if !slices.ContainsFunc(many(), func(b core.Bank) bool { return b.Country == e.Country && b.Code == e.Code }) {
						added = append(added, fmt.Sprint(e.Code, " ", e.Name, " ", e.Codes))
					}
				}
				for _, st := range s.States() {
					for _, l := range st.LeftOut {
						left = append(left, fmt.Sprint(st.Directory, " ", l.Code, " ", l.Reason))
					}
				}
				if !slices.Equal(added, c.want) || !slices.Equal(left, c.left) {
					t.Errorf("got added %q, left out %q; want %q, %q", added, left, c.want, c.left)
				}
			}
		})
	}
}

func reversed(list []ports.BankDirectory) []ports.BankDirectory {
	out := slices.Clone(list)
	slices.Reverse(out)
	return out
}

func TestMerge_SharedProviderCode(t *testing.T) {
	t.Parallel()
	s := service(t, catalog(), listing("korapay", bank("NG", "000013", "GTBank", "own", "777")), listing("monnify", bank("NG", "000015", "Zenith", "own", "777")))
	s.refresh(t)
	if b, err := s.Find("NG", "777"); core.CodeOf(err) != core.Invalid {
		t.Errorf("got %q, %v; want an error because the code is ambiguous", b.Name, err)
	}
	if a, b := find(t, s, "NG", "000013").Codes["korapay"], find(t, s, "NG", "000015").Codes["monnify"]; a != "777" || b != "777" {
		t.Errorf("got codes %q and %q, want 777 for both", a, b)
	}
}

// A published Paystack list of Kenya pairs 01 with Equity and 68 with KCB, the reverse of the KBA
// codes. The rows are left out, and codes of the other directories are stored.
func TestMerge_SwappedKenyanCodes(t *testing.T) {
	t.Parallel()
	kenya := func(name, kcb, equity string) *directory {
		return &directory{name: name, lists: map[string][]core.Bank{"KE": {
			bank("KE", kcb, "Kenya Commercial Bank", name, kcb), bank("KE", equity, "Equity Bank Ltd", name, equity), wallet("KE", "MPESA", "M-Pesa", name, "MPS"),
		}}}
	}
	list := catalog()
	for i := range list {
		if list[i].Country == "KE" && list[i].Code == "01" {
			list[i].Names = []string{"Kenya Commercial Bank"}
		}
	}
	s := service(t, list, kenya("flutterwave", "01", "68"), kenya("korapay", "01", "68"), kenya("paystack", "68", "01"))
	s.refresh(t)
	for code, want := range map[string]map[string]string{
		"01": {"flutterwave": "01", "korapay": "01", "swift": "KCBLKENX"}, "68": {"flutterwave": "68", "korapay": "68", "swift": "EQBLKENA"},
		"MPESA": {"flutterwave": "MPS", "korapay": "MPS", "paystack": "MPS"},
	} {
		if diff := cmp.Diff(want, find(t, s, "KE", code).Codes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", code, diff)
		}
	}
	left := s.state(t, "paystack", "KE").LeftOut
	if len(left) != 2 || left[0].Reason != banks.DifferentName || left[1].Reason != banks.DifferentName {
		t.Errorf("paystack: got left out %+v, want 2 with different_name", left)
	}
}

// A row without a known code is joined by its whole name if the name belongs to one institution of
// its kind. Single words and abbreviations do not suffice, and a national code outweighs a name.
func TestMerge_Names(t *testing.T) {
	t.Parallel()
	named := func(b core.Bank, names ...string) core.Bank { b.Names = names; return b }
	banksOf := append(many(),
		named(wallet("KE", "AIRTEL", "Airtel Money"), "Airtel"), bank("KE", "16", "Citibank Kenya", "kba", "16"),
		bank("KE", "45", "Airtel Bank", "kba", "45"), bank("KE", "46", "Twin Bank"), bank("KE", "47", "Twin Bank Ltd"),
		named(bank("NG", "100013", "AccessMoney", "nip", "100013"), "Access Money"), bank("NG", "000023", "Providus Bank", "nip", "000023", "cbn", "101"),
		bank("NG", "090116", "AMML Microfinance Bank", "nip", "090116"), bank("NG", "50083", "Aramoko Microfinance Bank", "cbn", "50083"),
		bank("NG", "000005", "Access Bank (Diamond)", "nip", "000005"),
	)
	for i := range banksOf {
		if banksOf[i].Code == "MPESA" {
			banksOf[i].Names = []string{"Safaricom"}
		}
	}
	for _, c := range []struct {
		name string
		row  core.Bank
		want string // code of the institution, or the reason
	}{
		{"other name in capitals", wallet("KE", "SAFARICOM", "SAFARICOM"), "MPESA"},
		{"legal form and country", bank("KE", "CITI", "Citi Bank Kenya Limited"), "16"},
		{"ISO code of the country", bank("KE", "CITI", "Citibank KE"), "16"},
		{"wallet with the name of a bank", wallet("KE", "CITI", "Citibank"), "same_name"},
		{"bank with the name of a wallet", bank("KE", "77777", "Airtel Money"), "same_name"},
		{"single word", bank("KE", "CITI", "Citi"), "added"},
		{"name of two institutions", bank("KE", "TWIN", "Twin Bank Kenya"), "same_name"},
		{"another national code", bank("KE", "71", "Citibank"), "same_name"},
		{"glued words", bank("NG", "999", "ProvidusBank"), "000023"},
		{"hyphen in the kind", bank("NG", "914", "AMML Micro-finance Bank"), "090116"},
		{"abbreviated kind", bank("NG", "914", "AMML MFB"), "090116"},
		{"another NIP code", bank("NG", "090999", "AMML MFB"), "same_name"},
		{"another CBN code", bank("NG", "50999", "Aramoko MFB"), "same_name"},
		{"first word of a bank", bank("NG", "323", "ACCESS MOBILE"), "same_name"},
		{"two spellings of a wallet", bank("NG", "323", "Access Money"), "100013"},
		{"bank with a former name in brackets", bank("NG", "999", "Access Bank Diamond"), "000005"},
		{"bank, not the one with a former name in brackets", bank("NG", "999", "ACCESS BANK PLC"), "000014"},
		{"wallet of a bank", bank("NG", "315", "GTBank Mobile Money"), "added"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.row.Codes = map[string]string{"acme": c.row.Code}
			d := &directory{name: "acme", lists: map[string][]core.Bank{c.row.Country: {c.row}}}
			s := service(t, banksOf, d)
			s.refresh(t)
			got := ""
			for _, b := range s.List().Banks() {
				if b.Country == c.row.Country && b.Codes["acme"] == c.row.Code {
					got = b.Code
				}
			}
			switch st := s.state(t, "acme", c.row.Country); {
			case len(st.LeftOut) > 0:
				got = string(st.LeftOut[0].Reason)
			case st.Added > 0:
				got = "added"
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Kora's 0002 is Standard Chartered in its list of Kenyan banks, and Airtel in its list of wallets.
func TestMerge_WalletWithTheCodeOfABank(t *testing.T) {
	t.Parallel()
	d := &directory{name: "korapay", lists: map[string][]core.Bank{"KE": {
		bank("KE", "02", "Standard Chartered", "korapay", "0002"), wallet("KE", "AIRTEL", "Airtel", "korapay", "0002"),
	}}}
	list := append(catalog(), wallet("KE", "AIRTEL", "Airtel Money"))
	list[len(list)-1].Names = []string{"Airtel"}
	s := service(t, list, d)
	s.refresh(t)
	for code, name := range map[string]string{"02": "Standard Chartered", "AIRTEL": "Airtel Money"} {
		if b := find(t, s, "KE", code); b.Name != name || b.Codes["korapay"] != "0002" {
			t.Errorf("%s: got %s with %v, want %s with 0002", code, b.Name, b.Codes, name)
		}
	}
	if st := s.state(t, "korapay", "KE"); st.Joined != 1 || st.Added != 1 || len(st.LeftOut) != 0 {
		t.Errorf("got %+v, want 1 joined and 1 added", st.Outcome)
	}
}

// Excluded rows are left out by a whole name, by a code together with a similar name, or by a code
// alone if the exclusion has no names.
func TestMerge_Excluded(t *testing.T) {
	t.Parallel()
	cfg := configured(many(), listing("korapay",
		bank("NG", "000020", "Heritage Bank", "own", "030"), bank("NG", "999001", "CBN_TSA", "own", "999001"),
		bank("NG", "H1", "HERITAGE BANK PLC", "own", "H1"), bank("NG", "H2", "Heritage Microfinance Bank", "own", "H2"),
		bank("NG", "030", "Phoenix Bank", "own", "030"), bank("NG", "FMM", "Any wallet", "own", "FMM"), bank("NG", "057", "Zenith Bank", "own", "057"),
	))
	cfg.Excluded = []core.ExcludedBank{
		{Country: "NG", Names: []string{"Heritage Bank"}, Codes: []string{"000020", "030"}, Closed: true},
		{Country: "NG", Names: []string{"CBN TSA"}},
		{Country: "NG", Codes: []string{"FMM"}},
		{Country: "GH", Names: []string{"Zenith Bank"}},
	}
	s, err := banks.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.Tick(t.Context())
	st := s.States()[0]
	var got []string
	for _, l := range st.LeftOut {
		got = append(got, fmt.Sprint(l.Code, " ", l.Reason))
	}
	slices.Sort(got)
	want := []string{"000020 closed", "999001 not_an_institution", "FMM not_an_institution", "H1 closed"}
	if !slices.Equal(got, want) || st.Joined != 1 || st.Added != 2 {
		t.Errorf("got left out %q, %d joined, %d added; want %q, 1 and 2", got, st.Joined, st.Added, want)
	}
	change, err := s.Plan(many(), nil)
	if err != nil {
		t.Fatal(err)
	}
	change()
	if st := s.States()[0]; st.Added < 3 {
		t.Errorf("without exclusions: got %+v, want more institutions", st.Outcome)
	}
}

// genDirectories draws the lists of five directories of Nigeria: banks of the catalog with several
// codes, new ones, and contradictions.
func genDirectories(t *rapid.T) []*directory {
	code := rapid.SampledFrom([]string{"000013", "000014", "000015", "090405", "090999", "090998", "057", "058", "044", "303", "50515", "50999", "50998", "777", "778"})
	name := rapid.SampledFrom([]string{"Zenith Bank", "Guaranty Trust", "Access Bank", "Moniepoint", "Lotus Bank", "Alpha", "Alpha Bank", "Beta", "Gamma Delta", "ZenithBank Plc", "ALPHA BANK LTD", "Moniepoint Micro-finance Bank"})
	var out []*directory
	for _, d := range []string{"busha", "flutterwave", "korapay", "monnify", "paystack"} {
		var rows []core.Bank
		for range rapid.IntRange(1, 6).Draw(t, "rows") {
			rows = append(rows, bank("NG", code.Draw(t, "code"), name.Draw(t, "name"), "own", code.Draw(t, "own")))
		}
		out = append(out, listing(d, rows...))
	}
	return out
}

// The registry does not depend on the order in which lists arrive, no code means two institutions,
// and no institution has the code of a row with another NIP code.
func TestMerge_OrderIndependent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		directories := genDirectories(rt)
		entries := func(order []*directory) []banks.Entry {
			down := make([]ports.BankDirectory, 0, len(order))
			for _, d := range order {
				down = append(down, &directory{name: d.name, errs: map[string]error{"NG": errDown}})
			}
			s := service(t, many(), down...)
			for i, d := range order {
				up, _ := down[i].(*directory)
				up.errs, up.lists = nil, d.lists
				s.refresh(t)
			}
			return s.List().Entries()
		}
		want := entries(directories)
		if diff := cmp.Diff(want, entries(rapid.Permutation(directories).Draw(rt, "order"))); diff != "" {
			rt.Fatalf("another order (-want +got):\n%s", diff)
		}
		seen := map[string]string{}
		for _, e := range want {
			for _, code := range append(slices.Clone(e.Aliases), e.Code) {
				if other := seen[e.Country+code]; other != "" {
					rt.Fatalf("%s %s means %s and %s", e.Country, code, other, e.Name)
				}
				seen[e.Country+code] = e.Name
			}
			for _, d := range directories {
				rows := slices.DeleteFunc(slices.Clone(d.lists["NG"]), func(b core.Bank) bool { return b.Codes[d.name] != e.Codes[d.name] })
				if len(rows) == 1 && len(rows[0].Code) == 6 && !e.Known(rows[0].Code) && e.Country == "NG" {
					rt.Fatalf("%s %v is asked by the code of %s %s", e.Name, e.Codes, rows[0].Code, rows[0].Name)
				}
			}
		}
	})
}

// many returns the catalog with 120 more banks of Nigeria, so that a few rows that are left out are
// less than a tenth and no list is held back.
func many() []core.Bank {
	out := catalog()
	for i := range 120 {
		out = append(out, bank("NG", fmt.Sprintf("09%04d", 1000+i), "Filler "+strings.Repeat("X", i%20)+fmt.Sprint(i)))
	}
	return out
}
