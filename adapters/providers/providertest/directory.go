package providertest

import (
	"context"
	"slices"
	"testing"

	"causeway/adapters/providers/provider"
	"causeway/core"
	"causeway/ports"
	"causeway/simulator/wire/wiretest"
)

// Directory are the fixtures and expectations of a provider that lists banks.
type Directory struct {
	API
	Op        string // of metrics
	Country   string // of Good and of Fuzz
	Good      Response
	Responses []Exception // of a provider that works; they are the lists of all countries

	Codes   map[string]map[string]string // by country: our code and the provider's code
	LeftOut map[string][]string          // codes of the provider that are not listed
	Rows    []core.Bank                  // with country, code, name, type, channels and currency
	Broken  map[string]Response          // the runner adds malformed input of every kind
	Halves  map[string]string            // by country: part of a request that fails, so that there is no list

	Requests map[string][]string          // by country, without the URL
	Headers  map[string]map[string]string // by country, in addition to the header of the API

	Simulated *SimulatedDirectory
}

// SimulatedDirectory says what a simulated provider lists.
type SimulatedDirectory struct {
	Banks   []core.Bank
	Codes   map[string]map[string]string
	LeftOut map[string][]string
}

// Run tests the directory, in parallel with other tests.
func (s Directory) Run(t *testing.T) {
	t.Helper()
	t.Parallel()
	t.Run("contract", func(t *testing.T) {
		t.Parallel()
		WorkingDirectory{Open: s.working, Codes: s.Codes, LeftOut: s.LeftOut, Rows: s.Rows}.Run(t)
	})
	t.Run("bad input", func(t *testing.T) { t.Parallel(); s.badInput(t, malformed(t, s.Good), s.Broken, s.list) })
	t.Run("settings", func(t *testing.T) { t.Parallel(); s.settings(t) })
	t.Run("simulated", func(t *testing.T) { t.Parallel(); s.simulated(t) })
	t.Run("time-out", func(t *testing.T) { t.Parallel(); s.timeout(t, s.Op, s.list) })
	if s.Login != nil {
		t.Run("login", func(t *testing.T) { t.Parallel(); s.login(t, s.Good, s.list) })
	}
	for country, want := range s.Requests {
		t.Run("requests "+country, func(t *testing.T) { t.Parallel(); s.request(t, country, want) })
	}
	for country, part := range s.Halves {
		t.Run("half a list "+country, func(t *testing.T) {
			t.Parallel()
			responses := append([]Exception{{Contains: part, Respond: Body(500, planted)}}, s.Responses...)
			clients, _, _ := s.open(t, byRequest(t, responses))
			banks, err := clients.Directory.Banks(t.Context(), country)
			if core.CodeOf(err) != core.Unavailable || len(banks) > 0 {
				t.Errorf("got %v, %v", banks, err)
			}
		})
	}
}

// list lists the banks of the country.
func (s Directory) list(ctx context.Context, c provider.Clients) error {
	banks, err := c.Directory.Banks(ctx, s.Country)
	return alone(err, len(banks) > 0)
}

func (s Directory) working(t *testing.T) ports.BankDirectory {
	t.Helper()
	clients, _, _ := s.open(t, byRequest(t, s.Responses))
	return clients.Directory
}

func (s Directory) settings(t *testing.T) {
	t.Helper()
	s.API.settings(t)
	directory := s.off(t).Directory
	_, err := directory.Banks(t.Context(), s.Country)
	if core.CodeOf(err) != core.Unsupported || len(directory.Countries()) > 0 {
		t.Errorf("without credentials: got %v and countries %v", err, directory.Countries())
	}
}

// Row returns a row of a list.
func Row(country, code, name string, kind core.BankType, channel core.Channel, currency string) core.Bank {
	return core.Bank{
		Country: country, Code: code, Name: name, Type: kind, Channels: []core.Channel{channel}, Currency: currency,
	}
}

func (s Directory) request(t *testing.T, country string, want []string) {
	t.Helper()
	clients, server, _ := s.open(t, byRequest(t, s.Responses))
	if _, err := clients.Directory.Banks(t.Context(), country); err != nil || !slices.Equal(server.requests, want) {
		t.Errorf("got %v and requests %q, want %q", err, server.requests, want)
	}
	wantHeader(t, server.header, s.Headers[country])
}

// simulated runs the contract over the simulated provider.
func (s Directory) simulated(t *testing.T) {
	t.Helper()
	sim := s.Simulated
	_, w := wiretest.Open(t, sim.Banks...)
	client := func(c provider.Clients) ports.BankDirectory { return c.Directory }
	open := overWire(w, s.withCredentials(t), client)
	WorkingDirectory{Open: open, Codes: sim.Codes, LeftOut: sim.LeftOut}.Run(t)
}

// Fuzz checks that arbitrary bodies are either complete lists or unavailable.
func (s Directory) Fuzz(f *testing.F) {
	f.Helper()
	for _, body := range fixtures(f) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		clients, _, _ := s.open(t, always(t, Body(200, string(body))))
		banks, err := clients.Directory.Banks(t.Context(), s.Country)
		if err != nil && (core.CodeOf(err) != core.Unavailable || len(banks) > 0) {
			t.Errorf("got %v with the error %v", banks, err)
		}
		seen := map[[4]string]bool{}
		for _, b := range banks {
			row := [4]string{b.Code, b.Codes[clients.Directory.Name()], b.Name, string(b.Type)}
			if b.Code == "" || b.Name == "" || b.Country != s.Country || row[1] == "" || seen[row] {
				t.Errorf("got %+v", b)
			}
			seen[row] = true
		}
	})
}
