package wire_test

import (
	"context"
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
	"causeway/adapters/providers/afriex"
	catalogued "causeway/adapters/providers/all"
	"causeway/adapters/providers/binance"
	"causeway/adapters/providers/bitstamp"
	"causeway/adapters/providers/busha"
	"causeway/adapters/providers/bybit"
	"causeway/adapters/providers/coinbase"
	"causeway/adapters/providers/coingecko"
	"causeway/adapters/providers/daraja"
	"causeway/adapters/providers/flutterwave"
	"causeway/adapters/providers/frankfurter"
	"causeway/adapters/providers/gemini"
	"causeway/adapters/providers/korapay"
	"causeway/adapters/providers/kraken"
	"causeway/adapters/providers/luno"
	"causeway/adapters/providers/monnify"
	"causeway/adapters/providers/okx"
	"causeway/adapters/providers/openexchangerates"
	"causeway/adapters/providers/paystack"
	"causeway/adapters/providers/quidax"
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
	"causeway/simulator/middleware"
	"causeway/simulator/faults"
	"causeway/simulator/market"
	"causeway/simulator/wire"
	simulatedafriex "causeway/simulator/wire/afriex"
	simulatedbusha "causeway/simulator/wire/busha"
	simulateddaraja "causeway/simulator/wire/daraja"
	simulatedflutterwave "causeway/simulator/wire/flutterwave"
	simulatedkorapay "causeway/simulator/wire/korapay"
	simulatedmonnify "causeway/simulator/wire/monnify"
	simulatedopenexchangerates "causeway/simulator/wire/openexchangerates"
	simulatedpaystack "causeway/simulator/wire/paystack"
	"causeway/simulator/world"
)

// service is everything between a client and the providers of one world: the door, the API, the
// cores and all adapters. It has no databases, which take long to be built for another processor,
// and say nothing here.
type service struct {
	http.Handler

	world *world.World
}

// providers are all adapters over a world.
func providers(t *testing.T, w *world.World) (all []any) {
	t.Helper()
	settings := upstream.Default()
	factory, err := upstream.New(settings, upstream.Outside{Transport: wire.New(w), Clock: w.Now, Entropy: w.Entropy, Unlimited: true}, zap.NewNop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	add := func(made any, err error) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, made)
	}
	add(kraken.New(kraken.Config{}, factory))
	add(binance.New(binance.Config{}, factory))
	add(coinbase.New(coinbase.Config{}, factory))
	add(okx.New(okx.Config{}, factory))
	add(bybit.New(bybit.Config{}, factory))
	add(bitstamp.New(bitstamp.Config{}, factory))
	add(gemini.New(gemini.Config{}, factory))
	add(luno.New(luno.Config{}, factory))
	add(quidax.New(quidax.Config{}, factory))
	add(busha.New(busha.Config{APIKey: simulatedbusha.Key}, factory))
	add(openexchangerates.New(openexchangerates.Config{AppID: simulatedopenexchangerates.AppID}, factory))
	add(frankfurter.New(frankfurter.Config{}, factory))
	add(coingecko.New(coingecko.Config{}, factory))
	add(paystack.New(paystack.Config{Keys: map[string]core.Secret{"NG": core.Secret(simulatedpaystack.Key("NG"))}}, factory))
	add(flutterwave.New(flutterwave.Config{SecretKey: simulatedflutterwave.Key}, factory))
	add(monnify.New(monnify.Config{APIKey: simulatedmonnify.APIKey, SecretKey: simulatedmonnify.SecretKey}, factory))
	add(korapay.New(korapay.Config{SecretKey: simulatedkorapay.Key}, factory))
	add(afriex.New(afriex.Config{APIKey: simulatedafriex.Key}, factory))
	add(daraja.New(daraja.Config{ConsumerKey: simulateddaraja.Key, ConsumerSecret: simulateddaraja.Secret}, factory))
	return all
}

// able are those of the adapters that can do something.
func able[T any](all []any) (out []T) {
	for _, one := range all {
		if can, does := one.(T); does {
			out = append(out, can)
		}
	}
	return out
}

// newService builds a service over a world of its own, whose clock stands still.
func newService(t *testing.T) service {
	t.Helper()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	known := slices.Concat(catalog.Banks, accounts.MagicBanks(catalog.Countries))
	worlds, err := world.NewRegistry(world.Shared{
		Clock: time.Now, Banks: known, Offers: wire.Offers(), Default: world.Options{Seed: "fingerprint", Clock: world.ClockOptions{Now: &noon, Frozen: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := worlds.Find(world.Default)
	if err != nil {
		t.Fatal(err)
	}
	all := providers(t, w)
	prices, err := pairs.New(pairs.Config{
		Currencies: catalog.Currencies, Sources: catalog.Sources, Rules: catalog.Rules, MarketClasses: catalog.MarketClasses, Markets: catalog.Markets,
		ListingClasses: catalog.ListingClasses, Listings: catalog.Listings, Entropy: w.Entropy,
	}, able[ports.RateSource](all), w.Now)
	if err != nil {
		t.Fatal(err)
	}
	settings := recipients.Default()
	settings.Providers, settings.Preferred = catalogued.AccountProviders(), catalogued.Routes()
	settings.Guard.Mode = guard.Off // as in a sandbox
	var registry *banks.Service
	people, err := recipients.New(recipients.Config{
		Countries: catalog.Countries, Resolvers: able[ports.AccountResolver](all), Confirmers: able[ports.AccountConfirmer](all), Settings: settings,
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
		Countries: catalog.Countries, Catalog: known, Directories: able[ports.BankDirectory](all), Resolvable: people.Resolvable, Clock: w.Now, Entropy: w.Entropy,
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
		Sandbox: true, Now: w.Now, Entropy: w.Entropy, Environment: httpapi.Environment{Clock: w.Now, Entropy: w.Entropy},
	}, httpapi.Services{
		Pairs: prices, Banks: registry, Recipients: people, Addresses: rules, Currencies: catalog.Currencies, Countries: catalog.Countries,
	}, zap.NewNop(), prometheus.NewRegistry())
	door := middleware.New(middleware.Config{
		Worlds: worlds, Refuse: httpapi.WriteError, Operation: api.Operation,
		Prepare: func(context.Context, *world.World) error { return nil },
		Enter:   func(r *http.Request, _ *world.World) (*http.Request, func()) { return r, func() {} },
	})
	door.Watch()
	return service{api.Handler(door.Middleware), w}
}

// ask sends a request, and returns the status of the answer.
func (s service) ask(t *testing.T, method, path, body string) int {
	t.Helper()
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)))
	return rec.Code
}

// lived sends requests of every kind during 16 seconds of the world, while a price and a fault are
// set, and returns the fingerprint of all responses.
func (s service) lived(t *testing.T) string {
	t.Helper()
	resolve := func(country, currency, channel, bank, number string) int {
		return s.ask(t, http.MethodPost, "/v1/recipients/resolve-bank-account", fmt.Sprintf(
			`{"country_id":%q,"currency_id":%q,"channel":%q,"bank_code":%q,"account_number":%q,"account_name":"Ada Okafor"}`, country, currency, channel, bank, number))
	}
	pin := market.Setting{Pin: "1400.50"}
	lie := faults.Rule{Match: faults.Match{Provider: "kraken"}, Effect: faults.Effect{Kind: faults.Inverted}}
	for step, by := range []time.Duration{time.Second, 3 * time.Second, 10 * time.Second, 2 * time.Second} {
		for _, path := range []string{"/v1/pairs", "/v1/pairs/BTCNGN/price", "/v1/pairs/USDTNGN/price", "/v1/pairs?type=crypto&sort_by=price_change", "/v1/banks", "/v1/currencies", "/v1/countries", "/v1/banks?account_number=0123456789"} {
			if code := s.ask(t, http.MethodGet, path, ""); code != http.StatusOK {
				t.Errorf("%s: %d", path, code)
			}
		}
		for n := range 20 {
			if code := resolve("NG", "NGN", "bank_transfer", "058", fmt.Sprintf("01234567%d%d", step, n%10)); code != http.StatusOK && code != http.StatusNotFound {
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
