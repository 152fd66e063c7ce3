package providertest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire"
	"causeway/simulator/wire/wiretest"
)

// API is how a provider of bank lists and accounts is reached.
type API struct {
	Descriptor provider.Descriptor
	Settings   provider.Settings // with credentials
	Off        provider.Settings // without credentials; nil: the defaults, with a base URL that is never used
	Rejected   []BadSettings
	Secrets    []string          // parts of credentials, which must not leave the adapter
	URL        string            // with which all requests begin, with a final slash
	Header     map[string]string // of all requests but logins
	Login      *Login            // nil: the credentials are in Header
	Timeout    time.Duration     // of one attempt; 0: the default

	status []Exception // responses about the markets that are open, by a part of the path
}

// BadSettings are settings that Connect does not accept.
type BadSettings struct {
	Settings provider.Settings
	Error    string // part of the error
}

// call is a request to a provider.
type call = func(context.Context, provider.Clients) error

// Login exchanges credentials for a token.
type Login struct {
	Request string // "POST https://… body"
	Header  map[string]string
	Good    Response // with the token "token-1"
	Expired Response // to a token that is no longer valid
	Bad     map[string]Response
	Refused map[string]Response // logged, because only the operator can help

	Life [2]string // the member with the lifetime in Good, such as "expires_in": and its value
}

// lives says after which time a token is used again (1) or replaced (2), by its lifetime. An unusable
// lifetime means until the token is rejected.
var lives = map[string]struct {
	after  time.Duration
	logins int
}{
	"null": {1000 * time.Hour, 1}, "-5": {1000 * time.Hour, 1}, `"-5"`: {1000 * time.Hour, 1},
	`"soon"`: {1000 * time.Hour, 1}, `{}`: {1000 * time.Hour, 1},
	"180": {143 * time.Second, 1}, `"180"`: {145 * time.Second, 2},
	"3600": {47 * time.Minute, 1}, `"3600"`: {49 * time.Minute, 2},
	" 3600": {49 * time.Minute, 2}, ` "3600"`: {47 * time.Minute, 1},
	"31536000": {20 * time.Hour, 2}, `"31536000"`: {20 * time.Hour, 2},
}

// recorder is a provider with given responses, which records its requests.
type recorder struct {
	api     API
	login   *Response // nil: the good one
	respond func(request string) httpmock.Responder

	mu       sync.Mutex
	requests []string    // without logins; "POST path body"
	header   http.Header // of the last request
	logins   int
}

// line returns a request as text: method, URL and body. Members of JSON objects are sorted.
func line(t testing.TB, r *http.Request) string {
	t.Helper()
	line := r.Method + " " + r.URL.String()
	if r.Body == nil {
		return line
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	if len(body) > 0 && body[0] == '{' && r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s: the body has type %q", line, r.Header.Get("Content-Type"))
	}
	var object map[string]any
	if json.Unmarshal(body, &object) == nil {
		if body, err = json.Marshal(object); err != nil {
			t.Error(err)
		}
	}
	return strings.TrimSuffix(line+" "+string(body), " ")
}

func wantHeader(t testing.TB, header http.Header, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got := header.Get(name); got != value {
			t.Errorf("got header %s %q, want %q", name, got, value)
		}
	}
}

// transport returns the transport of the provider.
func (p *recorder) transport(t testing.TB) http.RoundTripper {
	t.Helper()
	mock := httpmock.NewMockTransport()
	if p.api.Login != nil && p.login == nil {
		p.login = &p.api.Login.Good
	}
	mock.RegisterNoResponder(func(r *http.Request) (*http.Response, error) { return p.responder(t, r)(r) })
	return withStatus(t, mock, p.api.status...)
}

// responder checks and records a request and returns the responder for it.
func (p *recorder) responder(t testing.TB, r *http.Request) httpmock.Responder {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	request := line(t, r)
	if login := p.api.Login; login != nil && request == login.Request {
		p.logins++
		wantHeader(t, r.Header, login.Header)
		return p.login.replaced(t, "token-1", p.token())
	} else if login != nil {
		wantHeader(t, r.Header, map[string]string{"Authorization": "Bearer " + p.token()})
	}
	wantHeader(t, r.Header, p.api.Header)
	method, rest, _ := strings.Cut(request, " ")
	path, ok := strings.CutPrefix(rest, p.api.URL)
	if !ok {
		t.Errorf("got request %s", request)
	}
	p.requests, p.header = append(p.requests, method+" "+path), r.Header
	return p.respond(request)
}

// gets returns the requests without their method.
func (p *recorder) gets() []string {
	out := make([]string, len(p.requests))
	for i, request := range p.requests {
		out[i] = strings.TrimPrefix(request, "GET ")
	}
	return out
}

// token returns the token of the last login.
func (p *recorder) token() string { return "token-" + strconv.Itoa(p.logins) }

// always responds to all requests with r.
func always(t testing.TB, r Response) func(string) httpmock.Responder {
	t.Helper()
	responder := r.responder(t)
	return func(string) httpmock.Responder { return responder }
}

// inTurn responds to each request with the next response, and repeats the last one.
func inTurn(t testing.TB, responses ...Response) func(string) httpmock.Responder {
	t.Helper()
	responders := make([]httpmock.Responder, len(responses))
	for i, r := range responses {
		responders[i] = r.responder(t)
	}
	sent := 0
	return func(string) httpmock.Responder {
		next := responders[min(sent, len(responders)-1)]
		sent++
		return next
	}
}

// byRequest responds with the first exception whose text is in the request.
func byRequest(t testing.TB, exceptions []Exception) func(string) httpmock.Responder {
	t.Helper()
	responders := make([]httpmock.Responder, len(exceptions))
	for i, e := range exceptions {
		responders[i] = e.Respond.responder(t)
	}
	return func(request string) httpmock.Responder {
		i := slices.IndexFunc(exceptions, func(e Exception) bool { return strings.Contains(request, e.Contains) })
		if i < 0 {
			return httpmock.NewNotFoundResponder(t.Error)
		}
		return responders[i]
	}
}

// open connects to a provider that responds.
func (a API) open(
	t testing.TB, respond func(string) httpmock.Responder,
) (provider.Clients, *recorder, *upstreamtest.World) {
	t.Helper()
	server := &recorder{api: a, respond: respond}
	world := upstreamtest.Open(t, server.transport(t))
	return Connect(t, a.Settings, world), server, world
}

// wantSilence checks that no words of the provider, no credentials and none of the given texts are
// in an error, a log or a metric.
func (a API) wantSilence(t *testing.T, err error, world *upstreamtest.World, private ...string) {
	t.Helper()
	out := world.Printed(t)
	if err != nil {
		out += err.Error()
	}
	host := strings.Split(a.URL, "/")[2]
	for _, text := range slices.Concat(a.Secrets, private, []string{planted, host, "elsewhere.test"}) {
		if text != "" && strings.Contains(out, text) {
			t.Errorf("%s is in the error, the logs or the metrics: %s", text, out)
		}
	}
}

// badInput checks that malformed input and other responses are unavailable, that rejected credentials
// are logged, and that no part of a response and none of the given texts leaves the adapter.
func (a API) badInput(t *testing.T, malformed, others map[string]Response, call call, private ...string) {
	t.Helper()
	all := maps.Clone(malformed)
	maps.Copy(all, others)
	for name, r := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clients, _, world := a.open(t, always(t, r))
			err := call(t.Context(), clients)
			wantError(t, err, core.Unavailable)
			a.wantSilence(t, err, world, private...)
			want := slices.ContainsFunc(world.Outcomes(t), func(o string) bool {
				return strings.Contains(o, " "+string(upstream.Refused))
			})
			if _, credentials := rejected()[name]; credentials && !want {
				t.Errorf("got outcomes %v, want %s", world.Outcomes(t), upstream.Refused)
			}
			if _, other := others[name]; !other {
				_, want = rejected()[name]
			}
			if logged := strings.Contains(world.Printed(t), `"level":"error"`); logged != want {
				t.Errorf("logged as an error: %t, want %t", logged, want)
			}
		})
	}
}

// wantOutcome checks how the last request was counted, and that it was logged if credentials were
// rejected.
func (a API) wantOutcome(t *testing.T, world *upstreamtest.World, op string, outcome upstream.Outcome) {
	t.Helper()
	want := []string{op + " " + string(outcome)}
	if a.Login != nil {
		want = append(want, "login ok")
		slices.Sort(want)
	}
	if got := outcomes(t, world); !slices.Equal(got, want) {
		t.Errorf("got outcomes %v, want %v", got, want)
	}
	if logged := strings.Contains(world.Printed(t), `"level":"error"`); logged != (outcome == upstream.Refused) {
		t.Errorf("outcome %s: logged as an error: %t", outcome, logged)
	}
}

// settings checks which settings are rejected, among them a base URL that is not one.
func (a API) settings(t *testing.T) {
	t.Helper()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	relative := BadSettings{withBaseURL(a.Settings, "relative"), "base_url is not an absolute"}
	for _, bad := range append(a.Rejected, relative) {
		_, err := bad.Settings.Connect(factory)
		if err == nil || !strings.Contains(err.Error(), bad.Error) {
			t.Errorf("got %v, want %q", err, bad.Error)
		}
		for _, secret := range a.Secrets {
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("a secret is in the error: %v", err)
			}
		}
	}
}

// withBaseURL returns a copy of settings with another base URL.
func withBaseURL(s provider.Settings, url string) provider.Settings {
	copied := reflect.New(reflect.TypeOf(s).Elem())
	copied.Elem().Set(reflect.ValueOf(s).Elem())
	out, _ := reflect.TypeAssert[provider.Settings](copied)
	provider.SetBaseURL(out, url)
	return out
}

func (a API) off(t *testing.T) provider.Clients {
	t.Helper()
	if a.Off == nil {
		a.Off = withBaseURL(a.Descriptor.Settings(), "relative")
	}
	return Connect(t, a.Off, upstreamtest.Open(t, httpmock.NewMockTransport()))
}

// withCredentials returns the settings for the simulated provider: the defaults with its credentials.
func (a API) withCredentials(t *testing.T) provider.Settings {
	t.Helper()
	keys := map[string]string{} // by country
	section := map[string]any{"keys": keys}
	for setting, value := range wire.Credentials()[a.Descriptor.Name] {
		if country, ok := strings.CutPrefix(setting, "keys."); ok {
			keys[country] = value
		} else {
			section[setting] = value
		}
	}
	settings := a.Descriptor.Settings()
	text, err := json.Marshal(section)
	if err = errors.Join(err, json.Unmarshal(text, settings)); err != nil {
		t.Fatal(err)
	}
	return settings
}

// login checks how credentials are exchanged for tokens. call sends a request that good answers.
func (a API) login(t *testing.T, good Response, call call) {
	t.Helper()
	open := func(
		t *testing.T, login Response, clock func() time.Time, responses ...Response,
	) (provider.Clients, *recorder, *upstreamtest.World) {
		t.Helper()
		server := &recorder{api: a, login: &login, respond: inTurn(t, responses...)}
		world := upstreamtest.OpenAt(t, server.transport(t), clock)
		return Connect(t, a.Settings, world), server, world
	}
	bad := badInput(t, a.Login.Good)
	maps.Copy(bad, a.Login.Bad)
	maps.Copy(bad, a.Login.Refused)
	for name, r := range bad {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clients, server, world := open(t, r, upstreamtest.Noon, good)
			if clients.Login != nil {
				if err := clients.Login.Login(t.Context()); core.CodeOf(err) != core.Unavailable {
					t.Errorf("login: got %v", err)
				}
			}
			err := call(t.Context(), clients)
			if core.CodeOf(err) != core.Unavailable || len(server.requests) > 0 {
				t.Errorf("got %v and requests %v", err, server.requests)
			}
			a.wantSilence(t, err, world, "token-")
			_, refused := a.Login.Refused[name]
			if refused && !strings.Contains(world.Printed(t), `"level":"error"`) {
				t.Error("rejected credentials are not logged")
			}
		})
	}
	life := func(t *testing.T, member string, after time.Duration, logins int) {
		t.Helper()
		t.Parallel()
		now := upstreamtest.Noon()
		login := Response{File: a.Login.Good.File, Edit: [2]string{a.Login.Life[0] + a.Login.Life[1], member}}
		clients, server, _ := open(t, login, func() time.Time { return now }, good)
		for range 2 {
			if err := call(t.Context(), clients); err != nil {
				t.Fatal(err)
			}
			now = now.Add(after)
		}
		if server.logins != logins {
			t.Errorf("got %d logins, want %d", server.logins, logins)
		}
	}
	for value, want := range lives {
		t.Run("life "+value, func(t *testing.T) { life(t, a.Login.Life[0]+value, want.after, want.logins) })
	}
	t.Run("no life", func(t *testing.T) { life(t, `"unknown": 1`, 1000*time.Hour, 1) })
	t.Run("token that expired early", func(t *testing.T) {
		t.Parallel()
		clients, server, world := open(t, a.Login.Good, upstreamtest.Noon, good, a.Login.Expired, good)
		for range 2 {
			if err := call(t.Context(), clients); err != nil {
				t.Fatal(err)
			}
		}
		if server.logins != 2 || len(server.requests) != 3 {
			t.Errorf("got %d logins and requests %v", server.logins, server.requests)
		}
		if strings.Contains(world.Printed(t), `"level":"error"`) {
			t.Error("an expired token is logged as an error")
		}
	})
}

// timeout checks calls to a provider that does not respond.
func (a API) timeout(t *testing.T, op string, call call) {
	t.Helper()
	checkDeadlines(t, cmp.Or(a.Timeout, attemptTimeout), func(t *testing.T) func(context.Context) error {
		t.Helper()
		clients, _, world := a.open(t, always(t, Response{Never: true}))
		return func(ctx context.Context) error {
			err := call(ctx, clients)
			if op != "" && !errors.Is(ctx.Err(), context.Canceled) {
				a.wantOutcome(t, world, op, upstream.TimedOut)
			}
			return err
		}
	})
}

// name returns the name of a case with this response.
func (r Response) name() string {
	switch {
	case r.File != "" && r.Edit[1] != "":
		return r.File + " with " + r.Edit[1]
	case r.File != "" && r.Status == 0:
		return r.File
	case r.File != "":
		return r.File + " with " + http.StatusText(r.Status)
	case r.Body == "":
		return "empty body with " + http.StatusText(r.Status)
	default:
		return http.StatusText(r.Status) + " " + r.Body
	}
}

// Institution returns an institution for queries and simulated worlds.
func Institution(country, currency, code string, channel core.Channel, codes map[string]string) core.Bank {
	kind := core.CommercialBank
	if channel == core.MobileMoney {
		kind = core.MobileMoneyBank
	}
	return core.Bank{
		Country: country, Currency: currency, Code: code, Name: "Institution " + code, Type: kind,
		Channels: []core.Channel{channel}, Codes: codes,
	}
}

// Account returns a query about an account of an institution.
func Account(bank core.Bank, number core.Private) core.AccountQuery {
	return core.AccountQuery{
		Country: bank.Country, Currency: bank.Currency, Channel: bank.Channels[0], Bank: bank, Number: number,
	}
}

// With returns the query with changes.
func With(q core.AccountQuery, change func(q *core.AccountQuery)) core.AccountQuery {
	change(&q)
	return q
}

// Magic returns the magic institutions of countries given as codes and currencies in turn: of each,
// the bank and then the wallet, if it has wallets.
func Magic(countries ...core.Country) []core.Bank { return accounts.MagicBanks(countries) }

// Country returns a country for Magic.
func Country(code, currency string, wallets bool) core.Country {
	c := core.Country{Code: code, Currencies: []string{currency}}
	if wallets {
		c.Channels = []core.ChannelRule{{Channel: core.MobileMoney}}
	}
	return c
}

// overWire returns a function that opens a client over a simulated provider.
func overWire[T any](w *wire.Wire, settings provider.Settings, client func(provider.Clients) T) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		return client(Connect(t, settings, upstreamtest.OpenAt(t, w, wiretest.Noon)))
	}
}
