package daraja_test

import (
	"net/http"
	"strings"
	"testing"

	"causeway/adapters/providers/daraja"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator"
	simulateddaraja "causeway/simulator/wire/daraja"
	"causeway/simulator/wire/wiretest"
)

// simOpen makes the provider over a simulated Daraja.
func simOpen(t *testing.T, transport http.RoundTripper, url string) *daraja.Provider {
	t.Helper()
	cfg := daraja.Config{BaseURL: url, ConsumerKey: simulateddaraja.Key, ConsumerSecret: simulateddaraja.Secret}
	provider, err := daraja.New(cfg, upstreamtest.OpenAt(t, transport, wiretest.Noon).Factory)
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

func TestResolverOverTheSimulatedWire(t *testing.T) {
	t.Parallel()
	_, w := wiretest.Open(t)
	over := func(transport http.RoundTripper) func(t *testing.T) ports.AccountResolver {
		return func(t *testing.T) ports.AccountResolver { t.Helper(); return simOpen(t, transport, "") }
	}
	found := map[string]porttest.Holder{}
	for _, row := range simulator.MagicAccounts() {
		if row.Named && row.Name != "" {
			found[row.Title] = porttest.Holder{Query: payBill(core.Private("100" + row.Suffix)), Name: strings.Join(strings.Fields(row.Name), " ")}
		}
	}
	doubts := map[string]core.AccountQuery{}
	for _, suffix := range []string{"206", "207", "309", "429", "500", "503", "555"} {
		doubts[suffix] = payBill(core.Private("100" + suffix))
	}
	porttest.AccountResolver(t, porttest.Resolver{
		Open: over(w), Found: found,
		Unknown: payBill("100404"), Closed: payBill("100409"),
		CannotTell:  doubts,
		Unsupported: map[string]core.AccountQuery{"a wallet": {Country: "KE", Currency: "KES", Channel: core.MobileMoney, Number: "+254712345678"}},
		Broken: map[string]func(t *testing.T) ports.AccountResolver{
			"no host": func(t *testing.T) ports.AccountResolver {
				t.Helper()
				return simOpen(t, w, "https://daraja.invalid")
			},
			"no path": func(t *testing.T) ports.AccountResolver {
				t.Helper()
				return simOpen(t, w, "https://api.safaricom.co.ke/v9")
			},
			"503":    over(wiretest.Saying(http.StatusServiceUnavailable, "")),
			"a page": over(wiretest.Saying(http.StatusOK, "<html>")),
		},
		Hanging: over(wiretest.Hanging()),
	})
}

func TestAPayBillAndATillOfOneNumberAreTwoBusinesses(t *testing.T) {
	t.Parallel()
	_, w := wiretest.Open(t)
	provider := simOpen(t, w, "")
	till := payBill("174379")
	till.Channel = core.Till
	one, err := provider.Resolve(t.Context(), payBill("174379"))
	if err != nil {
		t.Fatal(err)
	}
	if two, err := provider.Resolve(t.Context(), till); err != nil || two.Reveal() == one.Reveal() || !strings.HasPrefix(two.Reveal(), "TEST ") {
		t.Errorf("got %q and %q, %v", one.Reveal(), two.Reveal(), err)
	}
}
