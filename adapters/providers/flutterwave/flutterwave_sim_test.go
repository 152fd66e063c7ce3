package flutterwave_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"causeway/adapters/providers/flutterwave"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator"
	simulatedflutterwave "causeway/simulator/wire/flutterwave"
	"causeway/simulator/wire/wiretest"
)

var (
	simNGBank = core.Bank{Country: "NG", Currency: "NGN", Code: "000013", Name: "Guaranty Trust Bank", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"cbn": "058"}}
	simNGOnly = core.Bank{Country: "NG", Currency: "NGN", Code: "090001", Name: "ASO Savings", Type: core.MicrofinanceBank, Channels: []core.Channel{core.BankTransfer}}
	simGHBank = core.Bank{Country: "GH", Currency: "GHS", Code: "030100", Name: "Absa Bank Ghana", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}}
	simWallet = core.Bank{Country: "GH", Currency: "GHS", Code: "VOD", Name: "Telecel Cash", Type: core.MobileMoneyBank, Channels: []core.Channel{core.MobileMoney}, Codes: map[string]string{"flutterwave": "VODAFONE"}}
	simMPESA  = core.Bank{Country: "KE", Currency: "KES", Code: "MPESA", Name: "M-PESA", Type: core.MobileMoneyBank, Channels: []core.Channel{core.MobileMoney}, Codes: map[string]string{"flutterwave": "MPS"}}
)

// simBanks are some institutions of every country, and the magic ones.
func simBanks() []core.Bank {
	out := []core.Bank{simNGBank, simNGOnly, simGHBank, simWallet, simMPESA}
	for country, currency := range map[string]string{"UG": "UGX", "ZA": "ZAR", "TZ": "TZS"} {
		out = append(out, core.Bank{Country: country, Currency: currency, Code: "005", Name: "A bank", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}})
	}
	return append(out, simMagic()...)
}

// simMagic are the magic institutions: a bank and a wallet of Nigeria, and a bank of Ghana.
func simMagic() []core.Bank {
	return simulator.Banks([]core.Country{
		{Code: "NG", Currencies: []string{"NGN"}, Channels: []core.ChannelRule{{Channel: core.MobileMoney}}}, {Code: "GH", Currencies: []string{"GHS"}},
	})
}

// simOpen makes the provider over a simulated Flutterwave.
func simOpen(t *testing.T, transport http.RoundTripper, url string) *flutterwave.Provider {
	t.Helper()
	cfg := flutterwave.Config{BaseURL: url, SecretKey: simulatedflutterwave.Key}
	provider, err := flutterwave.New(cfg, upstreamtest.OpenAt(t, transport, wiretest.Noon).Factory)
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

func simAccount(bank core.Bank, number string) core.AccountQuery {
	return core.AccountQuery{Country: bank.Country, Currency: bank.Currency, Channel: bank.Channels[0], Bank: bank, Number: core.Private(number)}
}

func TestDirectoryOverTheSimulatedWire(t *testing.T) {
	t.Parallel()
	_, w := wiretest.Open(t, simBanks()...)
	over := func(transport http.RoundTripper) func(t *testing.T) ports.BankDirectory {
		return func(t *testing.T) ports.BankDirectory { t.Helper(); return simOpen(t, transport, "") }
	}
	porttest.BankDirectory(t, porttest.Directory{
		Open: over(w),
		Codes: map[string]map[string]string{
			"NG": {"058": "058", "090001": "090001"}, "GH": {"030100": "GH030100", "VODAFONE": "VODAFONE"}, "KE": {"MPS": "MPS"}, "TZ": {"005": "005"},
		},
		LeftOut: map[string][]string{"NG": {"999", simulator.MagicBank}, "GH": {"GH010100", simulator.MagicBank}, "UG": {"MPS"}},
		Broken: map[string]func(t *testing.T) ports.BankDirectory{
			"no host": func(t *testing.T) ports.BankDirectory {
				t.Helper()
				return simOpen(t, w, "https://flutterwave.invalid/v3")
			},
			"no path": func(t *testing.T) ports.BankDirectory {
				t.Helper()
				return simOpen(t, w, "https://api.flutterwave.com/v9")
			},
			"a page":   over(wiretest.Saying(http.StatusOK, "<html>")),
			"no banks": over(wiretest.Saying(http.StatusOK, `{"status":"success","data":[]}`)),
			"503":      over(wiretest.Saying(http.StatusServiceUnavailable, "")),
		},
		Hanging: over(wiretest.Hanging()),
	})
}

func TestResolverOverTheSimulatedWire(t *testing.T) {
	t.Parallel()
	world, w := wiretest.Open(t, simBanks()...)
	magic := simMagic()[0]
	over := func(transport http.RoundTripper) func(t *testing.T) ports.AccountResolver {
		return func(t *testing.T) ports.AccountResolver { t.Helper(); return simOpen(t, transport, "") }
	}
	found := map[string]porttest.Holder{
		"the published example": {Query: simAccount(simNGBank, "0123456789"), Name: world.Account(simNGBank, "0123456789").Name},
		"the magic wallet":      {Query: simAccount(simMagic()[1], "0000000200"), Name: world.Account(simMagic()[1], "0000000200").Name},
	}
	for _, row := range simulator.MagicAccounts() {
		if row.Named && row.Name != "" {
			found[row.Title] = porttest.Holder{Query: simAccount(magic, "0000000"+row.Suffix), Name: strings.Join(strings.Fields(row.Name), " ")}
		}
	}
	known := 0
	for number := 1241234500; number < 1241234520; number++ { // of twenty accounts nearly all are found
		text := strconv.Itoa(number)
		if a := world.Account(simNGBank, text); a.Outcome == simulator.Found {
			found["account "+text] = porttest.Holder{Query: simAccount(simNGBank, text), Name: a.Name}
			known++
		}
	}
	if known < 12 {
		t.Errorf("of 20 accounts %d are found", known)
	}
	doubts := map[string]core.AccountQuery{}
	for _, suffix := range []string{"206", "207", "309", "429", "500", "503", "555"} {
		doubts[suffix] = simAccount(magic, "0000000"+suffix)
	}
	elsewhere := simNGBank
	elsewhere.Codes = map[string]string{"flutterwave": "043"}
	_, err := over(w)(t).Resolve(t.Context(), simAccount(elsewhere, "0123456789"))
	if e, ok := errors.AsType[*core.Error](err); !ok || e.Absence != core.SharedNone {
		t.Errorf("an unknown code: got %v, want not found until a second provider agrees", err)
	}
	porttest.AccountResolver(t, porttest.Resolver{
		Open: over(w), Found: found,
		Unknown: simAccount(magic, "0000000404"), Closed: simAccount(magic, "0000000409"),
		CannotTell: doubts,
		Unsupported: map[string]core.AccountQuery{
			"a country without resolution":  simAccount(simGHBank, "1234567890"),
			"a bank that has no code there": simAccount(simNGOnly, "0123456789"),
		},
		Broken: map[string]func(t *testing.T) ports.AccountResolver{
			"no host": func(t *testing.T) ports.AccountResolver {
				t.Helper()
				return simOpen(t, w, "https://flutterwave.invalid/v3")
			},
			"503":    over(wiretest.Saying(http.StatusServiceUnavailable, "")),
			"a page": over(wiretest.Saying(http.StatusOK, "<html>")),
		},
		Hanging: over(wiretest.Hanging()),
	})
}
