package paystack_test

import (
	"net/http"
	"testing"

	"causeway/adapters/providers/paystack"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator/accounts"
	simulatedpaystack "causeway/simulator/wire/paystack"
	"causeway/simulator/wire/wiretest"
)

// simSouth are some banks of South Africa, the magic one first.
func simSouth() []core.Bank {
	banks := accounts.MagicBanks([]core.Country{{Code: "ZA", Currencies: []string{"ZAR"}}})
	for _, code := range []string{"250655", "470010", "632005", "679000", "051001", "198765"} {
		b := southAfrican(code)
		b.Currency, b.Name, b.Type = "ZAR", "Bank "+code, core.CommercialBank
		banks = append(banks, b)
	}
	return banks
}

// simSouthern makes the provider with a business in South Africa over a simulated Paystack.
func simSouthern(t *testing.T, transport http.RoundTripper, url string) *paystack.Provider {
	t.Helper()
	cfg := paystack.Config{BaseURL: url, Keys: map[string]core.Secret{"ZA": core.Secret(simulatedpaystack.Key("ZA"))}}
	provider, err := paystack.New(cfg, upstreamtest.OpenAt(t, transport, wiretest.Noon).Factory)
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

// simClaim claims that an account belongs to the holder of an identity number. The simulated one is
// 8001015009087.
func simClaim(bank core.Bank, number string, identity core.Private) porttest.Claim {
	document := core.Document{Type: core.IdentityNumber, Number: identity}
	return porttest.Claim{Query: providertest.Account(bank, core.Private(number)), Holder: core.HolderClaim{Name: "Ann Bron", Document: document}}
}

func TestConfirmerOverTheSimulatedWire(t *testing.T) {
	t.Parallel()
	_, w := wiretest.Open(t, simSouth()...)
	magic := simSouth()[0]
	over := func(transport http.RoundTripper) func(t *testing.T) ports.AccountConfirmer {
		return func(t *testing.T) ports.AccountConfirmer { t.Helper(); return simSouthern(t, transport, "") }
	}
	const holder core.Private = "8001015009087"
	matching := map[string]porttest.Claim{
		"a person": simClaim(magic, "0000000200", holder),
		"a company": {Query: providertest.Account(magic, "0000000304"), Holder: core.HolderClaim{
			Name: "Acme", Document: core.Document{Type: core.BusinessRegistrationNumber, Number: "2015/123456/07"},
		}},
	}
	doubts := map[string]porttest.Claim{}
	for _, suffix := range []string{"206", "207", "309", "429", "500", "503", "555"} {
		doubts[suffix] = simClaim(magic, "0000000"+suffix, holder)
	}
	porttest.AccountConfirmer(t, porttest.Confirmer{
		Open: over(w), Matching: matching,
		Different:  map[string]porttest.Claim{"another document": simClaim(magic, "0000000200", "9001015009086")},
		Unknown:    simClaim(magic, "0000000404", holder),
		Closed:     simClaim(magic, "0000000409", holder),
		CannotTell: doubts,
		Unsupported: map[string]porttest.Claim{
			"a bank of Nigeria": simClaim(gtb, "0123456789", holder),
		},
		Broken: map[string]func(t *testing.T) ports.AccountConfirmer{
			"no host": func(t *testing.T) ports.AccountConfirmer {
				t.Helper()
				return simSouthern(t, w, "https://paystack.invalid")
			},
			"503":    over(wiretest.Saying(http.StatusServiceUnavailable, "")),
			"a page": over(wiretest.Saying(http.StatusOK, "<html>")),
		},
		Hanging: over(wiretest.Hanging()),
	})
}

// TestWhoTakesPartOverTheSimulatedWire finds the list of banks that take part shorter than the list
// of banks, and that these answer.
func TestWhoTakesPartOverTheSimulatedWire(t *testing.T) {
	t.Parallel()
	world, w := wiretest.Open(t, simSouth()...)
	provider := simSouthern(t, w, "")
	if _, err := provider.Banks(t.Context(), "ZA"); err != nil {
		t.Fatal(err)
	}
	part := 0
	for _, bank := range simSouth() {
		if !provider.Confirms("ZA", core.BankTransfer, bank) {
			continue
		}
		part++
		number := "1234567890"
		for world.Accounts().Get(bank, number).Outcome != accounts.Found {
			number += "1"
		}
		claim := simClaim(bank, number, "8001015009087")
		if got, err := provider.Confirm(t.Context(), claim.Query, claim.Holder); err != nil || got != core.Match {
			t.Errorf("%s: got %q, %v", bank.Code, got, err)
		}
	}
	if part != 6 || !provider.Confirms("ZA", core.BankTransfer, simSouth()[0]) {
		t.Errorf("%d of %d banks take part", part, len(simSouth()))
	}
}
