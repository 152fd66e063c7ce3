package config_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/config"
	"causeway/core"
	"causeway/core/banks"
	"causeway/ports"
)

// Each institution has its own code among the others by its kind, where the country's codes have one.
func TestBanks_CodeKinds(t *testing.T) {
	t.Parallel()
	kinds := map[string]string{
		"CI": core.SWIFT, "CM": core.SWIFT, "SN": core.SWIFT, "GH": core.GHIPSS,
		"KE": core.KBA, "TZ": core.Clearing, "UG": core.Clearing, "ZA": core.Branch,
	}
	nips := 0
	for _, b := range load(t).Banks {
		kind := kinds[b.Country]
		switch {
		case b.Country == "NG": // by the NIP code, or where none is known by the CBN's
			nip, cbn := b.Codes[core.NIP] == b.Code, b.Codes[core.CBN] == b.Code
			if nip == cbn {
				t.Errorf("%s %s: nip %t, cbn %t", b.Code, b.Name, nip, cbn)
			}
			if nip {
				nips++
			}
		case kind != "" && b.Type != core.MobileMoneyBank:
			if b.Codes[kind] != b.Code {
				t.Errorf("%s %s %s: %s is %q", b.Country, b.Code, b.Name, kind, b.Codes[kind])
			}
		case kind != "" && b.Codes[kind] != "":
			t.Errorf("%s %s is a wallet with the %s code %q", b.Country, b.Name, kind, b.Codes[kind])
		}
	}
	if nips < 250 {
		t.Errorf("%d NIP codes", nips)
	}
}

func TestBanks_Ranks(t *testing.T) {
	t.Parallel()
	ranked := map[int]string{}
	banks := load(t).Banks
	for _, b := range banks {
		if b.Rank == 0 {
			continue
		}
		if b.Country != "NG" || ranked[b.Rank] != "" {
			t.Errorf("%s %s has rank %d like %q", b.Country, b.Name, b.Rank, ranked[b.Rank])
		}
		ranked[b.Rank] = b.Code
	}
	for rank := 1; rank <= len(ranked); rank++ {
		if ranked[rank] == "" {
			t.Errorf("no bank has rank %d", rank)
		}
	}
	for large := range strings.FieldsSeq("000014 000015 000013 000004 000016 000010 100004 100033 090405") {
		if !slices.ContainsFunc(banks, func(b core.Bank) bool { return b.Code == large && b.Rank > 0 }) {
			t.Errorf("%s has no rank", large)
		}
	}
}

// list is a provider's list of banks.
type list struct {
	name string
	rows map[string][]core.Bank
}

func (l list) Name() string { return l.name }

func (l list) Countries() []string {
	out := make([]string, 0, len(l.rows))
	for c := range l.rows {
		out = append(out, c)
	}
	return out
}

func (l list) Banks(_ context.Context, country string) ([]core.Bank, error) {
	return l.rows[country], nil
}

func registry(t *testing.T, c config.Catalog, directories ...ports.BankDirectory) *banks.Service {
	t.Helper()
	s, err := banks.New(banks.Config{
		Countries: c.Countries, Catalog: c.Banks, Excluded: c.ExcludedBanks, Directories: directories, Resolvable: func(core.Bank) bool { return true },
		Clock: func() time.Time { return time.Unix(1_795_000_000, 0) }, Entropy: func() uint64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Tick(t.Context())
	return s
}

// No code of the catalog is ambiguous: each finds its institution in any usual spelling.
func TestBanks_CodesAreUnambiguous(t *testing.T) {
	t.Parallel()
	c := load(t)
	s := registry(t, c)
	lookups := 0
	for _, b := range c.Banks {
		spellings := append(b.Aliases(), b.Code)
		if bic := b.Codes[core.SWIFT]; bic != "" {
			spellings = append(spellings, bic+"XXX", bic[:4]+" "+bic[4:6]+" "+bic[6:])
		}
		for _, code := range spellings {
			for _, spelled := range []string{code, strings.ToLower(code), " " + code + "\t"} {
				lookups++
				if got, err := s.Find(b.Country, spelled); err != nil || got.Code != b.Code {
					t.Errorf("%s %q: got %s, %v; want %s", b.Country, spelled, got.Code, err, b.Code)
				}
			}
		}
	}
	if lookups < 3000 {
		t.Errorf("only %d lookups", lookups)
	}
}

// Banks in lists of providers match the catalog although names are abbreviated or outdated. Codes and names are as in the
// lists that banks.yaml names: CBN codes with trade names, and KBA codes with the names of 2022. Two rows of Kenya are
// swapped, as in one published list.
func TestBanks_ProviderNames(t *testing.T) {
	t.Parallel()
	rows := map[string]string{
		"NG 044": "Access Bank", "NG 063": "Access Bank (Diamond)", "NG 058": "GTBank Plc", "NG 214": "FCMB",
		"NG 033": "UBA Plc", "NG 011": "First Bank of Nigeria Limited", "NG 221": "STANBIC IBTC BANK PLC",
		"NG 068": "StandardChartered", "NG 032": "Union Bank Plc", "NG 035": "WEMA BANK PLC",
		"NG 035A": "ALAT by WEMA", "NG 50211": "Kuda Microfinance Bank", "NG 50515": "Moniepoint MFB",
		"NG 999992": "OPay Digital Services Limited (OPay)", "NG 999991": "PalmPay", "NG 560": "Page MFBank",
		"NG 00103": "Globus Bank", "NG 120001": "9PSB", "NG 951113": "Safe Haven MFB", "NG 950211": "Kuda Bank",
		"KE 31": "CFC Stanbic Bank Kenya Limited", "KE 41": "NIC Bank Limited",
		"KE 07": "Commercial Bank of Africa Limited", "KE 03": "Barclays Bank of Kenya",
		"KE 57": "Investments n Mortgages Bank Limited", "KE 26": "Trans-National Bank Limited", "KE MPS": "M-Pesa",
		"KE 01": "Equity Bank", "KE 68": "Kenya Commercial Bank Limited", "GH GH280100": "ACCESS BANK GHANA LIMITED",
		"GH 040100": "Ghana Commercial Bank", "GH VODAFONE": "Vodafone", "GH GH230100": "GUARANTY TRUST BANK",
		"TZ 020": "BARCLAYS BANK TANZANIA LTD", "TZ 026": "NIC BANK (TANZANIA) LIMITED", "UG 11": "Orient Bank Ltd",
	}
	currencies := map[string]string{"NG": "NGN", "KE": "KES", "GH": "GHS", "TZ": "TZS", "UG": "UGX"}
	l := list{"flutterwave", map[string][]core.Bank{}}
	for at, name := range rows {
		country, code, _ := strings.Cut(at, " ")
		row := core.Bank{
			Code: code, Name: name, Country: country, Currency: currencies[country], Type: core.CommercialBank,
			Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"flutterwave": code},
		}
		if code == "MPS" || code == "VODAFONE" {
			row.Type, row.Channels = core.MobileMoneyBank, []core.Channel{core.MobileMoney}
		}
		l.rows[country] = append(l.rows[country], row)
	}
	var left []string
	joined := 0
	for _, st := range registry(t, load(t), l).States() {
		joined += st.Joined
		for _, o := range st.LeftOut {
			left = append(left, o.Code+" "+string(o.Reason))
		}
		if st.Added != 0 {
			t.Errorf("%s: %d were added as new", st.Country, st.Added)
		}
	}
	if want := []string{"01 different_name", "68 different_name"}; !slices.Equal(left, want) || joined != len(rows)-2 {
		t.Errorf("%d of %d joined, left out %q; want %q", joined, len(rows), left, want)
	}
}

// listed returns a list with one row per institution, which row changes.
func listed(c config.Catalog, row func(i int, b *core.Bank)) list {
	l := list{"acme", map[string][]core.Bank{}}
	for i, b := range c.Banks {
		row(i, &b)
		b.Codes = map[string]string{"acme": b.Code}
		l.rows[b.Country] = append(l.rows[b.Country], b)
	}
	return l
}

// Each name of the catalog joins a row with an unknown code to its own institution, or to none.
func TestBanks_NamesAreUnambiguous(t *testing.T) {
	t.Parallel()
	c := load(t)
	joined := 0
	for n := range 4 {
		names := map[string]string{}
		l := listed(c, func(i int, b *core.Bank) {
			name := append([]string{b.Name}, b.Names...)[min(n, len(b.Names))]
			b.Code, b.Name = fmt.Sprint("ROW-", i), name
			names[b.Code] = name
		})
		for i, b := range registry(t, c, l).List().Banks() {
			row := b.Codes["acme"]
			if row == "" {
				continue
			}
			joined++
			if name := names[row]; b.Name != name && !slices.Contains(b.Names, name) {
				t.Errorf("%d: %s %q was joined to %s", i, b.Country, name, b.Name)
			}
		}
	}
	if joined < 4*len(c.Banks)-40 {
		t.Errorf("%d rows joined of %d", joined, 4*len(c.Banks))
	}
}

// No code joins a row that has the name of another institution, except NIP codes, which NIBSS
// assigns.
func TestBanks_SwappedNames(t *testing.T) {
	t.Parallel()
	c := load(t)
	rows := 0
	for distance := range 5 {
		l := listed(c, func(i int, b *core.Bank) {
			other := c.Banks[(i+distance+1)%len(c.Banks)]
			if other.Country != b.Country || b.Country == "NG" {
				b.Code = "" // malformed: not joined
				return
			}
			b.Name = other.Name
		})
		for _, b := range registry(t, c, l).List().Banks() {
			rows++
			if own := b.Codes["acme"]; own != "" {
				t.Errorf("%s %s: a row with the name of the institution %d places on was joined by %s", b.Country, b.Name, distance+1, own)
			}
		}
	}
	if rows < 5*len(c.Banks) {
		t.Errorf("%d institutions of %d", rows, 5*len(c.Banks))
	}
}

// Rows of recorded and documented lists that were once left out, listed twice, or taken for an
// institution.
func TestBanks_ListedRows(t *testing.T) {
	t.Parallel()
	catalog := load(t)
	for _, c := range []struct {
		provider, country, code, own, name string
		wallet                             bool
		want                               string // code of the institution, or the reason
	}{
		{"afriex", "KE", "SAFARICOM", "SAFARICOM", "SAFARICOM", true, "MPESA"},
		{"korapay", "KE", "11", "0011", "Coop Bank", false, "11"},
		{"korapay", "KE", "63", "0063", "DTB", false, "63"},
		{"korapay", "KE", "16", "0016", "Citi Bank", false, "16"},
		{"korapay", "KE", "54", "0054", "Victoria Bank", false, "54"},
		{"korapay", "KE", "02", "0002", "Standard Chartered", false, "02"},
		{"korapay", "KE", "AIRTEL", "0002", "Airtel", true, "AIRTEL"},
		{"korapay", "KE", "IPS", "IPS", "IPS", false, "not_an_institution"},
		{"korapay", "NG", "100002", "916", "PAGA", false, "100002"},
		{"korapay", "NG", "100026", "940", "One Finance", false, "100026"},
		{"korapay", "NG", "070008", "951", "Page Micro-finance Bank", false, "070008"},
		{"korapay", "NG", "090121", "958", "Hasal Micro-finance Bank", false, "090121"},
		{"korapay", "NG", "090115", "567", "TCF Micro-finance Bank", false, "090115"},
		{"korapay", "NG", "100003", "917", "ParkWay-ReadyCash", false, "100003"},
		{"korapay", "NG", "070007", "950", "Omoluabi Mortgage Bank Plc", false, "070007"},
		{"korapay", "NG", "000802", "000802", "9 Payment Service Bank", false, "120001"},
		{"korapay", "NG", "323", "323", "ACCESS MOBILE", false, "same_name"},
		{"korapay", "NG", "311", "311", "Parkway", false, "different_name"},
		{"flutterwave", "NG", "101", "101", "ProvidusBank", false, "000023"},
		{"flutterwave", "NG", "000030", "000030", "Parralex", false, "000030"},
		{"flutterwave", "NG", "999999", "999999", "NIP Virtual Bank", false, "not_an_institution"},
		{"flutterwave", "NG", "999001", "999001", "CBN_TSA", false, "not_an_institution"},
		{"flutterwave", "NG", "000028", "000028", "Central Bank Of Nigeria", false, "not_an_institution"},
		{"flutterwave", "NG", "110002", "110002", "Flutterwave Technology Solutions Limited", false, "not_an_institution"},
		{"flutterwave", "NG", "030", "030", "Heritage", false, "closed"},
		{"flutterwave", "NG", "000019", "000019", "Enterprise Bank", false, "closed"},
		{"flutterwave", "NG", "401", "401", "ASO Savings and & Loans", false, "closed"},
		{"flutterwave", "NG", "302", "302", "Eartholeum", false, "different_name"},
		{"flutterwave", "GH", "010100", "GH010100", "BANK OF GHANA", false, "not_an_institution"},
		{"flutterwave", "GH", "340100", "GH340100", "SOVEREIGN BANK", false, "closed"},
		{"flutterwave", "GH", "070100", "GH070100", "ARB APEX BANK LTD", false, "same_name"},
		{"flutterwave", "KE", "30", "30", "Chase Bank Limited", false, "closed"},
		{"flutterwave", "TZ", "001", "001", "BANK OF TANZANIA", false, "not_an_institution"},
		{"flutterwave", "UG", "MPS", "MPS", "Mobile money", false, "not_an_institution"},
		{"flutterwave", "ZA", "FNB", "FNB", "First National Bank", false, "250655"},
		{"flutterwave", "ZA", "NEDBANK", "NedBank", "Nedbank Limited", false, "198765"},
		{"paystack", "GH", "360100", "360100", "OmniBSCI Bank", false, "360100"},
		{"paystack", "KE", "01", "01", "Equity Bank", false, "different_name"},
		{"paystack", "ZA", "450105", "450105", "Capitec Bank", false, "different_name"},
		{"paystack", "ZA", "CAP", "CAP", "Capitec Business Bank", false, "added"},
		{"paystack", "NG", "000005", "063", "Access Bank (Diamond)", false, "000005"},
		{"paystack", "NG", "063", "063", "Access Bank", false, "different_name"},
	} {
		t.Run(c.country+" "+c.own+" "+c.name, func(t *testing.T) {
			t.Parallel()
			row := core.Bank{
				Code: c.code, Name: c.name, Country: c.country, Type: core.CommercialBank,
				Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{c.provider: c.own},
			}
			if c.wallet {
				row.Type, row.Channels = core.MobileMoneyBank, []core.Channel{core.MobileMoney}
			}
			for _, country := range catalog.Countries {
				if country.Code == c.country {
					row.Currency = country.Currencies[0]
				}
			}
			s := registry(t, catalog, list{c.provider, map[string][]core.Bank{c.country: {row}}})
			got := ""
			switch st := s.States()[0]; {
			case len(st.LeftOut) > 0:
				got = string(st.LeftOut[0].Reason)
			case st.Added > 0:
				got = "added"
			default:
				bank, err := s.Find(c.country, c.want)
				if got = bank.Code; err != nil || bank.Codes[c.provider] != c.own {
					t.Errorf("got %v with code %q, want %q", err, bank.Codes[c.provider], c.own)
				}
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// No institution of the catalog is excluded.
func TestBanks_Excluded(t *testing.T) {
	t.Parallel()
	c := load(t)
	l := listed(c, func(int, *core.Bank) {})
	rows := 0
	for _, st := range registry(t, c, l).States() {
		rows += st.Listed
		for _, o := range st.LeftOut {
			t.Errorf("%s %s %s: %s", st.Country, o.Code, o.Name, o.Reason)
		}
	}
	if rows != len(c.Banks) || len(c.ExcludedBanks) < 40 {
		t.Errorf("%d rows of %d, %d exclusions", rows, len(c.Banks), len(c.ExcludedBanks))
	}
}
