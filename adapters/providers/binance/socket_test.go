package binance_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"go.uber.org/goleak"

	"causeway/adapters/providers/binance"
	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator/wire/wiretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func socket() providertest.Socket {
	const bid = `"b":"64010.01000000",`
	return providertest.Socket{
		Settings: func(url string) provider.Settings { return &binance.Config{Socket: true, SocketURL: url} },
		Unused:   &binance.Config{SocketURL: "binance"},
		Venue:    binance.Name, Nothing: `[]`, Last: "SHIBUSDT",
		Listed: []porttest.Quote{
			{Pair: btcusdt, Bid: "64010.01", Ask: "64010.02"},
			{Pair: ethusdt, Bid: "3120.55", Ask: "3120.56"},
			{Pair: shibusdt, Bid: "0.00001234", Ask: "0.00001235"},
		},
		Unlisted: shell,
		Unreadable: map[string][2]string{
			"comma":      {bid, `"b":"64010,01",`},
			"NaN":        {bid, `"b":"NaN",`},
			"empty":      {bid, `"b":"",`},
			"null":       {bid, `"b":null,`},
			"empty book": {bid, `"b":"0.00000000",`},
			"missing":    {bid, ``},
			"object":     {bid, `"b":{},`},
			"another name": {
				`{"stream":"btcusdt@bookTicker","data":{"u":400900217,"s":"BTCUSDT"`,
				`{"stream":"btc-usdt@bookTicker","data":{"u":400900217,"s":"BTC-USDT"`,
			},
		},
		Broken:     map[string]providertest.Response{"country that is not served": providertest.Body(451, "")},
		Throttled:  providertest.Body(http.StatusTeapot, "", "Retry-After", "120"),
		RetryAfter: 2 * time.Minute,
		Shown:      func(pair core.Pair) string { return `"s":"` + pair.ID() + `"` },
		Row: func(pair core.Pair, u int, bid string) string {
			return fmt.Sprintf(`{"stream":"%s@bookTicker","data":{"u":%d,"s":"%s","b":%s,"B":"1","a":"2","A":"1"}}`,
				strings.ToLower(pair.ID()), u, pair.ID(), bid)
		},
	}
}

func TestSocket(t *testing.T) {
	t.Parallel()
	socket().Run(t)
}

func TestStreamsAreNamedInTheURL(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked string
		source, _ := socket().Open(t, "", wiretest.Split(wiretest.Speaking(func(l *wiretest.Line) {
			asked = l.Request.URL.String()
			if said := l.Hear(); said != "" {
				t.Errorf("said %s: each message counts against five a second", said)
			}
		}), socket().REST()), time.Now)
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
		source, _ := socket().Open(t, "", wiretest.Split(wiretest.Speaking(func(l *wiretest.Line) {
			streams = strings.Count(l.Request.URL.RawQuery, "@bookTicker")
			l.Gone()
		}), socket().REST()), time.Now)
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
		said := socket().Session(t)
		source, world := socket().Open(t, "", wiretest.Split(wiretest.Speaking(func(l *wiretest.Line) {
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
		source, _ := socket().Open(t, "", wiretest.Split(socket().Telling(socket().Session(t)[:2]...), rest), time.Now)
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
				source, world := socket().Open(t, "", wiretest.Split(wiretest.Speaking(func(l *wiretest.Line) {
					connections++
					l.Say(socket().Session(t)...)
					if connections == 1 {
						l.Say(upstreamtest.Read(t, name))
					}
					l.Gone()
				}), listing(t)), time.Now)
				observe(t, source, markets, len(markets))
				synctest.Wait()
				observe(t, source, markets, len(markets))
				wantOutcomes(t, world, "book_ticker ok ×2")
				time.Sleep(5 * time.Second)
				synctest.Wait()
				observe(t, source, markets, len(markets))
				if wantOutcomes(t, world, "book_ticker ok ×2"); connections != 2 {
					t.Errorf("%d connections", connections)
				}
			})
		})
	}
}

func TestBookThatBecomesEmptyIsNoLongerQuoted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		said := append(socket().Session(t), upstreamtest.Read(t, "socket_empty_book.json"))
		source, _ := socket().Open(t, "", wiretest.Split(socket().Telling(said...), socket().REST()), time.Now)
		observe(t, source, markets, 0)
		synctest.Wait()
		observe(t, source, markets, len(markets)-1)
	})
}

// TestMessages goes through what Binance may say, with what it means.
func TestMessages(t *testing.T) {
	t.Parallel()
	event := socket().Session(t)[0]
	for _, c := range []struct {
		name, text string
		quote      string // symbol, bid, ask
		leaving    bool
		malformed  bool
	}{
		{name: "an event: sizes are not prices", text: event, quote: "BTCUSDT \"64010.01000000\" \"64010.02000000\""},
		{name: "an event without a number", text: strings.Replace(event, `"u":400900217,`, "", 1), quote: "BTCUSDT \"64010.01000000\" \"64010.02000000\""},
		{name: "a shutdown", text: upstreamtest.Read(t, "socket_shutdown.json"), leaving: true},
		{name: "a shutdown in a stream", text: upstreamtest.Read(t, "socket_shutdown_in_stream.json"), leaving: true},
		{name: "an acknowledgement", text: upstreamtest.Read(t, "socket_subscribed.json")},
		{name: "an error", text: upstreamtest.Read(t, "socket_error.json")},
		{name: "another stream", text: upstreamtest.Read(t, "socket_trade.json")},
		{name: "another symbol than that of the stream", text: upstreamtest.Read(t, "socket_wrong_symbol.json"), malformed: true},
		{name: "a symbol in lower case", text: strings.Replace(event, "BTCUSDT", "btcusdt", 1), quote: "btcusdt \"64010.01000000\" \"64010.02000000\""},
		{name: "no symbol", text: strings.Replace(event, `"s":"BTCUSDT",`, "", 1), malformed: true},
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
			if (err != nil) != c.malformed || news.Closing != c.leaving || news.Heartbeat || news.Refused {
				t.Errorf("got %+v, %v", news, err)
			}
			got := ""
			for _, q := range news.Quotes {
				got += fmt.Sprint(q.Symbol, " ", string(q.Bid), " ", string(q.Ask))
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
	for _, line := range socket().Session(f) {
		f.Add([]byte(line))
	}
	for _, name := range []string{"empty_book", "error", "shutdown", "shutdown_in_stream", "subscribed", "trade", "wrong_symbol"} {
		f.Add([]byte(upstreamtest.Read(f, "socket_"+name+".json")))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		news, err := binance.Read(text)
		if err != nil && (news.Quotes != nil || news.Closing) || news.Heartbeat || news.Refused || len(news.Quotes) > 1 {
			t.Errorf("got %+v beside %v", news, err)
		}
	})
}

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

func observe(t *testing.T, source ports.RateSource, of []core.Pair, want int) {
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
