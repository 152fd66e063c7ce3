package wire_test

import (
	"context"
	"net/http"
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

// lines are the sockets of venues, each told of one market.
var lines = map[string]struct {
	target, first string
	pair          core.Pair
}{
	"kraken":  {krakenSocket, `{"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USDT"],"event_trigger":"bbo"}}`, core.Pair{Base: "BTC", Counter: "USDT"}},
	"binance": {binanceSocket + "/stream?streams=btcusdt@bookTicker", `{"method":"LIST_SUBSCRIPTIONS","id":1}`, core.Pair{Base: "BTC", Counter: "USDT"}},
}

// troubles are what ends a standing connection, and how that is lifted. Whoever may connect meanwhile is told nothing of the market.
var troubles = map[string]struct {
	welcome bool // meanwhile
	begin   func(t *testing.T, world *world.World, venue string, pair core.Pair) (end func())
}{
	"a venue that is down":       {false, inState(market.Down)},
	"a market that is not there": {true, inState(market.Absent)},
	"a rule that spoils":         {false, byRule(faults.Rule{Effect: faults.Effect{Kind: faults.Inverted}})},
	"a rule for everybody":       {false, byRule(faults.Rule{Effect: faults.Effect{Kind: faults.Refuse}})},
	"a rule for sockets":         {false, byRule(faults.Rule{Match: faults.Match{Header: map[string]string{"Upgrade": "websocket"}}, Effect: faults.Effect{Kind: faults.Hang}})},
}

func inState(state market.State) func(*testing.T, *world.World, string, core.Pair) func() {
	return func(t *testing.T, w *world.World, venue string, pair core.Pair) func() {
		t.Helper()
		s := market.Setting{Venues: map[string]market.VenueSetting{venue: {State: state}}}
		if err := w.Market().Set(pair, s, w.Now(), time.Time{}); err != nil {
			t.Fatal(err)
		}
		return func() {
			if err := w.Market().Lift(pair, w.Now()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func byRule(r faults.Rule) func(*testing.T, *world.World, string, core.Pair) func() {
	return func(t *testing.T, w *world.World, _ string, _ core.Pair) func() {
		t.Helper()
		if _, err := w.Faults().Add(r, w.Now()); err != nil {
			t.Fatal(err)
		}
		return w.Faults().Reset
	}
}

// TestNoSocketHidesWhatIsDoneToAVenue holds a connection of each venue while something is done to the world: it ends at once, so that whoever hears it
// asks instead, and comes back when that is over.
func TestNoSocketHidesWhatIsDoneToAVenue(t *testing.T) {
	t.Parallel()
	for venue, line := range lines {
		for name, trouble := range troubles {
			t.Run(venue+", "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					world := living(t)
					w := wire.New(world)
					c := connect(t, w, line.target, func() {})
					c.say(line.first)
					c.hearsOf("BTC")
					end := trouble.begin(t, world, venue, line.pair)
					began := time.Now()
					ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
					defer cancel()
					var err error
					for err == nil {
						_, _, err = c.conn.Read(ctx)
					}
					if took := time.Since(began); took > time.Second {
						t.Errorf("it stands for %s", took)
					}
					inTime, done := context.WithTimeout(t.Context(), time.Second)
					defer done()
					again, _, err := websocket.Dial(inTime, line.target, &websocket.DialOptions{HTTPClient: &http.Client{Transport: w}})
					if (err == nil) != trouble.welcome {
						t.Errorf("another one: %v", err)
					}
					if err == nil {
						heardNothing(t, again, line.first)
					}
					end()
					c = connect(t, w, line.target, func() {})
					c.say(line.first)
					c.hearsOf("BTC")
				})
			})
		}
	}
}

// hearsOf hears messages until one quotes a market of a currency.
func (c *talk) hearsOf(currency string) {
	c.t.Helper()
	for range 20 {
		if message := c.hear(); strings.Contains(message, currency) && strings.Contains(message, `"data":`) {
			return
		}
	}
	c.t.Fatalf("nothing is told of %s", currency)
}

// heardNothing hears a connection for ten seconds, in which no quote comes, and hangs up.
func heardNothing(t *testing.T, conn *websocket.Conn, first string) {
	t.Helper()
	defer func() { _ = conn.CloseNow() }()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := conn.Write(ctx, websocket.MessageText, []byte(first)); err != nil {
		t.Fatal(err)
	}
	for {
		_, message, err := conn.Read(ctx)
		if err != nil {
			if ctx.Err() == nil {
				t.Errorf("it ends by itself: %v", err)
			}
			return
		}
		if strings.Contains(string(message), `"bid":`) || strings.Contains(string(message), `"b":`) {
			t.Errorf("it tells %s", message)
		}
	}
}

// TestARuleThatIsSpentKeepsNobodyFromTheSocket uses up the hits of a rule, whose provider then streams again.
func TestARuleThatIsSpentKeepsNobodyFromTheSocket(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	w := wire.New(world)
	for _, r := range []faults.Rule{
		{Match: faults.Match{Provider: "kraken"}, Effect: faults.Effect{Kind: faults.Zero}, When: faults.When{MaxHits: 1}},
		{Match: faults.Match{Provider: "kraken", Nth: 1}, Effect: faults.Effect{Kind: faults.Empty}},
		{Match: faults.Match{Provider: "binance"}, Effect: faults.Effect{Kind: faults.Reset}},
		{Effect: faults.Effect{Kind: faults.Reset}, When: faults.When{Probability: "0"}},
		{Match: faults.Match{Header: map[string]string{"X-Nobody": "1"}}, Effect: faults.Effect{Kind: faults.Reset}},
	} {
		if _, err := world.Faults().Add(r, world.Now()); err != nil {
			t.Fatal(err)
		}
	}
	dial := func() error {
		conn, _, err := websocket.Dial(t.Context(), krakenSocket, &websocket.DialOptions{HTTPClient: &http.Client{Transport: w}})
		if err == nil {
			_ = conn.CloseNow()
		}
		return err
	}
	if dial() == nil {
		t.Error("it streams beside a rule that is at work")
	}
	_ = say(t, w, "kraken", "/0/public/Ticker?pair=XBTUSD")
	if err := dial(); err != nil {
		t.Error(err)
	}
}
