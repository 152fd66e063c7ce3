package providertest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/shopspring/decimal"

	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/simulator/wire/wiretest"
	"causeway/simulator/world"
)

// Rates are the fixtures and expectations of a source of rates that polls.
type Rates struct {
	Settings provider.Settings
	Rejected []BadSettings // that Connect does not accept
	Secrets  []string      // parts of credentials, which must not leave the adapter
	URL      string        // with which all requests begin
	Good     Response      // has the listed markets
	Except   []Exception   // to Good, in the contract of the port
	Listed   []Quote       // two or more
	Unlisted core.Pair     // a market that the provider does not know; zero: SHELL/NGN
	At       time.Time     // of all listed quotes; zero: noon
	Requests []string      // for the listed and the unlisted markets, without URL

	// Unreadable are responses with which all listed markets but the first can be read. With a request
	// for each market, First is a part of those for the first one; no others get these responses.
	Unreadable map[string]Response
	Price      [2]string // what is before the price of the first market in Good, and the price; the runner breaks it
	First      string
	Broken     map[string]Response // nothing can be read; the runner adds malformed input of every kind
	Valid      []string            // names of malformed input that is a valid response without markets
	Throttled  Response            // default: 429 with Retry-After
	RetryAfter time.Duration       // of Throttled
	Cases      []RateCase

	// Status has responses, by a part of the path, that say that all listed markets are open. Each
	// response of Halted takes the place of one of them, and closes the first listed market.
	Status []Exception
	Halted map[string]Exception

	Timeout time.Duration // of a poll; 0: the time-out of an attempt

	FuzzStatus int // of further responses with arbitrary bodies; 0: none

	Simulated *SimulatedRates
	Limits    []PollingLimit
}

// RateCase is one row: what a source makes of responses.
type RateCase struct {
	Name       string
	Settings   provider.Settings // nil: the settings of the source
	URL        string            // empty: the URL of the source
	Now        time.Time         // zero: noon
	Respond    Response
	Then       Response    // to all requests but the first one; zero: the same
	Markets    []core.Pair // nil: the listed ones
	Want       []string    // beginnings of "BTC/USDT 64010.1 64010.2 2026-11-21T12:00:00Z", in the order of Markets
	Outcome    upstream.Outcome
	Queries    []string          // of the requests, without URL; nil: not checked
	Header     map[string]string // of the requests
	Outcomes   []string          // of all requests, if there are several: "ticker undecided"
	RetryAfter time.Duration
}

// Exception is the response to requests whose URL contains a text. The first one that matches wins.
type Exception struct {
	Contains string
	Respond  Response
}

// SimulatedRates says what a simulated provider quotes.
type SimulatedRates struct {
	Unlisted core.Pair                  // a market that it does not quote
	Quotes   func(*world.World) []Quote // nil: the order books of the provider
	At       time.Time                  // of the quotes; zero: noon
	Settings provider.Settings          // nil: Rates.Settings
	Rejected provider.Settings          // with credentials that it does not accept; may be nil
}

// onlyIf sends requests whose path contains a text to one transport and all others to another. $ is
// the end of the path.
type onlyIf struct {
	part         string
	then, others http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (o onlyIf) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.Contains(r.URL.Path+"$", o.part) {
		return o.then.RoundTrip(r)
	}
	return o.others.RoundTrip(r)
}

// withStatus responds to requests for the status of markets. The last response whose text is in the
// path wins.
func withStatus(t testing.TB, others http.RoundTripper, status ...Exception) http.RoundTripper {
	t.Helper()
	for _, e := range status {
		others = onlyIf{e.Contains, upstreamtest.Saying(t, "https://", e.Respond.responder(t)), others}
	}
	return others
}

// outcomes returns the finished calls except the requests for the status of markets.
func outcomes(t testing.TB, world *upstreamtest.World) []string {
	t.Helper()
	return slices.DeleteFunc(world.Outcomes(t), func(line string) bool {
		return strings.HasPrefix(line, tickers.StatusOperation)
	})
}

// halted checks that a market is quoted only while it is known to be open: a closed one is left out,
// and without a status the last one counts for five minutes.
func (s Rates) halted(t *testing.T, pause Exception) {
	t.Helper()
	now, current := upstreamtest.Noon(), http.RoundTripper(nil)
	api := s.api()
	api.status = nil
	quotes := (&recorder{api: api, respond: byRequest(t, s.good())}).transport(t)
	say := func(status ...Exception) {
		current = withStatus(t, quotes, append(slices.Clone(s.Status), status...)...)
	}
	down := make([]Exception, len(s.Status))
	for i, e := range s.Status {
		down[i] = Exception{Contains: e.Contains, Respond: Body(503, "")}
	}
	world := upstreamtest.OpenAt(t, roundTrip(func(r *http.Request) (*http.Response, error) {
		return current.RoundTrip(r)
	}), func() time.Time { return now })
	source := Connect(t, s.Settings, world).Rates
	check := func(when string, open, available bool) {
		t.Helper()
		got, err := source.Observe(t.Context(), pairs(s.Listed))
		quoted := slices.ContainsFunc(got, func(o core.Observation) bool { return o.Pair == s.Listed[0].Pair })
		if quoted != open || (core.CodeOf(err) == core.Unavailable) == available {
			t.Errorf("%s: got %v, %v; want quoted %t, available %t", when, got, err, open, available)
		}
	}
	say(down...)
	check("status unknown", false, false)
	say()
	check("open", true, true)
	say(pause)
	for range 2 { // the ticker repeats the last quotes
		now = now.Add(30 * time.Second)
		check("halted", false, true)
	}
	say()
	now = now.Add(30 * time.Second)
	check("open again", true, true)
	say(down...)
	now = now.Add(4 * time.Minute)
	check("status unknown for four minutes", true, true)
	now = now.Add(time.Minute)
	check("status unknown for five minutes", false, false)
}

// budget checks that the requests for the status fit into the limits: polls as often as the limits
// allow are all in time.
func (s Rates) budget(t *testing.T) {
	t.Helper()
	const pollTimeout = 5 * time.Second
	synctest.Test(t, func(t *testing.T) {
		server := &recorder{api: s.api(), respond: byRequest(t, s.good())}
		world := upstreamtest.OpenLimited(t, server.transport(t), time.Now)
		source := Connect(t, s.Settings, world).Rates
		limited, _ := source.(interface {
			MinInterval(markets int) time.Duration
		})
		every := limited.MinInterval(len(s.Listed))
		for start := time.Now(); time.Since(start) < 3*time.Minute; {
			due := time.Now().Add(every)
			ctx, cancel := context.WithTimeout(t.Context(), pollTimeout)
			got, err := source.Observe(ctx, pairs(s.Listed))
			cancel()
			if err != nil || len(got) != len(s.Listed) {
				t.Fatalf("after %s: got %v, %v", time.Since(start), got, err)
			}
			if late := time.Since(due); late > every {
				t.Fatalf("after %s: late by %s", time.Since(start), late)
			}
			time.Sleep(time.Until(due))
		}
	})
}

// roundTrip is a function as a transport.
type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// PollingLimit says how often the provider may be polled.
type PollingLimit struct {
	Settings provider.Settings // nil: the settings of the source
	Markets  int               // 0: 100
	Fits     time.Duration
	TooOften time.Duration // 0: nothing is
}

// Run tests the source, in parallel with other tests.
func (s Rates) Run(t *testing.T) {
	t.Helper()
	t.Parallel()
	s.Unlisted, s.At = cmp.Or(s.Unlisted, core.Pair{Base: "SHELL", Counter: "NGN"}), cmp.Or(s.At, upstreamtest.Noon())
	if s.Throttled.Status == 0 {
		s.Throttled, s.RetryAfter = Body(429, "", "Retry-After", "30"), 30*time.Second
	}
	t.Run("contract", func(t *testing.T) {
		t.Parallel()
		WorkingRates{Open: s.over(s.good()...), Listed: s.Listed, Unlisted: s.Unlisted, At: s.At}.Run(t)
	})
	t.Run("requests", func(t *testing.T) { t.Parallel(); s.requests(t) })
	t.Run("bad input", func(t *testing.T) { t.Parallel(); s.api().badInput(t, s.malformed(t), s.Broken, s.observe) })
	t.Run("throttled", func(t *testing.T) {
		t.Parallel()
		s.check(t, RateCase{
			Respond: s.Throttled, Markets: pairs(s.Listed)[:1], Outcome: upstream.Throttled, RetryAfter: s.RetryAfter,
		})
	})
	t.Run("time-out", func(t *testing.T) { t.Parallel(); s.api().timeout(t, "", s.observe) })
	t.Run("settings", func(t *testing.T) { t.Parallel(); s.settings(t) })
	if s.Simulated != nil {
		t.Run("simulated", func(t *testing.T) { t.Parallel(); s.simulated(t) })
	}
	for name, r := range s.unreadable() {
		only := append([]Exception{{Contains: s.First, Respond: r}}, s.good()...) // without First, all requests
		t.Run("unreadable: "+name, func(t *testing.T) { t.Parallel(); wantSecond(t, s.over(only...), s.Listed) })
	}
	for _, c := range s.Cases {
		t.Run(c.Name, func(t *testing.T) { t.Parallel(); s.check(t, c) })
	}
	if s.Status != nil {
		t.Run("status within limits", func(t *testing.T) { t.Parallel(); s.budget(t) })
	}
	for name, pause := range s.Halted {
		t.Run("halted: "+name, func(t *testing.T) { t.Parallel(); s.halted(t, pause) })
	}
}

// api returns how the provider is reached.
func (s Rates) api() API {
	return API{
		Settings: s.Settings, Rejected: s.Rejected, Secrets: s.Secrets, URL: s.URL, Timeout: s.Timeout, status: s.Status,
	}
}

type openRates = func(t *testing.T) ports.RateSource

func (s Rates) over(responses ...Exception) openRates {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		clients, _, _ := s.api().open(t, byRequest(t, responses))
		return clients.Rates
	}
}

// good returns the responses of the provider that works.
func (s Rates) good() []Exception { return append(slices.Clone(s.Except), Exception{Respond: s.Good}) }

// observe polls the listed markets.
func (s Rates) observe(ctx context.Context, c provider.Clients) error {
	got, err := c.Rates.Observe(ctx, pairs(s.Listed))
	return alone(err, len(got) > 0)
}

// wantThrottled checks that a source that is throttled says for how long.
func wantThrottled(t *testing.T, source ports.RateSource, listed []Quote, retryAfter time.Duration) {
	t.Helper()
	_, err := source.Observe(t.Context(), pairs(listed))
	if e, ok := errors.AsType[*core.Error](err); !ok || e.Code != core.Unavailable || e.RetryAfter != retryAfter {
		t.Errorf("got %v, want an unavailable error with RetryAfter %s", err, retryAfter)
	}
}

// wantSecond checks that only the second of two markets is quoted.
func wantSecond(t *testing.T, open openRates, listed []Quote) {
	t.Helper()
	got, err := open(t).Observe(t.Context(), pairs(listed[:2]))
	if err != nil || len(got) != 1 || got[0].Pair != listed[1].Pair {
		t.Errorf("got %v, %v; want %s alone", got, err, listed[1].Pair)
	}
}

// unreadable returns responses in which the first market cannot be read.
func (s Rates) unreadable() map[string]Response {
	all := s.badPrices()
	maps.Copy(all, s.Unreadable)
	return all
}

// badPrices returns responses in which the price of the first market cannot be read.
func (s Rates) badPrices() map[string]Response {
	before, price := s.Price[0], s.Price[1]
	edited := func(by string) Response {
		return Response{File: s.Good.File, Body: s.Good.Body, Edit: [2]string{before + price, by}}
	}
	zero, exponent := `"0.00"`, `"1e999"`
	if !strings.HasPrefix(price, `"`) {
		zero, exponent = "0.0", "1e300"
	}
	return map[string]Response{
		"price with a comma": edited(before + `"107,9"`), "price NaN": edited(before + `"NaN"`),
		"empty price": edited(before + `""`), "null price": edited(before + "null"),
		"price of zero": edited(before + zero), "object as price": edited(before + "{}"),
		"price with an exponent": edited(before + exponent), "missing price": edited(`"x` + before[1:] + price),
	}
}

// pairs returns the pairs of quotes.
func pairs(quotes []Quote) []core.Pair {
	out := make([]core.Pair, len(quotes))
	for i, q := range quotes {
		out[i] = q.Pair
	}
	return out
}

// malformed returns the responses that are unavailable for every provider.
func (s Rates) malformed(t *testing.T) map[string]Response {
	t.Helper()
	all := malformed(t, s.Good)
	for _, name := range s.Valid {
		delete(all, name)
	}
	for i, secret := range s.Secrets {
		name := "bad input: secret " + strconv.Itoa(i)
		all[name+" in a page"] = Body(200, "<html>"+secret)
		all[name+" in a failure"] = Body(503, `{"error":"`+secret+`"}`)
		all[name+" in a redirect"] = Body(302, secret, "Location", "https://elsewhere.test/?key="+secret)
		all[name+" while throttled"] = Body(429, secret, "Retry-After", "1")
	}
	return all
}

// requests checks what one poll sends, and that no markets send nothing.
func (s Rates) requests(t *testing.T) {
	t.Helper()
	clients, server, _ := s.api().open(t, byRequest(t, s.good()))
	if _, err := clients.Rates.Observe(t.Context(), nil); err != nil || len(server.requests) > 0 {
		t.Errorf("no markets: got %v, %v; want no request", server.requests, err)
	}
	if _, err := clients.Rates.Observe(t.Context(), append(pairs(s.Listed), s.Unlisted)); err != nil {
		t.Error(err)
	}
	if got := server.gets(); !slices.Equal(got, s.Requests) {
		t.Errorf("got requests %q, want %q", got, s.Requests)
	}
}

func (s Rates) settings(t *testing.T) {
	t.Helper()
	s.api().settings(t)
	for _, l := range s.Limits {
		if l.Settings == nil {
			l.Settings = s.Settings
		}
		l.check(t)
	}
}

func (l PollingLimit) check(t *testing.T) {
	t.Helper()
	rates := Connect(t, l.Settings, upstreamtest.OpenLimited(t, httpmock.NewMockTransport(), upstreamtest.Noon)).Rates
	limited, ok := rates.(interface {
		MinInterval(markets int) time.Duration
	})
	if !ok {
		t.Fatalf("%T has no limits", rates)
	}
	if least := limited.MinInterval(cmp.Or(l.Markets, 100)); least > l.Fits || least <= l.TooOften && l.TooOften > 0 {
		t.Errorf("at least every %s; got %s, want up to %s and more than %s", l.Fits, least, l.Fits, l.TooOften)
	}
}

// books returns the quotes of a venue's order books.
func books(w *world.World, venue string) []Quote {
	var quotes []Quote
	for _, pair := range w.Market().Listed(venue) {
		book, _ := w.Market().Book(venue, pair, wiretest.Noon())
		quotes = append(quotes, Quote{Pair: pair, Bid: book.Bid.String(), Ask: book.Ask.String()})
	}
	return quotes
}

// Official returns the official rates of all currencies in dollars at a time, rounded as a provider
// publishes them.
func Official(at time.Time, round func(rate decimal.Decimal) decimal.Decimal) func(*world.World) []Quote {
	return func(w *world.World) (quotes []Quote) {
		for _, code := range w.Market().Fiat() {
			pair := core.Pair{Base: "USD", Counter: code}
			if rate, _ := w.Market().Official(pair, at); code != "USD" {
				text := round(rate).String()
				quotes = append(quotes, Quote{Pair: pair, Bid: text, Ask: text})
			}
		}
		return quotes
	}
}

// simulated runs the contract over the simulated provider, with each of its markets.
func (s Rates) simulated(t *testing.T) {
	t.Helper()
	sim, settings := *s.Simulated, s.Settings
	w, simulated := wiretest.Open(t)
	at := wiretest.Noon()
	if !sim.At.IsZero() {
		at = sim.At
	}
	if sim.Settings != nil {
		settings = sim.Settings
	}
	open := overWire(simulated, settings, func(c provider.Clients) ports.RateSource { return c.Rates })
	quotes := books(w, open(t).Name())
	if sim.Quotes != nil {
		quotes = sim.Quotes(w)
	}
	WorkingRates{Open: open, Listed: quotes, Unlisted: sim.Unlisted, At: at}.Run(t)
	if sim.Rejected != nil {
		rejected := Connect(t, sim.Rejected, upstreamtest.OpenAt(t, simulated, wiretest.Noon)).Rates
		got, err := rejected.Observe(t.Context(), pairs(quotes))
		wantError(t, alone(err, len(got) > 0), core.Unavailable)
	}
}

func (s Rates) check(t *testing.T, c RateCase) {
	t.Helper()
	if c.Outcome == "" {
		c.Outcome = upstream.OK
	}
	if c.Markets == nil {
		c.Markets = pairs(s.Listed)
	}
	if c.Settings == nil {
		c.Settings = s.Settings
	}
	if c.Now.IsZero() {
		c.Now = upstreamtest.Noon()
	}
	responses := []Response{c.Respond}
	if c.Then.Status != 0 || c.Then.File != "" {
		responses = append(responses, c.Then)
	}
	api := s.api()
	api.URL, api.Header = cmp.Or(c.URL, s.URL), c.Header
	server := &recorder{api: api, respond: inTurn(t, responses...)}
	world := upstreamtest.OpenAt(t, server.transport(t), func() time.Time { return c.Now })
	got, err := Connect(t, c.Settings, world).Rates.Observe(t.Context(), c.Markets)
	failed := c.Outcome != upstream.OK
	if (core.CodeOf(err) == core.Unavailable) != failed || len(got) > 0 && failed {
		t.Errorf("got %v, %v; want outcome %s", got, err, c.Outcome)
	}
	if e, ok := errors.AsType[*core.Error](err); ok && e.RetryAfter != c.RetryAfter {
		t.Errorf("got Retry-After %s, want %s", e.RetryAfter, c.RetryAfter)
	}
	api.wantSilence(t, err, world)
	c.wantRequests(t, server.gets(), world)
	lines := make([]string, len(got))
	for i, o := range got {
		lines[i] = o.Pair.String() + " " + o.Bid.String() + " " + o.Ask.String() + " " + o.At.Format(time.RFC3339Nano)
	}
	if !slices.EqualFunc(lines, c.Want, strings.HasPrefix) {
		t.Errorf("got %q, want %q", lines, c.Want)
	}
}

// wantRequests checks what was sent, and how it was counted and logged.
func (c RateCase) wantRequests(t *testing.T, queries []string, world *upstreamtest.World) {
	t.Helper()
	if c.Queries != nil && !slices.Equal(queries, c.Queries) {
		t.Errorf("got requests %q, want %q", queries, c.Queries)
	}
	outcomes := outcomes(t, world)
	if c.Outcomes != nil && !slices.Equal(outcomes, c.Outcomes) {
		t.Errorf("got outcomes %q, want %q", outcomes, c.Outcomes)
	}
	if c.Outcomes == nil && (len(outcomes) != 1 || !strings.HasSuffix(outcomes[0], " "+string(c.Outcome))) {
		t.Errorf("got outcomes %q, want one %s", outcomes, c.Outcome)
	}
	if logged := strings.Contains(world.Printed(t), `"level":"error"`); logged != (c.Outcome == upstream.Refused) {
		t.Errorf("outcome %s: logged as an error: %t", c.Outcome, logged)
	}
}

// Fuzz checks that arbitrary bodies are either quotes of the listed markets or unavailable.
func (s Rates) Fuzz(f *testing.F) {
	f.Helper()
	for _, body := range fixtures(f) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s.fuzz(t, http.StatusOK, body)
		if s.FuzzStatus != 0 {
			s.fuzz(t, s.FuzzStatus, body)
		}
	})
}

func (s Rates) fuzz(t *testing.T, status int, body []byte) {
	t.Helper()
	source := s.over(Exception{Respond: Body(status, string(body))})(t)
	got, err := source.Observe(t.Context(), pairs(s.Listed))
	if err != nil && (core.CodeOf(err) != core.Unavailable || len(got) > 0) {
		t.Errorf("got %v with the error %v", got, err)
	}
	for _, o := range got {
		if o.Bid.IsZero() || o.Ask.IsZero() || o.Source != source.Name() || !slices.Contains(pairs(s.Listed), o.Pair) {
			t.Errorf("got %+v", o)
		}
	}
}
