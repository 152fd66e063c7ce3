package paystack_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/paystack"
	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
)

const base = "https://api.paystack.co/bank"

// Keys of three businesses.
const (
	keyNG core.Secret = "sk_test_ng_0011223344"
	keyGH core.Secret = "sk_test_gh_5566778899"
	keyKE core.Secret = "sk_test_ke_9900112233"
)

func config() *paystack.Config {
	return &paystack.Config{Keys: map[string]core.Secret{"NG": keyNG, "GH": keyGH, "KE": keyKE}}
}

func api() providertest.API {
	only := func(country string, key core.Secret) provider.Settings {
		return &paystack.Config{Keys: map[string]core.Secret{country: key}}
	}
	return providertest.API{
		Descriptor: paystack.Descriptor, Settings: config(),
		Off: &paystack.Config{BaseURL: "paystack", Keys: map[string]core.Secret{"NG": ""}},
		Rejected: []providertest.BadSettings{
			{Settings: only("FR", keyNG), Error: `"FR"; accepted: CI, GH, KE, NG, ZA`},
			{Settings: only("NG", keyNG+"\n"), Error: "Authorization"},
		},
		Secrets: []string{"sk_test"},
		URL:     "https://api.paystack.co/",
	}
}

// open returns the provider over a transport.
func open(t testing.TB, transport http.RoundTripper) provider.Clients {
	t.Helper()
	return providertest.Connect(t, config(), upstreamtest.Open(t, transport))
}

func TestConnect_Countries(t *testing.T) {
	t.Parallel()
	cfg := &paystack.Config{Keys: map[string]core.Secret{"ng": keyNG, "za": keyKE, "GH": ""}}
	clients := providertest.Connect(t, cfg, upstreamtest.Open(t, httpmock.NewMockTransport()))
	if got, want := clients.Directory.Countries(), []string{"NG", "ZA"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
