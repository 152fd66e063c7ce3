package wire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/adapters/providers"
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/core/banks"
	"causeway/core/pairs"
	"causeway/core/recipients"
	"causeway/core/recipients/guard"
	"causeway/ports"
	"causeway/simulator/accounts"
	"causeway/simulator/edge"
	"causeway/simulator/faults"
	"causeway/simulator/market"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// service is everything between a client and the providers of one world: middleware, the API, the
// domains and all adapters, without databases.
type service struct {
	http.Handler

	world *world.World
}

// serial returns a factory of clients over a world, whose responses come in order.
func serial(t *testing.T, w *world.World) *upstream.Factory {
	t.Helper()
	cfg := upstream.Default()
	cfg.NoSockets, cfg.Serial = true, true
	factory, err := upstream.New(cfg, upstream.Options{
		Transport: wire.New(w), Clock: w.Now, Entropy: w.Entropy, Unlimited: true,
	}, zap.NewNop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return factory
}

// connect returns the clients of all providers over a world.
func connect(t *testing.T, w *world.World) []provider.Clients {
	t.Helper()
	factory := serial(t, w)
	var out []provider.Clients
	for _, d := range providers.Descriptors {
		section := map[string]any{}
		for setting, value := range wire.Credentials()[d.Name] {
			name, country, nested := strings.Cut(setting, ".")
			switch {
			case !nested:
				section[setting] = value
			case country != "za": // banks that support validation are read in the background
				countries, _ := section[name].(map[string]string)
				if countries == nil {
					countries = map[string]string{}
					section[name] = countries
				}
				countries[strings.ToUpper(country)] = value
			}
		}
		text, err := json.Marshal(section)
		if err != nil {
			t.Fatal(err)
		}
		settings := d.Settings()
		if err := json.Unmarshal(text, settings); err != nil {
			t.Fatal(err)
		}
		clients, err := settings.Connect(factory)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, clients)
	}
	return out
}

// collect returns the ports of one kind that are implemented.
func collect[T comparable](all []provider.Clients, port func(provider.Clients) T) (out []T) {
	var none T
	for _, clients := range all {
		if p := port(clients); p != none {
			out = append(out, p)
		}
	}
	return out
}

// newService returns a service over a world of its own, with a frozen clock.
func newService(t *testing.T) service {
	t.Helper()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	known := slices.Concat(catalog.Banks, accounts.MagicBanks(catalog.Countries))
	worlds, err := world.NewRegistry(world.RegistryConfig{
		Clock: time.Now, Banks: known, Providers: wire.Offers(), Default: world.Options{Seed: "fingerprint", Clock: world.ClockSetting{Now: &noon, Frozen: new(true)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := worlds.Find(world.Default)
	if err != nil {
		t.Fatal(err)
	}
	all := connect(t, w)
	prices, err := pairs.New(pairs.Config{PriceCatalog: catalog.PriceCatalog, Entropy: w.Entropy}, collect(all, func(c provider.Clients) ports.RateSource { return c.Rates }), w.Now)
	if err != nil {
		t.Fatal(err)
	}
	settings := recipients.Default()
	settings.Providers, settings.Preferred = providers.AccountProviders(), providers.Routes()
	settings.Guard.Mode = guard.Off // as in a sandbox
	var registry *banks.Service
	people, err := recipients.New(recipients.Config{
		Countries: catalog.Countries, Resolvers: collect(all, func(c provider.Clients) ports.AccountResolver { return c.Resolver }), Confirmers: collect(all, func(c provider.Clients) ports.AccountConfirmer { return c.Confirmer }), Settings: settings,
		Registry: recipients.Registry{
			Find:   func(country, code string) (core.Bank, error) { return registry.Find(country, code) },
			Awaits: func(provider, country string) bool { return registry.Awaits(provider, country) },
		},
		Clock: w.Now, Stopwatch: time.Now, Entropy: w.Entropy,
	})
	if err != nil {
		t.Fatal(err)
	}
	registry, err = banks.New(banks.Config{
		Countries: catalog.Countries, Catalog: known, Directories: collect(all, func(c provider.Clients) ports.BankDirectory { return c.Directory }), Resolvable: people.Resolvable, Clock: w.Now, Entropy: w.Entropy,
	})
	if err != nil {
		t.Fatal(err)
	}
	registry.Subscribe(func(list *banks.List) { people.Survey(list.Banks()) })
	rules, err := addresses.New(catalog.Currencies, addresses.Policy{Testnet: true})
	if err != nil {
		t.Fatal(err)
	}
	w.OnAdvance(func(ctx context.Context, _ time.Time) error { prices.Tick(ctx); return nil })
	registry.Tick(t.Context())
	if err := w.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	api := httpapi.New(httpapi.Config{
		Sandbox: true, Now: w.Now, Entropy: w.Entropy, Instance: httpapi.InstanceConfig{Clock: w.Now, Entropy: w.Entropy},
	}, httpapi.Services{
		Pairs: prices, Banks: registry, Recipients: people, Addresses: rules, Currencies: catalog.Currencies, Countries: catalog.Countries,
	}, zap.NewNop(), prometheus.NewRegistry())
	door := edge.New(edge.Config{
		Worlds: worlds, Refuse: httpapi.WriteError, Operation: api.Operation,
		Enter: func(r *http.Request, _ *world.World) (*http.Request, func(), error) { return r, func() {}, nil },
	})
	return service{api.Handler(door.Middleware), w}
}

// ask sends a request, and returns the status of the response.
func (s service) ask(t *testing.T, method, path, body string) int {
	t.Helper()
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)))
	return rec.Code
}

// lived sends requests of every kind during 10 seconds of the world, while a price and a fault are
// set, and returns the fingerprint of all responses.
func (s service) lived(t *testing.T) string {
	t.Helper()
	resolve := func(country, currency, channel, bank, number string) int {
		return s.ask(t, http.MethodPost, "/v1/recipients/resolve-bank-account", fmt.Sprintf(
			`{"country_id":%q,"currency_id":%q,"channel":%q,"bank_code":%q,"account_number":%q,"account_name":"Ada Okafor"}`, country, currency, channel, bank, number))
	}
	pin := market.Setting{Pin: "1400.50"}
	lie := faults.Rule{Match: faults.Match{Provider: "kraken"}, Effect: faults.Effect{Kind: faults.Inverted}}
	for step, by := range []time.Duration{time.Second, 3 * time.Second, 4 * time.Second, 2 * time.Second} {
		for _, path := range []string{"/v1/pairs", "/v1/pairs/BTCNGN/price", "/v1/pairs/USDTNGN/price", "/v1/pairs?type=crypto&sort_by=price_change", "/v1/banks", "/v1/currencies", "/v1/countries", "/v1/banks?account_number=0123456789"} {
			if code := s.ask(t, http.MethodGet, path, ""); code != http.StatusOK {
				t.Errorf("%s: %d", path, code)
			}
		}
		for n := range 8 { // each account twice
			if code := resolve("NG", "NGN", "bank_transfer", "058", fmt.Sprintf("01234567%d%d", step, n%4)); code != http.StatusOK && code != http.StatusNotFound {
				t.Errorf("an account of Nigeria: %d", code)
			}
		}
		resolve("KE", "KES", "mobile_money", "MPESA", "+254 712 345 678")
		s.ask(t, http.MethodPost, "/v1/validate", `{"type":"address","currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`)
		s.ask(t, http.MethodGet, "/v1/pairs/"+url.PathEscape("NOPE<>"), "")
		var err error
		switch step {
		case 0:
			err = s.world.Market().Set(core.Pair{Base: "USDT", Counter: "NGN"}, pin, s.world.Now(), time.Time{})
		case 1:
			_, err = s.world.Faults().Add(lie, s.world.Now())
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.world.Advance(t.Context(), by); err != nil {
			t.Fatal(err)
		}
	}
	return s.world.Journal().Fingerprint().String()
}

// TestServiceFingerprint sends the same requests to two services of one world. `make architectures`
// compares the result between processor architectures.
func TestServiceFingerprint(t *testing.T) {
	t.Parallel()
	first, second := newService(t).lived(t), newService(t).lived(t)
	if first != second {
		t.Errorf("two services of one world have the fingerprints %s and %s", first, second)
	}
	t.Logf("fingerprint %s", first)
}
