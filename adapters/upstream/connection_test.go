package upstream_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/simulator/wire"
	"causeway/simulator/wire/wiretest"
)

// calls counts how often a transport is asked, and when.
type calls struct {
	of    http.RoundTripper
	mu    sync.Mutex
	start time.Time
	at    []time.Duration
}

// RoundTrip notes the time and passes the request on.
func (c *calls) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	if c.start.IsZero() {
		c.start = time.Now()
	}
	c.at = append(c.at, time.Since(c.start))
	c.mu.Unlock()
	return c.of.RoundTrip(r)
}

// times are those of the calls so far, since the first.
func (c *calls) times() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.at)
}

func most() uint64  { return math.MaxUint64 }
func least() uint64 { return 0 }

// dialled opens a socket over a transport and returns when it was dialled within a time.
func dialled(t *testing.T, transport http.RoundTripper, entropy func() uint64, within time.Duration) []time.Duration {
	t.Helper()
	c := &calls{of: transport}
	v := &venue{t: t, socket: socketOf(t, factoryOf(t, c, upstream.Default(), entropy), toy())}
	v.ask(btcusd)
	time.Sleep(within)
	synctest.Wait()
	return c.times()
}

func TestReconnectBacksOffWithFullJitter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		entropy func() uint64
		want    []int // seconds, rounded
	}{
		"at most":  {most, []int{0, 3, 8, 17, 34, 67, 128, 189, 250}}, // pauses of 1 s and 2, 4, 8, 16, 32, 60, 60, 60
		"at least": {least, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got := dialled(t, wiretest.Saying(http.StatusBadGateway, ""), c.entropy, 5*time.Minute)
				for i, want := range c.want {
					if i >= len(got) || got[i].Round(time.Second) != time.Duration(want)*time.Second {
						t.Fatalf("dialled after %v, want %v s", got, c.want)
					}
				}
				if len(got) > 301 {
					t.Errorf("dialled %d times in 5 minutes", len(got))
				}
			})
		})
	}
}

func TestConnectionThatLastedMakesUpForFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lasts time.Duration
		want  time.Duration // from the end of the tenth connection to the next dialling: 1 s and all of the ceiling
	}{
		"a minute":              {time.Minute, 2 * time.Second},
		"a second short of one": {59 * time.Second, 61 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var ended time.Time
				dials := &calls{}
				dials.of = wiretest.Speaking(func(l *wiretest.Line) {
					if len(dials.times()) == 10 {
						for range 3 {
							time.Sleep(c.lasts / 3)
							l.Say("heartbeat")
						}
					}
					if len(dials.times()) <= 10 {
						ended = time.Now()
						return
					}
					l.Gone()
				})
				v := &venue{t: t, socket: socketOf(t, factoryOf(t, dials, upstream.Default(), most), toy())}
				v.ask(btcusd)
				time.Sleep(15 * time.Minute)
				if len(dials.times()) < 11 {
					t.Fatalf("dialled %d times", len(dials.times()))
				}
				if got := dials.start.Add(dials.times()[10]).Sub(ended).Round(time.Second); got != c.want {
					t.Errorf("dialled again after %s, want %s", got, c.want)
				}
			})
		})
	}
}

func TestRenewsBeforeTheDayIsOver(t *testing.T) {
	t.Parallel()
	inVenue(t, func(t *testing.T, v *venue) {
		v.ask(btcusd)
		for range 23*60*2 - 1 {
			v.tell("BTC/USD 1 2")
			time.Sleep(30 * time.Second)
		}
		v.tell("BTC/USD 1 2")
		time.Sleep(4 * time.Second)
		if v.want(v.ask(btcusd), "BTC/USD 1 2"); len(v.dialled()) != 1 {
			t.Fatalf("dialled after %v, want once in 23 h", v.dialled())
		}
		time.Sleep(26*time.Second + 500*time.Millisecond)
		v.want(v.ask(btcusd), "BTC/USD polled") // there is no gap
		time.Sleep(time.Second)
		v.tell("BTC/USD 5 6")
		v.want(v.ask(btcusd), "BTC/USD 5 6")
		if want := 23*time.Hour + time.Second; len(v.dialled()) != 2 || v.dialled()[1] != want {
			t.Errorf("dialled after %v, want again after %s", v.dialled(), want)
		}
		if out := v.Printed(t); strings.Contains(out, "lost") {
			t.Errorf("the log laments a renewal: %s", out)
		}
	})
}

// TestEnds goes through the ways in which a connection ends: each time the provider is polled, the log says why, and the socket is
// back a second later.
func TestEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(v *venue)
		want string // in the log
	}{
		"the server says goodbye":        {func(v *venue) { v.line().Close(websocket.StatusGoingAway) }, "unavailable: closed with code 1001"},
		"the server hangs up":            {func(v *venue) { v.tell(hangUp) }, "unavailable: connection closed early"},
		"the server announces its end":   {func(v *venue) { v.tell("leaving") }, "unavailable: the provider announced that it closes the connection"},
		"half a message":                 {func(v *venue) { v.line().Half("BTC/USD 7"); v.tell(hangUp) }, "unavailable: connection closed early"},
		"a message that is too large":    {func(v *venue) { v.tell("BTC/USD 1 " + strings.Repeat("9", 4<<20)) }, "malformed: a message is too large"},
		"a minute without a message":     {func(*venue) { time.Sleep(time.Minute) }, "timeout: silent for 1m0s"},
		"half a message, and no end yet": {func(v *venue) { v.line().Half("BTC/USD 7"); time.Sleep(time.Minute) }, "timeout: silent for 1m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inVenue(t, func(t *testing.T, v *venue) {
				v.ask(btcusd)
				v.tell("BTC/USD 1 2")
				c.end(v)
				synctest.Wait()
				v.want(v.ask(btcusd), "BTC/USD polled")
				time.Sleep(time.Second)
				synctest.Wait()
				v.tell("BTC/USD 3 4")
				v.want(v.ask(btcusd), "BTC/USD 3 4")
				out := v.Printed(t)
				if !strings.Contains(out, `"error":"`+c.want+`"`) || strings.Count(out, "websocket lost") != 1 || strings.Count(out, "websocket is back") != 1 {
					t.Errorf("want %q, once, and that it is back; got %s", c.want, out)
				}
				if strings.Contains(out, "nobody repeats") || strings.Contains(out, "venue.test") {
					t.Errorf("the log repeats the provider: %s", out)
				}
			})
		})
	}
}

func TestPings(t *testing.T) {
	t.Parallel()
	t.Run("are answered", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			answered := 0
			world := upstreamtest.OpenAt(t, wire.Loopback(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				conn, err := websocket.Accept(w, r, nil)
				if err != nil {
					t.Error(err)
					return
				}
				ctx := conn.CloseRead(r.Context())
				for range 3 {
					if conn.Ping(ctx) == nil {
						answered++
					}
				}
				<-ctx.Done()
			})), time.Now)
			v := &venue{t: t, World: world, socket: socketOf(t, world.Factory, toy())}
			stream := toy()
			stream.Subscribe = func([]string) (string, [][]byte) { return "", nil }
			v.socket = socketOf(t, world.Factory, stream)
			v.ask(btcusd)
			if answered != 3 {
				t.Errorf("%d of 3 pings were answered", answered)
			}
		})
	})
	t.Run("find out that nobody is at the other end", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			over := make(chan struct{})
			t.Cleanup(func() { close(over) })
			got := dialled(t, wire.Loopback(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				conn, err := websocket.Accept(w, r, nil)
				if err != nil {
					t.Error(err)
					return
				}
				<-over // it reads nothing, and answers nothing
				_ = conn.CloseNow()
			})), least, 30*time.Second)
			if want := 26 * time.Second; len(got) != 2 || got[1] != want { // 15 s, 10 s for an answer, 1 s
				t.Errorf("dialled after %v, want again after %s", got, want)
			}
		})
	})
	t.Run("keep a quiet connection from being taken for a dead one", func(t *testing.T) {
		t.Parallel()
		inVenue(t, func(t *testing.T, v *venue) {
			v.ask(btcusd)
			v.tell("BTC/USD 1 2")
			time.Sleep(59 * time.Second)
			v.tell("heartbeat")
			if v.want(v.ask(btcusd), "BTC/USD 1 2"); len(v.dialled()) != 1 {
				t.Errorf("dialled %d times", len(v.dialled()))
			}
		})
	})
}

func TestHandshakesThatFail(t *testing.T) {
	t.Parallel()
	page := "<html>a page that nobody repeats</html>"
	for name, c := range map[string]struct {
		transport http.RoundTripper
		outcome   upstream.Outcome
		again     time.Duration // until the second attempt
	}{
		"a lost connection":       {wiretest.Resetting(), upstream.Unavailable, time.Second},
		"an answer that is none":  {wiretest.Hanging(), upstream.TimedOut, 5 * time.Second},
		"a page":                  {wiretest.Saying(200, page), upstream.Malformed, time.Second},
		"101 and nothing behind":  {wiretest.Saying(101, page), upstream.Malformed, time.Second},
		"a redirect, not gone to": {wiretest.Saying(302, page, "Location", "https://elsewhere.test/"), upstream.Unavailable, time.Second},
		"no such path":            {wiretest.Saying(404, page), upstream.Undecided, time.Second},
		"too many requests":       {wiretest.Saying(429, page, "Retry-After", "120"), upstream.Throttled, 2 * time.Minute},
		"too many, without a word of when to come back": {wiretest.Saying(429, page), upstream.Throttled, time.Second},
		"a ban":                          {wiretest.Saying(418, page, "Retry-After", "259200"), upstream.Throttled, 72 * time.Hour},
		"an outage":                      {wiretest.Saying(503, page, "Retry-After", "7"), upstream.Unavailable, 7 * time.Second},
		"an outage that promises a week": {wiretest.Saying(503, page, "Retry-After", "604800"), upstream.Unavailable, 5 * time.Minute},
		"the firewall":                   {wiretest.Saying(403, page), upstream.Refused, time.Second},
		"a country that is not served":   {wiretest.Saying(451, page), upstream.Refused, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dials := &calls{of: c.transport}
				world := upstreamtest.OpenAt(t, dials, time.Now)
				v := &venue{t: t, World: world, socket: socketOf(t, world.Factory, toy())}
				v.want(v.ask(btcusd), "BTC/USD polled")
				time.Sleep(c.again - time.Millisecond)
				synctest.Wait()
				if got := len(dials.times()); got != 1 {
					t.Errorf("dialled %d times before %s", got, c.again)
				}
				out := v.Printed(t)
				if counted := fmt.Sprintf(`name:"outcome" value:"%s"`, c.outcome); !strings.Contains(strings.ReplaceAll(out, "  ", " "), counted) {
					t.Errorf("want %s counted: %s", c.outcome, out)
				}
				if alert := strings.Contains(out, `"level":"error"`); alert != (c.outcome == upstream.Refused) || strings.Contains(out, "nobody repeats") {
					t.Errorf("got %s", out)
				}
				time.Sleep(2 * time.Millisecond)
				synctest.Wait()
				if got := len(dials.times()); got != 2 {
					t.Errorf("dialled %d times by %s", got, c.again)
				}
			})
		})
	}
}

func TestProviderThatToldItsPollersToWaitIsNotDialled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dials := &calls{of: wiretest.Speaking((*wiretest.Line).Gone)}
		world := upstreamtest.OpenAt(t, wiretest.Split(dials, wiretest.Saying(418, "", "Retry-After", "90")), time.Now)
		client, err := world.Factory.Client(upstream.Provider{Name: "venue", BaseURL: "https://venue.test", Patient: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := client.GetJSON(t.Context(), "ticker", "/", nil, &struct{}{}); err == nil {
			t.Fatal("got an answer from a ban")
		}
		v := &venue{t: t, World: world, socket: socketOf(t, world.Factory, toy())}
		v.ask(btcusd)
		time.Sleep(89 * time.Second)
		synctest.Wait()
		if len(dials.times()) != 0 {
			t.Errorf("dialled %d times during a ban", len(dials.times()))
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if len(dials.times()) != 1 {
			t.Errorf("dialled %d times after the ban", len(dials.times()))
		}
	})
}

// TestCloseEndsEverything relies on goleak, and on bubbles that do not end while a goroutine is left in them.
func TestCloseEndsEverything(t *testing.T) {
	for name, transport := range map[string]http.RoundTripper{
		"connected": wiretest.Speaking((*wiretest.Line).Gone),
		"dialling":  wiretest.Hanging(),
		"waiting":   wiretest.Saying(http.StatusServiceUnavailable, ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				world := upstreamtest.OpenAt(t, transport, time.Now)
				v := &venue{t: t, World: world, socket: socketOf(t, world.Factory, toy())}
				v.ask(btcusd)
				start := time.Now()
				v.socket.Close()
				v.socket.Close()
				if took := time.Since(start); took != 0 {
					t.Errorf("took %s to close", took)
				}
				v.want(v.ask(btcusd), "BTC/USD polled")
				if out := v.Printed(t); strings.Contains(out, "canceled") || strings.Contains(out, "closed by us") {
					t.Errorf("closing counts as a failure: %s", out)
				}
			})
		})
	}
	t.Run("before the first question", func(t *testing.T) {
		t.Parallel()
		dials := &calls{of: wiretest.Hanging()}
		world := upstreamtest.Open(t, dials)
		v := &venue{t: t, World: world, socket: socketOf(t, world.Factory, toy())}
		v.socket.Close()
		if got, err := v.observe(t.Context(), btcusd); err != nil || len(got) != 1 || len(dials.times()) > 0 {
			t.Errorf("got %v, %v after %d calls", got, err, len(dials.times()))
		}
	})
}

func TestSocketMetrics(t *testing.T) {
	t.Parallel()
	inVenue(t, func(t *testing.T, v *venue) {
		v.wantUp("0")
		v.ask(btcusd)
		v.tell("hello", "heartbeat", "refused", "garbage", "BTC/USD 1 2 2", "BTC/USD 1 2 1", "BTC/GBP 1 2", "BTC/USD 0 2 3", "BTC/USD 1 2 4")
		v.ask(btcusd)
		v.wantUp("1")
		time.Sleep(6 * time.Second)
		v.ask(btcusd)
		v.wantUp("0")
		v.tell("leaving")
		time.Sleep(time.Second)
		synctest.Wait()
		want := []string{
			"connects ok 2", "messages heartbeat 1", "messages leaving 1", "messages malformed 1", "messages other 1", "messages outdated 1",
			"messages quote 2", "messages refused 1", "messages unasked 1", "messages unreadable 1",
		}
		if got := v.counted(); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// counted are the counters of sockets: "connects ok 1".
func (v *venue) counted() []string {
	v.t.Helper()
	var out []string
	families, err := v.Registry.Gather()
	if err != nil {
		v.t.Fatal(err)
	}
	for _, family := range families {
		name, ok := strings.CutPrefix(family.GetName(), "causeway_upstream_socket_")
		if !ok || name == "up" {
			continue
		}
		for _, m := range family.GetMetric() {
			out = append(out, fmt.Sprint(strings.TrimSuffix(name, "_total"), " ", m.GetLabel()[0].GetValue(), " ", m.GetCounter().GetValue()))
		}
	}
	slices.Sort(out)
	return out
}

func (v *venue) wantUp(want string) {
	v.t.Helper()
	families, err := v.Registry.Gather()
	if err != nil {
		v.t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "causeway_upstream_socket_up" {
			if got := fmt.Sprint(family.GetMetric()[0].GetGauge().GetValue()); got != want {
				v.t.Errorf("up is %s, want %s", got, want)
			}
			return
		}
	}
	v.t.Error("there is no metric of whether the socket is up")
}

func TestQuestionsAreAnsweredPromptlyWhateverTheSocketDoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		world := upstreamtest.OpenAt(t, wiretest.Hanging(), time.Now)
		v := &venue{t: t, World: world, socket: socketOf(t, world.Factory, toy())}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		start := time.Now()
		if _, err := v.observe(ctx, btcusd); err != nil || time.Since(start) != 0 {
			t.Errorf("got %v after %s", err, time.Since(start))
		}
	})
}
