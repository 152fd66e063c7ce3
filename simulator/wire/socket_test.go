package wire_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

const (
	krakenSocket  = "wss://ws.kraken.com/v2"
	binanceSocket = "wss://data-stream.binance.vision"
)

// talk is a client's end of a venue's WebSocket.
type talk struct {
	t    *testing.T
	conn *websocket.Conn
}

// connect opens a WebSocket over a transport.
func connect(t *testing.T, transport http.RoundTripper, target string, pinged func()) *talk {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel() // a connection outlives the context that it was opened in
	options := websocket.DialOptions{
		HTTPClient:     &http.Client{Transport: transport},
		OnPingReceived: func(context.Context, []byte) bool { pinged(); return true },
	}
	conn, _, err := websocket.Dial(ctx, target, &options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &talk{t: t, conn: conn}
}

// bothEnds runs a conversation in process and over TCP, with a world in which time stands still.
func bothEnds(t *testing.T, provider, target string, check func(t *testing.T, w *world.World, c *talk)) {
	t.Helper()
	t.Run("in process", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		check(t, w, connect(t, wire.New(w), target, func() {}))
	})
	t.Run("over TCP", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		server := httptest.NewServer(wire.New(w).Handler(provider))
		t.Cleanup(server.Close)
		transport := &http.Transport{}
		t.Cleanup(transport.CloseIdleConnections)
		_, path, _ := strings.Cut(strings.TrimPrefix(target, "wss://"), "/")
		check(t, w, connect(t, transport, "ws"+strings.TrimPrefix(server.URL, "http")+"/"+path, func() {}))
	})
}

func (c *talk) say(text string) {
	c.t.Helper()
	if err := c.conn.Write(c.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *talk) hear() string {
	c.t.Helper()
	kind, message, err := c.conn.Read(c.t.Context())
	if err != nil || kind != websocket.MessageText {
		c.t.Fatalf("got a message of kind %v, %v", kind, err)
	}
	return string(message)
}

// want hears messages and compares them with the expected ones.
func (c *talk) want(messages ...string) {
	c.t.Helper()
	for _, want := range messages {
		if got := c.hear(); got != want {
			c.t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// krakenSays is a ticker message of a book as the world has it.
func krakenSays(w *world.World, kind string, pair core.Pair) string {
	now := w.Now()
	book, _ := w.Market().Book(market.Kraken, pair, now)
	_, day, _ := w.Market().Day(market.Kraken, pair, now)
	change, sign := book.Last.Units-book.Open.Units, ""
	if book.Open.Units > book.Last.Units {
		change, sign = book.Open.Units-book.Last.Units, "-"
	}
	return fmt.Sprintf(`{"channel":"ticker","type":"%s","data":[{"symbol":"%s","bid":%s,"bid_qty":%s,"ask":%s,"ask_qty":%s,`+
		`"last":%s,"volume":%s,"vwap":%s,"low":%s,"high":%s,"change":%s,"change_pct":%s,"timestamp":"%s"}]}`,
		kind, pair, book.Bid.Trimmed(), book.BidSize.Trimmed(), book.Ask.Trimmed(), book.AskSize.Trimmed(), book.Last.Trimmed(),
		day.Volume.Trimmed(), day.Average.Trimmed(), day.Low.Trimmed(), day.High.Trimmed(),
		signed(sign, market.Amount{Units: change, Places: book.Last.Places}),
		signed(sign, market.Amount{Units: change * 10_000 / book.Open.Units, Places: 2}),
		now.UTC().Format("2006-01-02T15:04:05.000000Z"))
}

func signed(sign string, a market.Amount) string {
	if a.Units == 0 {
		return "0"
	}
	return sign + a.Trimmed()
}

func TestKrakenSocket(t *testing.T) {
	t.Parallel()
	const at = `"time_in":"2026-11-21T12:00:00.250000Z","time_out":"2026-11-21T12:00:00.250000Z"}`
	btc, eth := core.Pair{Base: "BTC", Counter: "USD"}, core.Pair{Base: "ETH", Counter: "EUR"}
	bothEnds(t, "kraken", krakenSocket, func(t *testing.T, w *world.World, c *talk) {
		t.Helper()
		c.want(`{"channel":"status","type":"update","data":[{"version":"2.0.10","system":"online","api_version":"v2","connection_id":1795262400250000000,"upcoming_maintenance":[],"emergency":[]}]}`)
		c.say(`{"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD","XBT/USD","ETH/EUR"],"event_trigger":"bbo","snapshot":true},"req_id":1}`)
		c.want(`{"method":"subscribe","req_id":1,"result":{"channel":"ticker","event_trigger":"bbo","snapshot":true,"symbol":"BTC/USD"},"success":true,`+at,
			krakenSays(w, "snapshot", btc),
			`{"error":"Currency pair not supported XBT/USD","method":"subscribe","req_id":1,"success":false,"symbol":"XBT/USD",`+at,
			`{"method":"subscribe","req_id":1,"result":{"channel":"ticker","event_trigger":"bbo","snapshot":true,"symbol":"ETH/EUR"},"success":true,`+at,
			krakenSays(w, "snapshot", eth))
		c.want(`{"channel":"heartbeat"}`) // nothing changes where time stands still
		c.say(`{"method":"ping","req_id":7}`)
		c.say(`{"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD"]}}`)
		c.say(`{"method":"subscribe","params":{"channel":"ticker","symbol":["SOL/USD"],"snapshot":false}}`)
		c.say(`{"method":"unsubscribe","params":{"channel":"ticker","symbol":["BTC/USD","ADA/USD"]},"req_id":2}`)
		c.say(`{"method":"subscribe","params":{"channel":"books","symbol":["BTC/USD"]}}`)
		c.say(`{"method":"add_order"}`)
		c.say(`{`)
		c.want(`{"method":"pong","req_id":7,`+at,
			`{"error":"Already subscribed","method":"subscribe","success":false,"symbol":"BTC/USD",`+at,
			`{"method":"subscribe","result":{"channel":"ticker","event_trigger":"trades","snapshot":false,"symbol":"SOL/USD"},"success":true,`+at,
			`{"method":"unsubscribe","req_id":2,"result":{"channel":"ticker","symbol":"BTC/USD"},"success":true,`+at,
			`{"error":"Subscription Not Found","method":"unsubscribe","req_id":2,"success":false,"symbol":"ADA/USD",`+at,
			`{"error":"Channel not supported: books","method":"subscribe","success":false,`+at,
			`{"error":"Unsupported method","method":"add_order","success":false,`+at,
			`{"error":"Malformed request","method":"","success":false,`+at)
	})
}

// binanceSays is the data of a book's event as the world has it.
func binanceSays(w *world.World, pair core.Pair) string {
	book, _ := w.Market().Book(market.Binance, pair, w.Now())
	return fmt.Sprintf(`{"u":%d,"s":"%s","b":"%s","B":"%s","a":"%s","A":"%s"}`, w.Now().UnixMilli(), pair.ID(),
		book.Bid.Padded(8), book.BidSize.Padded(8), book.Ask.Padded(8), book.AskSize.Padded(8))
}

func TestBinanceSocket(t *testing.T) {
	t.Parallel()
	btc, eth := core.Pair{Base: "BTC", Counter: "USDT"}, core.Pair{Base: "ETH", Counter: "USDT"}
	t.Run("combined streams", func(t *testing.T) {
		t.Parallel()
		bothEnds(t, "binance", binanceSocket+"/stream?streams=btcusdt@bookTicker/nosuch@bookTicker/ethusdt@bookTicker", func(t *testing.T, w *world.World, c *talk) {
			t.Helper()
			c.want(`{"stream":"btcusdt@bookTicker","data":`+binanceSays(w, btc)+`}`, `{"stream":"ethusdt@bookTicker","data":`+binanceSays(w, eth)+`}`)
			c.say(`{"method":"LIST_SUBSCRIPTIONS","id":3}`) // and no event, where time stands still
			c.say(`{"method":"UNSUBSCRIBE","params":["nosuch@bookTicker","btcusdt@bookTicker"],"id":"x"}`)
			c.say(`{"method":"LIST_SUBSCRIPTIONS","id":null}`)
			c.say(`{"method":"SHOUT","id":5}`)
			c.say(`{`)
			c.want(`{"result":["btcusdt@bookTicker","nosuch@bookTicker","ethusdt@bookTicker"],"id":3}`,
				`{"result":null,"id":"x"}`,
				`{"result":["ethusdt@bookTicker"],"id":null}`)
			for _, code := range []string{`{"error":{"code":2,`, `{"error":{"code":3,`} {
				if got := c.hear(); !strings.HasPrefix(got, code) {
					t.Errorf("got %s, want %s…", got, code)
				}
			}
		})
	})
	t.Run("a raw stream", func(t *testing.T) {
		t.Parallel()
		bothEnds(t, "binance", binanceSocket+"/ws/btcusdt@bookTicker", func(t *testing.T, w *world.World, c *talk) {
			t.Helper()
			c.want(binanceSays(w, btc))
			c.say(`{"method":"SUBSCRIBE","params":["ethusdt@bookTicker","BTCUSDT@bookTicker"],"id":1}`)
			c.want(`{"result":null,"id":1}`, binanceSays(w, eth))
		})
	})
}

func TestSockets_RequireUpgrade(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"https://ws.kraken.com/v2", "https://data-stream.binance.vision/stream?streams=btcusdt@bookTicker", "https://stream.binance.com:9443/ws"} {
		r, err := (&http.Client{Transport: wire.New(newWorld(t))}).Do(question{}.request(t, target))
		if err != nil {
			t.Fatal(err)
		}
		if closeIt(t, r); r.StatusCode != http.StatusUpgradeRequired || r.Header.Get("Upgrade") != "websocket" {
			t.Errorf("%s: status %d, %v", target, r.StatusCode, r.Header)
		}
	}
}

// living is a world whose clock is that of a bubble.
func living(t *testing.T) *world.World {
	t.Helper()
	w, err := world.New(world.Config{Seed: "causeway"}, time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestKrakenSocketTellsWhatChanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		world, btc := living(t), core.Pair{Base: "BTC", Counter: "USD"}
		c := connect(t, wire.New(world), krakenSocket, func() {})
		start := time.Now()
		c.say(`{"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD"],"event_trigger":"bbo"}}`)
		c.hear()
		c.hear()
		c.want(krakenSays(world, "snapshot", btc))
		last, updates := start, 0
		for time.Since(start) < time.Minute {
			message := c.hear()
			now := time.Now()
			if age := now.Sub(last); age > time.Second || age <= 0 || now.Sub(start)%(250*time.Millisecond) != 0 {
				t.Fatalf("%s after %s", message, age)
			}
			last = now
			if message == `{"channel":"heartbeat"}` {
				continue
			}
			if updates++; message != krakenSays(world, "update", btc) {
				t.Fatalf("got %s, want the book as it is", message)
			}
		}
		if updates < 10 {
			t.Errorf("%d updates of a busy market in a minute", updates)
		}
	})
}

func TestBinanceSocketTellsWhatChanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		world, btc := living(t), core.Pair{Base: "BTC", Counter: "USDT"}
		var pings []time.Duration
		start := time.Now()
		c := connect(t, wire.New(world), binanceSocket+"/ws/btcusdt@bookTicker", func() { pings = append(pings, time.Since(start)) })
		var told []string
		for time.Since(start) < time.Minute {
			message := c.hear()
			if message != binanceSays(world, btc) || time.Since(start)%(250*time.Millisecond) != 0 {
				t.Fatalf("got %s, want the book as it is", message)
			}
			_, prices, _ := strings.Cut(message, `"b":`)
			told = append(told, prices)
		}
		if len(told) < 10 || len(slices.Compact(slices.Clone(told))) != len(told) {
			t.Errorf("%d events of a busy market in a minute, some of them twice", len(told))
		}
		if want := []time.Duration{20 * time.Second, 40 * time.Second, time.Minute}; !slices.Equal(pings, want[:len(pings)]) || len(pings) < 2 {
			t.Errorf("pinged after %v, want %v", pings, want)
		}
	})
}

func TestSockets_Close(t *testing.T) {
	t.Parallel()
	t.Run("after a day", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, wire.New(living(t)), binanceSocket+"/ws/nosuch@bookTicker", func() {})
			start := time.Now()
			_, _, err := c.conn.Read(t.Context())
			if took := time.Since(start); err == nil || took != 24*time.Hour {
				t.Errorf("%v after %s", err, took)
			}
		})
	})
	t.Run("on who does not answer a ping for a minute", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			options := websocket.DialOptions{
				HTTPClient:     &http.Client{Transport: wire.New(living(t))},
				OnPingReceived: func(context.Context, []byte) bool { return false },
			}
			conn, _, err := websocket.Dial(t.Context(), binanceSocket+"/ws/btcusdt@bookTicker", &options)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			for err == nil {
				_, _, err = conn.Read(t.Context())
			}
			if took := time.Since(start); took != 80*time.Second {
				t.Errorf("%v after %s, want 80s", err, took)
			}
		})
	})
}

func TestConnectionInProcess(t *testing.T) {
	t.Parallel()
	upgrade := func(handle func(conn net.Conn)) http.RoundTripper {
		return wire.Loopback(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusSwitchingProtocols)
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			handle(conn)
			if r.Context().Err() != nil {
				t.Error("the handler's context ended with the client's")
			}
		}))
	}
	open := func(t *testing.T, transport http.RoundTripper) io.ReadWriteCloser {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://any.test/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := (&http.Client{Transport: transport}).Do(r)
		if err != nil || response.StatusCode != http.StatusSwitchingProtocols {
			t.Fatalf("got %v, %v", response, err)
		}
		conn, ok := response.Body.(io.ReadWriteCloser)
		if !ok {
			t.Fatalf("got a body of type %T", response.Body)
		}
		return conn
	}
	t.Run("is there in both directions at the same time, and outlives the request", func(t *testing.T) {
		t.Parallel()
		size := 1 << 20
		conn := open(t, upgrade(func(conn net.Conn) {
			go func() { _, _ = io.Copy(io.Discard, conn) }()
			if n, err := conn.Write(make([]byte, size)); n != size || err != nil {
				t.Errorf("wrote %d bytes, %v", n, err)
			}
			_ = conn.Close()
		}))
		written := make(chan struct{})
		go func() {
			defer close(written)
			_, _ = conn.Write(make([]byte, 1000))
		}()
		if got, err := io.ReadAll(conn); len(got) != size || err != nil {
			t.Errorf("read %d bytes, %v", len(got), err)
		}
		<-written
		if _, err := conn.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("writing to a closed connection: %v", err)
		}
		_ = conn.Close()
	})
	t.Run("ends a writer who waits for room", func(t *testing.T) {
		t.Parallel()
		ended := make(chan error)
		conn := open(t, upgrade(func(conn net.Conn) {
			if conn.LocalAddr().Network() == "tcp" || conn.RemoteAddr().String() == "" {
				t.Errorf("got %s", conn.LocalAddr())
			}
			for _, set := range []func(time.Time) error{conn.SetDeadline, conn.SetReadDeadline, conn.SetWriteDeadline} {
				if err := set(time.Time{}); !errors.Is(err, os.ErrNoDeadline) {
					t.Errorf("got %v", err)
				}
			}
			_, err := conn.Write(make([]byte, 1<<20))
			ended <- err
		}))
		if _, err := io.ReadFull(conn, make([]byte, 1000)); err != nil {
			t.Error(err)
		}
		_ = conn.Close()
		if err := <-ended; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("is closed where the handler did not take it", func(t *testing.T) {
		t.Parallel()
		conn := open(t, wire.Loopback(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusSwitchingProtocols) })))
		if got, err := io.ReadAll(conn); len(got) != 0 || err != nil {
			t.Errorf("read %q, %v", got, err)
		}
	})
	t.Run("is not there without switching protocols", func(t *testing.T) {
		t.Parallel()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://any.test/", http.NoBody)
		response, err := wire.Loopback(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if _, _, err := http.NewResponseController(w).Hijack(); err == nil {
				t.Error("took over a connection that nobody offered")
			}
		})).RoundTrip(r)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("got %v, %v", response, err)
		}
		closeIt(t, response)
	})
}

func TestSocketMessagesAreJSON(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		world := living(t)
		c := connect(t, wire.New(world), krakenSocket, func() {})
		c.conn.SetReadLimit(-1)
		listed := world.Market().Listed(market.Kraken)
		symbols := make([]string, len(listed))
		for i, pair := range listed {
			symbols[i] = `"` + pair.String() + `"`
		}
		c.say(`{"method":"subscribe","params":{"channel":"ticker","symbol":[` + strings.Join(symbols, ",") + `]}}`)
		for range 1 + 2*len(listed) {
			if message := c.hear(); !json.Valid([]byte(message)) || strings.Contains(message, `"error"`) {
				t.Errorf("got %s", message)
			}
		}
	})
}
