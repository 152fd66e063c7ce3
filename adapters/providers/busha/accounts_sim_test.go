package busha_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"causeway/adapters/providers/busha"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator"
	"causeway/simulator/wire"
	simulatedbusha "causeway/simulator/wire/busha"
	"causeway/simulator/wire/wiretest"
)

var (
	simBank  = core.Bank{Country: "NG", Currency: "NGN", Code: "000013", Name: "Guaranty Trust Bank", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"cbn": "058", "nip": "000013"}}
	simKCB   = core.Bank{Country: "KE", Currency: "KES", Code: "01", Name: "KCB Bank", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}}
	simMPESA = core.Bank{Country: "KE", Currency: "KES", Code: "MPESA", Name: "M-PESA", Type: core.MobileMoneyBank, Channels: []core.Channel{core.MobileMoney}}
)

// simMagic are the magic institutions: a bank and a wallet of Nigeria, and the same of Kenya.
func simMagic() []core.Bank {
	return simulator.Banks([]core.Country{
		{Code: "NG", Currencies: []string{"NGN"}, Channels: []core.ChannelRule{{Channel: core.MobileMoney}}},
		{Code: "KE", Currencies: []string{"KES"}, Channels: []core.ChannelRule{{Channel: core.MobileMoney}}},
	})
}

func simWorld(t *testing.T) (*simulator.World, *wire.Wire) {
	t.Helper()
	return wiretest.Open(t, append(simMagic(), simBank, simKCB, simMPESA)...)
}

// simKeyed makes the provider with a key over a simulated busha.
func simKeyed(t *testing.T, transport http.RoundTripper, url string) *busha.Provider {
	t.Helper()
	provider, err := busha.New(busha.Config{BaseURL: url, APIKey: simulatedbusha.Key}, upstreamtest.OpenAt(t, transport, wiretest.Noon).Factory)
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
		return func(t *testing.T) ports.BankDirectory { t.Helper(); return simKeyed(t, transport, "") }
	}
	porttest.BankDirectory(t, porttest.Directory{
		Open:    over(w),
		Codes:   map[string]map[string]string{"NG": {"000013": "000013"}, "KE": {"MPESA": "MPESA"}},
		LeftOut: map[string][]string{"NG": {simulator.MagicBank, simulator.MagicWallet}, "KE": {"01", simulator.MagicWallet}},
		Broken: map[string]func(t *testing.T) ports.BankDirectory{
			"no host": func(t *testing.T) ports.BankDirectory {
				t.Helper()
				return simKeyed(t, w, "https://busha.invalid")
			},
			"no path": func(t *testing.T) ports.BankDirectory {
				t.Helper()
				return simKeyed(t, w, "https://api.busha.co/v9")
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
	world, w := simWorld(t)
	magic := simMagic()[0]
	over := func(transport http.RoundTripper) func(t *testing.T) ports.AccountResolver {
		return func(t *testing.T) ports.AccountResolver { t.Helper(); return simKeyed(t, transport, "") }
	}
	named := func(bank core.Bank, number string) porttest.Holder {
		return porttest.Holder{Query: simAccount(bank, number), Name: strings.Join(strings.Fields(world.Account(bank, number).Name), " ")}
	}
	payBill := atTill("100302")
	payBill.Channel = core.PayBill
	found := map[string]porttest.Holder{
		"the published example": named(simBank, "0123456789"),
		"the magic wallet":      named(simMagic()[1], "0000000200"),
		"Kenya's magic wallet":  named(simMagic()[3], "+254712345302"),
		"a till":                {Query: atTill("100306"), Name: "TESTPERSON"},
		"a pay bill":            {Query: payBill, Name: "TEST ỌLÁDÉJÌ KÙ́FỌ́RÌJÌ HÉLÈNE ÇAĞLA"},
	}
	for _, row := range simulator.MagicAccounts() {
		if row.Named && row.Name != "" {
			found[row.Title] = named(magic, "0000000"+row.Suffix)
		}
	}
	known := 0
	for number := 712345600; number < 712345620; number++ { // of twenty wallets nearly all are found
		text := "+254" + strconv.Itoa(number)
		if world.Account(simMPESA, text).Outcome == simulator.Found {
			found["wallet "+text] = named(simMPESA, text)
			known++
		}
	}
	if known < 12 {
		t.Errorf("of 20 wallets %d are found", known)
	}
	elsewhere := simBank
	elsewhere.Codes = map[string]string{"busha": "999999"}
	doubts := map[string]core.AccountQuery{
		"a code that it does not know": simAccount(elsewhere, "0123456789"), "a number of another form": simAccount(simBank, "12345"),
	}
	for _, suffix := range []string{"206", "207", "309", "429", "500", "503", "555"} {
		doubts[suffix] = simAccount(magic, "0000000"+suffix)
	}
	porttest.AccountResolver(t, porttest.Resolver{
		Open: over(w), Found: found,
		Unknown: simAccount(magic, "0000000404"), Closed: simAccount(magic, "0000000409"),
		CannotTell:  doubts,
		Unsupported: map[string]core.AccountQuery{"a bank of Kenya": simAccount(simKCB, "1234567890")},
		Broken: map[string]func(t *testing.T) ports.AccountResolver{
			"no host": func(t *testing.T) ports.AccountResolver {
				t.Helper()
				return simKeyed(t, w, "https://busha.invalid")
			},
			"503":    over(wiretest.Saying(http.StatusServiceUnavailable, "")),
			"a page": over(wiretest.Saying(http.StatusOK, "<html>")),
		},
		Hanging: over(wiretest.Hanging()),
	})
}
