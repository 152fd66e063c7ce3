package providertest

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/simulator/wire/wiretest"
)

// Socket are the fixtures and expectations of a source of rates that streams. The messages of
// testdata/socket_session.jsonl have the listed markets.
type Socket struct {
	Rates    Rates                                    // of the REST API
	Settings func(socketURL string) provider.Settings // with streaming; empty: the default address
	Unused   provider.Settings                        // with a malformed address and without streaming
	Venue    string
	Nothing  string // REST response without markets
	Speaks   bool   // the client subscribes by a message
	Last     string // in the last message of the session

	Unreadable map[string][2]string // a part of the session and its replacement
	Broken     map[string]Response  // of the whole provider
	Throttled  Response
	RetryAfter time.Duration // of Throttled

	Shown func(core.Pair) string                              // part of a simulated message about a market
	Row   func(pair core.Pair, number int, bid string) string // a message
	End   string                                              // after the messages that Row sends; empty: the last row

	Read     func(text []byte) (upstream.Message, error)
	Messages []MessageCase
}

// MessageCase is one row: what a message means.
type MessageCase struct {
	Name, Text string
	Want       upstream.Message // without quotes
	Quotes     []string         // "BTC/USD 64010.1 64010.2" and a time, if the message has one
	Malformed  bool
}

// Session returns the messages of the session.
func (Socket) Session(t testing.TB) []string {
	t.Helper()
	return strings.Split(strings.TrimSpace(upstreamtest.Read(t, "socket_session.jsonl")), "\n")
}

// REST returns a REST API that lists none of the markets, so that all quotes come from the socket.
func (s Socket) REST() http.RoundTripper { return wiretest.Saying(http.StatusOK, s.Nothing) }

// Listing returns a REST API that works.
func (s Socket) Listing(t *testing.T) http.RoundTripper {
	t.Helper()
	return (&recorder{api: s.Rates.api(), respond: byRequest(t, s.Rates.good())}).transport(t)
}

// Telling returns a WebSocket that sends messages and keeps the connection.
func (s Socket) Telling(messages ...string) http.RoundTripper {
	return wiretest.Speaking(func(l *wiretest.Line) {
		if s.Speaks {
			l.Hear()
		}
		l.Say(messages...)
		l.Gone()
	})
}

// Open returns a source that streams until the test ends.
func (s Socket) Open(
	t *testing.T, socketURL string, transport http.RoundTripper, clock core.Clock,
) (ports.RateSource, *upstreamtest.World) {
	t.Helper()
	_, simulated := wiretest.Open(t) // for the status of markets
	for _, e := range s.Rates.Status {
		transport = onlyIf{e.Contains, simulated, transport}
	}
	world := upstreamtest.OpenAt(t, transport, clock)
	source := Connect(t, s.Settings(socketURL), world).Rates
	t.Cleanup(func() { closeSource(t, source) })
	return source, world
}

func closeSource(t *testing.T, source ports.RateSource) {
	t.Helper()
	if closer, ok := source.(io.Closer); !ok || closer.Close() != nil {
		t.Errorf("%T cannot be closed", source)
	}
}

// Listening returns a source that has read messages with all the texts.
func (s Socket) Listening(
	socketURL string, sockets func(t *testing.T) http.RoundTripper, of []core.Pair, texts ...string,
) openRates {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		watched, wait := wiretest.Watched(sockets(t), texts...)
		source, _ := s.Open(t, socketURL, wiretest.Split(watched, s.REST()), upstreamtest.Noon)
		if _, err := source.Observe(t.Context(), of); err != nil {
			t.Fatal(err)
		}
		wait()
		return source
	}
}

// Observe checks how many markets are quoted.
func Observe(t *testing.T, source ports.RateSource, of []core.Pair, want int) {
	t.Helper()
	if got, err := source.Observe(t.Context(), of); err != nil || len(got) != want {
		t.Errorf("got %d observations, %v; want %d", len(got), err, want)
	}
}

// WantOutcomes checks the requests to the REST API.
func (Socket) WantOutcomes(t *testing.T, world *upstreamtest.World, want ...string) {
	t.Helper()
	if got := outcomes(t, world); !slices.Equal(got, want) {
		t.Errorf("got outcomes %v, want %v", got, want)
	}
}

// over returns a source over a network that behaves the same for sockets and REST.
func (s Socket) over(network func() http.RoundTripper) openRates {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		source, _ := s.Open(t, "", network(), upstreamtest.Noon)
		return source
	}
}

func (s Socket) always(r Response) openRates {
	return s.over(func() http.RoundTripper { return wiretest.Saying(r.Status, r.Body, r.Header...) })
}

// working returns the contract of a source that reads a socket.
func (s Socket) working(open openRates, listed []Quote) WorkingRates {
	return WorkingRates{Open: open, Listed: listed, Unlisted: s.Rates.Unlisted, At: upstreamtest.Noon()}
}

// recorded returns a source that has read the session, with the first occurrence of a part replaced.
func (s Socket) recorded(edit []string) openRates {
	return s.Listening("", s.session(edit), pairs(s.Rates.Listed), s.Last)
}

// updated returns a source that has read a bid of the second market, and two of the first one, of
// which the last is given.
func (s Socket) updated(bid string) openRates {
	listed := pairs(s.Rates.Listed)
	messages := []string{s.Row(listed[0], 1, `"1"`), s.Row(listed[0], 2, bid), s.Row(listed[1], 3, `"1"`)}
	if s.End != "" {
		messages = append(messages, s.End)
	}
	said := s.Telling(messages...)
	return s.Listening("", func(*testing.T) http.RoundTripper { return said }, listed, messages[len(messages)-1])
}

// broken returns sources over networks on which neither the socket nor the REST API works.
func (s Socket) broken() map[string]openRates {
	all := map[string]openRates{
		"lost connection": s.over(wiretest.Resetting),
		"503":             s.always(Body(503, "")),
		"page":            s.always(Body(200, "<html>")),
		"silent socket": s.over(func() http.RoundTripper {
			return wiretest.Split(s.Telling(), wiretest.Saying(http.StatusBadGateway, ""))
		}),
	}
	for name, r := range s.Broken {
		all[name] = s.always(r)
	}
	return all
}

func (s Socket) hanging(t *testing.T) {
	t.Helper()
	checkDeadlines(t, cmp.Or(s.Rates.Timeout, attemptTimeout), func(t *testing.T) func(context.Context) error {
		t.Helper()
		source := s.over(wiretest.Hanging)(t)
		return func(ctx context.Context) error {
			_, err := source.Observe(ctx, pairs(s.Rates.Listed))
			return err
		}
	})
}

// Run tests the socket, in parallel with other tests.
func (s Socket) Run(t *testing.T) {
	t.Helper()
	t.Parallel()
	t.Run("contract", func(t *testing.T) { t.Parallel(); s.working(s.recorded(nil), s.Rates.Listed).Run(t) })
	for name, edit := range s.Unreadable {
		t.Run("unreadable: "+name, func(t *testing.T) { t.Parallel(); wantSecond(t, s.recorded(edit[:]), s.Rates.Listed) })
	}
	for name, bid := range map[string]string{"comma": `"92,6546"`, "empty": `""`, "null": "null"} {
		t.Run("unreadable update: "+name, func(t *testing.T) { t.Parallel(); wantSecond(t, s.updated(bid), s.Rates.Listed) })
	}
	for name, open := range s.broken() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := open(t).Observe(t.Context(), pairs(s.Rates.Listed))
			wantError(t, alone(err, len(got) > 0), core.Unavailable)
		})
	}
	t.Run("throttled", func(t *testing.T) {
		t.Parallel()
		wantThrottled(t, s.always(s.Throttled)(t), s.Rates.Listed, s.RetryAfter)
	})
	t.Run("hanging", func(t *testing.T) { t.Parallel(); s.hanging(t) })
	t.Run("simulated", func(t *testing.T) { t.Parallel(); s.simulated(t) })
	t.Run("settings", func(t *testing.T) {
		t.Parallel()
		factory := upstreamtest.Open(t, wiretest.Hanging()).Factory
		_, err := s.Settings(s.Venue).Connect(factory)
		if err == nil || !strings.Contains(err.Error(), s.Venue+": socket_url") {
			t.Errorf("malformed URL: got %v", err)
		}
		clients, err := s.Unused.Connect(factory)
		if err != nil {
			t.Fatal(err)
		}
		closeSource(t, clients.Rates)
	})
	t.Run("close", func(t *testing.T) { // goleak finds what is left
		t.Parallel()
		closeSource(t, s.recorded(nil)(t))
	})
	for _, c := range s.Messages {
		t.Run(c.Name, func(t *testing.T) { t.Parallel(); s.message(t, c) })
	}
}

func (s Socket) message(t *testing.T, c MessageCase) {
	t.Helper()
	got, err := s.Read([]byte(c.Text))
	var quotes []string
	for _, q := range got.Quotes {
		line := q.Symbol + " " + string(q.Bid) + " " + string(q.Ask)
		if !q.At.IsZero() {
			line += " " + q.At.Format(time.RFC3339Nano)
		}
		quotes = append(quotes, line)
	}
	got.Quotes = nil
	if !reflect.DeepEqual(got, c.Want) || !slices.Equal(quotes, c.Quotes) || (err != nil) != c.Malformed {
		t.Errorf("got %+v, %q, %v", got, quotes, err)
	}
}

// Fuzz checks that a malformed message yields only an error, and that no message yields what the
// provider never says.
func (s Socket) Fuzz(f *testing.F, never func(upstream.Message) bool) {
	f.Helper()
	for _, text := range s.Session(f) {
		f.Add([]byte(text))
	}
	for _, body := range fixtures(f) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := s.Read(text)
		if err != nil && !reflect.DeepEqual(got, upstream.Message{}) || never(got) {
			t.Errorf("got %+v with the error %v", got, err)
		}
	})
}

// session returns the session, with the first occurrence of a part replaced.
func (s Socket) session(edit []string) func(t *testing.T) http.RoundTripper {
	return func(t *testing.T) http.RoundTripper {
		t.Helper()
		text := strings.Join(s.Session(t), "\n")
		if len(edit) == 2 {
			if !strings.Contains(text, edit[0]) {
				t.Errorf("%q is not in the session", edit[0])
			}
			text = strings.Replace(text, edit[0], edit[1], 1)
		}
		return s.Telling(strings.Split(text, "\n")...)
	}
}

// simulated runs the contract over the simulated socket, in process and over TCP.
func (s Socket) simulated(t *testing.T) {
	t.Helper()
	world, w := wiretest.Open(t)
	quotes := books(world, s.Venue)
	listed := pairs(quotes)
	texts := make([]string, len(listed))
	for i, pair := range listed {
		texts[i] = s.Shown(pair)
	}
	t.Run("in process", func(t *testing.T) {
		t.Parallel()
		s.working(s.Listening("", func(*testing.T) http.RoundTripper { return w }, listed, texts...), quotes).Run(t)
	})
	t.Run("over TCP", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewServer(w.Handler(s.Venue))
		t.Cleanup(server.Close)
		open := s.Listening("ws"+strings.TrimPrefix(server.URL, "http"), func(t *testing.T) http.RoundTripper {
			t.Helper()
			transport := &http.Transport{}
			t.Cleanup(transport.CloseIdleConnections)
			return transport
		}, listed, texts...)
		s.working(open, quotes).Run(t)
	})
}
