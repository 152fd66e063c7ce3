package paystack_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"causeway/adapters/providers/paystack"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator"
	"causeway/simulator/wire"
	simulatedpaystack "causeway/simulator/wire/paystack"
	"causeway/simulator/wire/wiretest"
)

var (
	simNGBank = core.Bank{Country: "NG", Currency: "NGN", Code: "000013", Name: "Guaranty Trust Bank", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"cbn": "058"}}
	simNGOnly = core.Bank{Country: "NG", Currency: "NGN", Code: "090001", Name: "ASO Savings", Type: core.MicrofinanceBank, Channels: []core.Channel{core.BankTransfer}}
	simGHBank = core.Bank{Country: "GH", Currency: "GHS", Code: "030100", Name: "Absa Bank Ghana", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}}
	simWallet = core.Bank{Country: "GH", Currency: "GHS", Code: "MTN", Name: "MTN Mobile Money", Type: core.MobileMoneyBank, Channels: []core.Channel{core.MobileMoney}}
	simKEBank = core.Bank{Country: "KE", Currency: "KES", Code: "01", Name: "KCB Bank", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}}
)

// simMagic are the magic institutions: a bank of Nigeria, a bank and a wallet of Ghana.
func simMagic() []core.Bank {
	return simulator.Banks([]core.Country{
		{Code: "NG", Currencies: []string{"NGN"}},
		{Code: "GH", Currencies: []string{"GHS"}, Channels: []core.ChannelRule{{Channel: core.MobileMoney}}},
	})
}

func simWorld(t *testing.T) (*simulator.World, *wire.Wire) {
	t.Helper()
	return wiretest.Open(t, append(simMagic(), simNGBank, simNGOnly, simGHBank, simWallet, simKEBank)...)
}

// simOpen makes the provider over a simulated Paystack.
func simOpen(t *testing.T, transport http.RoundTripper) *paystack.Provider {
	t.Helper()
	keys := map[string]core.Secret{}
	for _, country := range []string{"NG", "GH", "KE"} {
		keys[country] = core.Secret(simulatedpaystack.Key(country))
	}
	provider, err := paystack.New(paystack.Config{Keys: keys}, upstreamtest.OpenAt(t, transport, wiretest.Noon).Factory)
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
	_, w := simWorld(t)
	over := func(transport http.RoundTripper) func(t *testing.T) ports.BankDirectory {
		return func(t *testing.T) ports.BankDirectory { t.Helper(); return simOpen(t, transport) }
	}
	porttest.BankDirectory(t, porttest.Directory{
		Open: over(w),
		Codes: map[string]map[string]string{
			"NG": {"000013": "058", "090001": "090001"}, "GH": {"030100": "030100", "MTN": "MTN"}, "KE": {"01": "01"},
		},
		LeftOut: map[string][]string{
			"NG": {"", "999801", "999802", simulator.MagicBank}, "GH": {"", "999801", "999802", simulator.MagicWallet}, "KE": {"", "999801", "999802"},
		},
		Broken: map[string]func(t *testing.T) ports.BankDirectory{
			"no host":  func(t *testing.T) ports.BankDirectory { t.Helper(); return simElsewhere(t, w) },
			"a page":   over(wiretest.Saying(http.StatusOK, "<html>")),
			"no banks": over(wiretest.Saying(http.StatusOK, `{"status":true,"message":"Banks retrieved","data":[]}`)),
			"503":      over(wiretest.Saying(http.StatusServiceUnavailable, "")),
		},
		Hanging: over(wiretest.Hanging()),
	})
}

// simElsewhere makes the provider with an address that the simulated world does not have.
func simElsewhere(t *testing.T, w *wire.Wire) *paystack.Provider {
	t.Helper()
	cfg := paystack.Config{BaseURL: "https://paystack.invalid", Keys: map[string]core.Secret{"NG": "sk_test_x", "GH": "sk_test_x", "KE": "sk_test_x"}}
	provider, err := paystack.New(cfg, upstreamtest.OpenAt(t, w, wiretest.Noon).Factory)
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

func TestResolverOverTheSimulatedWire(t *testing.T) {
	t.Parallel()
	world, w := simWorld(t)
	magicNG, magicGH, magicWallet := simMagic()[0], simMagic()[1], simMagic()[2]
	over := func(transport http.RoundTripper) func(t *testing.T) ports.AccountResolver {
		return func(t *testing.T) ports.AccountResolver { t.Helper(); return simOpen(t, transport) }
	}
	found := map[string]porttest.Holder{
		"the published example": {Query: simAccount(simNGBank, "0123456789"), Name: world.Account(simNGBank, "0123456789").Name},
		"a magic wallet":        {Query: simAccount(magicWallet, "+233241234200"), Name: world.Account(magicWallet, "0241234200").Name},
		"a magic bank of Ghana": {Query: simAccount(magicGH, "0011234567890"), Name: world.Account(magicGH, "0011234567890").Name},
	}
	for _, row := range simulator.MagicAccounts() {
		if row.Named && row.Name != "" {
			found[row.Title] = porttest.Holder{
				Query: simAccount(magicNG, "0000000"+row.Suffix), Name: strings.Join(strings.Fields(row.Name), " "),
			}
		}
	}
	wallets := 0
	for number := 241234500; number < 241234520; number++ { // of twenty real wallets nearly all are found, by any notation
		text := "+233" + strconv.Itoa(number)
		if a := world.Account(simWallet, text); a.Outcome == simulator.Found {
			found["wallet "+text] = porttest.Holder{Query: simAccount(simWallet, text), Name: a.Name}
			wallets++
		}
	}
	if wallets < 12 {
		t.Errorf("of 20 wallets %d are found", wallets)
	}
	doubts := map[string]core.AccountQuery{}
	for _, suffix := range []string{"206", "207", "309", "429", "500", "503", "555"} {
		doubts[suffix] = simAccount(magicNG, "0000000"+suffix)
	}
	bankOf := func(code string) core.AccountQuery {
		return simAccount(core.Bank{Country: "NG", Code: code, Channels: simNGBank.Channels}, "0123456789")
	}
	doubts["a bank of another country"], doubts["an unknown bank"] = bankOf(simKEBank.Code), bankOf("999")
	porttest.AccountResolver(t, porttest.Resolver{
		Open: over(w), Found: found,
		Unknown: simAccount(magicNG, "0000000404"), Closed: simAccount(magicNG, "0000000409"),
		CannotTell: doubts,
		Unsupported: map[string]core.AccountQuery{
			"a country without resolution":   simAccount(simKEBank, "1234567890"),
			"a bank that has no code there":  simAccount(simNGOnly, "0123456789"),
			"a bank of Ghana as a wallet":    {Country: "GH", Currency: "GHS", Channel: core.MobileMoney, Bank: simGHBank, Number: "0241234567"},
			"a channel that it knows not of": {Country: "NG", Currency: "NGN", Channel: core.PayBill, Bank: simNGBank, Number: "0123456789"},
		},
		Broken: map[string]func(t *testing.T) ports.AccountResolver{
			"no host": func(t *testing.T) ports.AccountResolver { t.Helper(); return simElsewhere(t, w) },
			"503":     over(wiretest.Saying(http.StatusServiceUnavailable, "")),
			"a page":  over(wiretest.Saying(http.StatusOK, "<html>")),
		},
		Hanging: over(wiretest.Hanging()),
	})
}
