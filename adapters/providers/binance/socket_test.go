package binance_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"causeway/adapters/providers/binance"
	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/simulator/wire/wiretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func socket(t testing.TB) providertest.Socket {
	t.Helper()
	const bid, quote = `"b":"64010.01000000",`, ` "64010.01000000" "64010.02000000"`
	read := func(name string) string { return upstreamtest.Read(t, name) }
	event := providertest.Socket{}.Session(t)[0]
	edited := func(part, by string) string { return strings.Replace(event, part, by, 1) }
	return providertest.Socket{
		Rates:    spec(),
		Settings: func(url string) provider.Settings { return &binance.Config{Socket: true, SocketURL: url} },
		Unused:   &binance.Config{SocketURL: "binance"},
		Venue:    binance.Name, Nothing: `[]`, Last: "SHIBUSDT",
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
		Read: binance.Read,
		Messages: []providertest.MessageCase{
			{Name: "event", Text: event, Quotes: []string{"BTCUSDT" + quote}}, // sizes are not prices
			{Name: "event without a number", Text: edited(`"u":400900217,`, ""), Quotes: []string{"BTCUSDT" + quote}},
			{Name: "shutdown", Text: read("socket_shutdown.json")},
			{Name: "shutdown in a stream", Text: read("socket_shutdown_in_stream.json")},
			{Name: "acknowledgement", Text: read("socket_subscribed.json")},
			{Name: "error", Text: read("socket_error.json")},
			{Name: "another stream", Text: read("socket_trade.json")},
			{Name: "symbol of another stream", Text: read("socket_wrong_symbol.json"), Malformed: true},
			{Name: "lower-case symbol", Text: edited("BTCUSDT", "btcusdt"), Quotes: []string{"btcusdt" + quote}},
			{Name: "no symbol", Text: edited(`"s":"BTCUSDT",`, ""), Malformed: true},
			{Name: "page", Text: read("firewall.html"), Malformed: true},
			{Name: "truncated", Text: event[:len(event)/2], Malformed: true},
			{Name: "empty", Malformed: true},
			{Name: "list", Text: "[" + event + "]", Malformed: true},
			{Name: "list as data", Text: `{"stream":"btcusdt@bookTicker","data":[]}`, Malformed: true},
			{Name: "name given twice", Text: edited(`"b":`, `"b":"1","b":`), Malformed: true},
		},
	}
}

func TestSocket(t *testing.T) { socket(t).Run(t) }

func TestSocket_Streams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := socket(t)
		var url string
		source, _ := s.Open(t, "", wiretest.Split(wiretest.Speaking(func(l *wiretest.Line) {
			url = l.Request.URL.String()
			if said := l.Hear(); said != "" {
				t.Errorf("got %s; each message counts against five a second", said)
			}
		}), s.REST()), time.Now)
		providertest.Observe(t, source, providertest.Pairs(`BTC/USDT 1000CHEEMS"/USDT ETH/USDT BTCU/SDT`), 0)
		synctest.Wait()
		if want := "https://data-stream.binance.vision/stream?streams=btcusdt@bookTicker/ethusdt@bookTicker"; url != want {
			t.Errorf("got %s, want %s", url, want)
		}
	})
}

func TestSocket_MaxStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := socket(t)
		streams := 0
		source, _ := s.Open(t, "", wiretest.Split(wiretest.Speaking(func(l *wiretest.Line) {
			streams = strings.Count(l.Request.URL.RawQuery, "@bookTicker")
			l.Gone()
		}), s.REST()), time.Now)
		var many []core.Pair
		for i := range 1100 {
			many = append(many, core.Pair{Base: fmt.Sprintf("C%d", i), Counter: "USDT"})
		}
		providertest.Observe(t, source, many, 0)
		synctest.Wait()
		if streams != 1024 {
			t.Errorf("got %d streams", streams)
		}
	})
}

// TestSocket_Silence checks that quiet markets are quoted as long as another one moves.
func TestSocket_Silence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := socket(t)
		said := s.Session(t)
		source, world := s.Open(t, "", wiretest.Split(wiretest.Speaking(func(l *wiretest.Line) {
			l.Say(said...)
			for u := range 4 {
				time.Sleep(3 * time.Second)
				l.Say(strings.Replace(said[0], "400900217", fmt.Sprint(400900218+u), 1))
			}
			l.Gone()
		}), s.Listing(t)), time.Now)
		start := time.Now()
		providertest.Observe(t, source, markets, len(markets))
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
		s.WantOutcomes(t, world, "book_ticker ok")
		time.Sleep(time.Millisecond)
		providertest.Observe(t, source, markets, len(markets))
		s.WantOutcomes(t, world, "book_ticker ok ×2")
	})
}

func TestSocket_QuietMarket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := socket(t)
		var queries []string
		rest := upstreamtest.Saying(t, base, func(r *http.Request) (*http.Response, error) {
			queries = append(queries, r.URL.Query().Get("symbols"))
			return upstreamtest.File(t, "book_ticker.json")(r)
		})
		source, _ := s.Open(t, "", wiretest.Split(s.Telling(s.Session(t)[:2]...), rest), time.Now)
		providertest.Observe(t, source, markets, len(markets))
		synctest.Wait()
		providertest.Observe(t, source, markets, len(markets))
		if want := []string{`["BTCUSDT","ETHUSDT","SHIBUSDT"]`, `["SHIBUSDT"]`}; !slices.Equal(queries, want) {
			t.Errorf("got %v, want %v", queries, want)
		}
	})
}

func TestSocket_EmptyBook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := socket(t)
		said := append(s.Session(t), upstreamtest.Read(t, "socket_empty_book.json"))
		source, _ := s.Open(t, "", wiretest.Split(s.Telling(said...), s.REST()), time.Now)
		providertest.Observe(t, source, markets, 0)
		synctest.Wait()
		providertest.Observe(t, source, markets, len(markets)-1)
	})
}

func FuzzSocketMessage(f *testing.F) {
	socket(f).Fuzz(f, func(m upstream.Message) bool { return m.Heartbeat || len(m.Quotes) > 1 })
}
