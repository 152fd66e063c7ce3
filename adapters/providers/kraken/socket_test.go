package kraken_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"go.uber.org/goleak"

	"causeway/adapters/providers/kraken"
	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator/market"
	"causeway/simulator/wire/wiretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func socket() providertest.Socket {
	const bid = `"bid":64012.2,`
	return providertest.Socket{
		Settings: func(url string) provider.Settings { return &kraken.Config{Socket: true, SocketURL: url} },
		Unused:   &kraken.Config{SocketURL: "ws.kraken.com"},
		Venue:    kraken.Name, Nothing: `{"error":[],"result":{}}`, Speaks: true, Last: "heartbeat",
		Listed: []porttest.Quote{
			{Pair: btcusd, Bid: "64012.2", Ask: "64012.3"},
			{Pair: usdtusd, Bid: "0.9998", Ask: "0.99981"},
			{Pair: solusd, Bid: "142.16", Ask: "142.17"},
			{Pair: dogeusd, Bid: "0.1333612", Ask: "0.1333701"},
		},
		Unlisted: shell,
		Unreadable: map[string][2]string{
			"comma":         {bid, `"bid":"64012,2",`},
			"NaN":           {bid, `"bid":"NaN",`},
			"empty":         {bid, `"bid":"",`},
			"null":          {bid, `"bid":null,`},
			"empty book":    {bid, `"bid":0.0,`},
			"no bids":       {bid, ``},
			"another shape": {bid, `"bid":[64012.2],`},
			"exponent":      {bid, `"bid":1e999,`},
			"another name":  {`"data":[{"symbol":"BTC/USD"`, `"data":[{"symbol":"XBT/USD"`},
		},
		Throttled:  providertest.Body(http.StatusTooManyRequests, "", "Retry-After", "5"),
		RetryAfter: 5 * time.Second,
		Shown:      func(pair core.Pair) string { return `[{"symbol":"` + pair.String() + `"` },
		Row: func(pair core.Pair, _ int, bid string) string {
			return `{"channel":"ticker","type":"snapshot","data":[{"symbol":"` + pair.String() + `","bid":` + bid + `,"ask":2}]}`
		},
		End: `{"channel":"heartbeat"}`,
	}
}

func TestSocket(t *testing.T) {
	t.Parallel()
	socket().Run(t)
}

// TestSocketBesideHTTP2 goes through a transport like that of production, to a server that would
// rather speak HTTP/2: WebSocket does not.
func TestSocketBesideHTTP2(t *testing.T) {
	t.Parallel()
	world, w := wiretest.Open(t)
	server := httptest.NewUnstartedServer(w.Handler("kraken"))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	pairs := world.Market().Listed(market.Kraken)[:1]
	source := socket().Listening("wss"+strings.TrimPrefix(server.URL, "https"), func(t *testing.T) http.RoundTripper {
		t.Helper()
		transport := &http.Transport{ForceAttemptHTTP2: true}
		if client, ok := server.Client().Transport.(*http.Transport); ok {
			transport.TLSClientConfig = client.TLSClientConfig.Clone()
		}
		t.Cleanup(transport.CloseIdleConnections)
		return transport
	}, pairs, pairs[0].String())(t)
	if got, err := source.Observe(t.Context(), pairs); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestSubscription(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked, said string
		source, _ := socket().Open(t, "", wiretest.Split(wiretest.Speaking(func(l *wiretest.Line) {
			asked, said = l.Request.URL.String(), l.Hear()
			l.Gone()
		}), socket().REST()), time.Now)
		observe(t, source, []core.Pair{btcusd, dogeusd, shell}, 0)
		synctest.Wait()
		if asked != "https://ws.kraken.com/v2" {
			t.Errorf("asked %s", asked)
		}
		want := `{"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD","DOGE/USD","SHELL/NGN"],"event_trigger":"bbo","snapshot":true}}`
		if said != want {
			t.Errorf("said %s, want %s", said, want)
		}
	})
}

// TestSilenceIsPolled has a socket that stops in the middle of its work, beside a REST API that
// works.
func TestSilenceIsPolled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		said := socket().Session(t)
		source, world := socket().Open(t, "", wiretest.Split(socket().Telling(said...), listing(t)), time.Now)
		observe(t, source, markets, len(markets))
		synctest.Wait()
		for range 5 {
			time.Sleep(time.Second)
			observe(t, source, markets, len(markets))
		}
		wantOutcomes(t, world, "ticker ok")
		time.Sleep(time.Millisecond)
		observe(t, source, markets, len(markets))
		wantOutcomes(t, world, "ticker ok ×2")
	})
}

func TestOneBadSymbolCostsNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		source, world := socket().Open(t, "", wiretest.Split(socket().Telling(socket().Session(t)...), listing(t)), time.Now)
		of := append([]core.Pair{shell}, markets...)
		observe(t, source, of, len(markets))
		synctest.Wait()
		observe(t, source, of, len(markets))
		wantOutcomes(t, world, "ticker undecided ×2", "ticker_all ok ×2") // the second time for the bad one alone
		if out := world.Printed(t); !strings.Contains(out, `value:"refused"`) {
			t.Errorf("the refusal is not counted: %s", out)
		}
	})
}

func TestUpdateHasTheTimeOfKraken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		said := append(socket().Session(t), upstreamtest.Read(t, "socket_update.json"))
		source, _ := socket().Open(t, "", wiretest.Split(socket().Telling(said...), socket().REST()), upstreamtest.Noon)
		observe(t, source, markets, 0)
		synctest.Wait()
		got, err := source.Observe(t.Context(), markets)
		if err != nil || len(got) != len(markets) {
			t.Fatalf("got %v, %v", got, err)
		}
		want := time.Date(2026, 11, 21, 11, 59, 59, 742_648_000, time.UTC)
		if got[0].Ask.String() != "64010.2" || !got[0].At.Equal(want) {
			t.Errorf("got %s at %s, want the update, of %s", got[0].Ask, got[0].At, want)
		}
		if !got[1].At.Equal(upstreamtest.Noon()) {
			t.Errorf("got a snapshot of %s, want the instant of receipt", got[1].At)
		}
	})
}

// TestMessages goes through what Kraken may say, with what it means.
func TestMessages(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 11, 59, 59, 742_648_000, time.UTC)
	update := upstreamtest.Read(t, "socket_update.json")
	for _, c := range []struct {
		name, text string
		news       upstream.Message // but for Quotes
		quotes     []string         // symbol, bid, ask
		at         time.Time        // of the first quote
		malformed  bool
	}{
		{name: "the greeting", text: socket().Session(t)[0]},
		{name: "an acknowledgement", text: socket().Session(t)[1]},
		{name: "a snapshot: its time is the receipt's", text: socket().Session(t)[2], quotes: []string{"BTC/USD 64012.2 64012.3"}},
		{name: "a snapshot of two", text: socket().Session(t)[6], quotes: []string{"SOL/USD 142.16 142.17", "DOGE/USD 0.1333612 0.1333701"}},
		{name: "an update", text: update, quotes: []string{"BTC/USD 64010.1 64010.2"}, at: at},
		{name: "numbers with exponents", text: upstreamtest.Read(t, "socket_exponent.json"), quotes: []string{"SHIB/USD 1.234e-05 1.2345E-5"}, at: at},
		{name: "an update without a time", text: strings.Replace(update, `"timestamp"`, `"time"`, 1), quotes: []string{"BTC/USD 64010.1 64010.2"}},
		{name: "an update of who knows when", text: strings.Replace(update, "2026-11-21T", "21.11.2026 ", 1), quotes: []string{"BTC/USD  64010.2"}},
		{name: "a refused symbol", text: upstreamtest.Read(t, "socket_refused.json"), news: upstream.Message{Refused: true}},
		{name: "a heartbeat", text: `{"channel":"heartbeat"}`, news: upstream.Message{Heartbeat: true}},
		{name: "the answer to a ping is no sign of the feed", text: upstreamtest.Read(t, "socket_pong.json")},
		{name: "maintenance", text: upstreamtest.Read(t, "socket_maintenance.json")},
		{name: "another channel", text: `{"channel":"book","type":"update","data":[]}`},
		{name: "another day's message", text: `{"news":"everything is fine"}`},
		{name: "a message of the API before", text: upstreamtest.Read(t, "socket_v1.json"), malformed: true},
		{name: "a page", text: upstreamtest.Read(t, "cloudflare.html"), malformed: true},
		{name: "half a message", text: update[:len(update)/2], malformed: true},
		{name: "nothing", text: "", malformed: true},
		{name: "NaN", text: strings.Replace(update, "64010.1", "NaN", 1), malformed: true},
		{name: "a name given twice", text: strings.Replace(update, `"bid":`, `"bid":1,"bid":`, 1), malformed: true},
		{name: "data that are no list", text: `{"channel":"ticker","type":"update","data":{"symbol":"BTC/USD","bid":1,"ask":2}}`, malformed: true},
		{name: "no data", text: `{"channel":"ticker","type":"update"}`, malformed: true},
		{name: "a symbol that is a number", text: strings.Replace(update, `"BTC/USD"`, "17", 1), malformed: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			news, err := kraken.Read([]byte(c.text))
			if (err != nil) != c.malformed || news.Heartbeat != c.news.Heartbeat || news.Refused != c.news.Refused || news.Closing {
				t.Errorf("got %+v, %v", news, err)
			}
			var quotes []string
			for _, q := range news.Quotes {
				quotes = append(quotes, q.Symbol+" "+string(q.Bid)+" "+string(q.Ask))
			}
			if !slices.Equal(quotes, c.quotes) {
				t.Errorf("got %q, want %q", quotes, c.quotes)
			}
			if len(quotes) > 0 && !news.Quotes[0].At.Equal(c.at) {
				t.Errorf("got a quote of %s, want %s", news.Quotes[0].At, c.at)
			}
		})
	}
}

func FuzzSocketMessage(f *testing.F) {
	for _, line := range socket().Session(f) {
		f.Add([]byte(line))
	}
	for _, name := range []string{"update", "exponent", "maintenance", "pong", "refused", "v1"} {
		f.Add([]byte(upstreamtest.Read(f, "socket_"+name+".json")))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		news, err := kraken.Read(text)
		if err != nil && (news.Quotes != nil || news.Heartbeat || news.Refused) {
			t.Errorf("got %+v beside %v", news, err)
		}
		if news.Heartbeat && (news.Quotes != nil || news.Refused) || news.Closing {
			t.Errorf("got %+v", news)
		}
	})
}

func wantOutcomes(t *testing.T, world *upstreamtest.World, want ...string) {
	t.Helper()
	if got := world.Outcomes(t); !slices.Equal(got, want) {
		t.Errorf("got outcomes %v, want %v", got, want)
	}
}

func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	return upstreamtest.Saying(t, base, answer)
}

// listing rejects a request with a market that does not exist.
func listing(t *testing.T) *httpmock.MockTransport {
	t.Helper()
	return saying(t, func(r *http.Request) (*http.Response, error) {
		if strings.Contains(r.URL.Query().Get("pair"), "SHELL") {
			return upstreamtest.File(t, "unknown_pair.json")(r)
		}
		return upstreamtest.File(t, "ticker.json")(r)
	})
}

func observe(t *testing.T, source ports.RateSource, of []core.Pair, want int) {
	t.Helper()
	if got, err := source.Observe(t.Context(), of); err != nil || len(got) != want {
		t.Errorf("got %d observations, %v; want %d", len(got), err, want)
	}
}
