package providertest

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator/wire/wiretest"
)

// Directory are the fixtures and expectations of a provider that lists banks.
type Directory struct {
	API
	Op        string // of metrics
	Country   string // of Good, and the one that is fuzzed
	Good      Response
	Responses []Exception // of a provider that works; they are the lists of all countries

	Codes   map[string]map[string]string // by country: our code and that of the provider
	LeftOut map[string][]string          // codes of the provider that are not listed
	Rows    []core.Bank                  // with country, code, name, type, channels and currency
	Broken  map[string]Response          // the runner adds malformed input of every kind
	Halves  map[string]string            // by country: part of a request that fails, so that there is no list

	Requests map[string][]string          // by country, without the URL
	Headers  map[string]map[string]string // by country, in addition to that of the API
	Seeds    []string                     // files for Fuzz

	Simulated *SimulatedDirectory
}

// SimulatedDirectory says what a simulated provider lists.
type SimulatedDirectory struct {
	Settings    provider.Settings
	Unreachable []provider.Settings // with other hosts and paths
	Banks       []core.Bank
	Codes       map[string]map[string]string
	LeftOut     map[string][]string
	Empty       string // a list without rows
}

// Run tests the directory, in parallel with other tests.
func (s Directory) Run(t *testing.T) {
	t.Helper()
	t.Parallel()
	t.Run("contract", func(t *testing.T) { t.Parallel(); s.contract(t) })
	t.Run("bad input", func(t *testing.T) { t.Parallel(); s.badInput(t) })
	t.Run("settings", func(t *testing.T) { t.Parallel(); s.settings(t) })
	t.Run("rows", func(t *testing.T) { t.Parallel(); s.rows(t) })
	t.Run("simulated", func(t *testing.T) { t.Parallel(); s.simulated(t) })
	list := func(ctx context.Context, c provider.Clients) error {
		_, err := c.Directory.Banks(ctx, s.Country)
		return err
	}
	t.Run("time-out", func(t *testing.T) { t.Parallel(); s.timeout(t, s.Op, list) })
	if s.Login != nil {
		t.Run("login", func(t *testing.T) { t.Parallel(); s.login(t, s.Good, list) })
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

func (s Directory) over(r Response) func(t *testing.T) ports.BankDirectory {
	return func(t *testing.T) ports.BankDirectory {
		t.Helper()
		clients, _, _ := s.open(t, always(t, r))
		return clients.Directory
	}
}

func (s Directory) working(t *testing.T) ports.BankDirectory {
	t.Helper()
	clients, _, _ := s.open(t, byRequest(t, s.Responses))
	return clients.Directory
}

func (s Directory) malformed(t *testing.T) map[string]Response {
	t.Helper()
	all := s.API.malformed(t, s.Good)
	maps.Copy(all, s.Broken)
	return all
}

func (s Directory) contract(t *testing.T) {
	t.Helper()
	broken := map[string]func(t *testing.T) ports.BankDirectory{}
	for name, r := range s.malformed(t) {
		broken[name] = s.over(r)
	}
	porttest.BankDirectory(t, porttest.Directory{
		Open: s.working, Codes: s.Codes, LeftOut: s.LeftOut, Broken: broken, Hanging: s.over(Response{Never: true}),
	})
}

func (s Directory) badInput(t *testing.T) {
	t.Helper()
	for name, r := range s.malformed(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clients, _, world := s.open(t, always(t, r))
			banks, err := clients.Directory.Banks(t.Context(), s.Country)
			if core.CodeOf(err) != core.Unavailable || len(banks) > 0 {
				t.Errorf("got %v, %v", banks, err)
			}
			s.wantSilence(t, err, world)
			refused := slices.ContainsFunc(world.Outcomes(t), func(o string) bool {
				return strings.HasSuffix(o, " "+string(upstream.Refused))
			})
			_, credentials := rejected()[name]
			if logged := strings.Contains(world.Printed(t), `"level":"error"`); logged != refused || credentials && !logged {
				t.Errorf("logged as an error: %t, refused: %t", logged, refused)
			}
		})
	}
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

// rows checks names, types, channels and currencies.
func (s Directory) rows(t *testing.T) {
	t.Helper()
	directory, listed := s.working(t), map[string]core.Bank{}
	for _, country := range directory.Countries() {
		banks, err := directory.Banks(t.Context(), country)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range banks {
			listed[country+" "+b.Code+" "+b.Name] = b
		}
	}
	for _, want := range s.Rows {
		got, ok := listed[want.Country+" "+want.Code+" "+want.Name]
		if !ok || got.Type != want.Type || !slices.Equal(got.Channels, want.Channels) ||
			got.Currency != want.Currency {
			t.Errorf("got %+v, want %+v", got, want)
		}
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
	over := overWire(w, sim.Settings, client)
	broken := brokenWire(w, sim.Settings, sim.Unreachable, client)
	broken["empty"] = over(wiretest.Saying(http.StatusOK, sim.Empty))
	porttest.BankDirectory(t, porttest.Directory{
		Open: over(nil), Codes: sim.Codes, LeftOut: sim.LeftOut, Broken: broken, Hanging: over(wiretest.Hanging()),
	})
}

// Fuzz checks that arbitrary bodies are either complete lists or unavailable.
func (s Directory) Fuzz(f *testing.F) {
	f.Helper()
	for _, name := range s.Seeds {
		f.Add([]byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		clients, _, _ := s.open(t, always(t, Body(200, string(body))))
		banks, err := clients.Directory.Banks(t.Context(), s.Country)
		if err != nil && (core.CodeOf(err) != core.Unavailable || len(banks) > 0) {
			t.Errorf("got %v beside %v", banks, err)
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
