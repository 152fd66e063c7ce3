package accounts_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/seed"
	_ "causeway/test/fixedseed"
)

var (
	gtbank = core.Bank{
		Code: "000013", Name: "Guaranty Trust Bank", Country: "NG", Currency: "NGN", Type: core.CommercialBank,
		Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"cbn": "058", "swift": "GTBINGLA"},
	}
	mtn = core.Bank{
		Code: "MTN", Name: "MTN Mobile Money", Country: "GH", Currency: "GHS", Type: core.MobileMoneyBank,
		Channels: []core.Channel{core.MobileMoney},
	}
	simulated = accounts.MagicBanks([]core.Country{{Code: "NG", Currencies: []string{"NGN"}}})[0]

	fake = regexp.MustCompile(`^TEST [A-Z ]+ [0-9]{4}$`)
)

func newStore(t testing.TB, name string) *accounts.Store {
	t.Helper()
	countries := []core.Country{}
	for _, code := range []string{"GH", "KE", "NG"} {
		countries = append(countries, core.Country{Code: code, Currencies: []string{"XXX"}})
	}
	d, err := accounts.NewDirectory(append(accounts.MagicBanks(countries), gtbank, mtn))
	if err != nil {
		t.Fatal(err)
	}
	return accounts.NewStore(seed.Hash(name), d)
}

func TestStore_RealBanks(t *testing.T) {
	t.Parallel()
	w := newStore(t, "causeway")
	count := map[accounts.Outcome]int{}
	names := map[string]bool{}
	const n = 20_000
	for i := range n {
		number := fmt.Sprintf("%010d", i*7919)
		a := w.Get(gtbank, number)
		count[a.Outcome]++
		names[a.Name] = true
		if again := w.Get(gtbank, number); again != a {
			t.Fatalf("%s is %+v, then %+v", number, a, again)
		}
		switch {
		case a.Outcome == accounts.Found && !fake.MatchString(a.Name):
			t.Fatalf("%s is held by %q: not visibly made up", number, a.Name)
		case a.Outcome != accounts.Found && a.Name != "":
			t.Fatalf("%s is %s and held by %q", number, a.Outcome, a.Name)
		}
	}
	for outcome, perCent := range map[accounts.Outcome]float64{accounts.Found: 92, accounts.Unknown: 5, accounts.Dormant: 3} {
		if got := 100 * float64(count[outcome]) / n; got < perCent-1 || got > perCent+1 {
			t.Errorf("%.2f %% are %s, want %.0f ± 1", got, outcome, perCent)
		}
	}
	if len(count) != 3 {
		t.Errorf("outcomes at a real bank: %v", count)
	}
	if len(names) < n/2 {
		t.Errorf("%d names for %d accounts", len(names), n)
	}
}

func TestStore_Seed(t *testing.T) {
	t.Parallel()
	name := func(seed string, bank core.Bank, number string) string {
		return newStore(t, seed).Get(bank, number).Name
	}
	other := gtbank
	other.Code = "000014"
	base := name("a", gtbank, "0123456789")
	for what, got := range map[string]string{
		"seed":   name("b", gtbank, "0123456789"),
		"bank":   name("a", other, "0123456781"),
		"number": name("a", gtbank, "0123456780"),
	} {
		if got == base {
			t.Errorf("another %s gives the same holder %q", what, got)
		}
	}
}

func TestStore_PublishedExample(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.StringN(1, 20, -1).Draw(rt, "seed")
		if a := newStore(t, name).Get(gtbank, "0123456789"); a.Outcome != accounts.Found || !fake.MatchString(a.Name) {
			rt.Fatalf("with the seed %q it is %+v", name, a)
		}
	})
}

func TestStore_PhoneNumbers(t *testing.T) {
	t.Parallel()
	w := newStore(t, "causeway")
	want := w.Get(mtn, "0241234567")
	for _, number := range []string{"+233241234567", "233241234567", "00233241234567", "241234567"} {
		if got := w.Get(mtn, number); got != want {
			t.Errorf("%s is %+v, want %+v", number, got, want)
		}
	}
	if w.Get(gtbank, "0000012345") == w.Get(gtbank, "0000123450") {
		t.Error("two account numbers of a bank are one account")
	}
}

func TestStore_MagicNumbers(t *testing.T) {
	t.Parallel()
	w := newStore(t, "causeway")
	want := map[string]accounts.Outcome{
		"200": accounts.Found, "202": accounts.Slow, "206": accounts.Truncated, "207": accounts.WrongPage,
		"300": accounts.RenamedSecond, "301": accounts.Found, "302": accounts.Found, "303": accounts.Found,
		"304": accounts.Found, "305": accounts.Found, "306": accounts.Found, "307": accounts.Found,
		"308": accounts.Found, "309": accounts.Found, "404": accounts.Unknown, "409": accounts.Closed,
		"429": accounts.Throttled, "500": accounts.Failed, "503": accounts.Down, "504": accounts.Hanging,
		"555": accounts.Reset,
	}
	for _, row := range accounts.MagicNumbers() {
		if row.Reply.Outcome != want[row.Suffix] || row.Title == "" {
			t.Errorf("%+v, want the outcome %q and a title", row, want[row.Suffix])
		}
		delete(want, row.Suffix)
		for _, number := range []string{"0000000" + row.Suffix, "9876543" + row.Suffix} {
			if got := w.Get(simulated, number); got.Outcome != row.Reply.Outcome {
				t.Errorf("%s is %q, want %q", number, got.Outcome, row.Reply.Outcome)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not in the table: %v", want)
	}
}

func TestStore_OtherNumbers(t *testing.T) {
	t.Parallel()
	w := newStore(t, "causeway")
	special := map[string]bool{}
	for _, row := range accounts.MagicNumbers() {
		special[row.Suffix] = true
	}
	for i := range 1000 {
		number := fmt.Sprintf("0000000%03d", i)
		a := w.Get(simulated, number)
		if !special[number[7:]] && a.Outcome != accounts.Found {
			t.Errorf("%s is %q", number, a.Outcome)
		}
		if a.Outcome == accounts.Found && (a.Name == "") != (number[7:] == "309") {
			t.Errorf("%s is held by %q", number, a.Name)
		}
	}
}

func TestMagicNumbers_Names(t *testing.T) {
	t.Parallel()
	name := map[string]string{}
	for _, row := range accounts.MagicNumbers() {
		if row.Reply.Holder == nil {
			continue
		}
		name[row.Suffix] = *row.Reply.Holder
		if *row.Reply.Holder != "" && !strings.Contains(strings.ToUpper(*row.Reply.Holder), "TEST") {
			t.Errorf("%q is not visibly made up", *row.Reply.Holder)
		}
	}
	if n := utf8.RuneCountInString(name["301"]); n != 80 {
		t.Errorf("301 has %d characters, want 80", n)
	}
	if !strings.ContainsFunc(name["302"], func(r rune) bool { return r > 127 }) {
		t.Errorf("302 has no diacritics: %q", name["302"])
	}
	if !strings.Contains(name["303"], "'") {
		t.Errorf("303 has no apostrophe: %q", name["303"])
	}
	if strings.Contains(name["306"], " ") {
		t.Errorf("306 is more than one name: %q", name["306"])
	}
	if name["307"] == strings.Join(strings.Fields(name["307"]), " ") {
		t.Errorf("307 is not padded: %q", name["307"])
	}
	if upper := strings.ToUpper(name["308"]); name["308"] == upper {
		t.Errorf("308 is in one case: %q", name["308"])
	}
}

func TestMagicBanks(t *testing.T) {
	t.Parallel()
	wallets := []core.ChannelRule{{Channel: core.BankTransfer}, {Channel: core.MobileMoney}}
	got := accounts.MagicBanks([]core.Country{
		{Code: "NG", Currencies: []string{"NGN", "USD"}, Channels: wallets},
		{Code: "GH", Currencies: []string{"GHS"}, Channels: wallets},
	})
	var lines []string
	for _, b := range got {
		lines = append(lines, fmt.Sprint(b.Country, b.Code, b.Name, b.Currency, b.Type, b.Channels, b.Codes, b.Aliases()))
		if !accounts.IsMagic(b) {
			t.Errorf("%s %s is not magic", b.Country, b.Code)
		}
	}
	all := func(code string) map[string]string {
		return map[string]string{"afriex": code, "busha": code, "flutterwave": code, "korapay": code, "monnify": code, "paystack": code}
	}
	want := []string{
		fmt.Sprint("NG", "001", "Simulated Bank", "NGN", "bank", []string{"bank_transfer"}, all("001"), []string{}),
		fmt.Sprint("NG", "SIM", "Simulated Wallet", "NGN", "mobile_money", []string{"bank_transfer", "mobile_money"}, all("SIM"), []string{}),
		fmt.Sprint("GH", "001", "Simulated Bank", "GHS", "bank", []string{"bank_transfer"}, all("001"), []string{}),
		fmt.Sprint("GH", "SIM", "Simulated Wallet", "GHS", "mobile_money", []string{"mobile_money"}, all("SIM"), []string{}),
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got  %q\nwant %q", lines, want)
	}
	if accounts.IsMagic(gtbank) {
		t.Error("a real bank is magic")
	}
}
