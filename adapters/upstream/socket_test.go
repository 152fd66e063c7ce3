package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/simulator/wire/wiretest"
)

var (
	btcusd = core.Pair{Base: "BTC", Counter: "USD"}
	ethusd = core.Pair{Base: "ETH", Counter: "USD"}
	odd    = core.Pair{Base: "", Counter: "USD"} // has no symbol
)

// stream has messages such as "heartbeat", "BTC/USD 1 2" and "BTC/USD 1 2 <time>".
func stream() upstream.Stream {
	return upstream.Stream{
		Provider: "venue", URL: "wss://venue.test/v9", Path: "/stream",
		Symbol: func(p core.Pair) string {
			if p == odd {
				return ""
			}
			return p.String()
		},
		Subscribe: func(symbols []string) (string, []byte) {
			return "s=" + strings.Join(symbols, "@"), []byte("subscribe " + strings.Join(symbols, " "))
		},
		Read: func(message []byte) (upstream.Message, error) {
			fields := strings.Fields(string(message))
			word := fields[0]
			if word == "garbage" {
				return upstream.Message{}, errors.New("garbage")
			}
			if len(fields) < 3 {
				status := map[string]upstream.MarketStatus{"online": upstream.Trading, "halted": upstream.Halted}[word]
				return upstream.Message{Heartbeat: word == "heartbeat", Status: status}, nil
			}
			q := upstream.Quote{Symbol: word, Bid: json.RawMessage(fields[1]), Ask: json.RawMessage(fields[2])}
			if len(fields) > 3 {
				var err error
				if q.At, err = time.Parse(time.RFC3339Nano, fields[3]); err != nil {
					return upstream.Message{}, err
				}
			}
			return upstream.Message{Quotes: []upstream.Quote{q}}, nil
		},
	}
}

// venue is a provider with a WebSocket, inside a synctest bubble.
type venue struct {
	*upstreamtest.World
	t      *testing.T
	socket *upstream.Socket
	say    chan func(*wiretest.Line) // what the server does next; nil: hang up
	dials  atomic.Int32
	asked  string        // URL of the last connection and its first message
	back   time.Duration // by which the clock was set back
	polls  [][]core.Pair
	fail   error // of polling
}

func inVenue(t *testing.T, test func(t *testing.T, v *venue)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		v := &venue{say: make(chan func(*wiretest.Line))}
		v.open(t, wiretest.Speaking(v.serve))
		test(t, v)
	})
}

func (v *venue) open(t *testing.T, transport http.RoundTripper) {
	t.Helper()
	v.t, v.World = t, upstreamtest.OpenAt(t, transport, func() time.Time { return time.Now().Add(-v.back) })
	var err error
	if v.socket, err = v.Factory.Socket(stream()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.socket.Close)
}

// serve is the server's end of a connection.
func (v *venue) serve(l *wiretest.Line) {
	v.dials.Add(1)
	v.asked = l.Request.URL.String() + " " + l.Hear()
	gone := make(chan struct{})
	go func() {
		l.Gone()
		close(gone)
	}()
	for {
		select {
		case do := <-v.say:
			if do == nil {
				return
			}
			do(l)
		case <-gone:
			return
		}
	}
}

// send sends messages and waits until the socket has read them.
func (v *venue) send(messages ...string) {
	for _, m := range messages {
		v.do(func(l *wiretest.Line) { l.Say(m) })
	}
}

func (v *venue) do(what func(*wiretest.Line)) {
	v.say <- what
	synctest.Wait()
}

func (v *venue) observe(ctx context.Context, markets ...core.Pair) ([]core.Observation, error) {
	return v.socket.Observe(ctx, markets, func(_ context.Context, of []core.Pair) ([]core.Observation, error) {
		v.polls = append(v.polls, of)
		if v.fail != nil {
			return nil, v.fail
		}
		out := make([]core.Observation, len(of))
		for i, p := range of {
			out[i] = core.Observation{Pair: p, At: time.Now(), Source: "polled"}
		}
		return out, nil
	})
}

// want checks observations: "BTC/USD 1 2" is from the socket, "BTC/USD polled" is not.
func (v *venue) want(markets []core.Pair, want ...string) {
	v.t.Helper()
	got, err := v.observe(v.t.Context(), markets...)
	if err != nil {
		v.t.Error(err)
	}
	lines := make([]string, len(got))
	for i, o := range got {
		if lines[i] = o.Pair.String() + " " + o.Bid.String() + " " + o.Ask.String(); o.Source == "polled" {
			lines[i] = o.Pair.String() + " polled"
		}
		if o.Streamed == (o.Source == "polled") {
			v.t.Errorf("%s: streamed: %t", lines[i], o.Streamed)
		}
	}
	if !slices.Equal(lines, want) {
		v.t.Errorf("got %q, want %q", lines, want)
	}
	synctest.Wait()
}

var both = []core.Pair{btcusd, ethusd}

func TestSocket(t *testing.T) {
	t.Parallel()
	inVenue(t, func(t *testing.T, v *venue) {
		v.want([]core.Pair{odd}, "/USD polled")
		if v.dials.Load() > 0 {
			t.Error("connected for a market without a symbol")
		}
		v.want([]core.Pair{btcusd, odd, btcusd, ethusd}, "BTC/USD polled", "/USD polled", "BTC/USD polled", "ETH/USD polled")
		if want := "https://venue.test/v9/stream?s=BTC/USD@ETH/USD subscribe BTC/USD ETH/USD"; v.asked != want {
			t.Errorf("got %s, want %s", v.asked, want)
		}
		v.send("BTC/USD 1.50 2")
		v.polls = nil
		v.want(both, "BTC/USD 1.5 2", "ETH/USD polled")
		v.send("ETH/USD 3 4", "BTC/USD 1.6 2")
		v.want([]core.Pair{ethusd, btcusd}, "ETH/USD 3 4", "BTC/USD 1.6 2")
		if len(v.polls) != 1 || !slices.Equal(v.polls[0], []core.Pair{ethusd}) || v.dials.Load() != 1 {
			t.Errorf("polled %v over %d connections", v.polls, v.dials.Load())
		}
	})
}

// TestSocket_Messages sends a quote of 1 and 2 for BTC and one of 3 and 4 for ETH, and then another
// message.
func TestSocket_Messages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ message, btc, eth string }{
		"newer quote":     {"BTC/USD 8 9", "BTC/USD 8 9", "ETH/USD 3 4"},
		"unknown symbol":  {"BTC/GBP 8 9", "BTC/USD 1 2", "ETH/USD 3 4"},
		"exponents":       {"BTC/USD 1e-05 2E-5", "BTC/USD 0.00001 0.00002", "ETH/USD 3 4"},
		"negative":        {"BTC/USD -8 9", "BTC/USD -8 9", "ETH/USD 3 4"}, // judged by the admission of prices
		"crossed":         {"BTC/USD 9 8", "BTC/USD 9 8", "ETH/USD 3 4"},
		"no bids":         {"BTC/USD 0.00 9", "BTC/USD polled", "ETH/USD 3 4"},
		"no asks":         {"BTC/USD 8 0", "BTC/USD polled", "ETH/USD 3 4"},
		"comma":           {`BTC/USD "8,5" 9`, "BTC/USD polled", "ETH/USD 3 4"},
		"NaN":             {`BTC/USD "NaN" 9`, "BTC/USD polled", "ETH/USD 3 4"},
		"null":            {"BTC/USD null 9", "BTC/USD polled", "ETH/USD 3 4"},
		"absurd exponent": {"BTC/USD 1e999 9", "BTC/USD polled", "ETH/USD 3 4"},
		"malformed":       {"garbage", "BTC/USD polled", "ETH/USD polled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inVenue(t, func(_ *testing.T, v *venue) {
				v.want(both, "BTC/USD polled", "ETH/USD polled")
				v.send("BTC/USD 1 2", "ETH/USD 3 4", c.message)
				v.want([]core.Pair{btcusd}, c.btc)
				v.want([]core.Pair{ethusd}, c.eth)
				v.send("BTC/USD 5 6")
				v.want([]core.Pair{btcusd}, "BTC/USD 5 6")
			})
		})
	}
}

func TestSocket_SignOfLife(t *testing.T) {
	t.Parallel()
	for message, alive := range map[string]bool{
		"heartbeat": true, "ETH/USD 3 4": true,
		"hello": false, "ETH/USD 0 4": false, "BTC/GBP 1 2": false,
	} {
		t.Run(message, func(t *testing.T) {
			t.Parallel()
			inVenue(t, func(_ *testing.T, v *venue) {
				v.want(both, "BTC/USD polled", "ETH/USD polled")
				v.send("BTC/USD 1 2")
				time.Sleep(5 * time.Second)
				v.want([]core.Pair{btcusd}, "BTC/USD 1 2")
				v.send(message)
				time.Sleep(time.Millisecond)
				want := "BTC/USD polled"
				if alive {
					want = "BTC/USD 1 2"
				}
				v.want([]core.Pair{btcusd}, want)
			})
		})
	}
}

func TestSocket_Time(t *testing.T) {
	t.Parallel()
	inVenue(t, func(t *testing.T, v *venue) {
		v.want(both, "BTC/USD polled", "ETH/USD polled")
		start := time.Now()
		made := start.Add(-300 * time.Millisecond).UTC()
		v.send("ETH/USD 3 4 "+made.Format(time.RFC3339Nano), "BTC/USD 1 2")
		wantTimes := func(later time.Duration) {
			t.Helper()
			got, err := v.observe(t.Context(), ethusd, btcusd)
			if err != nil || len(got) != 2 || !got[0].At.Equal(made.Add(later)) || !got[1].At.Equal(start.Add(later)) {
				t.Errorf("got %v, %v", got, err)
			}
		}
		wantTimes(0)
		time.Sleep(4 * time.Second)
		v.send("heartbeat")
		time.Sleep(time.Second)
		wantTimes(4 * time.Second)
		v.back = time.Hour
		v.want([]core.Pair{btcusd}, "BTC/USD polled")
	})
}

// TestSocket_Halted checks that nothing is quoted, and nothing polled, from the message that markets are
// halted to the message that they trade again, across connections.
func TestSocket_Halted(t *testing.T) {
	t.Parallel()
	inVenue(t, func(t *testing.T, v *venue) {
		refused := func(when string) {
			t.Helper()
			v.polls = nil
			if got, err := v.observe(t.Context(), both...); core.CodeOf(err) != core.Unavailable || got != nil || v.polls != nil {
				t.Errorf("%s: got %v, %v, polled %v", when, got, err, v.polls)
			}
		}
		v.want(both, "BTC/USD polled", "ETH/USD polled")
		v.send("online", "BTC/USD 1 2", "ETH/USD 3 4")
		v.want(both, "BTC/USD 1 2", "ETH/USD 3 4")
		v.send("halted")
		refused("halted")
		v.send("heartbeat", "BTC/USD 1 2", "halted")
		refused("after a heartbeat and a quote")
		v.do(nil)
		refused("after the connection was lost")
		time.Sleep(time.Minute)
		v.send("BTC/USD 1 2")
		refused("on the next connection")
		v.send("online")
		v.want(both, "BTC/USD polled", "ETH/USD polled")
		v.send("BTC/USD 5 6")
		v.want(both, "BTC/USD 5 6", "ETH/USD polled")
		if log := v.Printed(t); strings.Count(log, "markets halted") != 1 || strings.Count(log, "markets trade again") != 1 {
			t.Errorf("got log %s", log)
		}
	})
}

// TestSocket_HaltedWhilePolling checks that quotes polled while markets were halted are dropped.
func TestSocket_HaltedWhilePolling(t *testing.T) {
	t.Parallel()
	inVenue(t, func(t *testing.T, v *venue) {
		v.want(both, "BTC/USD polled", "ETH/USD polled")
		got, err := v.socket.Observe(t.Context(), both, func(context.Context, []core.Pair) ([]core.Observation, error) {
			v.send("halted")
			return []core.Observation{{Pair: btcusd, Source: "polled"}}, nil
		})
		if core.CodeOf(err) != core.Unavailable || got != nil {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

func TestSocket_PollFails(t *testing.T) {
	t.Parallel()
	inVenue(t, func(t *testing.T, v *venue) {
		v.fail = core.Errorf(core.Unavailable, "not now")
		if got, err := v.observe(t.Context(), both...); !errors.Is(err, v.fail) || got != nil {
			t.Errorf("got %v, %v", got, err)
		}
		synctest.Wait()
		v.send("BTC/USD 1 2")
		v.want(both, "BTC/USD 1 2")
	})
}

// TestSocket_Ends lists how a connection ends. The provider is polled until the next one.
func TestSocket_Ends(t *testing.T) {
	t.Parallel()
	say := func(text string) func(*venue) { return func(v *venue) { v.send(text) } }
	for name, c := range map[string]struct {
		end func(v *venue)
		log string
	}{
		"close frame":  {func(v *venue) { v.do(func(l *wiretest.Line) { l.Close(websocket.StatusGoingAway) }) }, "unavailable: closed with code 1001"},
		"lost":         {func(v *venue) { v.do(nil) }, "unavailable: connection closed early"},
		"half, lost":   {func(v *venue) { v.do(func(l *wiretest.Line) { l.Half("BTC/USD 7") }); v.do(nil) }, "unavailable: connection closed early"},
		"too large":    {say("BTC/USD 1 " + strings.Repeat("9", 4<<20)), "malformed: a message is too large"},
		"silent":       {func(*venue) { time.Sleep(time.Minute) }, "timeout: silent for 1m0s"},
		"half, silent": {func(v *venue) { v.do(func(l *wiretest.Line) { l.Half("BTC/USD 7") }); time.Sleep(time.Minute) }, "timeout: silent for 1m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inVenue(t, func(t *testing.T, v *venue) {
				v.want([]core.Pair{btcusd}, "BTC/USD polled")
				v.send("BTC/USD 1 2")
				c.end(v)
				synctest.Wait()
				v.want([]core.Pair{btcusd}, "BTC/USD polled")
				time.Sleep(3 * time.Second)
				synctest.Wait()
				v.send("BTC/USD 3 4")
				v.want([]core.Pair{btcusd}, "BTC/USD 3 4")
				out := v.Printed(t)
				if !strings.Contains(out, `"error":"`+c.log+`"`) || strings.Count(out, "websocket lost") != 1 || strings.Contains(out, "venue.test") {
					t.Errorf("want %q once, got %s", c.log, out)
				}
			})
		})
	}
}

// TestSocket_Rejected lists how opening a connection fails.
func TestSocket_Rejected(t *testing.T) {
	t.Parallel()
	const page = "<html>a page that is not repeated</html>"
	for name, c := range map[string]struct {
		transport   http.RoundTripper
		outcome     upstream.Outcome
		least, most time.Duration // until the second attempt
	}{
		"lost connection":   {wiretest.Resetting(), upstream.Unavailable, time.Second, 3 * time.Second},
		"no response":       {wiretest.Hanging(), upstream.TimedOut, 5 * time.Second, 7 * time.Second},
		"page":              {wiretest.Saying(200, page), upstream.Malformed, time.Second, 3 * time.Second},
		"101 and a page":    {wiretest.Saying(101, page), upstream.Malformed, time.Second, 3 * time.Second},
		"redirect":          {wiretest.Saying(302, page, "Location", "https://elsewhere.test/"), upstream.Unavailable, time.Second, 3 * time.Second},
		"404":               {wiretest.Saying(404, page), upstream.Undecided, time.Second, 3 * time.Second},
		"429":               {wiretest.Saying(429, page, "Retry-After", "120"), upstream.Throttled, 2 * time.Minute, 2 * time.Minute},
		"ban":               {wiretest.Saying(418, page, "Retry-After", "259200"), upstream.Throttled, 72 * time.Hour, 72 * time.Hour},
		"outage of a week":  {wiretest.Saying(503, page, "Retry-After", "604800"), upstream.Unavailable, 5 * time.Minute, 5 * time.Minute},
		"403 of a firewall": {wiretest.Saying(403, page), upstream.Refused, time.Second, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var v venue
				v.open(t, transportFunc(func(r *http.Request) (*http.Response, error) {
					v.dials.Add(1)
					return c.transport.RoundTrip(r)
				}))
				v.want([]core.Pair{btcusd}, "BTC/USD polled")
				time.Sleep(c.least - time.Millisecond)
				synctest.Wait()
				if v.dials.Load() != 1 {
					t.Errorf("connected %d times before %s", v.dials.Load(), c.least)
				}
				out := v.Printed(t)
				if !strings.Contains(strings.ReplaceAll(out, "  ", " "), `name:"outcome" value:"`+string(c.outcome)+`"`) || strings.Contains(out, "repeated") {
					t.Errorf("want %s counted: %s", c.outcome, out)
				}
				time.Sleep(c.most - c.least + 2*time.Millisecond)
				synctest.Wait()
				if v.dials.Load() < 2 {
					t.Errorf("not connected again by %s", c.most)
				}
			})
		})
	}
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestSocket_Close relies on goleak, and on bubbles that do not end while a goroutine is left.
func TestSocket_Close(t *testing.T) {
	t.Parallel()
	for name, transport := range map[string]http.RoundTripper{
		"connected":  wiretest.Speaking((*wiretest.Line).Gone),
		"connecting": wiretest.Hanging(),
		"waiting":    wiretest.Saying(http.StatusServiceUnavailable, ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var v venue
				v.open(t, transport)
				start := time.Now()
				v.want([]core.Pair{btcusd}, "BTC/USD polled")
				v.socket.Close()
				v.socket.Close()
				v.want([]core.Pair{btcusd}, "BTC/USD polled")
				if out := v.Printed(t); time.Since(start) != 0 || strings.Contains(out, "canceled") {
					t.Errorf("after %s: %s", time.Since(start), out)
				}
			})
		})
	}
	t.Run("nil", func(t *testing.T) {
		t.Parallel()
		v := venue{t: t}
		if got, err := v.observe(t.Context(), btcusd); err != nil || len(got) != 1 {
			t.Errorf("got %v, %v", got, err)
		}
		v.socket.Close()
	})
}

func TestSocket_Metrics(t *testing.T) {
	t.Parallel()
	inVenue(t, func(t *testing.T, v *venue) {
		v.want([]core.Pair{btcusd}, "BTC/USD polled")
		v.send("hello", "heartbeat", "garbage", "BTC/USD 1 2", "BTC/GBP 1 2", "BTC/USD 0 2", "BTC/USD 1 2")
		v.want([]core.Pair{btcusd}, "BTC/USD 1 2")
		got := map[string]float64{}
		families, err := v.Registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, family := range families {
			for _, m := range family.GetMetric() {
				name, _ := strings.CutPrefix(family.GetName(), "causeway_upstream_")
				got[name+" "+m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
		for name, want := range map[string]float64{
			"socket_up venue": 1, "socket_connects_total ok": 1, "socket_messages_total quote": 2,
			"socket_messages_total heartbeat": 1,
			"socket_messages_total malformed": 1, "socket_messages_total unreadable": 1, "socket_messages_total other": 2,
		} {
			if got[name] != want {
				t.Errorf("%s: got %v, want %v", name, got[name], want)
			}
		}
	})
}

func TestSocket_URL(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, wiretest.Hanging()).Factory
	for url, valid := range map[string]bool{
		"ws://venue.test": true, "wss://venue.test:9443/x": true, "http://127.0.0.1:8080": true, "https://venue.test/": true,
		"": false, "venue.test": false, "ftp://venue.test": false, "wss://": false, "wss:/venue": false,
		"wss://user:secret@venue.test": false, "ws://venue.test?a=b": false, "wss://venue.test/#x": false,
	} {
		s := stream()
		s.URL = url
		socket, err := factory.Socket(s)
		if (err == nil) != valid || !valid && (!strings.HasPrefix(err.Error(), "venue: socket_url is not") || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%q: got %v", url, err)
		}
		socket.Close()
	}
}
