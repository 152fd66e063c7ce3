package recipients_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/core/recipients"
	"causeway/ports"
)

func TestNew_Errors(t *testing.T) {
	t.Parallel()
	_, first := recipients.New(recipients.Config{})
	twin, both := answers("twin", "X", nil), confirms("both", core.Match, nil)
	cfg := configOf([]core.Country{{Code: "NG", Channels: []core.ChannelRule{{Channel: core.Till}}}}, twin, twin)
	cfg.Confirmers = []ports.AccountConfirmer{both, both}
	_, second := recipients.New(cfg)
	if first == nil || second == nil {
		t.Fatal("got no error")
	}
	for _, want := range []string{
		"no countries", "the registry is incomplete", "no resolvers and no confirmers", "recipients.budget is 0s",
		"no clock, no stopwatch or no entropy", "NG till: no pattern", `two resolvers have the name "twin"`,
		`two confirmers have the name "both"`,
	} {
		if !strings.Contains(first.Error()+second.Error(), want) {
			t.Errorf("got %v and %v, want one to say %q", first, second, want)
		}
	}
}

func TestService_Resolve(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		req          recipients.Request
		bank, number string
	}{
		"published example":           {request("NG", "NGN", "bank_transfer", "000013", "0123456789"), "000013", "0123456789"},
		"the same as a wallet":        {request("NG", "NGN", "mobile_money", "000013", "0123456789"), "000013", "0123456789"},
		"alias, case and spaces":      {request("ng ", " ngn", " bank_transfer ", " 058 ", " 01 2345-67\u00a089 "), "000013", "0123456789"},
		"failed check digit":          {request("NG", "NGN", "bank_transfer", "058", "0001234567"), "000013", "0001234567"},
		"wallet":                      {request("GH", "GHS", "mobile_money", "mtn", "024 123 4567"), "MTN", "+233241234567"},
		"ported number":               {request("GH", "GHS", "mobile_money", "VOD", "0241234567"), "VOD", "+233241234567"},
		"pay bill":                    {request("KE", "KES", "pay_bill", "", "174 379"), "", "174379"},
		"till":                        {request("KE", "KES", "till", "", "174379"), "", "174379"},
		"RIB in lower case and parts": {request("CI", "XOF", "bank_transfer", "ECOCCIAB", "ci008 01113 011342912005 89"), "ECOCCIAB", "CI0080111301134291200589"},
	} {
		got, err := service(t, answers("one", "ADA OBI", nil)).Resolve(t.Context(), c.req)
		if err != nil || got.Holder != "ADA OBI" || got.Bank.Code != c.bank || got.Number.Reveal() != c.number {
			t.Errorf("%s: got %q at %q, number %q, %v", name, got.Holder.Reveal(), got.Bank.Code, got.Number.Reveal(), err)
		}
		if got.Country != strings.ToUpper(strings.TrimSpace(c.req.Country)) || got.Currency != strings.ToUpper(strings.TrimSpace(c.req.Currency)) ||
			string(got.Channel) != strings.TrimSpace(c.req.Channel) {
			t.Errorf("%s: got %s, %s, %s", name, got.Country, got.Currency, got.Channel)
		}
	}
}

// fieldErrors returns the reasons of a core.Invalid error by field.
func fieldErrors(t *testing.T, err error) map[string]string {
	t.Helper()
	e, ok := errors.AsType[*core.Error](err)
	if !ok || e.Code != core.Invalid {
		t.Fatalf("got %v, want errors of fields", err)
	}
	out := map[string]string{}
	for _, f := range e.Fields {
		if _, ok := out[f.Field]; ok {
			t.Errorf("two errors of %s", f.Field)
		}
		out[f.Field] = f.Reason
	}
	return out
}

func TestService_FieldErrors(t *testing.T) {
	t.Parallel()
	const (
		seeCountries = ". See GET /v1/countries"
		all          = "supported: NG, GH, KE, UG, TZ, RW, CI, SN" + seeCountries
		currencies   = "accepted: GHS, KES, NGN, RWF, TZS, UGX, USD, XOF" + seeCountries
		channels     = "accepted: bank_transfer, mobile_money, pay_bill, till" + seeCountries
		operator     = "is required: this number does not identify its operator. See GET /v1/banks?country="
	)
	for name, c := range map[string]struct {
		req  recipients.Request
		want map[string]string
	}{
		"nothing": {recipients.Request{}, map[string]string{
			"currency_id": "is required; " + currencies, "country_id": "is required: a two-letter country code; " + all,
			"channel": "is required; " + channels, "account_number": "is required",
		}},
		"everything wrong": {request("FR", "EUR", "cash", "058", core.Private(strings.Repeat("1", 65))), map[string]string{
			"currency_id": `"EUR" is not paid out in any supported country; ` + currencies, "country_id": `"FR" is not supported; ` + all,
			"channel": `"cash" is not a channel; ` + channels, "account_number": "has 65 characters; at most 64 are accepted",
		}},
		"name of a country": {request("nigeria", "NGN", "bank_transfer", "", "1"), map[string]string{
			"country_id": `"nigeria" is not a two-letter country code; did you mean NG?` + seeCountries[1:],
			"bank_code":  "is required for bank_transfer. See GET /v1/banks",
		}},
		"currency of another country": {request("NG", "KES", "bank_transfer", "058", "0123456789"), map[string]string{
			"currency_id": `"KES" is not paid out in NG; accepted: NGN` + seeCountries,
		}},
		"currency without the channel": {request("KE", "USD", "till", "", "174379"), map[string]string{
			"currency_id": "USD is not paid out by till in KE; accepted: KES" + seeCountries,
		}},
		"channel of another country": {request("GH", "GHS", "till", "nobank", "174379"), map[string]string{
			"channel": `"till" is not a channel of GH; accepted: bank_transfer, mobile_money` + seeCountries, "bank_code": "is not a bank of GH",
		}},
		"no bank code":                    {request("NG", "NGN", "bank_transfer", "", "0123456789"), map[string]string{"bank_code": "is required for bank_transfer in NG. See GET /v1/banks?country=NG"}},
		"no bank code, wallet of NG":      {request("NG", "NGN", "mobile_money", "", "0123456789"), map[string]string{"bank_code": "is required for mobile_money in NG. See GET /v1/banks?country=NG"}},
		"no bank code, unlisted operator": {request("KE", "KES", "mobile_money", "", "0763123456"), map[string]string{"bank_code": operator + "KE&channel=mobile_money"}},
		"no bank code, two institutions":  {request("TZ", "TZS", "mobile_money", "", "0651234567"), map[string]string{"bank_code": operator + "TZ&channel=mobile_money"}},
		"no bank code, no wallets":        {request("TZ", "TZS", "mobile_money", "", "0621234567"), map[string]string{"bank_code": operator + "TZ&channel=mobile_money"}},
		"unknown bank and wrong number": {request("NG", "NGN", "bank_transfer", "58", "012345678"), map[string]string{
			"bank_code": "is not a bank of NG", "account_number": "has 9 digits; accepted: exactly 10 digits (NUBAN), for example 0123456789",
		}},
		"wallet for a transfer": {request("KE", "KES", "bank_transfer", "MPESA", "1234567890"), map[string]string{
			"bank_code": `"MPESA" (M-PESA) is not reached by bank_transfer, only by mobile_money. See GET /v1/banks?country=KE`,
		}},
		"number in other fields": {request("08031234567", "08031234567", "08031234567", "", "1"), map[string]string{
			"currency_id": "(a value with 11 digits) is not paid out in any supported country; " + currencies,
			"country_id":  "(a value with 11 digits) is not a two-letter country code; " + all,
			"channel":     "(a value with 11 digits) is not a channel; " + channels,
		}},
		"long value": {request("NG", strings.Repeat("A", 999), "bank_transfer", "058", "0123456789"), map[string]string{
			"currency_id": `"` + strings.Repeat("A", 32) + `…" is not paid out in NG; accepted: NGN` + seeCountries,
		}},
	} {
		s := service(t, unasked(t))
		_, err := s.Resolve(t.Context(), c.req)
		if diff := cmp.Diff(c.want, fieldErrors(t, err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.want, fieldErrors(t, s.Check(c.req))); diff != "" {
			t.Errorf("%s, Check (-want +got):\n%s", name, diff)
		}
	}
	req := recipients.Request{Country: "NG", Currency: "KES", Claimed: "1"}
	_, err := service(t, unasked(t)).Resolve(t.Context(), req)
	e, _ := errors.AsType[*core.Error](err)
	var order []string
	for _, f := range e.Fields {
		order = append(order, f.Field)
	}
	if want := []string{"currency_id", "channel", "account_number", "account_name"}; !slices.Equal(order, want) {
		t.Errorf("the order is %v, want %v", order, want)
	}
}

// An error of the registry is neither a field error nor hidden.
func TestService_RegistryFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	cfg := configOf(countries(), unasked(t))
	cfg.Registry.Find = func(string, string) (core.Bank, error) { return core.Bank{}, broken }
	s := open(t, cfg)
	if _, err := s.Resolve(t.Context(), nigerian()); !errors.Is(err, broken) || !errors.Is(s.Check(nigerian()), broken) {
		t.Errorf("got %v, want the error of the registry", err)
	}
}

// Without a provider the error is on the widest field that causes it.
func TestService_Unsupported(t *testing.T) {
	t.Parallel()
	paystack := unasked(t)
	paystack.resolves = func(country string, channel core.Channel, bank core.Bank) bool {
		return country == "NG" && bank.Code == "000013" || country == "GH" && channel == core.MobileMoney && bank.Code == "MTN"
	}
	for want, req := range map[string]recipients.Request{
		"country_id accounts of UG cannot be looked up yet, only accounts of NG, GH. See `resolvable` in GET /v1/banks":                                        request("UG", "UGX", "mobile_money", "MTN", "0772123456"),
		"country_id accounts of KE cannot be looked up yet, only accounts of NG, GH. See `resolvable` in GET /v1/banks":                                        request("KE", "KES", "till", "", "174379"),
		"channel accounts of GH cannot be looked up by bank_transfer yet, only by mobile_money. See `resolvable` in GET /v1/banks?country=GH":                  request("GH", "GHS", "bank_transfer", "030100", "0031625807099"),
		`bank_code accounts at "100004" (OPay) cannot be looked up by bank_transfer yet. See ` + "`resolvable` in GET /v1/banks?country=NG for those that can": request("NG", "NGN", "bank_transfer", "999992", "0123456789"),
	} {
		_, err := service(t, paystack).Resolve(t.Context(), req)
		if e, ok := errors.AsType[*core.Error](err); !ok || e.Code != core.Invalid || e.Message != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestService_Coverage(t *testing.T) {
	t.Parallel()
	wallets := answers("wallets", "X", nil)
	wallets.resolves = func(country string, channel core.Channel, bank core.Bank) bool {
		return channel == core.MobileMoney && bank.Code != "" || country == "KE" && channel == core.Till
	}
	s := service(t, wallets)
	for _, b := range institutions() {
		want := b.Country == "NG" || slices.Contains(b.Channels, core.MobileMoney) // in NG a bank is reached as a wallet
		if got := s.Resolvable(b); got != want {
			t.Errorf("%s %s: got %t, want %t", b.Country, b.Code, got, want)
		}
	}
	covered := func(want bool, country string, channel core.Channel) {
		t.Helper()
		if s.Covers(country, channel) != want {
			t.Errorf("Covers(%s, %s), want %t", country, channel, want)
		}
	}
	covered(true, "NG", core.MobileMoney)
	covered(false, "NG", core.BankTransfer)
	covered(true, "KE", core.Till)
	covered(false, "KE", core.PayBill)
	covered(false, "SN", core.MobileMoney) // no wallet is listed
	s.Survey(institutions()[:1])
	covered(false, "GH", core.MobileMoney)
	covered(true, "KE", core.Till)

	unlisted := institutions()[0]
	unlisted.Unlisted = []string{"first"}
	if service(t, answers("first", "X", nil)).Resolvable(unlisted) {
		t.Error("resolvable by a provider that does not list the bank")
	}
	if !service(t, answers("first", "X", nil), answers("second", "X", nil)).Resolvable(unlisted) {
		t.Error("not resolvable by a provider that lists the bank")
	}
}

// While the bank list of a provider is awaited, a missing code is an outage, unless no code would help.
func TestService_AwaitedList(t *testing.T) {
	t.Parallel()
	paystack := unasked(t)
	paystack.name = "paystack"
	paystack.resolves = func(country string, _ core.Channel, bank core.Bank) bool {
		return country == "NG" && (bank.Codes["paystack"] != "" || bank.Code == "000013")
	}
	unknown := request(" ng", "NGN", "bank_transfer", "100004", "0123456789")
	for name, c := range map[string]struct {
		awaited string
		req     recipients.Request
		want    core.Code
	}{
		"its list":            {"paystack/NG", unknown, core.Unavailable},
		"no list":             {"", unknown, core.Invalid},
		"of another country":  {"paystack/GH", unknown, core.Invalid},
		"of another provider": {"other/NG", unknown, core.Invalid},
		"no code would help":  {"paystack/KE", request("KE", "KES", "bank_transfer", "68", "1234567890"), core.Invalid},
		"no bank":             {"paystack/KE", request("KE", "KES", "till", "", "174379"), core.Invalid},
	} {
		cfg := configOf(countries(), paystack)
		cfg.Registry = registry(c.awaited)
		s := open(t, cfg)
		_, err := s.Resolve(t.Context(), c.req)
		e, ok := errors.AsType[*core.Error](err)
		if !ok || e.Code != c.want || c.want == core.Unavailable && (e.RetryAfter <= 0 || !strings.Contains(e.Message, "OPay")) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
		if err := s.Check(c.req); (err != nil) != (c.want == core.Invalid) {
			t.Errorf("%s: Check got %v", name, err)
		}
	}
	awaited := true // until the bank has been looked up
	cfg := configOf(countries(), paystack)
	cfg.Registry = recipients.Registry{
		Awaits: func(string, string) bool { return awaited },
		Find:   func(country, code string) (core.Bank, error) { awaited = false; return find(country, code) },
	}
	if _, err := open(t, cfg).Resolve(t.Context(), unknown); core.CodeOf(err) != core.Unavailable {
		t.Errorf("got %v, want unavailable", err)
	}
}

// A provider whose bank list is awaited may not know the institution, so that it cannot say that an
// account does not exist.
func TestService_NotFoundBeforeTheList(t *testing.T) {
	t.Parallel()
	till := request("KE", "KES", "till", "", "174379")
	for name, c := range map[string]struct {
		awaited string
		req     recipients.Request
		second  ports.AccountResolver
		err     error
		want    core.Code
	}{
		"its list":                {awaited: "first/NG", req: nigerian(), err: errUnknown, want: core.Unavailable},
		"closed account":          {awaited: "first/NG", req: nigerian(), err: errClosed, want: core.Unavailable},
		"list of another country": {awaited: "first/GH", req: nigerian(), err: errUnknown, want: core.NotFound},
		"no bank":                 {awaited: "first/KE", req: till, err: errUnknown, want: core.NotFound},
		"second provider is certain": {
			awaited: "first/NG", req: nigerian(), err: errUnknown, second: answers("second", "", errUnknown), want: core.NotFound,
		},
		"second provider finds it": {
			awaited: "first/NG", req: nigerian(), err: errUnknown, second: answers("second", "ADA OBI", nil),
		},
	} {
		resolvers := []ports.AccountResolver{answers("first", "", c.err)}
		if c.second != nil {
			resolvers = append(resolvers, c.second)
		}
		cfg := configOf(countries(), resolvers...)
		cfg.Registry = registry(c.awaited)
		if _, err := open(t, cfg).Resolve(t.Context(), c.req); core.CodeOf(err) != c.want {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestService_Routes(t *testing.T) {
	t.Parallel()
	all := []string{"zz", "busha", "daraja", "afriex", "flutterwave", "paystack"}
	kenya := request("KE", "KES", "mobile_money", "MPESA", "0712345678")
	for name, c := range map[string]struct {
		req    recipients.Request
		given  []string
		routes map[string][]string
		want   string
	}{
		"preferred order":         {nigerian(), all, nil, "paystack flutterwave afriex busha daraja zz"},
		"of another place":        {kenya, all, nil, "afriex busha daraja flutterwave paystack zz"},
		"without preference":      {request("KE", "KES", "till", "", "174379"), all, nil, "paystack flutterwave afriex daraja busha zz"},
		"few providers":           {nigerian(), []string{"busha", "afriex"}, nil, "afriex busha"},
		"configured":              {nigerian(), all, map[string][]string{" NG_Bank_Transfer": {" Busha ", "paystack"}}, "busha paystack"},
		"configured, absent ones": {nigerian(), []string{"busha"}, map[string][]string{"ng_bank_transfer": {"flutterwave", "busha"}}, "busha"},
		"configured elsewhere":    {nigerian(), []string{"busha", "paystack"}, map[string][]string{"gh_bank_transfer": {"busha"}}, "paystack busha"},
	} {
		var called []string
		var resolvers []ports.AccountResolver
		for _, name := range c.given {
			resolvers = append(resolvers, resolver{name: name, resolves: always, resolve: func(context.Context, core.AccountQuery) (core.Private, error) {
				called = append(called, name)
				return "", errDown
			}})
		}
		cfg := configOf(countries(), resolvers...)
		cfg.Settings.Routes = c.routes
		if _, err := open(t, cfg).Resolve(t.Context(), c.req); core.CodeOf(err) != core.Unavailable || strings.Join(called, " ") != c.want {
			t.Errorf("%s: called %v (%v), want %s", name, called, err, c.want)
		}
	}
	cfg := configOf(countries(), unasked(t))
	cfg.Settings.Routes = map[string][]string{"ng_bank_transfer": {"flutterwave"}}
	_, err := open(t, cfg).Resolve(t.Context(), nigerian())
	if got := fieldErrors(t, err); got["channel"] == "" { // credentials may come later
		t.Errorf("a route without providers: got %v", err)
	}
}

func TestSettings_Errors(t *testing.T) {
	t.Parallel()
	route := func(place string, names ...string) func(*recipients.Settings) {
		return func(s *recipients.Settings) { s.Routes = map[string][]string{place: names} }
	}
	for want, change := range map[string]func(*recipients.Settings){
		`recipients.routes.ng_bank_transfer names "paystak", which is not a provider; accepted: paystack, flutterwave, `: route("ng_bank_transfer", "paystak"),
		`recipients.routes.ng_bank_transfer names "busha" twice`:                                                         route("ng_bank_transfer", "busha", "Busha"),
		"recipients.routes.ng_bank_transfer is empty; accepted: the names of providers":                                  route("ng_bank_transfer"),
		`recipients.routes has "ng_till"; accepted: ci_bank_transfer, ci_mobile_money, gh_bank_transfer, `:               route("ng_till", "busha"),
		"recipients.budget is 8.001s; accepted: more than 0s, 8s at most":                                                func(s *recipients.Settings) { s.Budget = 8001e6 },
		"privacy.hash_key is too short; accepted: 32 characters or more, or none":                                        func(s *recipients.Settings) { s.Key = "sesame" },
		"recipients.cache.found is -1s; accepted: 0s or more":                                                            func(s *recipients.Settings) { s.Cache.Found = -1e9 },
		"recipients.guard.daily is 0; accepted: 1 to 100000":                                                             func(s *recipients.Settings) { s.Guard.Daily = 0 },
	} {
		cfg := configOf(countries(), answers("one", "X", nil))
		change(&cfg.Settings)
		if _, err := recipients.New(cfg); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := recipients.Default().Check(); err != nil {
		t.Errorf("the default settings: %v", err)
	}
}
