package providertest

import (
	"context"
	"flag"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/jarcoal/httpmock"
	"go.yaml.in/yaml/v3"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/wiretest"
	"causeway/simulator/world"
)

var update = flag.Bool("update", false, "rewrite testdata/outcomes.yaml")

// Resolver are the fixtures and expectations of a provider that names account holders.
type Resolver struct {
	API
	Query core.AccountQuery // about which the responses are
	Good  Response          // has Name
	Name  string

	Responses       []Exception // of a provider that works, for the contract of the port
	Found           map[string]Holder
	Unknown, Closed core.AccountQuery
	Unsupported     map[string]core.AccountQuery // the runner adds what no provider supports
	BadNumbers      []core.Private               // about which no request is sent

	Cases     []AccountCase
	Doubtful  map[upstream.Outcome][]Response // to Query
	Requests  []AccountRequest
	OtherBank core.AccountQuery // at a bank with its own circuit breaker

	GoodStatus int   // of fuzzed responses; 0: 200
	FuzzStatus int   // of fuzzed refusals
	NoneStatus []int // of responses that say that there is no account; nil: GoodStatus and FuzzStatus

	Simulated *SimulatedResolver
}

// AccountCase is one row: what a resolver makes of a response.
type AccountCase struct {
	Name     string            // empty: the name of the response
	Query    core.AccountQuery // default: the resolver's query
	Respond  Response
	Want     string           // name of the holder
	NotFound string           // part of the error of a request that found nothing
	Outcome  upstream.Outcome // if there is neither
}

// AccountRequest is what a query sends.
type AccountRequest struct {
	Query  core.AccountQuery
	Want   string            // without the URL: "POST resolve {…}"
	Header map[string]string // in addition to the header of the API
}

// SimulatedResolver says which accounts a simulated provider has.
type SimulatedResolver struct {
	Banks    []core.Bank
	Magic    core.AccountQuery            // a magic account, whose last three digits are replaced; zero: none
	Named    []core.AccountQuery          // accounts that exist
	Found    map[string]Holder            // more of them, with their names
	Ordinary []core.AccountQuery          // in turn, with other last three digits; optional with Magic
	Doubtful map[string]core.AccountQuery // without a clear result
}

// Run tests the resolver, in parallel with other tests.
func (s Resolver) Run(t *testing.T) {
	t.Helper()
	t.Parallel()
	t.Run("contract", func(t *testing.T) { t.Parallel(); s.contract(t) })
	t.Run("bad input", func(t *testing.T) {
		t.Parallel()
		s.badInput(t, malformed(t, s.Good), nil, s.resolve, s.Query.Number.Reveal(), s.Name)
	})
	t.Run("settings", func(t *testing.T) { t.Parallel(); s.settings(t) })
	t.Run("time-out", func(t *testing.T) { t.Parallel(); s.timeout(t, "resolve", s.resolve) })
	t.Run("Resolves", func(t *testing.T) { t.Parallel(); s.resolves(t) })
	t.Run("retry", func(t *testing.T) { t.Parallel(); s.retry(t) })
	if s.OtherBank.Country != "" {
		t.Run("breaker", func(t *testing.T) { t.Parallel(); s.breaker(t) })
	}
	if s.Login != nil {
		t.Run("login", func(t *testing.T) {
			t.Parallel()
			s.login(t, s.Good, s.resolve)
		})
	}
	t.Run("simulated", func(t *testing.T) { t.Parallel(); s.simulated(t) })
	for _, r := range s.Requests {
		t.Run("request "+r.Want, func(t *testing.T) { t.Parallel(); s.request(t, r) })
	}
	cases := append([]AccountCase{{Respond: s.Good, Want: s.Name}}, s.Cases...)
	for outcome, responses := range s.Doubtful {
		for _, r := range responses {
			cases = append(cases, AccountCase{Respond: r, Outcome: outcome})
		}
	}
	for name, q := range s.unsupportedQueries() {
		t.Run("unsupported: "+name, func(t *testing.T) { t.Parallel(); s.unsupported(t, q, false) })
	}
	for _, number := range s.BadNumbers {
		q := With(s.Query, func(q *core.AccountQuery) { q.Number = number })
		t.Run("number "+number.Reveal(), func(t *testing.T) { t.Parallel(); s.unsupported(t, q, true) })
	}
	t.Run("outcomes", func(t *testing.T) { t.Parallel(); wantOutcomes(t, cases) })
	for _, c := range cases {
		if c.Name == "" {
			c.Name = c.Respond.name()
		}
		t.Run(c.Name, func(t *testing.T) { t.Parallel(); s.check(t, c) })
	}
}

// wantOutcomes checks that testdata/outcomes.yaml, which docs/providers.md shows, counts the cases
// by outcome.
func wantOutcomes(t *testing.T, cases []AccountCase) {
	t.Helper()
	counts := map[string]int{}
	for _, c := range cases {
		switch {
		case c.Want != "":
			counts["named"]++
		case c.NotFound != "":
			counts[string(upstream.NotFound)]++
		default:
			counts[string(c.Outcome)]++
		}
	}
	want, err := yaml.Marshal(counts)
	if err != nil {
		t.Fatal(err)
	}
	const path = "testdata/outcomes.yaml"
	if *update {
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || string(have) != string(want) {
		t.Errorf("%s is not current; run this test with -update (%v)", path, err)
	}
}

func (s Resolver) contract(t *testing.T) {
	t.Helper()
	found := s.Found
	if found == nil {
		found = map[string]Holder{"account": {Query: s.Query, Name: s.Name}}
	}
	WorkingResolver{
		Open: func(t *testing.T) ports.AccountResolver {
			t.Helper()
			clients, _, _ := s.open(t, byRequest(t, s.Responses))
			return clients.Resolver
		},
		Found: found, Unknown: s.Unknown, Closed: s.Closed,
	}.Run(t)
}

// resolves checks that Resolves sends no request.
func (s Resolver) resolves(t *testing.T) {
	t.Helper()
	clients, server, _ := s.open(t, always(t, s.Good))
	for _, h := range s.Found {
		clients.Resolver.Resolves(h.Query.Country, h.Query.Channel, h.Query.Bank)
	}
	clients.Resolver.Resolves(s.Query.Country, s.Query.Channel, s.Query.Bank)
	if len(server.requests)+server.logins > 0 {
		t.Errorf("got requests %q and %d logins, want none", server.requests, server.logins)
	}
}

// unsupportedQueries returns queries that the provider does not support, and that none does.
func (s Resolver) unsupportedQueries() map[string]core.AccountQuery {
	all := map[string]core.AccountQuery{
		"unknown channel":         With(s.Query, func(q *core.AccountQuery) { q.Channel = "carrier_pigeon" }),
		"bank of another country": With(s.Query, func(q *core.AccountQuery) { q.Bank.Country = "FR" }),
	}
	channels := []core.Channel{core.BankTransfer, core.MobileMoney, core.PayBill, core.Till}
	for _, c := range s.Descriptor.Accounts {
		if c.Country == s.Query.Country && !c.ByDocument {
			channels = slices.DeleteFunc(channels, func(of core.Channel) bool { return slices.Contains(c.Channels, of) })
		}
	}
	for _, other := range channels {
		all["channel "+string(other)] = With(s.Query, func(q *core.AccountQuery) { q.Channel = other })
	}
	if s.Query.Bank.Code != "" {
		all["no bank"] = With(s.Query, func(q *core.AccountQuery) { q.Bank = core.Bank{} })
	}
	maps.Copy(all, s.Unsupported)
	return all
}

// unsupported checks a query about which no request is sent.
func (s Resolver) unsupported(t *testing.T, q core.AccountQuery, resolves bool) {
	t.Helper()
	clients, server, _ := s.open(t, always(t, s.Good))
	if got := clients.Resolver.Resolves(q.Country, q.Channel, q.Bank); got != resolves {
		t.Errorf("Resolves is %t, want %t", got, resolves)
	}
	name, err := clients.Resolver.Resolve(t.Context(), q)
	wantError(t, alone(err, name != ""), core.Unsupported)
	if len(server.requests)+server.logins > 0 {
		t.Errorf("got requests %q and %d logins, want none", server.requests, server.logins)
	}
}

func (s Resolver) settings(t *testing.T) {
	t.Helper()
	s.API.settings(t)
	resolver := s.off(t).Resolver
	if resolver.Resolves(s.Query.Country, s.Query.Channel, s.Query.Bank) {
		t.Error("resolves without credentials")
	}
	if _, err := resolver.Resolve(t.Context(), s.Query); core.CodeOf(err) != core.Unsupported {
		t.Errorf("without credentials: got %v", err)
	}
	if login := s.off(t).Login; login != nil && core.CodeOf(login.Login(t.Context())) != core.Unsupported {
		t.Error("logs in without credentials")
	}
}

// resolve resolves the query.
func (s Resolver) resolve(ctx context.Context, c provider.Clients) error {
	name, err := c.Resolver.Resolve(ctx, s.Query)
	return alone(err, name != "")
}

// retry checks that a request is repeated after an outage.
func (s Resolver) retry(t *testing.T) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		clients, server, _ := s.open(t, inTurn(t, Body(503, planted), s.Good))
		name, err := clients.Resolver.Resolve(t.Context(), s.Query)
		if err != nil || name.Reveal() != s.Name || len(server.requests) != 2 || server.requests[0] != server.requests[1] {
			t.Errorf("got %q, %v after requests %v", name.Reveal(), err, server.requests)
		}
	})
}

// breaker checks that a bank that is down does not keep others from being called.
func (s Resolver) breaker(t *testing.T) {
	t.Helper()
	down := true
	failing, working := Body(500, planted).responder(t), s.Good.responder(t)
	clients, _, world := s.open(t, func(string) httpmock.Responder {
		if down {
			return failing
		}
		return working
	})
	for range 12 {
		if _, err := clients.Resolver.Resolve(t.Context(), s.OtherBank); core.CodeOf(err) != core.Unavailable {
			t.Fatalf("got %v", err)
		}
	}
	down = false
	if _, err := clients.Resolver.Resolve(t.Context(), s.Query); err != nil {
		t.Errorf("another bank: got %v", err)
	}
	if got := world.Outcomes(t); !slices.Contains(got, "resolve open ×2") {
		t.Errorf("got outcomes %v, want two requests that were not sent", got)
	}
}

func (s Resolver) request(t *testing.T, r AccountRequest) {
	t.Helper()
	clients, server, _ := s.open(t, always(t, Body(400, planted)))
	_, _ = clients.Resolver.Resolve(t.Context(), r.Query)
	if !slices.Equal(server.requests, []string{r.Want}) {
		t.Errorf("got requests %q, want %q", server.requests, r.Want)
	}
	wantHeader(t, server.header, r.Header)
}

func (s Resolver) check(t *testing.T, c AccountCase) {
	t.Helper()
	if c.Query.Country == "" {
		c.Query = s.Query
	}
	code, outcome := core.Unavailable, c.Outcome
	switch {
	case c.Want != "":
		code, outcome = "", upstream.OK
	case c.NotFound != "":
		code, outcome = core.NotFound, upstream.NotFound
	}
	clients, _, world := s.open(t, always(t, c.Respond))
	name, err := clients.Resolver.Resolve(t.Context(), c.Query)
	if name.Reveal() != c.Want || core.CodeOf(err) != code || err != nil && !strings.Contains(err.Error(), c.NotFound) {
		t.Errorf("got %q, %v; want %q, %s %q", name.Reveal(), err, c.Want, code, c.NotFound)
	}
	s.wantSilence(t, err, world, c.Query.Number.Reveal(), c.Want, s.Name)
	s.wantOutcome(t, world, "resolve", outcome)
}

// simulated runs the contract over the simulated provider.
func (s Resolver) simulated(t *testing.T) {
	t.Helper()
	sim := s.Simulated
	world, w := wiretest.Open(t, sim.Banks...)
	client := func(c provider.Clients) ports.AccountResolver { return c.Resolver }
	suite := WorkingResolver{
		Open:  overWire(w, s.withCredentials(t), client),
		Found: map[string]Holder{}, Doubtful: map[string]core.AccountQuery{},
	}
	if len(sim.Ordinary) > 0 {
		sim.ordinary(t, world, &suite)
	}
	if sim.Magic.Country != "" {
		sim.magic(&suite)
	}
	maps.Copy(suite.Doubtful, sim.Doubtful)
	maps.Copy(suite.Found, sim.Found)
	for i, q := range sim.Named {
		suite.Found["account "+strconv.Itoa(i)+" "+q.Country+" "+q.Bank.Code] = holderIn(world, q)
	}
	suite.Run(t)
}

// holderIn returns the holder of an account in a world.
func holderIn(w *world.World, q core.AccountQuery) Holder {
	account := w.Accounts().Get(q.Bank, q.Number.Reveal())
	return Holder{Query: q, Name: strings.Join(strings.Fields(account.Name), " ")}
}

// ending returns a query with other last three digits.
func ending(q core.AccountQuery, digits string) core.AccountQuery {
	q.Number = q.Number[:len(q.Number)-len(digits)] + core.Private(digits)
	return q
}

// magic adds the magic accounts.
func (s SimulatedResolver) magic(suite *WorkingResolver) {
	suite.Unknown, suite.Closed = ending(s.Magic, "404"), ending(s.Magic, "409")
	for _, row := range accounts.MagicNumbers() {
		if row.Reply.Holder != nil && *row.Reply.Holder != "" {
			holder := Holder{Query: ending(s.Magic, row.Suffix), Name: strings.Join(strings.Fields(*row.Reply.Holder), " ")}
			suite.Found[row.Title] = holder
		}
	}
	for _, suffix := range []string{"206", "207", "309", "429", "500", "503", "555"} {
		suite.Doubtful[suffix] = ending(s.Magic, suffix)
	}
}

// ordinary adds ordinary accounts: twenty that exist, one that does not, and one that is closed.
func (s SimulatedResolver) ordinary(t *testing.T, w *world.World, suite *WorkingResolver) {
	t.Helper()
	found := 0
	for i := range 200 { // enough for accounts of each outcome
		q := ending(s.Ordinary[i%len(s.Ordinary)], strconv.Itoa(500+i))
		switch w.Accounts().Get(q.Bank, q.Number.Reveal()).Outcome {
		case accounts.Found:
			if found++; found <= 20 {
				suite.Found[q.Number.Reveal()] = holderIn(w, q)
			}
		case accounts.Unknown:
			suite.Unknown = q
		case accounts.Dormant:
			suite.Closed = q
		default:
		}
	}
	if found < 150 || suite.Unknown.Country == "" || suite.Closed.Country == "" {
		t.Errorf("%d of 200 accounts are found, %q unknown, %q closed", found, suite.Unknown.Number, suite.Closed.Number)
	}
}

// Fuzz checks that arbitrary bodies name a holder only in a successful response, and find nothing
// only where the provider may say so.
func (s Resolver) Fuzz(f *testing.F) {
	f.Helper()
	for _, body := range fixtures(f) {
		f.Add(true, body)
		f.Add(false, body)
	}
	f.Fuzz(func(t *testing.T, good bool, body []byte) {
		status := s.FuzzStatus
		if good {
			status = max(s.GoodStatus, http.StatusOK)
		}
		clients, _, _ := s.open(t, always(t, Body(status, string(body))))
		name, err := clients.Resolver.Resolve(context.Background(), s.Query)
		switch core.CodeOf(err) {
		case "":
			if !good || name == "" || strings.Join(strings.Fields(name.Reveal()), " ") != name.Reveal() {
				t.Errorf("got the name %q with status %d", name.Reveal(), status)
			}
		case core.NotFound, core.Unavailable:
			none := core.CodeOf(err) != core.NotFound || s.NoneStatus == nil || slices.Contains(s.NoneStatus, status)
			if name != "" || !none {
				t.Errorf("got the name %q with the error %v and status %d", name.Reveal(), err, status)
			}
		default:
			t.Errorf("got %v", err)
		}
	})
}

// FuzzLogin checks that arbitrary responses to a login do not cause other errors than unavailable.
func (s Resolver) FuzzLogin(f *testing.F) {
	f.Helper()
	for _, body := range fixtures(f) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		login := Body(200, string(body))
		server := &recorder{api: s.API, login: &login, respond: always(t, s.Good)}
		world := upstreamtest.Open(t, server.transport(t))
		name, err := Connect(t, s.Settings, world).Resolver.Resolve(context.Background(), s.Query)
		if err != nil && (core.CodeOf(err) != core.Unavailable || name != "") {
			t.Errorf("got %q, %v", name.Reveal(), err)
		}
	})
}
