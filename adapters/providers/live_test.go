//go:build live

package providers_test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httputil"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"causeway/adapters/providers"
	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/config"
	"causeway/core"
	"causeway/ports"
)

// accountForm describes the variable with an account that exists at a provider.
const accountForm = `%s is not set. The resolver needs an account that exists: its country, channel, institution
(a code, or - for none), number (a phone number in E.164) and holder,
such as "NG bank_transfer 001 0123456789 TEST ACCOUNT 0123456789"`

// TestLive runs the contracts of the ports against the real API or sandbox of each provider whose
// credentials are set, and of sources of rates that need none. Each distinct request is sent
// once and its response repeated to later ones, so that small plans suffice. Confirmers are not
// called: each call costs money.
func TestLive(t *testing.T) {
	cfg, err := config.Load(config.Sources{Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := cfg.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	missing, anySet := "", false
	for _, d := range providers.Descriptors {
		l := live{cfg.Providers[d.Name], catalog, &replay{responses: map[string]recorded{}}, time.Now()}
		isSet, credentials := provider.HasCredentials(l.settings), provider.Credentials(l.settings)
		anySet = anySet || isSet
		if !isSet && len(credentials) > 0 {
			missing += "\n" + d.Name + ":"
			for _, c := range credentials {
				missing += " " + config.Variable(d.SectionName()+"."+c.Setting)
			}
			if d.Required != "" {
				continue
			}
		}
		clients := l.clients(t)
		t.Run(d.Name, func(t *testing.T) {
			if clients.Rates != nil {
				t.Run("rates", l.rates)
			}
			if clients.Directory != nil && isSet {
				t.Run("directory", l.directory)
			}
			if clients.Resolver != nil && isSet {
				t.Run("resolver", func(t *testing.T) { l.resolver(t, d.Name) })
			}
		})
	}
	if !anySet {
		t.Errorf("no credentials are set, so only sources of free rates were called; set the keys of:%s", missing)
	}
}

// live is one provider at its real API.
type live struct {
	settings  provider.Settings
	catalog   config.Catalog
	transport *replay
	now       time.Time // of all requests, so that repeated responses have the same age
}

func (l live) clients(t *testing.T) provider.Clients {
	t.Helper()
	world := upstreamtest.OpenAt(t, l.transport, func() time.Time { return l.now })
	clients, err := l.settings.Connect(world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	if closer, ok := clients.Rates.(io.Closer); ok {
		t.Cleanup(func() { _ = closer.Close() })
	}
	return clients
}

// opener returns a function that opens a port of the provider.
func opener[P any](l live, port func(provider.Clients) P) func(*testing.T) P {
	return func(t *testing.T) P {
		t.Helper()
		return port(l.clients(t))
	}
}

func (l live) rates(t *testing.T) {
	const enough = 5 // markets
	port := func(c provider.Clients) ports.RateSource { return c.Rates }
	open := opener(l, port)
	source := open(t)
	var pairs []core.Pair
	for _, m := range l.catalog.Markets {
		if slices.Contains(m.Sources, source.Name()) && len(pairs) < enough {
			pairs = append(pairs, m.Pair)
		}
	}
	observed, err := source.Observe(t.Context(), pairs)
	if err != nil || len(observed) < 2 {
		t.Fatalf("%s: got %d of %d markets: %v", source.Name(), len(observed), len(pairs), err)
	}
	suite := providertest.WorkingRates{Open: open, At: l.now, Unlisted: core.Pair{Base: "SHELL", Counter: "NGN"}}
	for _, o := range observed {
		suite.Listed = append(suite.Listed, providertest.Quote{Pair: o.Pair, Bid: o.Bid.String(), Ask: o.Ask.String(), At: o.At})
	}
	suite.Run(t)
}

func (l live) directory(t *testing.T) {
	port := func(c provider.Clients) ports.BankDirectory { return c.Directory }
	open := opener(l, port)
	directory, codes := open(t), map[string]map[string]string{}
	for _, country := range directory.Countries() {
		banks, err := directory.Banks(t.Context(), country)
		if err != nil || len(banks) == 0 {
			t.Fatalf("%s: got %d banks of %s: %v", directory.Name(), len(banks), country, err)
		}
		codes[country] = map[string]string{banks[0].Code: banks[0].Codes[directory.Name()]}
	}
	providertest.WorkingDirectory{Open: open, Codes: codes}.Run(t)
}

func (l live) resolver(t *testing.T, name string) {
	variable := "LIVE_ACCOUNT_" + strings.ToUpper(name)
	account := strings.Fields(os.Getenv(variable))
	if len(account) < 5 {
		t.Fatalf(accountForm, variable)
	}
	country, code := account[0], account[2]
	query := core.AccountQuery{Country: country, Channel: core.Channel(account[1]), Number: core.Private(account[3])}
	if i := slices.IndexFunc(l.catalog.Countries, func(c core.Country) bool { return c.Code == country }); i >= 0 {
		query.Currency = l.catalog.Countries[i].Currencies[0]
	}
	if code != "-" {
		query.Bank = core.Bank{Country: country, Code: code, Codes: map[string]string{name: code}}
	}
	for _, b := range l.catalog.Banks {
		if b.Country == country && (b.Code == code || slices.Contains(slices.Collect(maps.Values(b.Codes)), code)) {
			query.Bank = b
		}
	}
	port := func(c provider.Clients) ports.AccountResolver { return c.Resolver }
	providertest.WorkingResolver{
		Open:  opener(l, port),
		Found: map[string]providertest.Holder{variable: {Query: query, Name: strings.Join(account[4:], " ")}},
	}.Run(t)
}

// replay sends each distinct request once and repeats its response.
type replay struct {
	mu        sync.Mutex
	responses map[string]recorded
}

type recorded struct {
	response http.Response
	body     []byte
}

// RoundTrip implements http.RoundTripper.
func (p *replay) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	request, err := httputil.DumpRequest(r, true)
	if err != nil {
		return nil, err
	}
	rec, ok := p.responses[string(request)]
	if !ok {
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		defer func() { _ = response.Body.Close() }()
		if rec.body, err = io.ReadAll(response.Body); err != nil {
			return nil, err
		}
		rec.response = *response
		p.responses[string(request)] = rec
	}
	response := rec.response
	response.Header, response.Body = rec.response.Header.Clone(), io.NopCloser(bytes.NewReader(rec.body))
	response.Request = r
	return &response, nil
}
