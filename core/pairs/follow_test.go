package pairs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

// carried is a snapshot as it arrives elsewhere: what is exported of it, in memory of its own.
func carried(s *pairs.Snapshot) *pairs.Snapshot {
	rates := map[*pairs.Rate]*pairs.Rate{}
	rate := func(r *pairs.Rate) *pairs.Rate {
		if rates[r] == nil {
			c := &pairs.Rate{
				Pair: r.Pair, Class: r.Class, Mid: r.Mid, Bid: r.Bid, Ask: r.Ask, Confidence: r.Confidence, AsOf: r.AsOf,
				Excluded: slices.Clone(r.Excluded), Quorum: r.Quorum, Reason: r.Reason, Jumped: r.Jumped,
			}
			for _, v := range r.Used {
				c.Used = append(c.Used, &pairs.Vote{Source: v.Source, Bid: v.Bid, Ask: v.Ask, At: v.At})
			}
			rates[r] = c
		}
		return rates[r]
	}
	out := *s
	out.Quotes, out.Markets = slices.Clone(s.Quotes), slices.Clone(s.Markets)
	for i := range out.Quotes {
		q := &out.Quotes[i]
		legs := q.Legs
		q.Legs = nil
		for _, leg := range legs {
			q.Legs = append(q.Legs, pairs.Leg{Rate: rate(leg.Rate), Inverted: leg.Inverted})
		}
	}
	for i := range out.Markets {
		out.Markets[i].Rate = rate(out.Markets[i].Rate)
	}
	return &out
}

// text is everything that can be seen of a snapshot.
func text(t tb, s *pairs.Snapshot) string {
	t.Helper()
	shown := *s
	shown.Markets = nil
	out, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// choir is a leader and those who follow it, with the same venues and the same clock.
type choir struct {
	*stage  // of who leads
	members []*stage
	leads   int
	term    uint64
	deaf    bool // what is shared reaches nobody
}

func openChoir(t tb, cfg pairs.Config, n int) *choir {
	t.Helper()
	first := open(t, cfg)
	c := &choir{members: []*stage{first}}
	var sources []ports.RateSource
	for _, v := range first.venues {
		sources = append(sources, v)
	}
	for range n - 1 {
		service, err := pairs.New(tabled(cfg), sources, first.clock.Now)
		if err != nil {
			t.Fatal(err)
		}
		c.members = append(c.members, &stage{Service: service, clock: first.clock, venues: first.venues})
	}
	c.elect(t, 0)
	return c
}

// elect makes a member lead from now on.
func (c *choir) elect(t tb, i int) {
	t.Helper()
	above := uint64(0)
	if last := c.members[c.leads].Snapshot(); last != nil {
		above = last.ID
	}
	c.leads, c.term, c.stage = i, c.term+1, c.members[i]
	c.TakeOver(&pairs.Lead{Term: c.term, Above: above, Share: func(ctx context.Context, s *pairs.Snapshot) error {
		for j, other := range c.members {
			if j == i || c.deaf {
				continue
			}
			if err := other.Adopt(ctx, carried(s)); err != nil {
				t.Errorf("%d does not adopt %d of term %d: %v", j, s.ID, s.Term, err)
			}
		}
		return nil
	}})
}

// duet is config with its usual prices, led by one and followed by another one.
func duet(t tb) (c *choir, follower *stage) {
	t.Helper()
	c = openChoir(t, config(), 2)
	quoted(c.venues)
	c.Tick(t.Context())
	return c, c.members[1]
}

func TestAFollowerShowsWhatTheLeaderPublishesAndAsksNobody(t *testing.T) {
	t.Parallel()
	c, follower := duet(t)
	for i := range 20 {
		c.venues["alpha"].set("SHIB/USD", fmt.Sprintf("0.0000123%d", i%9+1))
		c.step(t, 2*time.Second)
		got, want := follower.Snapshot(), c.Snapshot()
		if got.Term != 1 || text(t, got) != text(t, want) {
			t.Fatalf("got\n%s\nwant\n%s", text(t, got), text(t, want))
		}
	}
	if got := c.Snapshot().ID; got < 15 {
		t.Errorf("only %d publications: too little was compared", got)
	}
	for _, s := range follower.Sources() {
		if s.Polls != 0 {
			t.Errorf("the follower polled %s %d times", s.Name, s.Polls)
		}
	}
	if points, err := follower.History(t.Context(), "BTCUSD", "1d"); err == nil && len(points) != 0 {
		t.Errorf("points without a history: %v", points)
	}
}

func TestALeaderGoesOnFromWhatTheOneBeforeKnew(t *testing.T) {
	t.Parallel()
	c, _ := duet(t)
	c.step(t, 2*time.Second)
	before := c.Snapshot()
	for _, name := range []string{"alpha", "gamma", "bank"} {
		c.venues[name].fail(outage) // the new leader hears one source of three at first
	}
	c.elect(t, 1)
	after := c.step(t, 2*time.Second)
	if after.ID <= before.ID || after.Term != 2 {
		t.Errorf("number %d of term %d after %d of %d", after.ID, after.Term, before.ID, before.Term)
	}
	for _, q := range after.Quotes {
		was := before.Quote(q.ID)
		if q.Status != pairs.Fresh || q.Reason != "" || !q.Buy.Equal(was.Buy) {
			t.Errorf("%s is %s %q at %s, and was %s at %s", q.ID, q.Status, q.Reason, q.Buy, was.Status, was.Buy)
		}
	}
	if used := c.quote(t, "BTCUSD").Legs[0].Rate.Used; len(used) != 3 {
		t.Errorf("%d sources are used; what the others said before is good for 30 s", len(used))
	}
	c.step(t, 29*time.Second)
	if used := c.quote(t, "BTCUSD").Legs[0].Rate.Used; len(used) != 1 {
		t.Errorf("half a minute later %d sources are used, and one answers", len(used))
	}
}

func TestANewLeaderKnowsAJumpFromTheOldLeadersPrice(t *testing.T) {
	t.Parallel()
	c, _ := duet(t)
	c.elect(t, 1)
	c.venues["alpha"].set("SHIB/USD", "0.00001434", "0.00001436") // 16 %, and the only family that there is stands by it
	c.step(t, 2*time.Second)
	if got := c.quote(t, "SHIBUSD"); !got.Legs[0].Rate.Jumped {
		t.Errorf("%s %q at %s is no jump for who does not know the price before", got.Status, got.Reason, got.Mid)
	}
}

func TestAnUnconfirmedJumpIsHeldByANewLeaderForNoLonger(t *testing.T) {
	t.Parallel()
	c := openChoir(t, panelConfig("BTC/USD", "major", 3), 2)
	c.say("BTC/USD", "100", "100.1", "100.2")
	c.Tick(t.Context())
	c.say("BTC/USD", "110", "110.1", "")
	c.venues["c"].fail(outage)
	c.step(t, 31*time.Second) // c expires: two of three have jumped
	c.want(t, "BTCUSD", pairs.Stale, pairs.Jump)
	c.elect(t, 1)
	c.step(t, 2*time.Second)
	same(t, "held", c.want(t, "BTCUSD", pairs.Stale, pairs.Jump).Mid, "100.1")
	for range 13 {
		c.step(t, 2*time.Second)
	}
	c.want(t, "BTCUSD", pairs.Stale, pairs.Jump)
	c.step(t, 3*time.Second) // more than 30 s since the old leader saw it
	same(t, "accepted", c.quote(t, "BTCUSD").Mid, "110.05")
}

func TestADisputeIsNotOverBecauseTheLeaderIs(t *testing.T) {
	t.Parallel()
	c := openChoir(t, panelConfig("BTC/USD", "major", 4), 2)
	c.say("BTC/USD", "100", "100", "100", "100")
	c.Tick(t.Context())
	c.say("BTC/USD", "", "", "103", "103")
	c.step(t, 6*time.Second)
	c.step(t, 6*time.Second)
	c.want(t, "BTCUSD", pairs.Halted, pairs.Disputed)
	slow := make(chan struct{})
	honest := c.venues["d"].observe
	c.venues["d"].observe = func(context.Context, []core.Pair) ([]core.Observation, error) {
		<-slow
		return nil, outage
	}
	c.elect(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); c.Run(ctx) }()
	wait(t, func() bool {
		return c.venues["a"].polled() > 2 && c.venues["b"].polled() > 2 && c.venues["c"].polled() > 2
	})
	c.Age(t.Context())
	c.want(t, "BTCUSD", pairs.Halted, pairs.Disputed) // one source may yet speak
	cancel()
	close(slow)
	<-done
	c.venues["d"].observe = honest
	c.elect(t, 1)
	c.step(t, 4*time.Second)
	c.step(t, 4*time.Second)
	c.want(t, "BTCUSD", pairs.Halted, pairs.Disputed) // all have spoken, and still disagree
	c.say("BTC/USD", "", "", "100", "100")
	for range 4 {
		c.step(t, 4*time.Second)
	}
	c.want(t, "BTCUSD", pairs.Fresh, "")
}

// wait waits for goroutines that nothing else holds up.
func wait(t *testing.T, happened func() bool) {
	t.Helper()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for !happened() {
		select {
		case <-poll.C:
		case <-t.Context().Done():
			t.Fatal("never")
		}
	}
}

func TestALostQuorumIsServedForItsMinuteWhoeverLeads(t *testing.T) {
	t.Parallel()
	c := openChoir(t, panelConfig("BTC/USD", "major", 3), 2)
	c.say("BTC/USD", "100", "100", "100")
	c.Tick(t.Context())
	c.venues["b"].fail(outage)
	c.venues["c"].fail(outage)
	for range 20 {
		c.step(t, 2*time.Second)
	}
	c.want(t, "BTCUSD", pairs.Stale, pairs.Degraded) // since half a minute after the start
	c.elect(t, 1)
	for range 24 {
		c.step(t, 2*time.Second)
	}
	c.want(t, "BTCUSD", pairs.Stale, pairs.Degraded)
	for range 3 {
		c.step(t, 2*time.Second)
	}
	c.want(t, "BTCUSD", pairs.Halted, pairs.NoQuorum)
	c.elect(t, 0)
	c.step(t, 2*time.Second)
	c.want(t, "BTCUSD", pairs.Halted, pairs.NoQuorum)
}

func TestABrokenPegAndTheOperatorsWordOutliveTheLeader(t *testing.T) {
	t.Parallel()
	cfg := panelConfig("USDT/USD", "stablecoin", 3)
	cfg.Markets[0].Peg = dec("1")
	c := openChoir(t, cfg, 3)
	c.say("USDT/USD", "1", "1", "1")
	c.Tick(t.Context())
	for _, p := range []string{"0.97", "0.94"} {
		c.say("USDT/USD", p, p, p)
		c.step(t, 12*time.Second)
	}
	for range 4 {
		c.step(t, 12*time.Second)
	}
	c.want(t, "USDTUSD", pairs.Halted, pairs.Depegged)
	for _, member := range c.members {
		if off := member.Depegged(); len(off) != 1 || off[0].Acknowledged {
			t.Errorf("off its peg: %+v", off)
		}
	}
	fresh := c.quote(t, "USDTUSD").UpdatedAt
	c.elect(t, 1)
	c.step(t, 2*time.Second)
	if q := c.want(t, "USDTUSD", pairs.Halted, pairs.Depegged); !q.UpdatedAt.Equal(fresh) {
		t.Errorf("it was fresh last at %s, and now at %s", fresh, q.UpdatedAt)
	}
	if err := c.Acknowledge("USDT"); err != nil {
		t.Fatal(err)
	}
	c.step(t, 2*time.Second)
	c.want(t, "USDTUSD", pairs.Fresh, "")
	c.elect(t, 2)
	c.step(t, 2*time.Second)
	c.want(t, "USDTUSD", pairs.Fresh, "")
	if off := c.Depegged(); len(off) != 1 || !off[0].Acknowledged {
		t.Errorf("off its peg: %+v", off)
	}
	for _, p := range []string{"0.97", "0.99"} {
		c.say("USDT/USD", p, p, p)
		for range 4 {
			c.step(t, 12*time.Second)
		}
	}
	for _, member := range c.members {
		if off := member.Depegged(); off != nil {
			t.Errorf("it is back, and off its peg: %+v", off)
		}
	}
}

func TestAnOutlierIsBackAfterThreeSamplesOfANewLeader(t *testing.T) {
	t.Parallel()
	c := openChoir(t, panelConfig("BTC/USD", "major", 3), 2)
	c.say("BTC/USD", "100", "100", "102")
	c.Tick(t.Context())
	c.step(t, 12*time.Second)
	if got := c.excluded(t, "BTCUSD"); got["c"] != pairs.Outlier {
		t.Fatalf("excluded %v", got)
	}
	c.elect(t, 1)
	c.say("BTC/USD", "", "", "100.3")
	for i, want := range []pairs.Reason{pairs.Outlier, pairs.Outlier, ""} {
		c.say("BTC/USD", "", "", fmt.Sprintf("100.3%d", i))
		c.step(t, 11*time.Second)
		if got := c.excluded(t, "BTCUSD"); got["c"] != want {
			t.Errorf("sample %d: excluded %v", i, got)
		}
	}
}

// While nothing comes a follower leaves the labels to the leader for a little longer than that may take, then sees to them itself. What
// comes next is in order again, whatever number it has.
func TestAFollowerLetsPricesAge(t *testing.T) {
	t.Parallel()
	c, follower := duet(t)
	shared := follower.Snapshot()
	age := func(after time.Duration, status pairs.Status, own bool) {
		t.Helper()
		c.clock.advance(noon.Add(after).Sub(c.clock.Now()))
		follower.Age(t.Context())
		follower.Age(t.Context())
		follower.want(t, "BTCUSD", status, map[pairs.Status]pairs.Reason{pairs.Fresh: "", pairs.Stale: pairs.Aging, pairs.Halted: pairs.Expired}[status])
		if s := follower.Snapshot(); (s.Term == 0) != own || own && s.ID <= shared.ID {
			t.Errorf("after %s: snapshot %d of term %d", after, s.ID, s.Term)
		}
	}
	age(10*time.Second, pairs.Fresh, false)
	age(11250*time.Millisecond, pairs.Fresh, false)
	age(11260*time.Millisecond, pairs.Stale, true)
	if got := follower.Snapshot().Quote("EURUSD").Status; got != pairs.Fresh {
		t.Errorf("a rate of the day is %s", got)
	}
	age(60*time.Second, pairs.Stale, true)
	age(62*time.Second, pairs.Halted, true)
	c.Tick(t.Context())
	if got, want := follower.Snapshot(), c.Snapshot(); got.Term != 1 || text(t, got) != text(t, want) {
		t.Errorf("afterwards it shows %d of term %d", got.ID, got.Term)
	}
}

func TestASnapshotThatIsNotSharedIsNotShown(t *testing.T) {
	t.Parallel()
	s := open(t, config())
	quoted(s.venues)
	var offered []uint64
	failing := true
	s.TakeOver(&pairs.Lead{Term: 7, Above: 41, Share: func(_ context.Context, x *pairs.Snapshot) error {
		offered = append(offered, x.ID)
		if failing {
			return errors.New("the book is away")
		}
		return nil
	}})
	s.Tick(t.Context())
	if s.Snapshot() != nil {
		t.Error("it is shown although it is not shared")
	}
	failing = false
	s.clock.advance(time.Second)
	s.Age(t.Context()) // no source said anything new
	if got := s.Snapshot(); got == nil || got.ID != 43 || got.Term != 7 {
		t.Fatalf("got %+v", got)
	}
	if !slices.Equal(offered, []uint64{42, 43}) {
		t.Errorf("numbers %v", offered)
	}
	s.TakeOver(nil)
	s.step(t, 11*time.Second)
	if got := s.Snapshot(); got.ID != 44 || got.Term != 0 || len(got.Markets) != 0 {
		t.Errorf("alone: %d of term %d with %d markets", got.ID, got.Term, len(got.Markets))
	}
}

func TestOnlyWhatIsNewerIsAdopted(t *testing.T) {
	t.Parallel()
	c, follower := duet(t)
	first := carried(c.Snapshot())
	c.deaf = true
	c.step(t, 11*time.Second)
	second := carried(c.Snapshot())
	c.elect(t, 0)
	c.step(t, 11*time.Second)
	third := carried(c.Snapshot())
	adopt := func(s *pairs.Snapshot, want error) {
		t.Helper()
		if err := follower.Adopt(t.Context(), carried(s)); !errors.Is(err, want) {
			t.Errorf("%d of term %d: got %v, want %v", s.ID, s.Term, err, want)
		}
	}
	adopt(third, nil)
	adopt(third, pairs.ErrLate)
	adopt(second, pairs.ErrLate)
	adopt(first, pairs.ErrLate)
	if got := follower.Snapshot(); got.ID != third.ID || got.Term != 2 {
		t.Errorf("it shows %d of term %d", got.ID, got.Term)
	}
	follower.TakeOver(nil)       // the book is away, and when it is back it has forgotten what it was
	adopt(second, pairs.ErrLate) // it should have aged
	adopt(third, pairs.ErrLate)  // it is shown
	third.Term, third.ID = 1, 1
	adopt(third, nil)
	follower.TakeOver(nil)
	follower.clock.advance(2*time.Second + 1)
	follower.Tick(t.Context())
	follower.RecomputeAll()
	third.ID = 2
	adopt(third, pairs.ErrLate) // good for seconds yet, but who ran alone has something better
	follower.clock.advance(8 * time.Second)
	c.TakeOver(nil)
	c.deaf = false
	c.elect(t, 0)
	c.Tick(t.Context())
	if got := follower.Snapshot(); got.Term != 3 {
		t.Errorf("the next edition is not adopted: it shows %d of term %d", got.ID, got.Term)
	}
}

func TestAForeignSnapshotIsNotAdopted(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*pairs.Snapshot){
		"no term":                    func(s *pairs.Snapshot) { s.Term = 0 },
		"no number":                  func(s *pairs.Snapshot) { s.ID = 0 },
		"a clock that is ahead":      func(s *pairs.Snapshot) { s.At = s.At.Add(2*time.Second + 1) },
		"another pair":               func(s *pairs.Snapshot) { s.Quotes[0].ID = "AAABBB" },
		"another pair under the id":  func(s *pairs.Snapshot) { s.Quotes[0].Pair = pair("BT/CEUR") },
		"a pair twice":               func(s *pairs.Snapshot) { s.Quotes[1] = s.Quotes[0] },
		"the wrong order":            func(s *pairs.Snapshot) { slices.Reverse(s.Quotes) },
		"sell above buy":             func(s *pairs.Snapshot) { q := &s.Quotes[1]; q.Buy, q.Sell = q.Sell, q.Buy },
		"no price":                   func(s *pairs.Snapshot) { s.Quotes[1].Mid = dec("0") },
		"a price beyond all":         func(s *pairs.Snapshot) { s.Quotes[1].Buy = dec("1e30"); s.Quotes[1].Mid = dec("1e29") },
		"a negative margin":          func(s *pairs.Snapshot) { s.Quotes[1].Margin = dec("-0.01") },
		"no room for an order":       func(s *pairs.Snapshot) { s.Quotes[1].MinBuy = s.Quotes[1].MaxBuy },
		"a status that is none":      func(s *pairs.Snapshot) { s.Quotes[1].Status = "good" },
		"halted and tradable":        func(s *pairs.Snapshot) { s.Quotes[1].Status = pairs.Halted },
		"fresh and not tradable":     func(s *pairs.Snapshot) { s.Quotes[1].SellSupported = false },
		"fresh of another instant":   func(s *pairs.Snapshot) { s.Quotes[1].UpdatedAt = s.At.Add(-1) },
		"a precision that is none":   func(s *pairs.Snapshot) { s.Quotes[1].CounterDecimals = 19 },
		"no route":                   func(s *pairs.Snapshot) { s.Quotes[1].Legs = nil },
		"another route":              func(s *pairs.Snapshot) { s.Quotes[1].Legs = s.Quotes[0].Legs },
		"a leg the wrong way round":  func(s *pairs.Snapshot) { s.Quotes[1].Legs[0].Inverted = true },
		"a leg without a rate":       func(s *pairs.Snapshot) { s.Quotes[1].Legs[0].Rate = nil },
		"a rate that is none":        func(s *pairs.Snapshot) { s.Quotes[1].Legs[0].Rate.Mid = dec("-1") },
		"a rate of nobody":           func(s *pairs.Snapshot) { s.Quotes[1].Legs[0].Rate.Used = nil },
		"a source that is unknown":   func(s *pairs.Snapshot) { s.Quotes[1].Legs[0].Rate.Used[0].Source = "delta" },
		"a vote the wrong way round": func(s *pairs.Snapshot) { s.Quotes[1].Legs[0].Rate.Used[0].Ask = dec("1") },
		"a market that is unknown":   func(s *pairs.Snapshot) { s.Markets[0].Rate.Pair = pair("BTC/XOF") },
		"a market without a rate":    func(s *pairs.Snapshot) { s.Markets[0].Rate = nil },
		"another treaty":             func(s *pairs.Snapshot) { s.Quote("EURXOF").Legs[0].Rate.Mid = dec("600") },
		"a treaty as a market":       func(s *pairs.Snapshot) { s.Markets[0].Rate = s.Quote("EURXOF").Legs[0].Rate },
		"free money": func(s *pairs.Snapshot) {
			q := s.Quote("EURUSD")
			q.Mid, q.Buy, q.Sell = q.Mid.Shift(1), q.Buy.Shift(1), q.Sell.Shift(1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, follower := duet(t)
			c.deaf = true
			shown := follower.Snapshot()
			c.venues["beta"].set("USDT/NGN", "1500", "1504")
			c.step(t, 11*time.Second)
			s := carried(c.Snapshot())
			if s.Quotes[1].ID != "BTCUSD" {
				t.Fatalf("the second pair is %s", s.Quotes[1].ID)
			}
			spoil(s)
			err := follower.Adopt(t.Context(), s)
			if !errors.Is(err, pairs.ErrForeign) {
				t.Errorf("got %v", err)
			}
			if follower.Snapshot() != shown {
				t.Error("it is shown")
			}
			if err := follower.Adopt(t.Context(), carried(c.Snapshot())); err != nil {
				t.Errorf("and the true one: %v", err)
			}
		})
	}
}

func TestFollowAndLeadGoOnByThemselves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		leader, _ := live(t)
		follower, venues := live(t)
		role := func(run func(context.Context)) (end func()) {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); run(ctx) }()
			return func() { cancel(); <-done }
		}
		share := func(ctx context.Context, s *pairs.Snapshot) error { return follower.Adopt(ctx, carried(s)) }
		end := role(func(ctx context.Context) { leader.Lead(ctx, pairs.Lead{Term: 1, Share: share}) })
		synctest.Wait()
		endFollowing := role(follower.Follow)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got, want := follower.Snapshot(), leader.Snapshot(); got.ID != want.ID || got.Term != 1 || got.ID < 6 {
			t.Errorf("after a minute: %d of term %d, and the leader has %d", got.ID, got.Term, want.ID)
		}
		end()
		time.Sleep(13 * time.Second)
		synctest.Wait()
		if got := follower.Snapshot(); got.Term != 0 || got.Quote("BTCUSD").Status != pairs.Stale {
			t.Errorf("without a leader: %s of term %d", got.Quote("BTCUSD").Status, got.Term)
		}
		if venues["alpha"].polled() != 0 {
			t.Error("a follower polls")
		}
		endFollowing()
		var shared []uint64
		end = role(func(ctx context.Context) {
			follower.Lead(ctx, pairs.Lead{Term: 2, Above: 100, Share: func(_ context.Context, s *pairs.Snapshot) error {
				shared = append(shared, s.ID)
				return nil
			}})
		})
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if got := follower.Snapshot(); got.Term != 2 || got.ID <= 100 || got.Quote("BTCUSD").Status != pairs.Fresh || len(shared) == 0 {
			t.Errorf("as the leader: %d of term %d, %s; shared %v", got.ID, got.Term, got.Quote("BTCUSD").Status, shared)
		}
		end()
	})
}

// TestTenMinutesOfLiesUnderManyLeaders is TestTenMinutesOfLiesPublishNothingUnsound with three replicas, of which another one leads every now
// and then, sometimes without having heard the last words of the one before.
func TestTenMinutesOfLiesUnderManyLeaders(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{0, 1, 3, 4} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			b := openBazaar(t, seed)
			var sources []ports.RateSource
			for _, v := range b.venues {
				sources = append(sources, v)
			}
			c := &choir{members: []*stage{b.stage}}
			for range 2 {
				service, err := pairs.New(tabled(b.cfg), sources, b.clock.Now)
				if err != nil {
					t.Fatal(err)
				}
				c.members = append(c.members, &stage{Service: service, clock: b.clock, venues: b.venues})
			}
			c.elect(t, 0)
			statuses := map[pairs.Status]int{}
			for _, member := range c.members {
				member.Subscribe(func(s *pairs.Snapshot) {
					if p := profit(s.Quotes); p.Cmp(big.NewRat(1, 1)) > 0 {
						t.Errorf("snapshot %d makes %s of 1", s.ID, p.FloatString(12))
					}
					for i := range s.Quotes {
						statuses[s.Quotes[i].Status]++
						b.sane(t, &s.Quotes[i])
						margined(t, b.cfg, &s.Quotes[i])
					}
				})
			}
			for range 300 {
				if b.dice.IntN(10) == 0 {
					c.elect(t, b.dice.IntN(3))
					b.stage = c.stage
				}
				c.deaf = b.dice.IntN(10) == 0
				b.turn(t)
				if !c.deaf && text(t, c.members[0].Snapshot()) != text(t, c.members[2].Snapshot()) && c.Snapshot().At.Equal(b.clock.Now()) {
					t.Fatal("the replicas show different prices")
				}
			}
			if c.term < 10 || statuses[pairs.Fresh] < 3 || statuses[pairs.Halted] < 3 {
				t.Errorf("%d leaders, %v: the run says too little", c.term, statuses)
			}
		})
	}
}
