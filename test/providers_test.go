package test_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/config"
	"causeway/simulator/accounts"
	"causeway/simulator/wire"
	"causeway/simulator/wire/afriex"
	"causeway/simulator/wire/busha"
	"causeway/simulator/wire/daraja"
	"causeway/simulator/wire/flutterwave"
	"causeway/simulator/wire/korapay"
	"causeway/simulator/wire/monnify"
	"causeway/simulator/wire/openexchangerates"
	"causeway/simulator/wire/paystack"
	"causeway/simulator/world"
	"causeway/test/driver"
)

// bearer is a key of every production-mode process in these tests.
const bearer = "client-0123456789abcdef"

// production is the environment of a process that has an account at every provider.
func production() []string {
	return []string{
		"CAUSEWAY_MODE=production", "CAUSEWAY_AUTH__KEYS=" + bearer, "CAUSEWAY_DRAIN__DELAY=0s",
		"CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=" + openexchangerates.AppID,
		"CAUSEWAY_PAYSTACK__KEYS__NG=" + paystack.Key("NG"), "CAUSEWAY_PAYSTACK__KEYS__GH=" + paystack.Key("GH"),
		"CAUSEWAY_FLUTTERWAVE__SECRET_KEY=" + flutterwave.Key, "CAUSEWAY_KORAPAY__SECRET_KEY=" + korapay.Key,
		"CAUSEWAY_MONNIFY__API_KEY=" + monnify.APIKey, "CAUSEWAY_MONNIFY__SECRET_KEY=" + monnify.SecretKey,
		"CAUSEWAY_AFRIEX__API_KEY=" + afriex.Key, "CAUSEWAY_BUSHA__API_KEY=" + busha.Key,
		"CAUSEWAY_DARAJA__CONSUMER_KEY=" + daraja.Key, "CAUSEWAY_DARAJA__CONSUMER_SECRET=" + daraja.Secret,
	}
}

// baseURLs are the settings for the URLs of providers, with the path that is part of each.
var baseURLs = map[string]struct{ key, path string }{
	"paystack": {"PAYSTACK", ""}, "flutterwave": {"FLUTTERWAVE", "/v3"}, "korapay": {"KORAPAY", "/merchant/api/v1"}, "monnify": {"MONNIFY", ""},
	"afriex": {"AFRIEX", ""}, "daraja": {"DARAJA", ""}, "busha": {"BUSHA", ""},
	"bitstamp": {"BITSTAMP", ""}, "gemini": {"GEMINI", ""}, "luno": {"LUNO", ""},
	"exchangerateapi": {"EXCHANGERATEAPI", ""}, "paycrest": {"PAYCREST", ""}, "valr": {"VALR", ""},
	"kraken": {"KRAKEN", ""}, "binance": {"BINANCE", ""}, "coinbase": {"COINBASE", ""}, "okx": {"OKX", ""}, "bybit": {"BYBIT", ""},
	"quidax": {"QUIDAX", "/exchange-open-api/api/v1"}, "openexchangerates": {"OPEN_EXCHANGE_RATES", ""}, "frankfurter": {"FRANKFURTER", ""}, "coingecko": {"COINGECKO", ""},
}

// allProviders are all that there are.
func allProviders() []string { return slices.Collect(maps.Keys(baseURLs)) }

// accountProviders resolve accounts.
var accountProviders = []string{"paystack", "flutterwave", "korapay", "monnify", "afriex", "daraja", "busha"}

// newWorld returns a simulated world of the institutions that production knows.
func newWorld(t *testing.T) *world.World {
	t.Helper()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(world.RegistryConfig{Clock: time.Now, Banks: slices.Concat(catalog.Banks, accounts.MagicBanks(catalog.Countries)), Providers: wire.Offers(), Default: world.Options{Seed: "production"}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// wrappers wrap the handlers of simulated providers, by their names.
type wrappers map[string]func(http.Handler) http.Handler

// nowhere is an address without a listener.
const nowhere = "http://127.0.0.1:1"

// serveProviders serves the named providers of a world over TCP until the test ends and returns the
// environment with their URLs. The others refuse connections.
func serveProviders(t *testing.T, w *world.World, providers []string, wrap wrappers) []string {
	t.Helper()
	simulated := wire.New(w)
	var env []string
	for provider, base := range baseURLs {
		if !slices.Contains(providers, provider) {
			env = append(env, "CAUSEWAY_PROVIDERS__BASE_URLS__"+base.key+"="+nowhere)
			continue
		}
		handler := simulated.Handler(provider)
		if wrapper := wrap[provider]; wrapper != nil {
			handler = wrapper(handler)
		}
		server := httptest.NewUnstartedServer(handler)
		server.Config.ErrorLog = nil
		server.Start()
		t.Cleanup(server.Close)
		env = append(env, "CAUSEWAY_PROVIDERS__BASE_URLS__"+base.key+"="+server.URL+base.path)
	}
	return env
}

// startLoaded starts a process and waits until it has loaded the bank lists of all providers, with
// their codes of banks.
func startLoaded(t *testing.T, env ...string) *driver.Instance {
	t.Helper()
	process := driver.Start(t, binary, env...)
	wait(t, "all bank lists are loaded", func() bool {
		metrics := string(driver.Get(t, process.Operator+"/metrics").Body)
		lists := strings.Count(metrics, "\ncauseway_banks_directory_held_back{")
		return lists > 0 && lists == strings.Count(metrics, "\ncauseway_banks_directory_last_success_timestamp_seconds{")
	})
	return process
}
