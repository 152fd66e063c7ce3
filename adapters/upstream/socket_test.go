package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/simulator/wire/wiretest"
)

var (
	btcusd = core.Pair{Base: "BTC", Counter: "USD"}
	ethusd = core.Pair{Base: "ETH", Counter: "USD"}
	odd    = core.Pair{Base: "", Counter: "USD"} // which the stream cannot call anything
)

// toy is a stream of messages such as "heartbeat" or "BTC/USD 1 2", with a sequence number and a time behind it, if any.
func toy() upstream.Stream {
	return upstream.Stream{
		Provider: "venue", URL: "wss://venue.test/v9", Path: "/stream",
		Symbol: func(p core.Pair) string {
			if p.Base == "" {
				return ""
			}
			return p.String()
		},
		Subscribe: func(symbols []string) (string, [][]byte) {
			return "s=" + strings.Join(symbols, "@"), [][]byte{[]byte("subscribe " + strings.Join(symbols, " "))}
		},
		Read: func(message []byte) (upstream.News, error) {
			fields := strings.Fields(string(message))
			switch word := fields[0]; {
			case word == "garbage":
				return upstream.News{}, errors.New("garbage")
			case len(fields) < 3:
				return upstream.News{Heartbeat: word == "heartbeat", Refused: word == "refused", Leaving: word == "leaving"}, nil
			}
			q := upstream.Quote{Symbol: fields[0], Bid: json.RawMessage(fields[1]), Ask: json.RawMessage(fields[2])}
			if len(fields) > 3 {
				n, err := strconv.ParseUint(fields[3], 10, 64)
				if err != nil {
					return upstream.News{}, err
				}
				q.Sequence = n
			}
			if len(fields) > 4 {
				at, err := time.Parse(time.RFC3339Nano, fields[4])
				if err != nil {
					return upstream.News{}, err
				}
				q.At = at
			}
			return upstream.News{Quotes: []upstream.Quote{q}}, nil
		},
	}
}

// venue is a provider whose WebSocket a test holds in its hand: say makes it say something.
type venue struct {
	*upstreamtest.World
	t      *testing.T
	socket *upstream.Socket
	say    chan string
	polls  [][]core.Pair
	fail   error // of polling

	mu    sync.Mutex
	lines []*wiretest.Line // of all connections so far
	dials []time.Duration  // when it was called, since the start
}

func (v *venue) dialled() []time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.dials)
}

// line is the venue's end of the first connection.
func (v *venue) line() *wiretest.Line {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.lines[0]
}

const hangUp = "" // said by the venue, it ends the connection

// inVenue runs a test in a bubble, with a socket over a venue.
func inVenue(t *testing.T, test func(t *testing.T, v *venue)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		v := &venue{t: t, say: make(chan string)}
		start := time.Now()
		v.World = upstreamtest.OpenAt(t, wiretest.Speaking(func(l *wiretest.Line) {
			v.mu.Lock()
			v.lines, v.dials = append(v.lines, l), append(v.dials, time.Since(start))
			v.mu.Unlock()
			v.serve(l)
		}), time.Now)
		v.socket = socketOf(t, v.Factory, toy())
		test(t, v)
	})
}

func socketOf(t *testing.T, factory *upstream.Factory, stream upstream.Stream) *upstream.Socket {
	t.Helper()
	socket, err := factory.Socket(stream)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(socket.Close)
	return socket
}

// serve says what it is told to, until the client hangs up.
func (v *venue) serve(l *wiretest.Line) {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for l.Hear() != "" {
			continue
		}
	}()
	for {
		select {
		case text := <-v.say:
			if text == hangUp {
				return
			}
			l.Say(text)
		case <-gone:
			return
		}
	}
}

// tell lets the venue say something, and the socket hear it.
func (v *venue) tell(messages ...string) {
	v.t.Helper()
	for _, m := range messages {
		v.say <- m
		synctest.Wait()
	}
}

// ask observes markets and returns where each came from: "BTC/USD 1 2" from the socket, "BTC/USD polled".
func (v *venue) ask(markets ...core.Pair) []string {
	v.t.Helper()
	got, err := v.observe(v.t.Context(), markets...)
	if err != nil {
		v.t.Error(err)
	}
	out := make([]string, len(got))
	for i, o := range got {
		if out[i] = o.Pair.String() + " " + o.Bid.String() + " " + o.Ask.String(); o.Source == "polled" {
			out[i] = o.Pair.String() + " polled"
		}
	}
	synctest.Wait()
	return out
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

func (v *venue) want(got []string, want ...string) {
	v.t.Helper()
	if !slices.Equal(got, want) {
		v.t.Errorf("got %q, want %q", got, want)
	}
}

// at is the time of the first observation.
func (v *venue) at(market core.Pair) time.Time {
	v.t.Helper()
	got, err := v.observe(v.t.Context(), market)
	if err != nil || len(got) != 1 {
		v.t.Fatalf("got %v, %v", got, err)
	}
	return got[0].At
}

func TestSocketAnswersFromMemory(t *testing.T) {
	t.Parallel()
	inVenue(t, func(_ *testing.T, v *venue) {
		v.want(v.ask(btcusd, ethusd), "BTC/USD polled", "ETH/USD polled") // and opens the socket
		v.tell("BTC/USD 1.50 2")
		v.want(v.ask(btcusd, ethusd), "BTC/USD 1.5 2", "ETH/USD polled")
		v.tell("ETH/USD 3 4", "BTC/USD 1.6 2")
		v.want(v.ask(ethusd, btcusd), "ETH/USD 3 4", "BTC/USD 1.6 2")
		if len(v.polls) != 2 || len(v.dialled()) != 1 {
			t.Errorf("polled %d times and called %d times, want 2 and 1", len(v.polls), len(v.dialled()))
		}
		if want := []core.Pair{ethusd}; !slices.Equal(v.polls[1], want) {
			t.Errorf("polled %v for what was missing, want %v", v.polls[1], want)
		}
	})
}

func TestSocketSubscribesToTheMarketsOfTheFirstQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked, said string
		world := upstreamtest.OpenAt(t, wiretest.Speaking(func(l *wiretest.Line) {
			asked, said = l.Request.URL.String(), l.Hear()
			l.Say("ETH/USD 3 4", "BTC/USD 1 2")
			l.Gone()
		}), time.Now)
		stream := toy()
		stream.Most = 1
		v := &venue{t: t, World: world, socket: socketOf(t, world.Factory, stream)}
		v.want(v.ask(odd), "/USD polled")
		if asked != "" {
			t.Errorf("called %s for a market without a symbol", asked)
		}
		v.ask(btcusd, odd, btcusd, ethusd)
		if asked != "https://venue.test/v9/stream?s=BTC/USD" || said != "subscribe BTC/USD" {
			t.Errorf("called %s and said %q", asked, said)
		}
		v.want(v.ask(btcusd, ethusd, odd), "BTC/USD 1 2", "ETH/USD polled", "/USD polled")
	})
}

func TestSocketThatFallsSilentIsPolledWithinFiveSeconds(t *testing.T) {
	t.Parallel()
	inVenue(t, func(_ *testing.T, v *venue) {
		v.ask(btcusd)
		v.tell("BTC/USD 1 2")
		time.Sleep(5 * time.Second)
		v.want(v.ask(btcusd), "BTC/USD 1 2")
		time.Sleep(time.Millisecond)
		v.want(v.ask(btcusd), "BTC/USD polled")
		v.tell("heartbeat") // alive again, and has not missed a thing
		v.want(v.ask(btcusd), "BTC/USD 1 2")
	})
}

func TestWhatIsNoSignOfLife(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"hello", "refused", "ETH/USD 0 4", "BTC/GBP 1 2", "BTC/USD 1 2 6"} {
		t.Run(message, func(t *testing.T) {
			t.Parallel()
			inVenue(t, func(_ *testing.T, v *venue) {
				v.ask(btcusd, ethusd)
				v.tell("BTC/USD 1 2 7")
				time.Sleep(4 * time.Second)
				v.tell(message)
				time.Sleep(2 * time.Second)
				v.want(v.ask(btcusd), "BTC/USD polled")
			})
		})
	}
}

func TestQuietMarketIsAsOldAsTheLastSignOfLife(t *testing.T) {
	t.Parallel()
	inVenue(t, func(t *testing.T, v *venue) {
		v.ask(btcusd, ethusd)
		start := time.Now()
		made := start.Add(-300 * time.Millisecond).UTC()
		v.tell("ETH/USD 3 4 1 "+made.Format(time.RFC3339Nano), "BTC/USD 1 2")
		if got := v.at(ethusd); !got.Equal(made) {
			t.Errorf("got %s, want the provider's own %s", got, made)
		}
		if got := v.at(btcusd); !got.Equal(start) {
			t.Errorf("got %s, want the instant of receipt %s", got, start)
		}
		time.Sleep(4 * time.Second)
		v.tell("heartbeat")
		time.Sleep(time.Second)
		if got, want := v.at(ethusd), made.Add(4*time.Second); !got.Equal(want) {
			t.Errorf("got %s, want %s: 4s later by the provider's clock", got, want)
		}
		if got, want := v.at(btcusd), start.Add(4*time.Second); !got.Equal(want) {
			t.Errorf("got %s, want the last sign of life %s", got, want)
		}
		v.want(v.ask(btcusd), "BTC/USD 1 2")
	})
}

func TestQuotesThatAreNotTaken(t *testing.T) {
	t.Parallel()
	const first = "BTC/USD 1 2 7"
	for _, c := range []struct {
		name string
		says string
		want string // of BTC/USD; ETH/USD is always 3 4
	}{
		{"one out of order is passed over", "BTC/USD 8 9 6", "BTC/USD 1 2"},
		{"one told twice is taken", "BTC/USD 8 9 7", "BTC/USD 8 9"},
		{"a newer one is taken", "BTC/USD 8 9 8", "BTC/USD 8 9"},
		{"an unknown symbol is passed over", "BTC/GBP 8 9 8", "BTC/USD 1 2"},
		{"an empty book is no quote", "BTC/USD 0.00 9 8", "BTC/USD polled"},
		{"nor is one of two empty sides", "BTC/USD 8 0 8", "BTC/USD polled"},
		{"a comma cannot be read", `BTC/USD "8,5" 9 8`, "BTC/USD polled"},
		{"nor can NaN", `BTC/USD "NaN" 9 8`, "BTC/USD polled"},
		{"nor can null", "BTC/USD null 9 8", "BTC/USD polled"},
		{"nor can an absurd exponent", "BTC/USD 1e999 9 8", "BTC/USD polled"},
		{"a negative side is for admission to judge", "BTC/USD -8 9 8", "BTC/USD -8 9"},
		{"a crossed book is, too", "BTC/USD 9 8 8", "BTC/USD 9 8"},
		{"an exponent is a number's own affair", "BTC/USD 1e-05 2E-5 8", "BTC/USD 0.00001 0.00002"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			inVenue(t, func(_ *testing.T, v *venue) {
				v.ask(btcusd, ethusd)
				v.tell(first, "ETH/USD 3 4", c.says)
				v.want(v.ask(btcusd, ethusd), inOrder(c.want, "ETH/USD 3 4")...)
				v.tell("BTC/USD 5 6 5") // older than the one that could not be read, where it could not
				v.want(v.ask(btcusd, ethusd), inOrder(c.want, "ETH/USD 3 4")...)
			})
		})
	}
}

// inOrder puts what is polled behind what is told.
func inOrder(answers ...string) []string {
	slices.SortStableFunc(answers, func(a, b string) int {
		return strings.Count(a, "polled") - strings.Count(b, "polled")
	})
	return answers
}

func TestMessageThatCannotBeReadMayHaveBeenAboutAnything(t *testing.T) {
	t.Parallel()
	inVenue(t, func(t *testing.T, v *venue) {
		v.ask(btcusd, ethusd)
		v.tell("BTC/USD 1 2", "ETH/USD 3 4", "garbage")
		v.want(v.ask(btcusd, ethusd), "BTC/USD polled", "ETH/USD polled")
		v.tell("BTC/USD 1 2")
		v.want(v.ask(btcusd, ethusd), "BTC/USD 1 2", "ETH/USD polled")
		if len(v.dialled()) != 1 {
			t.Errorf("called %d times for a message that cannot be read", len(v.dialled()))
		}
	})
}

func TestPollingThatFailsTakesNothingFromTheSocket(t *testing.T) {
	t.Parallel()
	inVenue(t, func(t *testing.T, v *venue) {
		v.ask(btcusd, ethusd)
		v.fail = core.Errorf(core.Unavailable, "not now")
		if got, err := v.observe(t.Context(), btcusd); !errors.Is(err, v.fail) || got != nil {
			t.Errorf("got %v, %v", got, err)
		}
		v.tell("BTC/USD 1 2")
		v.want(v.ask(btcusd, ethusd), "BTC/USD 1 2")
	})
}

func TestClockThatIsSetBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &venue{t: t, say: make(chan string)}
		var back time.Duration
		v.World = upstreamtest.OpenAt(t, wiretest.Speaking(v.serve), func() time.Time { return time.Now().Add(-back) })
		v.socket = socketOf(t, v.Factory, toy())
		v.ask(btcusd, ethusd)
		v.tell("BTC/USD 1 2", "ETH/USD 3 4")
		synctest.Wait()
		back = time.Hour
		v.want(v.ask(btcusd, ethusd), "BTC/USD polled", "ETH/USD polled")
		v.tell("BTC/USD 1 2")
		v.want(v.ask(btcusd, ethusd), "BTC/USD 1 2", "ETH/USD polled")
		if got := v.at(btcusd); !got.Equal(time.Now().Add(-back)) {
			t.Errorf("got %s", got)
		}
	})
}

func TestNoSocketMeansPolling(t *testing.T) {
	t.Parallel()
	var none *upstream.Socket
	v := &venue{t: t, socket: none}
	got, err := v.observe(t.Context(), btcusd)
	if err != nil || len(got) != 1 || got[0].Source != "polled" {
		t.Errorf("got %v, %v", got, err)
	}
	none.Close()
}

func TestSocketURL(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, wiretest.Hanging()).Factory
	for _, good := range []string{"ws://venue.test", "wss://venue.test:9443/x", "http://127.0.0.1:8080", "https://venue.test/"} {
		stream := toy()
		stream.URL = good
		socketOf(t, factory, stream)
	}
	for _, bad := range []string{"", "venue.test", "ftp://venue.test", "wss://", "wss://user:secret@venue.test", "ws://venue.test?a=b", "wss://venue.test/#x", "wss:/venue"} {
		stream := toy()
		stream.URL = bad
		if _, err := factory.Socket(stream); err == nil || !strings.HasPrefix(err.Error(), "venue: socket_url is not") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

// factoryOf makes a factory over a transport, with a configuration and entropy of the test's own.
func factoryOf(t *testing.T, transport http.RoundTripper, cfg upstream.Config, entropy core.Entropy) *upstream.Factory {
	t.Helper()
	factory, err := upstream.New(cfg, upstream.Outside{Transport: transport, Clock: time.Now, Entropy: entropy}, zap.NewNop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return factory
}
