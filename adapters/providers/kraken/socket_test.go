package kraken_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"causeway/adapters/providers/kraken"
	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/wiretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func socket(t testing.TB) providertest.Socket {
	t.Helper()
	const (
		bid = `"bid":64012.2,`
		at  = " 2026-11-21T11:59:59.742648Z"
	)
	session, read := providertest.Socket{}.Session(t), func(name string) string { return upstreamtest.Read(t, name) }
	update := read("socket_update.json")
	edited := func(part, by string) string { return strings.Replace(update, part, by, 1) }
	maintenance := read("socket_maintenance.json")
	status := func(system string) string { return strings.Replace(maintenance, "maintenance", system, 1) }
	return providertest.Socket{
		Rates:    spec(),
		Settings: func(url string) provider.Settings { return &kraken.Config{Socket: true, SocketURL: url} },
		Unused:   &kraken.Config{SocketURL: "ws.kraken.com"},
		Venue:    kraken.Name, Nothing: `{"error":[],"result":{}}`, Speaks: true, Last: "heartbeat",
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
		Shown:      func(pair core.Pair) string { return `"symbol":"` + pair.String() + `","timestamp"` },
		Row: func(pair core.Pair, _ int, bid string) string {
			return `{"channel":"ticker","type":"snapshot","data":[{"symbol":"` + pair.String() + `","bid":` + bid + `,"ask":2}]}`
		},
		End:  `{"channel":"heartbeat"}`,
		Read: kraken.Read,
		Messages: []providertest.MessageCase{
			{Name: "greeting", Text: session[0], Want: upstream.Message{Status: upstream.Trading}},
			{Name: "acknowledgement", Text: session[1]},
			{Name: "snapshot of the time of receipt", Text: session[2], Quotes: []string{"BTC/USD 64012.2 64012.3"}},
			{Name: "snapshot of two", Text: session[6], Quotes: []string{"SOL/USD 142.16 142.17", "DOGE/USD 0.1333612 0.1333701"}},
			{Name: "update", Text: update, Quotes: []string{"BTC/USD 64010.1 64010.2" + at}},
			{Name: "exponents", Text: read("socket_exponent.json"), Quotes: []string{"SHIB/USD 1.234e-05 1.2345E-5" + at}},
			{Name: "update without a time", Text: edited(`"timestamp"`, `"time"`), Quotes: []string{"BTC/USD 64010.1 64010.2"}},
			{Name: "unknown form of time", Text: edited("2026-11-21T", "21.11.2026 "), Quotes: []string{"BTC/USD  64010.2"}},
			{Name: "refused symbol", Text: read("socket_refused.json")},
			{Name: "heartbeat", Text: `{"channel":"heartbeat"}`, Want: upstream.Message{Heartbeat: true}},
			{Name: "pong, which is no heartbeat", Text: read("socket_pong.json")},
			{Name: "maintenance", Text: maintenance, Want: upstream.Message{Status: upstream.Halted}},
			{Name: "unknown status", Text: status("settling"), Want: upstream.Message{Status: upstream.Halted}},
			{Name: "no status", Text: status("")},
			{Name: "status not a list", Text: `{"channel":"status","type":"update","data":{"system":"online"}}`, Malformed: true},
			{Name: "another channel", Text: `{"channel":"book","type":"update","data":[]}`},
			{Name: "unknown message", Text: `{"news":"everything is fine"}`},
			{Name: "message of version 1", Text: read("socket_v1.json"), Malformed: true},
			{Name: "page", Text: read("cloudflare.html"), Malformed: true},
			{Name: "truncated", Text: update[:len(update)/2], Malformed: true},
			{Name: "empty", Malformed: true},
			{Name: "NaN", Text: edited("64010.1", "NaN"), Malformed: true},
			{Name: "name given twice", Text: edited(`"bid":`, `"bid":1,"bid":`), Malformed: true},
			{
				Name: "data not a list", Malformed: true,
				Text: `{"channel":"ticker","type":"update","data":{"symbol":"BTC/USD","bid":1,"ask":2}}`,
			},
			{Name: "no data", Text: `{"channel":"ticker","type":"update"}`, Malformed: true},
			{Name: "number as symbol", Text: edited(`"BTC/USD"`, "17"), Malformed: true},
		},
	}
}

func TestSocket(t *testing.T) { socket(t).Run(t) }

// TestSocket_HTTP2 uses a transport and a server that prefer HTTP/2, which has no WebSocket.
func TestSocket_HTTP2(t *testing.T) {
	t.Parallel()
	world, w := wiretest.Open(t)
	server := httptest.NewUnstartedServer(w.Handler("kraken"))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	pairs := world.Market().Listed(market.Kraken)[:1]
	source := socket(t).Listening("wss"+strings.TrimPrefix(server.URL, "https"), func(t *testing.T) http.RoundTripper {
		t.Helper()
		transport := &http.Transport{ForceAttemptHTTP2: true}
		if client, ok := server.Client().Transport.(*http.Transport); ok {
			transport.TLSClientConfig = client.TLSClientConfig.Clone()
		}
		t.Cleanup(transport.CloseIdleConnections)
		return transport
	}, pairs, `"type":"snapshot"`)(t)
	if got, err := source.Observe(t.Context(), pairs); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestSocket_Subscription(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := socket(t)
		var url, said string
		source, _ := s.Open(t, "", wiretest.Split(wiretest.Speaking(func(l *wiretest.Line) {
			url, said = l.Request.URL.String(), l.Hear()
			l.Gone()
		}), s.REST()), time.Now)
		providertest.Observe(t, source, providertest.Pairs("BTC/USD DOGE/USD SHELL/NGN"), 0)
		synctest.Wait()
		if url != "https://ws.kraken.com/v2" {
			t.Errorf("got %s", url)
		}
		want := `{"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD","DOGE/USD","SHELL/NGN"],"event_trigger":"bbo","snapshot":true}}`
		if said != want {
			t.Errorf("got %s, want %s", said, want)
		}
	})
}

// TestSocket_Silence checks that the REST API is polled after five seconds without a message.
func TestSocket_Silence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := socket(t)
		said := s.Session(t)
		source, world := s.Open(t, "", wiretest.Split(s.Telling(said...), s.Listing(t)), time.Now)
		providertest.Observe(t, source, markets, len(markets))
		synctest.Wait()
		for range 5 {
			time.Sleep(time.Second)
			providertest.Observe(t, source, markets, len(markets))
		}
		s.WantOutcomes(t, world, "ticker ok")
		time.Sleep(time.Millisecond)
		providertest.Observe(t, source, markets, len(markets))
		s.WantOutcomes(t, world, "ticker ok ×2")
	})
}

// TestSocket_Status checks that nothing is quoted while orders are not matched, although heartbeats go on,
// and that quotes come again once Kraken is online.
func TestSocket_Status(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"maintenance", "cancel_only", "post_only", "limit_only"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := socket(t)
				session := s.Session(t)
				halt := strings.Replace(upstreamtest.Read(t, "socket_maintenance.json"), "maintenance", system, 1)
				source, world := s.Open(t, "", wiretest.Split(wiretest.Speaking(func(l *wiretest.Line) {
					l.Hear()
					l.Say(session...)
					time.Sleep(time.Second) // after the first observation
					l.Say(halt, session[2])
					for range 60 {
						l.Say(`{"channel":"heartbeat"}`)
						time.Sleep(time.Second)
					}
					l.Say(session[0])
					l.Say(session[2])
					l.Gone()
				}), s.Listing(t)), time.Now)
				providertest.Observe(t, source, markets, len(markets))
				time.Sleep(time.Second)
				synctest.Wait()
				for range 59 {
					if got, err := source.Observe(t.Context(), markets); core.CodeOf(err) != core.Unavailable || got != nil {
						t.Fatalf("got %v, %v", got, err)
					}
					time.Sleep(time.Second)
				}
				s.WantOutcomes(t, world, "ticker ok") // before the status
				time.Sleep(2 * time.Second)
				providertest.Observe(t, source, markets[:1], 1)
				s.WantOutcomes(t, world, "ticker ok")
			})
		})
	}
}

func TestSocket_RefusedSymbol(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := socket(t)
		source, world := s.Open(t, "", wiretest.Split(s.Telling(s.Session(t)...), s.Listing(t)), time.Now)
		providertest.Observe(t, source, withUnknown, len(markets))
		synctest.Wait()
		providertest.Observe(t, source, withUnknown, len(markets))
		s.WantOutcomes(t, world, "ticker undecided ×2", "ticker_all ok ×2") // the second time for the bad one alone
	})
}

func TestSocket_TimeOfUpdate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := socket(t)
		said := append(s.Session(t), upstreamtest.Read(t, "socket_update.json"))
		source, _ := s.Open(t, "", wiretest.Split(s.Telling(said...), s.REST()), upstreamtest.Noon)
		providertest.Observe(t, source, markets, 0)
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

func FuzzSocketMessage(f *testing.F) {
	socket(f).Fuzz(f, func(m upstream.Message) bool { return m.Heartbeat && m.Quotes != nil })
}
