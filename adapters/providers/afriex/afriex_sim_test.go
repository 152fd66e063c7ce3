package afriex_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"causeway/adapters/providers/afriex"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator"
	"causeway/simulator/wire"
	simulatedafriex "causeway/simulator/wire/afriex"
	"causeway/simulator/wire/wiretest"
)

var (
	simNGBank = core.Bank{Country: "NG", Currency: "NGN", Code: "000013", Name: "Guaranty Trust Bank", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"cbn": "058", "nip": "000013"}}
	simGHBank = core.Bank{Country: "GH", Currency: "GHS", Code: "030100", Name: "Absa Bank Ghana", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"afriex": "030100"}}
	simWallet = core.Bank{Country: "GH", Currency: "GHS", Code: "MTN", Name: "MTN Mobile Money", Type: core.MobileMoneyBank, Channels: []core.Channel{core.MobileMoney}}
	simAirtel = core.Bank{Country: "KE", Currency: "KES", Code: "AIRTEL", Name: "Airtel Money", Type: core.MobileMoneyBank, Channels: []core.Channel{core.MobileMoney}, Codes: map[string]string{"afriex": "AIRTEL"}}
	simMPESA  = core.Bank{Country: "KE", Currency: "KES", Code: "MPESA", Name: "M-PESA", Type: core.MobileMoneyBank, Channels: []core.Channel{core.MobileMoney}, Codes: map[string]string{"afriex": "SAFARICOM"}}
	simOrange = core.Bank{Country: "CI", Currency: "XOF", Code: "ORANGE", Name: "Orange Money", Type: core.MobileMoneyBank, Channels: []core.Channel{core.MobileMoney}}
)

// simBanks are some institutions, and the magic ones.
func simBanks() []core.Bank {
	return append(simMagic(), simNGBank, simGHBank, simWallet, simAirtel, simMPESA, simOrange)
}

// simMagic are the magic institutions: a bank and a wallet of Nigeria, the same of Kenya, and a bank of Ghana.
func simMagic() []core.Bank {
	return simulator.Banks([]core.Country{
		{Code: "NG", Currencies: []string{"NGN"}, Channels: []core.ChannelRule{{Channel: core.MobileMoney}}},
		{Code: "KE", Currencies: []string{"KES"}, Channels: []core.ChannelRule{{Channel: core.MobileMoney}}},
		{Code: "GH", Currencies: []string{"GHS"}},
	})
}

// simOpen makes the provider over a simulated Afriex.
func simOpen(t *testing.T, transport http.RoundTripper, url string) *afriex.Provider {
	t.Helper()
	provider, err := afriex.New(afriex.Config{BaseURL: url, APIKey: simulatedafriex.Key}, upstreamtest.OpenAt(t, transport, wiretest.Noon).Factory)
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

func simAccount(bank core.Bank, number string) core.AccountQuery {
	return core.AccountQuery{Country: bank.Country, Currency: bank.Currency, Channel: bank.Channels[0], Bank: bank, Number: core.Private(number)}
}

// simWorld is a world in which every country that Afriex lists has an institution.
func simWorld(t *testing.T) (*simulator.World, *wire.Wire) {
	t.Helper()
	banks := simBanks()
	for _, country := range []string{"UG", "TZ", "RW", "SN", "CM"} {
		b := simOrange
		b.Country = country
		banks = append(banks, b)
	}
	return wiretest.Open(t, banks...)
}

func TestDirectoryOverTheSimulatedWire(t *testing.T) {
	t.Parallel()
	_, w := simWorld(t)
	over := func(transport http.RoundTripper) func(t *testing.T) ports.BankDirectory {
		return func(t *testing.T) ports.BankDirectory { t.Helper(); return simOpen(t, transport, "") }
	}
	porttest.BankDirectory(t, porttest.Directory{
		Open: over(w),
		Codes: map[string]map[string]string{
			"NG": {"000013": "000013"}, "GH": {"030100": "030100"}, "KE": {"SAFARICOM": "SAFARICOM", "AIRTEL": "AIRTEL"}, "CI": {"ORANGE": "ORANGE"},
		},
		LeftOut: map[string][]string{"NG": {simulator.MagicBank, simulator.MagicWallet}, "GH": {"MTN"}, "KE": {simulator.MagicWallet}},
		Broken: map[string]func(t *testing.T) ports.BankDirectory{
			"no host": func(t *testing.T) ports.BankDirectory {
				t.Helper()
				return simOpen(t, w, "https://afriex.invalid")
			},
			"no path": func(t *testing.T) ports.BankDirectory {
				t.Helper()
				return simOpen(t, w, "https://api.afriex.com/v9")
			},
			"a page":   over(wiretest.Saying(http.StatusOK, "<html>")),
			"no banks": over(wiretest.Saying(http.StatusOK, `{"data":[],"total":0,"page":0}`)),
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
		return func(t *testing.T) ports.AccountResolver { t.Helper(); return simOpen(t, transport, "") }
	}
	named := func(bank core.Bank, number string) porttest.Holder {
		return porttest.Holder{Query: simAccount(bank, number), Name: strings.Join(strings.Fields(world.Account(bank, number).Name), " ")}
	}
	cbnOnly := simNGBank
	cbnOnly.Codes = map[string]string{"cbn": "058"}
	found := map[string]porttest.Holder{
		"the published example": named(simNGBank, "0123456789"),
		"by the CBN code alone": {Query: simAccount(cbnOnly, "0123456789"), Name: world.Account(simNGBank, "0123456789").Name},
		"the magic wallet":      named(simMagic()[1], "0000000200"),
		"Kenya's magic wallet":  named(simMagic()[3], "+254712345302"),
		"Ghana's magic bank":    named(simMagic()[4], "0000000200"),
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
	doubts := map[string]core.AccountQuery{"a phone number of another country": simAccount(simMPESA, "+256712345678")}
	for _, suffix := range []string{"206", "207", "309", "429", "500", "503", "555"} {
		doubts[suffix] = simAccount(magic, "0000000"+suffix)
	}
	elsewhere := simNGBank
	elsewhere.Codes = map[string]string{"afriex": "999999"}
	doubts["a code that it does not know"] = simAccount(elsewhere, "0123456789")
	porttest.AccountResolver(t, porttest.Resolver{
		Open: over(w), Found: found,
		Unknown: simAccount(magic, "0000000404"), Closed: simAccount(magic, "0000000409"),
		CannotTell: doubts,
		Unsupported: map[string]core.AccountQuery{
			"a wallet without a code": simAccount(simOrange, "+2250701234569"),
			"a wallet of Ghana":       simAccount(simWallet, "+233241234567"),
			"a pay bill":              {Country: "KE", Currency: "KES", Channel: core.PayBill, Number: "174379"},
		},
		Broken: map[string]func(t *testing.T) ports.AccountResolver{
			"no host": func(t *testing.T) ports.AccountResolver {
				t.Helper()
				return simOpen(t, w, "https://afriex.invalid")
			},
			"503":    over(wiretest.Saying(http.StatusServiceUnavailable, "")),
			"a page": over(wiretest.Saying(http.StatusOK, "<html>")),
		},
		Hanging: over(wiretest.Hanging()),
	})
}
