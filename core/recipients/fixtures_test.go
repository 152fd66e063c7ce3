package recipients_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/recipients"
	"causeway/core/recipients/guard"
	"causeway/ports"
)

const budget = 8 * time.Second

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

// answers returns a resolver that accepts every query and always responds in the same way.
func answers(name string, holder core.Private, err error) resolver {
	return resolver{name: name, resolves: always, resolve: func(context.Context, core.AccountQuery) (core.Private, error) {
		return holder, err
	}}
}

// hangs returns a resolver that responds when its context ends.
func hangs(name string) resolver {
	return resolver{name: name, resolves: always, resolve: func(ctx context.Context, _ core.AccountQuery) (core.Private, error) {
		<-ctx.Done()
		return "", core.Errorf(core.Unavailable, "hung").With(ctx.Err())
	}}
}

// unasked returns a resolver that must not be called.
func unasked(t testing.TB) resolver {
	return resolver{name: "unasked", resolves: always, resolve: func(context.Context, core.AccountQuery) (core.Private, error) {
		t.Error("a resolver was called")
		return "WRONG", nil
	}}
}

type confirmer struct {
	name    string
	confirm func(ctx context.Context, query core.AccountQuery, claim core.HolderClaim) (core.NameMatch, error)
}

func (c confirmer) Name() string { return c.name }

func (c confirmer) Confirms(string, core.Channel, core.Bank) bool { return true }

func (c confirmer) Confirm(ctx context.Context, query core.AccountQuery, claim core.HolderClaim) (core.NameMatch, error) {
	return c.confirm(ctx, query, claim)
}

// confirms returns a confirmer that always responds in the same way.
func confirms(name string, match core.NameMatch, err error) confirmer {
	return confirmer{name, func(context.Context, core.AccountQuery, core.HolderClaim) (core.NameMatch, error) { return match, err }}
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
	wallet.Channel = core.MobileMoney
	return []core.Country{
		country("NG", "Nigeria", "NGN", nuban, wallet),
		country("GH", "Ghana", "GHS", rule(core.BankTransfer, "GHS", "6 to 16 digits", `^\d{6,16}$`, "0031625807099", false),
			phone("GHS", `^\+233[25]\d{8}$`, "+233241234567")),
		kenya,
		country("UG", "Uganda", "UGX", phone("UGX", `^\+2567\d{8}$`, "+256772123456")),
		country("TZ", "Tanzania", "TZS", phone("TZS", `^\+255[67]\d{8}$`, "+255754123456")),
		country("RW", "Rwanda", "RWF", phone("RWF", `^\+2507\d{8}$`, "+250781234567")),
		country("CI", "Côte d'Ivoire", "XOF",
			rule(core.BankTransfer, "XOF", "the RIB, 24 characters", `^(CI\d{22}|[A-Z]\d{23})$`, "CI0080111301134291200589", false),
			phone("XOF", `^\+2250[157]\d{8}$`, "+2250701234567")),
		country("SN", "Senegal", "XOF", phone("XOF", `^\+2217\d{8}$`, "+221771234567")),
	}
}

// institutions returns banks and wallets. One row each: country, code, alias, name.
func institutions() []core.Bank {
	var out []core.Bank
	add := func(channels []core.Channel, rows ...string) {
		for _, row := range rows {
			f := strings.Split(row, "|")
			out = append(out, core.Bank{
				Country: f[0], Code: f[1], Name: f[3], Channels: channels, Codes: map[string]string{"alias": f[2]},
			})
		}
	}
	add([]core.Channel{core.BankTransfer}, "NG|000013|058|Guaranty Trust Bank", "GH|030100|BARCGHAC|Absa Bank Ghana",
		"KE|68|EQBLKENA|Equity Bank", "CI|ECOCCIAB||Ecobank", "TZ|HALOPESA||HaloPesa Bank")
	add([]core.Channel{core.BankTransfer, core.MobileMoney}, "NG|100004|999992|OPay")
	add([]core.Channel{core.MobileMoney}, "GH|MTN||MTN Mobile Money", "GH|VOD|TELECEL|Telecel Cash", "KE|MPESA|MPS|M-PESA",
		"KE|AIRTEL|MPX|Airtel Money", "UG|MTN|MTN-UG|MTN Mobile Money", "UG|AIRTEL|AIRTEL-UG|Airtel Money",
		"TZ|VODACOM|VODACOM-TZS|M-Pesa", "TZ|TIGO|TIGOPESA-TZS|Mixx by Yas", "TZ|YAS||Another Yas", "RW|MTN|MTN-RW|MTN MoMo",
		"RW|AIRTEL|AIRTEL-RW|Airtel Money", "CI|ORANGE|ORANGE-CI|Orange Money", "CI|MTN|MTN-CI|MTN MoMo",
		"CI|MOOV|MOOV-CI|Moov Money")
	return out
}

func find(country, code string) (core.Bank, error) {
	for _, b := range institutions() {
		if b.Country == country && b.Known(strings.ToUpper(code)) {
			return b, nil
		}
	}
	return core.Bank{}, core.InvalidField("bank_code", "is not a bank of %s", country)
}

// registry returns a registry that awaits some lists: "provider/country".
func registry(awaited ...string) recipients.Registry {
	return recipients.Registry{Find: find, Awaits: func(provider, country string) bool {
		return slices.Contains(awaited, provider+"/"+country)
	}}
}

// configOf returns a configuration without cache and guard.
func configOf(countries []core.Country, resolvers ...ports.AccountResolver) recipients.Config {
	settings := recipients.Default()
	settings.Providers = []string{"paystack", "flutterwave", "afriex", "daraja", "busha"}
	settings.Preferred = map[string][]string{
		"ng_bank_transfer": {"paystack", "flutterwave", "afriex", "busha"}, "ke_mobile_money": {"afriex", "busha"},
	}
	settings.Budget, settings.Guard.Mode = budget, guard.Off
	return recipients.Config{
		Countries: countries, Registry: registry(), Resolvers: resolvers, Settings: settings,
		Clock: time.Now, Stopwatch: time.Now, Entropy: entropy(1),
	}
}

func open(t testing.TB, cfg recipients.Config) *recipients.Service {
	t.Helper()
	s, err := recipients.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.Survey(institutions())
	return s
}

func service(t testing.TB, resolvers ...ports.AccountResolver) *recipients.Service {
	t.Helper()
	return open(t, configOf(countries(), resolvers...))
}

func entropy(seed uint64) core.Entropy {
	var n atomic.Uint64
	n.Store(seed << 32)
	return func() uint64 { return n.Add(1) * 0x9e3779b97f4a7c15 }
}

func request(country, currency, channel, bank string, number core.Private) recipients.Request {
	return recipients.Request{Country: country, Currency: currency, Channel: channel, BankCode: bank, AccountNumber: number}
}

func nigerian() recipients.Request { return request("NG", "NGN", "bank_transfer", "058", "0123456789") }
