package recipients_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/core/recipients"
	"causeway/core/recipients/guard"
	"causeway/ports"
)

const budget = 8 * time.Second

// resolver is a provider that knows what its functions say.
type resolver struct {
	name     string
	resolves func(country string, channel core.Channel, bank core.Bank) bool
	resolve  func(ctx context.Context, query core.AccountQuery) (core.Private, error)
}

func (r resolver) Name() string { return r.name }

func (r resolver) Resolves(country string, channel core.Channel, bank core.Bank) bool {
	return r.resolves(country, channel, bank)
}

func (r resolver) Resolve(ctx context.Context, query core.AccountQuery) (core.Private, error) {
	return r.resolve(ctx, query)
}

func always(string, core.Channel, core.Bank) bool { return true }

// answers is a resolver that can be asked everything and always says the same.
func answers(name string, holder core.Private, err error) resolver {
	return resolver{name: name, resolves: always, resolve: func(context.Context, core.AccountQuery) (core.Private, error) { return holder, err }}
}

// hangs is a resolver that answers only when it is told to stop.
func hangs(name string) resolver {
	return resolver{name: name, resolves: always, resolve: func(ctx context.Context, _ core.AccountQuery) (core.Private, error) {
		<-ctx.Done()
		return "", core.Errorf(core.Unavailable, "hung").With(ctx.Err())
	}}
}

// unasked is a resolver that fails the test when it is asked.
func unasked(t testing.TB) resolver {
	return resolver{name: "unasked", resolves: always, resolve: func(context.Context, core.AccountQuery) (core.Private, error) {
		t.Error("a resolver was asked")
		return "NOBODY", nil
	}}
}

// confirmer is a provider that judges names as its function says.
type confirmer struct {
	name     string
	confirms func(country string, channel core.Channel, bank core.Bank) bool
	confirm  func(ctx context.Context, query core.AccountQuery, claimed core.Private) (core.NameMatch, error)
}

func (c confirmer) Name() string { return c.name }

func (c confirmer) Confirms(country string, channel core.Channel, bank core.Bank) bool {
	return c.confirms(country, channel, bank)
}

func (c confirmer) Confirm(ctx context.Context, query core.AccountQuery, claimed core.Private) (core.NameMatch, error) {
	return c.confirm(ctx, query, claimed)
}

// confirms is a confirmer that can be asked everything and always says the same.
func confirms(name string, match core.NameMatch, err error) confirmer {
	return confirmer{name: name, confirms: always, confirm: func(context.Context, core.AccountQuery, core.Private) (core.NameMatch, error) { return match, err }}
}

func rule(channel core.Channel, currency, sentence, pattern, example string, phone bool) core.ChannelRule {
	return core.ChannelRule{
		Channel: channel, Currencies: []string{currency}, NeedsBankCode: channel == core.BankTransfer,
		Account: core.AccountRule{Rule: sentence, Pattern: regexp.MustCompile(pattern), Example: example, Phone: phone},
	}
}

func countries() []core.Country {
	country := func(code, name, currency string, rules ...core.ChannelRule) core.Country {
		return core.Country{Code: code, Name: name, Currencies: []string{currency}, Channels: rules}
	}
	phone := func(currency, pattern, example string) core.ChannelRule {
		return rule(core.MobileMoney, currency, "a mobile number", pattern, example, true)
	}
	kenya := country("KE", "Kenya", "KES",
		rule(core.BankTransfer, "KES", "10 to 14 digits", `^\d{10,14}$`, "1234567890", false),
		phone("KES", `^\+254[17]\d{8}$`, "+254712345678"),
		rule(core.PayBill, "KES", "5 to 7 digits", `^\d{5,7}$`, "174379", false),
		rule(core.Till, "KES", "5 to 7 digits", `^\d{5,7}$`, "174379", false))
	kenya.Currencies = append(kenya.Currencies, "USD")
	nuban := rule(core.BankTransfer, "NGN", "exactly 10 digits (NUBAN)", `^\d{10}$`, "0123456789", false)
	wallet := nuban
	wallet.Channel, wallet.Account.Rule = core.MobileMoney, "exactly 10 digits (NUBAN), or a phone number"
	return []core.Country{
		country("NG", "Nigeria", "NGN", nuban, wallet),
		country("GH", "Ghana", "GHS", rule(core.BankTransfer, "GHS", "6 to 16 digits", `^\d{6,16}$`, "0031625807099", false),
			phone("GHS", `^\+233[25]\d{8}$`, "+233241234567")),
		kenya,
		country("UG", "Uganda", "UGX", phone("UGX", `^\+2567\d{8}$`, "+256772123456")),
		country("TZ", "Tanzania", "TZS", phone("TZS", `^\+255[67]\d{8}$`, "+255754123456")),
		country("RW", "Rwanda", "RWF", phone("RWF", `^\+2507\d{8}$`, "+250781234567")),
		country("CI", "Côte d'Ivoire", "XOF", rule(core.BankTransfer, "XOF", "the RIB, 24 characters", `^(CI\d{22}|[A-Z]\d{23})$`, "CI0080111301134291200589", false),
			phone("XOF", `^\+2250[157]\d{8}$`, "+2250701234567")),
		country("SN", "Senegal", "XOF", phone("XOF", `^\+2217\d{8}$`, "+221771234567")),
	}
}

func institutions() []core.Bank {
	bank := func(country, code, name, alias string, channels ...core.Channel) core.Bank {
		return core.Bank{Country: country, Code: code, Name: name, Channels: channels, Codes: map[string]string{"alias": alias}}
	}
	return []core.Bank{
		bank("NG", "000013", "Guaranty Trust Bank", "058", core.BankTransfer),
		bank("NG", "100004", "OPay", "999992", core.BankTransfer, core.MobileMoney),
		bank("GH", "030100", "Absa Bank Ghana", "BARCGHAC", core.BankTransfer),
		bank("GH", "MTN", "MTN Mobile Money", "", core.MobileMoney),
		bank("GH", "VOD", "Telecel Cash", "TELECEL", core.MobileMoney),
		bank("KE", "68", "Equity Bank", "EQBLKENA", core.BankTransfer),
		bank("KE", "MPESA", "M-PESA", "MPS", core.MobileMoney),
		bank("KE", "AIRTEL", "Airtel Money", "MPX", core.MobileMoney),
		bank("UG", "MTN", "MTN Mobile Money", "MTN-UG", core.MobileMoney),
		bank("UG", "AIRTEL", "Airtel Money", "AIRTEL-UG", core.MobileMoney),
		bank("TZ", "VODACOM", "M-Pesa", "VODACOM-TZS", core.MobileMoney),
		bank("TZ", "TIGO", "Mixx by Yas", "TIGOPESA-TZS", core.MobileMoney),
		bank("TZ", "YAS", "Another Yas", "", core.MobileMoney),
		bank("TZ", "HALOPESA", "HaloPesa Bank", "", core.BankTransfer),
		bank("RW", "MTN", "MTN MoMo", "MTN-RW", core.MobileMoney),
		bank("RW", "AIRTEL", "Airtel Money", "AIRTEL-RW", core.MobileMoney),
		bank("CI", "ORANGE", "Orange Money", "ORANGE-CI", core.MobileMoney),
		bank("CI", "MTN", "MTN MoMo", "MTN-CI", core.MobileMoney),
		bank("CI", "MOOV", "Moov Money", "MOOV-CI", core.MobileMoney),
		bank("CI", "ECOCCIAB", "Ecobank", "", core.BankTransfer),
	}
}

func find(country, code string) (core.Bank, error) {
	for _, b := range institutions() {
		if b.Country == country && b.Known(strings.ToUpper(code)) {
			return b, nil
		}
	}
	return core.Bank{}, core.InvalidField("bank_code", "is not a bank of %s", country)
}

// registry is a registry whose providers have all told their banks, but for those that it names:
// "name/country".
func registry(awaited ...string) recipients.Registry {
	return recipients.Registry{
		Find:   find,
		Awaits: func(provider, country string) bool { return slices.Contains(awaited, provider+"/"+country) },
	}
}

func service(t testing.TB, resolvers ...ports.AccountResolver) *recipients.Service {
	t.Helper()
	return serviceOf(t, registry(), resolvers...)
}

func serviceOf(t testing.TB, registry recipients.Registry, resolvers ...ports.AccountResolver) *recipients.Service {
	t.Helper()
	cfg := configOf(countries(), resolvers...)
	cfg.Registry = registry
	return open(t, cfg)
}

var providerNames = []string{"paystack", "flutterwave", "monnify", "korapay", "afriex", "daraja", "busha"}

// preferred is a built-in order of providers.
var preferred = map[string][]string{
	"ng_bank_transfer": {"paystack", "flutterwave", "monnify", "korapay", "afriex", "busha"},
	"ng_mobile_money":  {"paystack", "flutterwave", "monnify", "korapay", "afriex", "busha"},
	"gh_bank_transfer": {"paystack", "afriex", "korapay", "busha"},
	"gh_mobile_money":  {"paystack", "afriex", "korapay", "busha"},
	"ke_mobile_money":  {"afriex", "korapay", "busha"},
	"ug_mobile_money":  {"afriex", "korapay", "busha"},
	"ci_mobile_money":  {"afriex", "korapay", "busha"},
	"ke_pay_bill":      {"daraja", "busha"},
	"ke_till":          {"daraja", "busha"},
	"za_bank_transfer": {"paystack"},
}

// configOf returns a configuration without cache and guard.
func configOf(countries []core.Country, resolvers ...ports.AccountResolver) recipients.Config {
	settings := recipients.Default()
	settings.Providers, settings.Preferred = providerNames, preferred
	settings.Budget, settings.Guard.Mode = budget, guard.Off
	return recipients.Config{
		Countries: countries, Registry: registry(), Resolvers: resolvers, Settings: settings,
		Clock: time.Now, Stopwatch: time.Now, Entropy: entropy(1),
	}
}

// open makes a service that knows the institutions.
func open(t testing.TB, cfg recipients.Config) *recipients.Service {
	t.Helper()
	s, err := recipients.New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	s.Survey(institutions())
	return s
}

// entropy counts from a seed on.
func entropy(seed uint64) core.Entropy {
	var n atomic.Uint64
	n.Store(seed << 32)
	return func() uint64 { return n.Add(1) * 0x9e3779b97f4a7c15 }
}

func nigerian() recipients.Request {
	return recipients.Request{Currency: "NGN", Country: "NG", Channel: "bank_transfer", BankCode: "058", AccountNumber: "0123456789"}
}

func TestNew(t *testing.T) {
	t.Parallel()
	_, err := recipients.New(recipients.Config{})
	if err == nil {
		t.Fatal("got no error")
	}
	twin := answers("twin", "X", nil)
	patternless := configOf([]core.Country{{Code: "NG", Channels: []core.ChannelRule{{Channel: core.Till}}}}, twin, twin)
	double := confirms("both", core.Match, nil)
	patternless.Confirmers = []ports.AccountConfirmer{double, double}
	_, second := recipients.New(patternless)
	if second == nil {
		t.Fatal("got no error")
	}
	for _, want := range []string{
		"no countries", "the registry is incomplete", "no resolvers and no confirmers", "resolution.budget is 0s", "no clock, no stopwatch or no entropy",
		"NG till: no pattern", `two resolvers have the name "twin"`, `two confirmers have the name "both"`,
	} {
		if !strings.Contains(err.Error()+second.Error(), want) {
			t.Errorf("got %v and %v, want one to say %q", err, second, want)
		}
	}
}

func TestService_Resolve(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		req          recipients.Request
		bank, number string
	}{
		{"the published example", recipients.Request{Currency: "NGN", Country: "NG", Channel: "bank_transfer", BankCode: "000013", AccountNumber: "0123456789"}, "000013", "0123456789"},
		{"the published example as a wallet", recipients.Request{Currency: "NGN", Country: "NG", Channel: "mobile_money", BankCode: "000013", AccountNumber: "0123456789"}, "000013", "0123456789"},
		{"by an alias, in lower case, with spaces and hyphens", recipients.Request{Currency: " ngn", Country: "ng ", Channel: " bank_transfer ", BankCode: " 058 ", AccountNumber: " 01 2345-67\u00a089 "}, "000013", "0123456789"},
		{"a wallet's phone number is an account number of a bank", recipients.Request{Currency: "NGN", Country: "NG", Channel: "mobile_money", BankCode: "058", AccountNumber: "8031234567"}, "000013", "8031234567"},
		{"a failed NUBAN check digit", recipients.Request{Currency: "NGN", Country: "NG", Channel: "bank_transfer", BankCode: "058", AccountNumber: "0001234567"}, "000013", "0001234567"},
		{"a Ghanaian wallet", recipients.Request{Currency: "GHS", Country: "GH", Channel: "mobile_money", BankCode: "mtn", AccountNumber: "024 123 4567"}, "MTN", "+233241234567"},
		{"a wallet whose number was ported: the code decides", recipients.Request{Currency: "GHS", Country: "GH", Channel: "mobile_money", BankCode: "VOD", AccountNumber: "0241234567"}, "VOD", "+233241234567"},
		{"a pay bill, without a bank", recipients.Request{Currency: "KES", Country: "KE", Channel: "pay_bill", AccountNumber: "174 379"}, "", "174379"},
		{"a till, without a bank", recipients.Request{Currency: "KES", Country: "KE", Channel: "till", AccountNumber: "174379"}, "", "174379"},
		{"a RIB in lower case", recipients.Request{Currency: "XOF", Country: "CI", Channel: "bank_transfer", BankCode: "ECOCCIAB", AccountNumber: "ci008 01113 011342912005 89"}, "ECOCCIAB", "CI0080111301134291200589"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := service(t, answers("one", "ADA OBI", nil)).Resolve(t.Context(), c.req)
			if err != nil {
				t.Fatal(err)
			}
			if got.Holder.Reveal() != "ADA OBI" || got.Bank.Code != c.bank || got.Number.Reveal() != c.number {
				t.Errorf("got %q, %q, %q; want ADA OBI, %q, %q", got.Holder.Reveal(), got.Bank.Code, got.Number.Reveal(), c.bank, c.number)
			}
			if got.Country != strings.TrimSpace(strings.ToUpper(c.req.Country)) || got.Currency != strings.TrimSpace(strings.ToUpper(c.req.Currency)) ||
				string(got.Channel) != strings.TrimSpace(c.req.Channel) {
				t.Errorf("got %s, %s, %s; want what was asked", got.Country, got.Currency, got.Channel)
			}
		})
	}
}

func fieldErrors(t *testing.T, err error) map[string]string {
	t.Helper()
	e, ok := errors.AsType[*core.Error](err)
	if !ok || e.Code != core.Invalid {
		t.Fatalf("got %v, want faults of fields", err)
	}
	out := map[string]string{}
	for _, f := range e.Fields {
		if _, ok := out[f.Field]; ok {
			t.Errorf("%s is at fault twice", f.Field)
		}
		out[f.Field] = f.Reason
	}
	return out
}

func TestService_FieldErrors(t *testing.T) {
	t.Parallel()
	all := "NG, GH, KE, UG, TZ, RW, CI, SN"
	for _, c := range []struct {
		name string
		req  recipients.Request
		want map[string]string
	}{
		{"everything missing", recipients.Request{}, map[string]string{
			"currency_id":    "is required; accepted: GHS, KES, NGN, RWF, TZS, UGX, USD, XOF. See GET /v1/countries",
			"country_id":     "is required: a two-letter country code; supported: " + all + ". See GET /v1/countries",
			"channel":        "is required; accepted: bank_transfer, mobile_money, pay_bill, till. See GET /v1/countries",
			"account_number": "is required",
		}},
		{"everything wrong", recipients.Request{Currency: "EUR", Country: "FR", Channel: "cash", BankCode: "058", AccountNumber: core.Private(strings.Repeat("1", 65))}, map[string]string{
			"currency_id":    `"EUR" is not paid out in any supported country; accepted: GHS, KES, NGN, RWF, TZS, UGX, USD, XOF. See GET /v1/countries`,
			"country_id":     `"FR" is not supported; supported: ` + all + ". See GET /v1/countries",
			"channel":        `"cash" is not a channel; accepted: bank_transfer, mobile_money, pay_bill, till. See GET /v1/countries`,
			"account_number": "has 65 characters; at most 64 are accepted",
		}},
		{"a country by its name", recipients.Request{Currency: "NGN", Country: "nigeria", Channel: "bank_transfer", AccountNumber: "1"}, map[string]string{
			"country_id": `"nigeria" is not a two-letter country code; did you mean NG? See GET /v1/countries`,
			"bank_code":  "is required for bank_transfer. See GET /v1/banks",
		}},
		{"a currency of another country", recipients.Request{Currency: "KES", Country: "NG", Channel: "bank_transfer", BankCode: "058", AccountNumber: "0123456789"}, map[string]string{
			"currency_id": `"KES" is not paid out in NG; accepted: NGN. See GET /v1/countries`,
		}},
		{"a currency that the channel has not", recipients.Request{Currency: "USD", Country: "KE", Channel: "till", AccountNumber: "174379"}, map[string]string{
			"currency_id": "USD is not paid out by till in KE; accepted: KES. See GET /v1/countries",
		}},
		{"a channel of another country", recipients.Request{Currency: "GHS", Country: "GH", Channel: "till", BankCode: "nobank", AccountNumber: "174379"}, map[string]string{
			"channel":   `"till" is not a channel of GH; accepted: bank_transfer, mobile_money. See GET /v1/countries`,
			"bank_code": "is not a bank of GH",
		}},
		{"no bank code for a transfer", recipients.Request{Currency: "NGN", Country: "NG", Channel: "bank_transfer", AccountNumber: "0123456789"}, map[string]string{
			"bank_code": "is required for bank_transfer in NG. See GET /v1/banks?country=NG",
		}},
		{"no bank code for a Nigerian wallet", recipients.Request{Currency: "NGN", Country: "NG", Channel: "mobile_money", AccountNumber: "0123456789"}, map[string]string{
			"bank_code": "is required for mobile_money in NG. See GET /v1/banks?country=NG",
		}},
		{"no bank code and an operator that is not listed", recipients.Request{Currency: "KES", Country: "KE", Channel: "mobile_money", AccountNumber: "0763123456"}, map[string]string{
			"bank_code": "is required: this number does not identify its operator. See GET /v1/banks?country=KE&channel=mobile_money",
		}},
		{"no bank code and two institutions of that operator", recipients.Request{Currency: "TZS", Country: "TZ", Channel: "mobile_money", AccountNumber: "0651234567"}, map[string]string{
			"bank_code": "is required: this number does not identify its operator. See GET /v1/banks?country=TZ&channel=mobile_money",
		}},
		{"no bank code and an operator without wallets", recipients.Request{Currency: "TZS", Country: "TZ", Channel: "mobile_money", AccountNumber: "0621234567"}, map[string]string{
			"bank_code": "is required: this number does not identify its operator. See GET /v1/banks?country=TZ&channel=mobile_money",
		}},
		{"an unknown bank and a wrong number", recipients.Request{Currency: "NGN", Country: "NG", Channel: "bank_transfer", BankCode: "58", AccountNumber: "012345678"}, map[string]string{
			"bank_code":      "is not a bank of NG",
			"account_number": "has 9 digits; accepted: exactly 10 digits (NUBAN), for example 0123456789",
		}},
		{"a wallet for a bank transfer", recipients.Request{Currency: "KES", Country: "KE", Channel: "bank_transfer", BankCode: "MPESA", AccountNumber: "1234567890"}, map[string]string{
			"bank_code": `"MPESA" (M-PESA) is not reached by bank_transfer, only by mobile_money. See GET /v1/banks?country=KE`,
		}},
		{"a bank for a wallet", recipients.Request{Currency: "GHS", Country: "GH", Channel: "mobile_money", BankCode: "030100", AccountNumber: "0241234567"}, map[string]string{
			"bank_code": `"030100" (Absa Bank Ghana) is not reached by mobile_money, only by bank_transfer. See GET /v1/banks?country=GH`,
		}},
		{"a phone number in the fields beside its own", recipients.Request{Currency: "08031234567", Country: "08031234567", Channel: "08031234567", AccountNumber: "1"}, map[string]string{
			"currency_id": "(a value with 11 digits) is not paid out in any supported country; accepted: GHS, KES, NGN, RWF, TZS, UGX, USD, XOF. See GET /v1/countries",
			"country_id":  "(a value with 11 digits) is not a two-letter country code; supported: " + all + ". See GET /v1/countries",
			"channel":     "(a value with 11 digits) is not a channel; accepted: bank_transfer, mobile_money, pay_bill, till. See GET /v1/countries",
		}},
		{"endless values", recipients.Request{Currency: strings.Repeat("A", 999), Country: "NG", Channel: strings.Repeat("é", 999), BankCode: "058", AccountNumber: "1"}, map[string]string{
			"currency_id": `"` + strings.Repeat("A", 32) + `…" is not paid out in NG; accepted: NGN. See GET /v1/countries`,
			"channel":     `"` + strings.Repeat("é", 32) + `…" is not a channel of NG; accepted: bank_transfer, mobile_money. See GET /v1/countries`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := service(t, unasked(t)).Resolve(t.Context(), c.req)
			if diff := cmp.Diff(c.want, fieldErrors(t, err)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("are told in the order of the contract's table", func(t *testing.T) {
		t.Parallel()
		_, err := service(t, unasked(t)).Resolve(t.Context(), recipients.Request{Channel: "bank_transfer"})
		e, _ := errors.AsType[*core.Error](err)
		var got []string
		for _, f := range e.Fields {
			got = append(got, f.Field)
		}
		if want := []string{"currency_id", "country_id", "bank_code", "account_number"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("are not made of a failure to find", func(t *testing.T) {
		t.Parallel()
		broken := errors.New("broken")
		faulty := registry()
		faulty.Find = func(string, string) (core.Bank, error) { return core.Bank{}, broken }
		s := serviceOf(t, faulty, unasked(t))
		if _, err := s.Resolve(t.Context(), nigerian()); !errors.Is(err, broken) {
			t.Errorf("got %v, want the failure itself", err)
		}
	})
}

// Nobody can be asked: the field at fault is the widest one that makes it so.
func TestService_Unsupported(t *testing.T) {
	t.Parallel()
	paystack := unasked(t)
	paystack.resolves = func(country string, channel core.Channel, bank core.Bank) bool {
		return country == "NG" && bank.Code == "000013" || country == "GH" && channel == core.MobileMoney && bank.Code == "MTN"
	}
	for _, c := range []struct {
		name, field, want string
		req               recipients.Request
	}{
		{
			"country", "country_id", "accounts of UG cannot be looked up yet, only those of NG, GH. See `resolvable` in GET /v1/banks",
			recipients.Request{Currency: "UGX", Country: "UG", Channel: "mobile_money", BankCode: "MTN", AccountNumber: "0772123456"},
		},
		{
			"country, without a bank", "country_id", "accounts of KE cannot be looked up yet, only those of NG, GH. See `resolvable` in GET /v1/banks",
			recipients.Request{Currency: "KES", Country: "KE", Channel: "till", AccountNumber: "174379"},
		},
		{
			"channel", "channel", "accounts of GH cannot be looked up by bank_transfer yet, only by mobile_money. See `resolvable` in GET /v1/banks?country=GH",
			recipients.Request{Currency: "GHS", Country: "GH", Channel: "bank_transfer", BankCode: "030100", AccountNumber: "0031625807099"},
		},
		{
			"bank", "bank_code", "accounts at \"100004\" (OPay) cannot be looked up by bank_transfer yet. See `resolvable` in GET /v1/banks?country=NG for those that can",
			recipients.Request{Currency: "NGN", Country: "NG", Channel: "bank_transfer", BankCode: "999992", AccountNumber: "0123456789"},
		},
		{
			"wallet", "bank_code", "accounts at \"VOD\" (Telecel Cash) cannot be looked up by mobile_money yet. See `resolvable` in GET /v1/banks?country=GH for those that can",
			recipients.Request{Currency: "GHS", Country: "GH", Channel: "mobile_money", AccountNumber: "0201234567"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := service(t, paystack).Resolve(t.Context(), c.req)
			if diff := cmp.Diff(map[string]string{c.field: c.want}, fieldErrors(t, err)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestService_Resolvable(t *testing.T) {
	t.Parallel()
	wallets := answers("wallets", "X", nil)
	wallets.resolves = func(country string, channel core.Channel, bank core.Bank) bool {
		return channel == core.MobileMoney && bank.Code != "" || country == "KE" && channel == core.Till
	}
	s := service(t, wallets)
	for _, b := range institutions() {
		want := b.Country == "NG" || slices.Contains(b.Channels, core.MobileMoney) // in NG a bank code makes a wallet look-up
		if got := s.Resolvable(b); got != want {
			t.Errorf("%s %s: got %t, want %t", b.Country, b.Code, got, want)
		}
	}
	for _, c := range []struct {
		country string
		channel core.Channel
		want    bool
	}{
		{"NG", core.MobileMoney, true},
		{"NG", core.BankTransfer, false},
		{"KE", core.Till, true},
		{"KE", core.PayBill, false},
		{"SN", core.MobileMoney, false}, // no wallet of SN is listed
	} {
		if got := s.Covers(c.country, c.channel); got != c.want {
			t.Errorf("Covers(%s, %s): got %t, want %t", c.country, c.channel, got, c.want)
		}
	}
}

// A provider whose list dropped a bank is not asked about it, whatever code it could still be asked
// by; the others are.
func TestService_DroppedBank(t *testing.T) {
	t.Parallel()
	bank := institutions()[0]
	bank.Dropped = []string{"first"}
	if s := service(t, answers("first", "X", nil)); s.Resolvable(bank) {
		t.Error("the bank is resolvable through the provider that dropped it")
	}
	if s := service(t, answers("first", "X", nil), answers("second", "X", nil)); !s.Resolvable(bank) {
		t.Error("the bank is not resolvable through the provider that still lists it")
	}
}

// What is covered is what the last survey found: a bank that is gone covers nothing.
func TestService_Survey(t *testing.T) {
	t.Parallel()
	s := service(t, answers("all", "X", nil))
	if !s.Covers("GH", core.BankTransfer) || !s.Covers("NG", core.MobileMoney) || !s.Covers("KE", core.Till) {
		t.Fatal("a channel that can be looked up is not covered")
	}
	s.Survey(institutions()[:1])
	if s.Covers("GH", core.BankTransfer) {
		t.Error("GH is covered without an institution")
	}
	if !s.Covers("NG", core.MobileMoney) || !s.Covers("KE", core.Till) {
		t.Error("what is left, or needs no institution, is not covered")
	}
}

// As long as a provider has not listed its banks, its code of a bank may be missing: that nobody
// can be asked is an outage. It is none where no code would help, or where the list of another
// country or provider is missing.
func TestService_AwaitedList(t *testing.T) {
	t.Parallel()
	paystack := unasked(t)
	paystack.name = "paystack"
	paystack.resolves = func(country string, _ core.Channel, bank core.Bank) bool {
		return country == "NG" && (bank.Codes["paystack"] != "" || bank.Code == "000013")
	}
	unknown := recipients.Request{Currency: "NGN", Country: " ng", Channel: "bank_transfer", BankCode: "100004", AccountNumber: "0123456789"}
	kenyan := recipients.Request{Currency: "KES", Country: "KE", Channel: "bank_transfer", BankCode: "68", AccountNumber: "1234567890"}
	till := recipients.Request{Currency: "KES", Country: "KE", Channel: "till", AccountNumber: "174379"}
	for _, c := range []struct {
		name    string
		awaited string
		req     recipients.Request
		want    core.Code
	}{
		{"its list is awaited", "paystack/NG", unknown, core.Unavailable},
		{"all lists are there", "", unknown, core.Invalid},
		{"the list of another country is awaited", "paystack/GH", unknown, core.Invalid},
		{"the list of a provider that resolves nothing is awaited", "other/NG", unknown, core.Invalid},
		{"no code would help", "paystack/KE", kenyan, core.Invalid},
		{"there is no bank", "paystack/KE", till, core.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serviceOf(t, registry(c.awaited), paystack)
			_, err := s.Resolve(t.Context(), c.req)
			e, ok := errors.AsType[*core.Error](err)
			if !ok || e.Code != c.want {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			if c.want == core.Unavailable && (e.RetryAfter <= 0 || len(e.Fields) > 0 || !strings.Contains(e.Message, "OPay")) {
				t.Errorf("got %+v, want the bank and a time to ask again", e)
			}
			if err := s.Check(c.req); (err != nil) != (c.want == core.Invalid) {
				t.Errorf("Check: got %v; an outage is no fault of the request", err)
			}
		})
	}
	t.Run("the request's own faults come first", func(t *testing.T) {
		t.Parallel()
		wrong := unknown
		wrong.AccountNumber = "1"
		_, err := serviceOf(t, registry("paystack/NG"), paystack).Resolve(t.Context(), wrong)
		if got := fieldErrors(t, err); len(got) != 1 || got["account_number"] == "" {
			t.Errorf("got %v, want the account number", got)
		}
	})
	t.Run("a list that comes while the bank is looked for is no refusal", func(t *testing.T) {
		t.Parallel()
		awaited := true
		r := registry()
		r.Awaits = func(string, string) bool { return awaited }
		r.Find = func(country, code string) (core.Bank, error) {
			bank, err := find(country, code) // the bank as it was before
			awaited = false
			return bank, err
		}
		if _, err := serviceOf(t, r, paystack).Resolve(t.Context(), unknown); core.CodeOf(err) != core.Unavailable {
			t.Errorf("got %v, want unavailable", err)
		}
	})
}

func TestService_Check(t *testing.T) {
	t.Parallel()
	s := service(t, unasked(t))
	if err := s.Check(nigerian()); err != nil {
		t.Errorf("got %v for a good request", err)
	}
	wrong := nigerian()
	wrong.Currency, wrong.AccountNumber = "KES", ""
	_, want := s.Resolve(t.Context(), wrong)
	if diff := cmp.Diff(fieldErrors(t, want), fieldErrors(t, s.Check(wrong))); diff != "" {
		t.Errorf("faults (-of Resolve +of Check):\n%s", diff)
	}
	broken := errors.New("broken")
	failing := registry()
	failing.Find = func(string, string) (core.Bank, error) { return core.Bank{}, broken }
	if err := serviceOf(t, failing, unasked(t)).Check(nigerian()); !errors.Is(err, broken) {
		t.Errorf("got %v, want the failure to find", err)
	}
}
