package binance_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"go.uber.org/goleak"

	"causeway/adapters/providers/binance"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator"
	"causeway/simulator/wire/wiretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// nothing is what a REST API answers that lists none of the markets: what is told then was told by the socket.
func nothing() http.RoundTripper { return wiretest.Saying(http.StatusOK, `[]`) }

// session are the messages of a recorded session.
func session(t testing.TB) []string {
	t.Helper()
	return strings.Split(strings.TrimSpace(upstreamtest.Read(t, "socket_session.jsonl")), "\n")
}

// telling is a WebSocket that says something, and keeps the connection.
func telling(messages ...string) http.RoundTripper {
	return wiretest.Speaking(func(l *wiretest.Line) {
		l.Say(messages...)
		l.Gone()
	})
}

// stream makes a source that streams, by a clock.
func stream(t *testing.T, cfg binance.Config, transport http.RoundTripper, clock core.Clock) (*binance.Source, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.OpenAt(t, transport, clock)
	cfg.Socket = true
	source, err := binance.New(cfg, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := source.Close(); err != nil {
			t.Error(err)
		}
	})
	return source, world
}

// listening is a source that has heard all the texts, over a REST API that lists nothing.
func listening(cfg binance.Config, sockets func(t *testing.T) http.RoundTripper, of []core.Pair, texts ...string) opener {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		watched, wait := wiretest.Watched(sockets(t), texts...)
		source, _ := stream(t, cfg, wiretest.Split(watched, nothing()), upstreamtest.Noon)
		if _, err := source.Observe(t.Context(), of); err != nil {
			t.Fatal(err)
		}
		wait()
		return source
	}
}

// everywhere is a source that streams, over a network that behaves the same for sockets and questions.
func everywhere(network func() http.RoundTripper) opener {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		source, _ := stream(t, binance.Config{}, network(), upstreamtest.Noon)
		return source
	}
}

// overSocket completes what the port suite needs with what is the same wherever the socket is.
func overSocket(s porttest.Source) porttest.Source {
	s.Unlisted, s.At = shell, upstreamtest.Noon()
	s.Broken = map[string]opener{
		"a lost connection": everywhere(wiretest.Resetting),
		"503":               everywhere(func() http.RoundTripper { return wiretest.Saying(http.StatusServiceUnavailable, "") }),
		"a page":            everywhere(func() http.RoundTripper { return wiretest.Saying(http.StatusOK, "<html>") }),
		"a country that is not served": everywhere(func() http.RoundTripper {
			return wiretest.Saying(http.StatusUnavailableForLegalReasons, "")
		}),
		"a socket that says nothing, and no REST API": everywhere(func() http.RoundTripper {
			return wiretest.Split(telling(), wiretest.Saying(http.StatusBadGateway, ""))
		}),
	}
	s.Throttled = everywhere(func() http.RoundTripper { return wiretest.Saying(http.StatusTeapot, "", "Retry-After", "120") })
	s.RetryAfter = 2 * time.Minute
	s.Hanging = everywhere(wiretest.Hanging)
	return s
}

func TestContractOverTheSocket(t *testing.T) {
	t.Parallel()
	edited := func(part, by string) opener {
		return listening(binance.Config{}, func(t *testing.T) http.RoundTripper {
			t.Helper()
			text := upstreamtest.Read(t, "socket_session.jsonl")
			if !strings.Contains(text, part) {
				t.Errorf("%q is not in the session", part)
			}
			return telling(strings.Split(strings.TrimSpace(strings.Replace(text, part, by, 1)), "\n")...)
		}, markets, "SHIBUSDT")
	}
	const bid = `"b":"64010.01000000",`
	porttest.RateSource(t, overSocket(porttest.Source{
		Open: listening(binance.Config{}, func(t *testing.T) http.RoundTripper { t.Helper(); return telling(session(t)...) }, markets, "SHIBUSDT"),
		Listed: []porttest.Quote{
			{Pair: btcusdt, Bid: "64010.01", Ask: "64010.02"},
			{Pair: ethusdt, Bid: "3120.55", Ask: "3120.56"},
			{Pair: shibusdt, Bid: "0.00001234", Ask: "0.00001235"},
		},
		Unreadable: map[string]opener{
			"a comma":       edited(bid, `"b":"64010,01",`),
			"NaN":           edited(bid, `"b":"NaN",`),
			"nothing":       edited(bid, `"b":"",`),
			"null":          edited(bid, `"b":null,`),
			"an empty book": edited(bid, `"b":"0.00000000",`),
			"a field less":  edited(bid, ``),
			"an object":     edited(bid, `"b":{},`),
			"another name":  edited(`{"stream":"btcusdt@bookTicker","data":{"u":400900217,"s":"BTCUSDT"`, `{"stream":"btc-usdt@bookTicker","data":{"u":400900217,"s":"BTC-USDT"`),
		},
	}))
}

func TestContractOverTheSimulatedSocket(t *testing.T) {
	t.Parallel()
	world, w := wiretest.Open(t)
	var (
		quotes []porttest.Quote
		texts  []string
		pairs  = world.Market().Listed(simulator.Binance)
	)
	for _, pair := range pairs {
		book, _ := world.Market().Book(simulator.Binance, pair, wiretest.Noon())
		quotes = append(quotes, porttest.Quote{Pair: pair, Bid: book.Bid.Trimmed(), Ask: book.Ask.Trimmed()})
		texts = append(texts, `"s":"`+pair.ID()+`"`)
	}
	row := func(pair core.Pair, u int, bid string) string {
		return fmt.Sprintf(`{"stream":"%s@bookTicker","data":{"u":%d,"s":"%s","b":%s,"B":"1","a":"2","A":"1"}}`, strings.ToLower(pair.ID()), u, pair.ID(), bid)
	}
	unreadable := func(bid string) opener {
		said := telling(row(pairs[0], 1, `"1"`), row(pairs[0], 2, bid), row(pairs[1], 3, `"1"`))
		return listening(binance.Config{}, func(*testing.T) http.RoundTripper { return said }, pairs, `"u":3`)
	}
	suite := porttest.Source{Listed: quotes, Unreadable: map[string]opener{"a comma": unreadable(`"92,6546"`), "nothing": unreadable(`""`), "null": unreadable("null")}}
	t.Run("in process", func(t *testing.T) {
		t.Parallel()
		s := suite
		s.Open = listening(binance.Config{}, func(*testing.T) http.RoundTripper { return w }, pairs, texts...)
		porttest.RateSource(t, overSocket(s))
	})
	t.Run("over TCP", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewServer(w.Handler("binance"))
		t.Cleanup(server.Close)
		s := suite
		s.Open = listening(binance.Config{SocketURL: server.URL}, func(t *testing.T) http.RoundTripper {
			t.Helper()
			transport := &http.Transport{}
			t.Cleanup(transport.CloseIdleConnections)
			return transport
		}, pairs, texts...)
		porttest.RateSource(t, overSocket(s))
	})
}

func TestStreamsAreNamedInTheURL(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked string
		source, _ := stream(t, binance.Config{}, wiretest.Split(wiretest.Speaking(func(l *wiretest.Line) {
			asked = l.Request.URL.String()
			if said := l.Hear(); said != "" {
				t.Errorf("said %s: each message counts against five a second", said)
			}
		}), nothing()), time.Now)
		odd := core.Pair{Base: "1000CHEEMS\"", Counter: "USDT"}
		observe(t, source, []core.Pair{btcusdt, odd, ethusdt, {Base: "BTCU", Counter: "SDT"}}, 0)
		synctest.Wait()
		if want := "https://data-stream.binance.vision/stream?streams=btcusdt@bookTicker/ethusdt@bookTicker"; asked != want {
			t.Errorf("asked %s, want %s", asked, want)
		}
	})
}

func TestConnectionHasAtMost1024Streams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		streams := 0
		source, _ := stream(t, binance.Config{}, wiretest.Split(wiretest.Speaking(func(l *wiretest.Line) {
			streams = strings.Count(l.Request.URL.RawQuery, "@bookTicker")
			l.Gone()
		}), nothing()), time.Now)
		var many []core.Pair
		for i := range 1100 {
			many = append(many, core.Pair{Base: fmt.Sprintf("C%d", i), Counter: "USDT"})
		}
		observe(t, source, many, 0)
		synctest.Wait()
		if streams != 1024 {
			t.Errorf("asked for %d streams", streams)
		}
	})
}

// TestSilenceIsPolled has one market that moves and others that are quiet, until all of them are.
func TestSilenceIsPolled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		said := session(t)
		source, world := stream(t, binance.Config{}, wiretest.Split(wiretest.Speaking(func(l *wiretest.Line) {
			l.Say(said...)
			for u := range 4 {
				time.Sleep(3 * time.Second)
				l.Say(strings.Replace(said[0], "400900217", fmt.Sprint(400900218+u), 1))
			}
			l.Gone()
		}), listing(t)), time.Now)
		start := time.Now()
		observe(t, source, markets, len(markets))
		synctest.Wait()
		for range 17 {
			time.Sleep(time.Second)
			synctest.Wait()
			got, err := source.Observe(t.Context(), markets)
			if err != nil || len(got) != len(markets) {
				t.Fatalf("got %v, %v", got, err)
			}
			sign := min(time.Since(start).Truncate(3*time.Second), 12*time.Second)
			if at := got[1].At.Sub(start); at != sign {
				t.Errorf("a quiet market is of %s after %s, want %s", at, time.Since(start), sign)
			}
		}
		wantOutcomes(t, world, "book_ticker ok")
		time.Sleep(time.Millisecond)
		observe(t, source, markets, len(markets))
		wantOutcomes(t, world, "book_ticker ok ×2")
	})
}

func TestMarketThatHasNotMovedYetIsPolledAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var queries []string
		rest := saying(t, func(r *http.Request) (*http.Response, error) {
			queries = append(queries, r.URL.Query().Get("symbols"))
			return upstreamtest.File(t, "book_ticker.json")(r)
		})
		source, _ := stream(t, binance.Config{}, wiretest.Split(telling(session(t)[:2]...), rest), time.Now)
		observe(t, source, markets, len(markets))
		synctest.Wait()
		observe(t, source, markets, len(markets))
		if want := []string{`["BTCUSDT","ETHUSDT","SHIBUSDT"]`, `["SHIBUSDT"]`}; !slices.Equal(queries, want) {
			t.Errorf("got %v, want %v", queries, want)
		}
	})
}

func TestShutdownIsAnsweredWithANewConnection(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"socket_shutdown.json", "socket_shutdown_in_stream.json"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				connections := 0
				source, world := stream(t, binance.Config{}, wiretest.Split(wiretest.Speaking(func(l *wiretest.Line) {
					connections++
					l.Say(session(t)...)
					if connections == 1 {
						l.Say(upstreamtest.Read(t, name))
					}
					l.Gone()
				}), listing(t)), time.Now)
				observe(t, source, markets, len(markets))
				synctest.Wait()
				observe(t, source, markets, len(markets))
				wantOutcomes(t, world, "book_ticker ok ×2")
				time.Sleep(time.Second)
				synctest.Wait()
				observe(t, source, markets, len(markets))
				if wantOutcomes(t, world, "book_ticker ok ×2"); connections != 2 {
					t.Errorf("%d connections", connections)
				}
			})
		})
	}
}

func TestUpdatesDoNotGoBackwards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		said := append(session(t), upstreamtest.Read(t, "socket_out_of_order.json"))
		source, _ := stream(t, binance.Config{}, wiretest.Split(telling(said...), nothing()), time.Now)
		observe(t, source, markets, 0)
		synctest.Wait()
		got, err := source.Observe(t.Context(), markets)
		if err != nil || len(got) != len(markets) || got[0].Bid.String() != "64010.01" {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

func TestBookThatBecomesEmptyIsNoLongerQuoted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		said := append(session(t), upstreamtest.Read(t, "socket_empty_book.json"))
		source, _ := stream(t, binance.Config{}, wiretest.Split(telling(said...), nothing()), time.Now)
		observe(t, source, markets, 0)
		synctest.Wait()
		observe(t, source, markets, len(markets)-1)
	})
}

// TestMessages goes through what Binance may say, with what it means.
func TestMessages(t *testing.T) {
	t.Parallel()
	event := session(t)[0]
	for _, c := range []struct {
		name, text string
		quote      string // symbol, bid, ask, number
		leaving    bool
		malformed  bool
	}{
		{name: "an event: sizes are not prices", text: event, quote: "BTCUSDT \"64010.01000000\" \"64010.02000000\" 400900217"},
		{name: "an event without a number", text: strings.Replace(event, `"u":400900217,`, "", 1), quote: "BTCUSDT \"64010.01000000\" \"64010.02000000\" 0"},
		{name: "a shutdown", text: upstreamtest.Read(t, "socket_shutdown.json"), leaving: true},
		{name: "a shutdown in a stream", text: upstreamtest.Read(t, "socket_shutdown_in_stream.json"), leaving: true},
		{name: "an acknowledgement", text: upstreamtest.Read(t, "socket_subscribed.json")},
		{name: "an error", text: upstreamtest.Read(t, "socket_error.json")},
		{name: "another stream", text: upstreamtest.Read(t, "socket_trade.json")},
		{name: "another symbol than that of the stream", text: upstreamtest.Read(t, "socket_wrong_symbol.json"), malformed: true},
		{name: "a symbol in lower case", text: strings.Replace(event, "BTCUSDT", "btcusdt", 1), quote: "btcusdt \"64010.01000000\" \"64010.02000000\" 400900217"},
		{name: "no symbol", text: strings.Replace(event, `"s":"BTCUSDT",`, "", 1), malformed: true},
		{name: "a number that is text", text: strings.Replace(event, "400900217", `"400900217"`, 1), malformed: true},
		{name: "a number below zero", text: strings.Replace(event, "400900217", "-1", 1), malformed: true},
		{name: "a page", text: upstreamtest.Read(t, "firewall.html"), malformed: true},
		{name: "half a message", text: event[:len(event)/2], malformed: true},
		{name: "nothing", text: "", malformed: true},
		{name: "a list", text: "[" + event + "]", malformed: true},
		{name: "data that are a list", text: `{"stream":"btcusdt@bookTicker","data":[]}`, malformed: true},
		{name: "a name given twice", text: strings.Replace(event, `"b":`, `"b":"1","b":`, 1), malformed: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			news, err := binance.Read([]byte(c.text))
			if (err != nil) != c.malformed || news.Leaving != c.leaving || news.Heartbeat || news.Refused {
				t.Errorf("got %+v, %v", news, err)
			}
			got := ""
			for _, q := range news.Quotes {
				got += fmt.Sprint(q.Symbol, " ", string(q.Bid), " ", string(q.Ask), " ", q.Sequence)
				if !q.At.IsZero() {
					t.Errorf("got a time %s out of nowhere", q.At)
				}
			}
			if got != c.quote {
				t.Errorf("got %s, want %s", got, c.quote)
			}
		})
	}
}

func FuzzSocketMessage(f *testing.F) {
	for _, line := range session(f) {
		f.Add([]byte(line))
	}
	for _, name := range []string{"empty_book", "error", "out_of_order", "shutdown", "shutdown_in_stream", "subscribed", "trade", "wrong_symbol"} {
		f.Add([]byte(upstreamtest.Read(f, "socket_"+name+".json")))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		news, err := binance.Read(text)
		if err != nil && (news.Quotes != nil || news.Leaving) || news.Heartbeat || news.Refused || len(news.Quotes) > 1 {
			t.Errorf("got %+v beside %v", news, err)
		}
	})
}

func TestSocketURL(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, wiretest.Hanging()).Factory
	if _, err := binance.New(binance.Config{Socket: true, SocketURL: "binance"}, factory); err == nil || !strings.Contains(err.Error(), "binance: socket_url") {
		t.Errorf("got %v", err)
	}
	source, err := binance.New(binance.Config{SocketURL: "binance"}, factory) // not used
	if err != nil || source.Close() != nil {
		t.Errorf("got %v", err)
	}
}

// TestSource_Close relies on goleak.
func TestSource_Close(t *testing.T) {
	t.Parallel()
	watched, wait := wiretest.Watched(telling(session(t)...), "SHIBUSDT")
	factory := upstreamtest.Open(t, wiretest.Split(watched, nothing())).Factory
	source, err := binance.New(binance.Config{Socket: true}, factory)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := source.Observe(t.Context(), markets); err != nil {
		t.Error(err)
	}
	wait()
	if err := source.Close(); err != nil {
		t.Error(err)
	}
}

type opener = func(t *testing.T) ports.RateSource

func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	return upstreamtest.Saying(t, base, answer)
}

// listing rejects a request with a market that does not exist.
func listing(t *testing.T) *httpmock.MockTransport {
	t.Helper()
	return saying(t, func(r *http.Request) (*http.Response, error) {
		switch symbols := r.URL.Query().Get("symbols"); {
		case symbols == "":
			return upstreamtest.File(t, "book_ticker_all.json")(r)
		case strings.Contains(symbols, "SHELL"):
			return upstreamtest.Text(400, upstreamtest.Read(t, "invalid_symbol.json"))(r)
		default:
			return upstreamtest.File(t, "book_ticker.json")(r)
		}
	})
}

func observe(t *testing.T, source *binance.Source, of []core.Pair, want int) {
	t.Helper()
	if got, err := source.Observe(t.Context(), of); err != nil || len(got) != want {
		t.Errorf("got %d observations, %v; want %d", len(got), err, want)
	}
}

func wantOutcomes(t *testing.T, world *upstreamtest.World, want ...string) {
	t.Helper()
	if got := world.Outcomes(t); !slices.Equal(got, want) {
		t.Errorf("got outcomes %v, want %v", got, want)
	}
}
