package banks_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/banks"
	"causeway/ports"
	_ "causeway/test/fixedseed"
)

// directory is a provider's list of banks, by country.
type directory struct {
	name  string
	lists map[string][]core.Bank
	errs  map[string]error
}

func (d *directory) Name() string { return d.name }

func (d *directory) Countries() []string {
	out := make([]string, 0, len(d.lists)+len(d.errs))
	for c := range d.lists {
		out = append(out, c)
	}
	for c := range d.errs {
		out = append(out, c)
	}
	return out
}

func (d *directory) Banks(ctx context.Context, country string) ([]core.Bank, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return d.lists[country], d.errs[country]
}

func countries() []core.Country {
	transfers := core.ChannelRule{Channel: core.BankTransfer, NeedsBankCode: true}
	wallets := core.ChannelRule{Channel: core.MobileMoney}
	both := []core.ChannelRule{transfers, wallets}
	return []core.Country{
		{Code: "NG", Name: "Nigeria", Currencies: []string{"NGN"}, Channels: both},
		{Code: "GH", Name: "Ghana", Currencies: []string{"GHS"}, Channels: both},
		{Code: "KE", Name: "Kenya", Currencies: []string{"KES"}, Channels: both},
		{Code: "CI", Name: "Côte d'Ivoire", Currencies: []string{"XOF"}, Channels: both},
	}
}

func bank(country, code, name string, codes ...string) core.Bank {
	currency := map[string]string{"NG": "NGN", "GH": "GHS", "KE": "KES", "CI": "XOF"}[country]
	b := core.Bank{
		Code: code, Name: name, Country: country, Currency: currency, Type: core.CommercialBank,
		Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{},
	}
	for i := 0; i+1 < len(codes); i += 2 {
		b.Codes[codes[i]] = codes[i+1]
	}
	return b
}

func wallet(country, code, name string, codes ...string) core.Bank {
	b := bank(country, code, name, codes...)
	b.Type, b.Channels = core.MobileMoneyBank, []core.Channel{core.MobileMoney}
	return b
}

func catalog() []core.Bank {
	return []core.Bank{
		bank("NG", "000015", "Zenith Bank", "cbn", "057", "swift", "ZEIBNGLA"),
		bank("NG", "000013", "Guaranty Trust Bank", "cbn", "058", "swift", "GTBINGLA"),
		bank("NG", "000014", "Access Bank", "cbn", "044"),
		bank("NG", "090405", "Moniepoint MFB", "cbn", "50515"),
		bank("NG", "090286", "Safe Haven MFB", "paystack", "51113", "old", "951113"),
		bank("NG", "303", "Lotus Bank"),
		bank("GH", "030100", "Absa Bank Ghana", "swift", "BARCGHAC"),
		wallet("GH", "MTN", "MTN Mobile Money"),
		bank("KE", "01", "KCB Bank Kenya", "swift", "KCBLKENX"),
		bank("KE", "68", "Equity Bank Kenya", "swift", "EQBLKENA"),
		wallet("KE", "MPESA", "M-PESA"),
		bank("CI", "ECOCCIAB", "Ecobank Côte d’Ivoire"),
	}
}

func never(core.Bank) bool { return false }

// registry is a service with a clock that the test sets.
type registry struct {
	*banks.Service

	now atomic.Int64 // Unix seconds
}

// refresh advances the clock until every list is due, and fetches them.
func (r *registry) refresh(t testing.TB) {
	t.Helper()
	r.now.Add(2 * 3600)
	r.Tick(t.Context())
}

// state returns the state of a directory for a country.
func (r *registry) state(t testing.TB, directory, country string) banks.State {
	t.Helper()
	for _, s := range r.States() {
		if s.Directory == directory && s.Country == country {
			return s
		}
	}
	t.Fatalf("no state of directory %s in %s", directory, country)
	return banks.State{}
}

func configured(list []core.Bank, directories ...ports.BankDirectory) banks.Config {
	return banks.Config{
		Countries: countries(), Catalog: list, Directories: directories, Resolvable: never,
		Clock: time.Now, Entropy: func() uint64 { return 0 },
	}
}

func service(t testing.TB, list []core.Bank, directories ...ports.BankDirectory) *registry {
	t.Helper()
	r := &registry{}
	r.now.Store(1_795_000_000)
	cfg := configured(list, directories...)
	cfg.Clock = func() time.Time { return time.Unix(r.now.Load(), 0) }
	var err error
	if r.Service, err = banks.New(cfg); err != nil {
		t.Fatalf("New: %v", err)
	}
	return r
}

func reason(t *testing.T, err error, field string) string {
	t.Helper()
	e, ok := errors.AsType[*core.Error](err)
	if !ok || e.Code != core.Invalid || len(e.Fields) != 1 || e.Fields[0].Field != field {
		t.Fatalf("got %v, want one error of field %s", err, field)
	}
	return e.Fields[0].Reason
}

func TestNew(t *testing.T) {
	t.Parallel()
	t.Run("invalid config", func(t *testing.T) {
		t.Parallel()
		broken := append(catalog(),
			bank("NG", "000013", "Impostor"), bank("NG", " ", "Codeless"), bank("GH", "999999", " "), bank("FR", "1", "Abroad"), wallet("GH", "mtn", "Lower"))
		cfg := configured(broken, &directory{name: "twin"}, &directory{name: "twin"})
		cfg.Resolvable, cfg.Clock, cfg.Entropy = nil, nil, nil
		_, err := banks.New(cfg)
		for _, want := range []string{
			`NG "000013" (Impostor): the code is taken by Guaranty Trust Bank`, `NG " " (Codeless): no code`, `GH "999999" ( ): no name`,
			`FR "1" (Abroad): unknown country`, `GH "mtn" (Lower): the code is taken by MTN Mobile Money`, `two directories are named "twin"`, "Resolvable, Clock and Entropy are required",
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want an error with %q", err, want)
			}
		}
	})
	t.Run("copies the catalog", func(t *testing.T) {
		t.Parallel()
		mine := catalog()
		s := service(t, mine)
		mine[1].Codes["cbn"] = "999"
		mine[1].Channels[0] = core.Till
		got, err := s.Find("NG", "058")
		if err != nil || got.Channels[0] != core.BankTransfer {
			t.Errorf("got %+v, %v; want channel bank_transfer", got, err)
		}
	})
}

func TestList_Entries(t *testing.T) {
	t.Parallel()
	cfg := configured(catalog())
	cfg.Resolvable = func(b core.Bank) bool { return b.Country == "GH" }
	s, err := banks.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range s.List().Entries() {
		got = append(got, e.Country+" "+e.Name)
		if e.Resolvable != (e.Country == "GH") {
			t.Errorf("%s: got resolvable %t", e.Name, e.Resolvable)
		}
	}
	want := []string{
		"CI Ecobank Côte d’Ivoire", "GH Absa Bank Ghana", "GH MTN Mobile Money", "KE Equity Bank Kenya", "KE KCB Bank Kenya", "KE M-PESA",
		"NG Access Bank", "NG Guaranty Trust Bank", "NG Lotus Bank", "NG Moniepoint MFB", "NG Safe Haven MFB", "NG Zenith Bank",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestList_Find(t *testing.T) {
	t.Parallel()
	s := service(t, append(catalog(), bank("KE", "99", "Flipped Bank", "paystack", "68")))
	for _, c := range []struct{ country, code, want string }{
		{"NG", "000013", "000013"},
		{"NG", "058", "000013"},
		{"NG", " gtbingla ", "000013"},
		{"ng", "303", "303"},
		{"GH", "mtn", "MTN"},
		{"NG", "951113", "090286"},
		{"NG", "950515", "090405"}, // the 6 digits of the CBN's 50515
		{"NG", "GTBINGLAXXX", "000013"},
		{"NG", "gtbi ng la xxx", "000013"},
		{"NG", " 0 5 8 ", "000013"},
		{"CI", "ecocciabxxx", "ECOCCIAB"}, // a BIC that is the own code
		{"KE", "68", "68"},                // an own code has precedence over an alias of another institution
	} {
		got, err := s.Find(c.country, c.code)
		if err != nil || got.Code != c.want {
			t.Errorf("%s %q: got %q, %v; want %q", c.country, c.code, got.Code, err, c.want)
		}
	}
}

func TestList_Find_Errors(t *testing.T) {
	t.Parallel()
	list := append(catalog(), bank("NG", "000030", "Parallex Bank", "cbn", "104"), bank("NG", "090999", "Parallel MFB", "paystack", "104"))
	s := service(t, list)
	for _, c := range []struct{ name, country, code, field, want string }{
		{"missing leading zero", "NG", "58", "bank_code", `"58" is not a bank of NG; did you mean "058" (Guaranty Trust Bank)? See GET /v1/banks?country=NG`},
		{"extra leading zero", "KE", "001", "bank_code", `"001" is not a bank of KE; did you mean "01" (KCB Bank Kenya)? See GET /v1/banks?country=KE`},
		{"replaced letter", "NG", "GTBINLGA", "bank_code", `"GTBINLGA" is not a bank of NG; did you mean "GTBINGLA" (Guaranty Trust Bank)? See GET /v1/banks?country=NG`},
		{"dropped letter", "KE", "mpsa", "bank_code", `"MPSA" is not a bank of KE; did you mean "MPESA" (M-PESA)? See GET /v1/banks?country=KE`},
		{"BIC of a branch", "NG", "GTBINGLA001", "bank_code", `"GTBINGLA001" is not a bank of NG; did you mean "GTBINGLA" (Guaranty Trust Bank)? See GET /v1/banks?country=NG`},
		{"name", "NG", "guaranty", "bank_code", `"GUARANTY" is not a bank of NG; did you mean "000013" (Guaranty Trust Bank)? See GET /v1/banks?country=NG`},
		{"code of another country", "NG", "mpesa", "bank_code", `"MPESA" is not a bank of NG; it is M-PESA of KE. See GET /v1/banks?country=NG`},
		{"unlike any code", "NG", "QQ", "bank_code", `"QQ" is not a bank of NG. See GET /v1/banks?country=NG`},
		{"word in too many names", "NG", "bank", "bank_code", `"BANK" is not a bank of NG. See GET /v1/banks?country=NG`},
		{"shared code", "NG", "104", "bank_code", `"104" is used by 2 institutions of NG; send one of "090999" (Parallel MFB), "000030" (Parallex Bank)`},
		{"blank", "NG", "  ", "bank_code", "is required. See GET /v1/banks?country=NG"},
		{"account number", "NG", "0690000031", "bank_code", "(a value with 10 digits) is not a bank of NG. See GET /v1/banks?country=NG"},
		{"over-long code", "NG", strings.Repeat("x", 5000), "bank_code", `"` + strings.Repeat("X", 32) + `…" is not a bank of NG. See GET /v1/banks?country=NG`},
		{"unknown country", "ZZ", "058", "country_id", `"ZZ" is not a supported country. See GET /v1/countries`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := s.Find(c.country, c.code)
			if got := reason(t, err, c.field); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	t.Run("shared code is not listed as an alias", func(t *testing.T) {
		t.Parallel()
		for _, e := range s.List().Entries() {
			if slices.Contains(e.Aliases, "104") {
				t.Errorf("%s: got aliases %v, want none shared", e.Name, e.Aliases)
			}
		}
	})
}

// genCatalog draws banks of two countries whose codes collide often.
func genCatalog(t *rapid.T) []core.Bank {
	code := rapid.StringMatching(`[0-2]{1,2}|[ABab]{1,2}`)
	seen := map[string]bool{}
	var out []core.Bank
	for range rapid.IntRange(1, 12).Draw(t, "banks") {
		b := bank(rapid.SampledFrom([]string{"NG", "GH"}).Draw(t, "country"), code.Draw(t, "code"), rapid.StringMatching(`[A-C][a-c]{2} Bank`).Draw(t, "name"))
		for _, holder := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"cbn", "swift", "paystack"}), rapid.ID).Draw(t, "holders") {
			b.Codes[holder] = code.Draw(t, "alias")
		}
		if k := b.Country + strings.ToUpper(b.Code); !seen[k] {
			seen[k] = true
			out = append(out, b)
		}
	}
	return out
}

func TestList_Find_Aliases(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := service(t, genCatalog(rt))
		for _, e := range s.List().Entries() {
			for _, code := range append(slices.Clone(e.Aliases), e.Code, strings.ToLower(e.Code), " "+e.Code) {
				if got, err := s.Find(e.Country, code); err != nil || got.Code != e.Code || got.Country != e.Country {
					rt.Fatalf("%s %q: got %q, %v; want %q", e.Country, code, got.Code, err, e.Code)
				}
			}
		}
	})
}

func TestSubscribe(t *testing.T) {
	t.Parallel()
	d := &directory{name: "paystack", lists: map[string][]core.Bank{"GH": {bank("GH", "400100", "New Bank", "paystack", "400100")}}}
	s := service(t, catalog(), d)
	var early, late []*banks.List
	s.Subscribe(func(l *banks.List) { early = append(early, l) })
	for range 2 { // the second refresh changes nothing
		s.refresh(t)
	}
	s.Subscribe(func(l *banks.List) { late = append(late, l) })
	if len(early) != 2 || len(early[0].Entries()) != 12 || len(early[1].Entries()) != 13 {
		t.Errorf("first subscriber: got %d lists, want one of 12 and one of 13 banks", len(early))
	}
	if len(late) != 1 || late[0] != s.List() {
		t.Errorf("late subscriber: got %d lists, want the current one", len(late))
	}
}
