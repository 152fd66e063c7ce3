package korapay_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"causeway/adapters/providers/korapay"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator"
	simulatedkorapay "causeway/simulator/wire/korapay"
	"causeway/simulator/wire/wiretest"
)

var (
	simNGBank = core.Bank{Country: "NG", Currency: "NGN", Code: "000013", Name: "Guaranty Trust Bank", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"cbn": "058"}}
	simNGOnly = core.Bank{Country: "NG", Currency: "NGN", Code: "090001", Name: "ASO Savings", Type: core.MicrofinanceBank, Channels: []core.Channel{core.BankTransfer}}
	simKEBank = core.Bank{Country: "KE", Currency: "KES", Code: "35", Name: "ABC Bank", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"korapay": "0035"}}
	simZABank = core.Bank{Country: "ZA", Currency: "ZAR", Code: "632005", Name: "Absa", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}}
	simGHBank = core.Bank{Country: "GH", Currency: "GHS", Code: "030100", Name: "Absa Bank Ghana", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}}
	simWallet = core.Bank{Country: "GH", Currency: "GHS", Code: "MTN", Name: "MTN Mobile Money", Type: core.MobileMoneyBank, Channels: []core.Channel{core.MobileMoney}, Codes: map[string]string{"korapay": "0004"}}
	simMPESA  = core.Bank{Country: "KE", Currency: "KES", Code: "MPESA", Name: "M-PESA", Type: core.MobileMoneyBank, Channels: []core.Channel{core.MobileMoney}}
)

// simBanks are some institutions of every country, and the magic ones.
func simBanks() []core.Bank {
	return append(simMagic(), simNGBank, simNGOnly, simGHBank, simWallet, simKEBank, simMPESA, simZABank)
}

// simMagic are the magic institutions: a bank and a wallet of Nigeria, the same of Ghana, and a bank of Kenya.
func simMagic() []core.Bank {
	return simulator.Banks([]core.Country{
		{Code: "NG", Currencies: []string{"NGN"}, Channels: []core.ChannelRule{{Channel: core.MobileMoney}}},
		{Code: "GH", Currencies: []string{"GHS"}, Channels: []core.ChannelRule{{Channel: core.MobileMoney}}},
		{Code: "KE", Currencies: []string{"KES"}},
	})
}

// simOpen makes the provider over a simulated Kora.
func simOpen(t *testing.T, transport http.RoundTripper, url string) *korapay.Provider {
	t.Helper()
	cfg := korapay.Config{BaseURL: url, SecretKey: simulatedkorapay.Key}
	provider, err := korapay.New(cfg, upstreamtest.OpenAt(t, transport, wiretest.Noon).Factory)
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
			"NG": {"058": "058", "090001": "090001"}, "GH": {"MTN": "0004"}, "KE": {"35": "0035", "MPESA": "0001"}, "ZA": {"632005": "632005"},
		},
		LeftOut: map[string][]string{"NG": {simulator.MagicBank, simulator.MagicWallet}, "GH": {simulator.MagicWallet, "030100"}},
		Broken: map[string]func(t *testing.T) ports.BankDirectory{
			"no host": func(t *testing.T) ports.BankDirectory {
				t.Helper()
				return simOpen(t, w, "https://korapay.invalid")
			},
			"no path": func(t *testing.T) ports.BankDirectory {
				t.Helper()
				return simOpen(t, w, "https://api.korapay.com/merchant/api/v9")
			},
			"a page":   over(wiretest.Saying(http.StatusOK, "<html>")),
			"no banks": over(wiretest.Saying(http.StatusOK, `{"status":true,"data":[]}`)),
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
		"a wallet of Ghana":     {Query: simAccount(simWallet, "+233241234567"), Name: world.Account(simWallet, "+233241234567").Name},
		"Ghana's magic wallet":  {Query: simAccount(simMagic()[3], "+233241234302"), Name: world.Account(simMagic()[3], "0241234302").Name},
		"Kenya's magic bank":    {Query: simAccount(simMagic()[4], "0000000200"), Name: world.Account(simMagic()[4], "0000000200").Name},
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
	elsewhere.Codes = map[string]string{"korapay": "043"}
	doubts["a code that it does not know"] = simAccount(elsewhere, "0123456789")
	porttest.AccountResolver(t, porttest.Resolver{
		Open: over(w), Found: found,
		Unknown: simAccount(magic, "0000000404"), Closed: simAccount(magic, "0000000409"),
		CannotTell: doubts,
		Unsupported: map[string]core.AccountQuery{
			"a bank of Ghana":               simAccount(simGHBank, "1234567890"),
			"a bank of South Africa":        simAccount(simZABank, "1234567890"),
			"a wallet of Kenya":             simAccount(simMPESA, "+254712345678"),
			"a bank that has no code there": simAccount(simNGOnly, "0123456789"),
		},
		Broken: map[string]func(t *testing.T) ports.AccountResolver{
			"no host": func(t *testing.T) ports.AccountResolver {
				t.Helper()
				return simOpen(t, w, "https://korapay.invalid")
			},
			"503":    over(wiretest.Saying(http.StatusServiceUnavailable, "")),
			"a page": over(wiretest.Saying(http.StatusOK, "<html>")),
		},
		Hanging: over(wiretest.Hanging()),
	})
}
