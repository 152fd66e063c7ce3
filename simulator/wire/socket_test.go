package wire_test

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"causeway/core"
	"causeway/simulator/faults"
	"causeway/simulator/market"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

const (
	krakenSocket  = "wss://ws.kraken.com/v2"
	binanceSocket = "wss://data-stream.binance.vision/stream?streams=btcusdt@bookTicker/nosuch@bookTicker/ethusdt@bookTicker"
)

// sockets are the sockets of venues with a subscription, and the kinds of their messages.
var sockets = map[string]struct {
	target, first string
	kinds         []string
}{
	"kraken": {
		krakenSocket,
		`{"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USDT","XBT/USD"],"event_trigger":"bbo",` +
			`"snapshot":true},"req_id":1}`,
		[]string{
			`"channel":"status"`, `"success":true`, `"success":false`, `"type":"snapshot"`, `"channel":"heartbeat"`,
		},
	},
	"binance": {binanceSocket, `{}`, []string{`"stream":`}},
}

// client is a client's end of a WebSocket.
type client struct {
	t    *testing.T
	conn *websocket.Conn
}

// dial opens a WebSocket over a transport.
func dial(t *testing.T, transport http.RoundTripper, target string, pinged func() bool) *client {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel() // the connection outlives the context
	conn, _, err := websocket.Dial(ctx, target, &websocket.DialOptions{
		HTTPClient:     &http.Client{Transport: transport},
		OnPingReceived: func(context.Context, []byte) bool { return pinged() },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &client{t, conn}
}

func pong() bool { return true }

func (c *client) send(text string) {
	c.t.Helper()
	if err := c.conn.Write(c.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) read() string {
	c.t.Helper()
	_, message, err := c.conn.Read(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return string(message)
}

// want compares the next messages with the expected ones.
func (c *client) want(messages ...string) {
	c.t.Helper()
	for _, want := range messages {
		if got := c.read(); !matches(got, want) {
			c.t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// matches reports whether a text has all parts of a pattern, which are separated by …, in order.
func matches(text, pattern string) bool {
	for part := range strings.SplitSeq(pattern, "…") {
		_, rest, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = rest
	}
	return true
}

// krakenTop returns the pattern of a ticker message.
func krakenTop(sim *world.World, kind string, pair core.Pair) string {
	b, _ := sim.Market().Book(market.Kraken, pair, sim.Now())
	return fmt.Sprintf(`{"channel":"ticker","data":[{"ask":%s,"ask_qty":%s,"bid":%s,"bid_qty":%s,…"last":%s,`+
		`"symbol":"%s",…"type":"%s"}`, b.Ask.String(), b.AskSize.String(), b.Bid.String(), b.BidSize.String(),
		b.Last.String(), pair, kind)
}

// binanceTop returns an event.
func binanceTop(sim *world.World, pair core.Pair) string {
	book, _ := sim.Market().Book(market.Binance, pair, sim.Now())
	return fmt.Sprintf(`{"data":{"A":"%s","B":"%s","a":"%s","b":"%s","s":"%s","u":%d},"stream":"%s@bookTicker"}`,
		market.Padded(book.AskSize, 8), market.Padded(book.BidSize, 8), market.Padded(book.Ask, 8), market.Padded(book.Bid, 8), pair.ID(),
		sim.Now().UnixMilli(), strings.ToLower(pair.ID()))
}

func TestKraken_Socket(t *testing.T) {
	t.Parallel()
	const at = `"time_in":"2026-11-21T12:00:00.250000Z","time_out":"2026-11-21T12:00:00.250000Z"}`
	const ack = `{"method":"subscribe","req_id":1,"result":{"channel":"ticker","event_trigger":"bbo","snapshot":true,` +
		`"symbol":"%s"},"success":true,` + at
	sim := newWorld(t)
	server := httptest.NewServer(wire.New(sim).Handler("kraken"))
	t.Cleanup(server.Close)
	tcp := &http.Transport{}
	t.Cleanup(tcp.CloseIdleConnections)
	for _, c := range []*client{
		dial(t, wire.New(sim), krakenSocket, pong),
		dial(t, tcp, "ws"+strings.TrimPrefix(server.URL, "http")+"/v2", pong),
	} {
		c.want(`{"channel":"status","data":[{"api_version":"v2","connection_id":1795262400250000000,"emergency":[],` +
			`"system":"online","upcoming_maintenance":[],"version":"2.0.10"}],"type":"update"}`)
		c.send(`{"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD","XBT/USD","ETH/EUR"],` +
			`"event_trigger":"bbo","snapshot":true},"req_id":1}`)
		c.want(fmt.Sprintf(ack, "BTC/USD"), krakenTop(sim, "snapshot", core.Pair{Base: "BTC", Counter: "USD"}),
			`{"error":"Currency pair not supported XBT/USD","method":"subscribe","req_id":1,"success":false,"symbol":"XBT/USD",`+at,
			fmt.Sprintf(ack, "ETH/EUR"), krakenTop(sim, "snapshot", core.Pair{Base: "ETH", Counter: "EUR"}),
			`{"channel":"heartbeat"}`) // nothing changes while the clock is stopped
		const malformed = `{"error":"Malformed request",`
		for message, want := range map[string]string{
			`{"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD"],"event_trigger":"bbo"}}`: `{"error":"Already subscribed",`,
			`{"method":"subscribe","params":{"channel":"books","symbol":["BTC/USD"]}}`:                        malformed,
			`{"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD"]}}`:                       malformed,
			`{"method":"add_order"}`: malformed,
			`{`:                      malformed,
		} {
			c.send(message)
			got := c.read()
			for got == `{"channel":"heartbeat"}` {
				got = c.read()
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("%s: got %s", message, got)
			}
		}
	}
}

func TestSockets_RequireUpgrade(t *testing.T) {
	t.Parallel()
	for provider, path := range map[string]string{"kraken": "/v2", "binance": "/stream"} {
		r := send(wire.New(newWorld(t)), get(provider, path).request(t, ""))
		if r.StatusCode != http.StatusUpgradeRequired {
			t.Errorf("%s: got %d, %v", provider, r.StatusCode, r.err)
		}
	}
}

// living returns a world with the clock of the bubble.
func living(t *testing.T) *world.World {
	t.Helper()
	sim, err := world.New(world.RegistryConfig{Clock: time.Now, Providers: wire.Offers(), Default: world.Options{Seed: "causeway"}})
	if err != nil {
		t.Fatal(err)
	}
	return sim
}

// TestSockets_Updates reads a busy market for a minute. Messages come at ticks, and have the book
// of that time.
func TestSockets_Updates(t *testing.T) {
	t.Parallel()
	btc := core.Pair{Base: "BTC", Counter: "USDT"}
	tops := map[string]func(*world.World) string{
		"kraken":  func(w *world.World) string { return krakenTop(w, "update", btc) },
		"binance": func(w *world.World) string { return binanceTop(w, btc) },
	}
	for venue, of := range sockets {
		synctest.Test(t, func(t *testing.T) {
			sim, start := living(t), time.Now()
			var pings []time.Duration
			c := dial(t, wire.New(sim), of.target, func() bool {
				pings = append(pings, time.Since(start))
				return true
			})
			c.send(of.first)
			updates, last := 0, start
			for time.Since(start) < time.Minute {
				message := c.read()
				if strings.Contains(message, "eth") || time.Since(start) == 0 {
					continue
				}
				now := time.Now()
				if age := now.Sub(last); venue == "kraken" && age > time.Second || now.Sub(start)%(250*time.Millisecond) != 0 {
					t.Fatalf("%s after %s", message, age)
				}
				last = now
				if message == `{"channel":"heartbeat"}` {
					continue
				}
				if updates++; !matches(message, tops[venue](sim)) {
					t.Fatalf("got %s, want %s", message, tops[venue](sim))
				}
			}
			if want := []time.Duration{20 * time.Second, 40 * time.Second}; updates < 10 || venue == "binance" && !slices.Equal(pings[:2], want) {
				t.Errorf("%s: got %d updates in a minute and pings %v", venue, updates, pings)
			}
		})
	}
}

// TestSockets_Close checks the lifetime of a connection, also if the client does not answer
// pings.
func TestSockets_Close(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target string
		pong   bool
		want   time.Duration
	}{
		{"wss://data-stream.binance.vision/stream?streams=nosuch@bookTicker", true, 24 * time.Hour},
		{binanceSocket, false, 80 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, start := dial(t, wire.New(living(t)), c.target, func() bool { return c.pong }), time.Now()
			var err error
			for err == nil {
				_, _, err = client.conn.Read(t.Context())
			}
			if took := time.Since(start); took != c.want {
				t.Errorf("%v after %s, want %s", err, took, c.want)
			}
		})
	}
}

// TestSockets_DocumentedShape compares the first messages of sockets with recorded ones of the same
// kind.
func TestSockets_DocumentedShape(t *testing.T) {
	t.Parallel()
	for venue, of := range sockets {
		recorded := recordedMessages(t, venue)
		c, seen := dial(t, wire.New(newWorld(t)), of.target, pong), map[string]bool{}
		for c.send(of.first); len(seen) < len(of.kinds); {
			message := c.read()
			i := slices.IndexFunc(of.kinds, func(kind string) bool { return strings.Contains(message, kind) })
			if i < 0 || seen[of.kinds[i]] {
				continue
			}
			seen[of.kinds[i]] = true
			document := shape{}
			for _, m := range recorded {
				if !strings.Contains(m, of.kinds[i]) {
					continue
				}
				for place, kinds := range shapeOf(t, m, nil) {
					if document[place] == nil {
						document[place] = map[string]bool{}
					}
					maps.Copy(document[place], kinds)
				}
			}
			found := slices.DeleteFunc(differences(document, shapeOf(t, message, nil)), func(d string) bool {
				member, lacks := strings.CutPrefix(d, "lacks .data.*.")
				return lacks && slices.Contains([]string{"change", "change_pct", "high", "low", "volume", "vwap"}, member)
			})
			if len(document) == 0 || len(found) > 0 {
				t.Errorf("%s: %q: %s", venue, found, message)
			}
		}
	}
}

// recordedMessages returns the recorded messages of the adapter.
func recordedMessages(t *testing.T, venue string) []string {
	t.Helper()
	var out []string
	for _, name := range []string{"socket_session.jsonl", "socket_refused.json", "socket_subscribed.json"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "adapters", "providers", venue, "testdata", name))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
			line := strings.ReplaceAll(strings.ReplaceAll(lines.Text(), `": `, `":`), `, "`, `,"`)
			if strings.TrimSpace(line) != "" {
				out = append(out, line)
			}
		}
	}
	return out
}

// TestSockets_Faults checks that a connection ends when something is done to its venue or its
// market, so that clients poll instead, and that a new one is possible afterwards.
func TestSockets_Faults(t *testing.T) {
	t.Parallel()
	pair := core.Pair{Base: "BTC", Counter: "USDT"}
	state := func(state market.State) func(*world.World, string) error {
		return func(sim *world.World, venue string) error {
			s := market.Setting{Venues: map[string]market.VenueSetting{venue: {State: state}}}
			return sim.Market().Set(pair, s, sim.Now(), time.Time{})
		}
	}
	add := func(r faults.Rule) func(*world.World, string) error {
		return func(sim *world.World, _ string) error {
			_, err := sim.Faults().Add(r, sim.Now())
			return err
		}
	}
	upgrade := faults.Match{Header: map[string]string{"Upgrade": "websocket"}}
	for name, c := range map[string]struct {
		accepted bool // new connections, which send nothing about the market
		begin    func(sim *world.World, venue string) error
	}{
		"venue down":    {false, state(market.Down)},
		"market absent": {true, state(market.Absent)},
		"changed price": {false, add(faults.Rule{Effect: faults.Effect{Kind: faults.Inverted}})},
		"refused":       {false, add(faults.Rule{Effect: faults.Effect{Kind: faults.Refuse}})},
		"sockets only":  {false, add(faults.Rule{Match: upgrade, Effect: faults.Effect{Kind: faults.Hang}})},
	} {
		for venue, of := range sockets {
			t.Run(venue+" "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					sim := living(t)
					w := wire.New(sim)
					c1 := dial(t, w, of.target, pong)
					c1.send(of.first)
					c1.untilQuote()
					if err := c.begin(sim, venue); err != nil {
						t.Fatal(err)
					}
					began := time.Now()
					var err error
					for err == nil {
						_, _, err = c1.conn.Read(t.Context())
					}
					if took := time.Since(began); took > time.Second {
						t.Errorf("the connection ends after %s", took)
					}
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					conn, _, err := websocket.Dial(ctx, of.target, &websocket.DialOptions{HTTPClient: &http.Client{Transport: w}})
					if (err == nil) != c.accepted {
						t.Errorf("a new connection: %v", err)
					}
					if err == nil {
						_ = conn.CloseNow()
					}
					sim.Faults().Reset()
					sim.Stop()
					c2 := dial(t, w, of.target, pong)
					c2.send(of.first)
					c2.untilQuote()
				})
			})
		}
	}
}

// untilQuote reads messages up to a quote of BTC/USDT.
func (c *client) untilQuote() {
	c.t.Helper()
	for range 20 {
		if m := c.read(); strings.Contains(m, "BTC") && strings.Contains(m, `"data":`) {
			return
		}
	}
	c.t.Fatal("no quote")
}

// TestSockets_SpentRule checks that a rule without remaining hits does not keep clients from
// streaming.
func TestSockets_SpentRule(t *testing.T) {
	t.Parallel()
	sim := newWorld(t)
	w, reset := wire.New(sim), faults.Effect{Kind: faults.Reset}
	once := rule("kraken", faults.Effect{Kind: faults.Zero})
	once.When.MaxHits = 1
	for _, r := range []faults.Rule{
		once, rule("binance", reset),
		{Effect: reset, When: faults.When{Probability: "0"}},
		{Match: faults.Match{Header: map[string]string{"X-Nobody": "1"}}, Effect: reset},
	} {
		if _, err := sim.Faults().Add(r, sim.Now()); err != nil {
			t.Fatal(err)
		}
	}
	for _, spent := range []bool{false, true} {
		conn, _, err := websocket.Dial(t.Context(), krakenSocket, &websocket.DialOptions{HTTPClient: &http.Client{Transport: w}})
		if (err == nil) != spent {
			t.Errorf("spent %t: got %v", spent, err)
		}
		if err == nil {
			_ = conn.CloseNow()
		}
		_ = send(w, golden(t, "kraken", "ticker").request(t, ""))
	}
}
