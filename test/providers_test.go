package test_test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"causeway/config"
	"causeway/core"
	"causeway/simulator/accounts"
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
	"causeway/test/driver"
	"causeway/test/faults"
)

// bearer is a key of every production-mode process in these tests.
const bearer = "client-0123456789abcdef"

// production is the environment of a process that has an account at every provider.
func production() []string {
	return []string{
		"CAUSEWAY_MODE=production", "CAUSEWAY_AUTH__KEYS=" + bearer, "CAUSEWAY_DRAIN__DELAY=0s",
		"CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=" + simulatedopenexchangerates.AppID,
		"CAUSEWAY_PAYSTACK__KEYS__NG=" + simulatedpaystack.Key("NG"), "CAUSEWAY_PAYSTACK__KEYS__GH=" + simulatedpaystack.Key("GH"),
		"CAUSEWAY_FLUTTERWAVE__SECRET_KEY=" + simulatedflutterwave.Key, "CAUSEWAY_KORAPAY__SECRET_KEY=" + simulatedkorapay.Key,
		"CAUSEWAY_MONNIFY__API_KEY=" + simulatedmonnify.APIKey, "CAUSEWAY_MONNIFY__SECRET_KEY=" + simulatedmonnify.SecretKey,
		"CAUSEWAY_AFRIEX__API_KEY=" + simulatedafriex.Key, "CAUSEWAY_BUSHA__API_KEY=" + simulatedbusha.Key,
		"CAUSEWAY_DARAJA__CONSUMER_KEY=" + simulateddaraja.Key, "CAUSEWAY_DARAJA__CONSUMER_SECRET=" + simulateddaraja.Secret,
	}
}

// baseURLs are the settings that say where providers are, with the path that is part of it.
var baseURLs = map[string]struct{ key, path string }{
	"paystack": {"PAYSTACK", ""}, "flutterwave": {"FLUTTERWAVE", "/v3"}, "korapay": {"KORAPAY", "/merchant/api/v1"}, "monnify": {"MONNIFY", ""},
	"afriex": {"AFRIEX", ""}, "daraja": {"DARAJA", ""}, "busha": {"BUSHA", ""},
	"bitstamp": {"BITSTAMP", ""}, "gemini": {"GEMINI", ""}, "luno": {"LUNO", ""},
	"kraken": {"KRAKEN", ""}, "binance": {"BINANCE", ""}, "coinbase": {"COINBASE", ""}, "okx": {"OKX", ""}, "bybit": {"BYBIT", ""},
	"quidax": {"QUIDAX", "/exchange-open-api/api/v1"}, "openexchangerates": {"OPEN_EXCHANGE_RATES", ""}, "frankfurter": {"FRANKFURTER", ""}, "coingecko": {"COINGECKO", ""},
}

// allProviders are all that there are.
func allProviders() []string { return slices.Collect(maps.Keys(baseURLs)) }

// accountProviders are those that are asked about accounts.
var accountProviders = []string{"paystack", "flutterwave", "korapay", "monnify", "afriex", "daraja", "busha"}

var loadCatalog = sync.OnceValues(config.LoadCatalog)

// newWorld is a simulated world of the institutions that production knows.
func newWorld(t *testing.T) *world.World {
	t.Helper()
	catalog, err := loadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(world.Config{Seed: "production"}, time.Now, slices.Concat(catalog.Banks, accounts.MagicBanks(catalog.Countries)))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// gates stand before providers, by their names.
type gates map[string]func(honest http.Handler) http.Handler

// nowhere is where nobody listens.
const nowhere = "http://127.0.0.1:1"

// served puts the named providers of a world on the network until the test ends, each behind its gate if it has one, and returns the
// environment that points a process at them. At the others nobody listens.
func served(t *testing.T, w *world.World, providers []string, gates gates) []string {
	t.Helper()
	shown := wire.New(w)
	var env []string
	for provider, base := range baseURLs {
		if !slices.Contains(providers, provider) {
			env = append(env, "CAUSEWAY_PROVIDERS__BASE_URLS__"+base.key+"="+nowhere)
			continue
		}
		handler := shown.Handler(provider)
		if gate := gates[provider]; gate != nil {
			handler = gate(handler)
		}
		server := httptest.NewUnstartedServer(handler)
		server.Config.ErrorLog = nil
		server.Start()
		t.Cleanup(server.Close)
		env = append(env, "CAUSEWAY_PROVIDERS__BASE_URLS__"+base.key+"="+server.URL+base.path)
	}
	return env
}

// startLoaded starts a process and waits until it has loaded the bank lists of all providers. Until then it does not know
// their codes of banks.
func startLoaded(t *testing.T, env ...string) *driver.Instance {
	t.Helper()
	process := driver.Start(t, binary, env...)
	wait(t, "all bank lists are loaded", func() bool {
		metrics := string(driver.Get(t, process.Operator+"/metrics").Body)
		lists := strings.Count(metrics, "\ncauseway_bank_directory_held_back{")
		return lists > 0 && lists == strings.Count(metrics, "\ncauseway_bank_directory_last_success_timestamp_seconds{")
	})
	return process
}

// saboteur stands before a provider and ruins its answers about some accounts, as long as it is told to.
type saboteur struct {
	provider string
	honest   http.Handler

	mu    sync.Mutex
	plots map[string]plot // by number
	heard map[string]int
}

// plot is what befalls the questions about one number.
type plot struct {
	fault               faults.Fault
	number, other, none string // the digits as they are in a question; those of somebody else; those of nobody
}

// lay arms a plot.
func (s *saboteur) lay(p plot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plots[p.number] = p
}

// lift lets the provider answer about a number as it is.
func (s *saboteur) lift(number string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.plots, number)
}

// asked is how often the provider was asked about a number.
func (s *saboteur) asked(number string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard[number]
}

// watch counts the questions about a number without ruining any answer.
func (s *saboteur) watch(number string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard[number] += 0
}

// plotted finds the plot of a question, and counts the question.
func (s *saboteur) plotted(question string) (plot, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for number := range s.heard {
		if strings.Contains(question, number) {
			s.heard[number]++
			p, ok := s.plots[number]
			return p, ok
		}
	}
	return plot{}, false
}

// ServeHTTP answers one call, or ruins the answer.
func (s *saboteur) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	p, ok := s.plotted(r.URL.RawQuery + string(body))
	if !ok {
		s.honest.ServeHTTP(w, r)
		return
	}
	p.fault.Play(faults.Scene{Provider: s.provider, Number: p.number, Other: p.other, None: p.none, Honest: s.honest}, w, r, string(body))
}

// where is somewhere to ask about accounts. Numbers are those of a plot behind the prefix.
type where struct{ country, currency, channel, bank, prefix string }

// question is the body of a request about an account there.
func (p where) question(number string) string {
	return `{"currency_id":"` + p.currency + `","country_id":"` + p.country + `","channel":"` + p.channel + `","bank_code":"` + p.bank + `","account_number":"` + p.prefix + number + `"}`
}

// route is the setting that says whom to ask there.
func (p where) route(providers ...string) string {
	return "CAUSEWAY_RESOLUTION__ROUTES__" + strings.ToUpper(p.country+"_"+p.channel) + "=" + strings.Join(providers, ",")
}

// holders tells who has an account there, and what the world has of it.
func (p where) holders(w *world.World) func(number string) accounts.Account {
	if p.bank == "" { // a business: the world has no bank of it
		business := core.Bank{Country: p.country, Code: accounts.MagicWallet, Type: core.OtherBank}
		return func(number string) accounts.Account { return w.Accounts().Get(business, p.channel+" "+number) }
	}
	banks := w.Banks()
	bank := banks[slices.IndexFunc(banks, func(b core.Bank) bool { return b.Country == p.country && b.Known(p.bank) })]
	return func(number string) accounts.Account { return w.Accounts().Get(bank, p.prefix+number) }
}
