package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"causeway/adapters/history"
	"causeway/adapters/redis"
	"causeway/adapters/redis/redistest"
	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

// stall is a rate source in this process.
type stall struct {
	name  string
	clock core.Clock
	off   atomic.Bool
	polls atomic.Uint64
	price *atomic.Int64 // in cents
}

func (s *stall) Name() string { return s.name }

func (s *stall) Observe(_ context.Context, markets []core.Pair) ([]core.Observation, error) {
	s.polls.Add(1)
	if s.off.Load() {
		return nil, core.Errorf(core.Unavailable, "%s is unavailable", s.name)
	}
	out := make([]core.Observation, len(markets))
	for i, m := range markets {
		price := decimal.New(s.price.Load(), -2)
		if m.Base == "USDT" {
			price = decimal.New(s.price.Load()/100_000, -2)
		}
		out[i] = core.Observation{Pair: m, Bid: price, Ask: price, At: s.clock(), Source: s.name}
	}
	return out, nil
}

// Ages in the prices of a company, in real time.
const (
	companyFresh = 3 * time.Second
	companyStale = 8 * time.Second
	// lateness is what a label may be late: the engine's pace, the word of the leader (1.25 s together), and a busy machine's scheduler. Where
	// that kept readers waiting, it is so much more.
	lateness = 3 * time.Second
)

func companyPrices() pairs.Config {
	d := decimal.RequireFromString
	cfg := pairs.Config{
		Currencies: []core.Currency{
			{Code: "BTC", Name: "Bitcoin", Type: core.Crypto, Decimals: 8, Rank: 1},
			{Code: "USDT", Name: "Tether", Type: core.Stablecoin, Decimals: 6, Rank: 3},
			{Code: "USD", Name: "US Dollar", Type: core.Fiat, Decimals: 2},
		},
		Rules: core.PriceRules{
			ReadmitSamples: 3, StallMove: d("0.001"), DegradedFor: time.Minute, DegradedMargin: 3,
			JumpWithin: time.Minute, JumpHold: 30 * time.Second, JumpFamilies: 3, JumpConfidence: d("0.01"), Wide: d("0.02"), LegsApart: 5 * time.Second,
		},
		MarketClasses:  []core.MarketClass{{Name: "major", MaxAge: companyStale, MaxSpread: d("0.01"), Quorum: 2, Band: d("0.01"), Jump: d("0.05"), Depeg: d("0.05")}},
		ListingClasses: []core.ListingClass{{Name: "crypto", MarginBPS: 150, MinUSD: d("5"), MaxUSD: d("10000"), Fresh: companyFresh, Stale: companyStale}},
		Listings:       []core.Listing{{Pair: core.Pair{Base: "BTC", Counter: "USD"}, Class: "crypto"}, {Pair: core.Pair{Base: "USDT", Counter: "USD"}, Class: "crypto"}},
		Entropy:        SystemEntropy, History: history.New(nil),
	}
	names := []string{"alpha", "beta", "gamma"}
	for _, name := range names {
		cfg.Sources = append(cfg.Sources, core.Source{Name: name, Family: name, Kind: core.BookSource, Interval: 400 * time.Millisecond})
	}
	for _, l := range cfg.Listings {
		m := core.Market{Pair: l.Pair, Class: "major", Sources: names}
		if l.Pair.Base == "USDT" {
			m.Peg = d("1")
		}
		cfg.Markets = append(cfg.Markets, m)
	}
	return cfg
}

// shownAt is a snapshot as a replica showed it.
type shownAt struct {
	*pairs.Snapshot
	at time.Time
}

// member is one of the replicas of a company.
type member struct {
	*replica
	way    *redistest.Proxy
	stalls []*stall
	server *redis.Client
	end    func() // as by SIGTERM

	mu    sync.Mutex
	shown []shownAt
}

// all returns what the member showed so far.
func (m *member) all() []shownAt {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.shown)
}

func (m *member) newest() *pairs.Snapshot {
	if last := m.now.Load().Snapshot(); last != nil {
		return last
	}
	return &pairs.Snapshot{}
}

// polls is how often the member asked its sources.
func (m *member) polls() (n uint64) {
	for _, s := range m.stalls {
		n += s.polls.Load()
	}
	return n
}

// company is replicas of one book over a real server, each by a way of its own, whose prices move all the time.
type company struct {
	t       *testing.T
	server  *redistest.Server
	members []*member
	price   atomic.Int64

	complain func(fault string) // in undisturbed
}

// disband ends all members.
func (c *company) disband() {
	for _, m := range c.members {
		m.end()
	}
}

func openCompany(t *testing.T, n int) *company {
	t.Helper()
	c := &company{t: t, server: redistest.Open(t)}
	c.price.Store(10_000_000)
	for range n {
		c.hire(time.Now)
	}
	stop := begin(t.Context(), func(ctx context.Context) {
		move := time.NewTicker(100 * time.Millisecond)
		defer move.Stop()
		for i := int64(0); ctx.Err() == nil; i++ {
			select {
			case <-ctx.Done():
			case <-move.C:
				c.price.Add(20_000 * (i/4%2*2 - 1) / 2) // 0.1 % up and down
			}
		}
	})
	t.Cleanup(stop)
	return c
}

// hire adds a replica whose prices run by a clock.
func (c *company) hire(clock core.Clock) *member {
	c.t.Helper()
	m := &member{way: c.server.Proxy()}
	cfg, sources := companyPrices(), []ports.RateSource{}
	for _, s := range cfg.Sources {
		m.stalls = append(m.stalls, &stall{name: s.Name, clock: clock, price: &c.price})
		sources = append(sources, m.stalls[len(m.stalls)-1])
	}
	service, err := pairs.New(cfg, sources, clock)
	if err != nil {
		c.t.Fatal(err)
	}
	service.Subscribe(func(s *pairs.Snapshot) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.shown = append(m.shown, shownAt{s, time.Now()})
	})
	shared := redis.Default()
	shared.URL = m.way.URL()
	server, err := redis.Open(shared, zap.NewNop(), prometheus.NewRegistry())
	if err != nil {
		c.t.Fatal(err)
	}
	m.server = server
	m.replica = newReplica(service, redis.NewBook(server, "company"), newEditions("a secret of the company"), clock, zap.NewNop(), newReplicaMetrics(service.Snapshot, prometheus.NewRegistry()))
	endServer := begin(context.WithoutCancel(c.t.Context()), server.Run)
	endReplica := begin(context.WithoutCancel(c.t.Context()), func(ctx context.Context) {
		m.join(ctx)
		m.Run(ctx)
	})
	m.end = sync.OnceFunc(func() { endReplica(); endServer() })
	c.t.Cleanup(m.end)
	c.members = append(c.members, m)
	return m
}

// soon waits for something that happens in real time.
func soon(t *testing.T, what string, happened func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()
	for !happened() {
		if <-poll.C; time.Since(began) > patience {
			t.Fatalf("never in %s: %s", patience, what)
		}
	}
	return time.Since(began)
}

// agreed reports whether the members show one edition that is newer than a term.
func agreed(after uint64, members ...*member) bool {
	first := members[0].newest()
	return first.Term > after && !slices.ContainsFunc(members, func(m *member) bool {
		s := m.newest()
		return s.Term != first.Term || s.ID != first.ID
	})
}

// settle waits until one leads and the others follow.
func (c *company) settle(after uint64, members ...*member) time.Duration {
	c.t.Helper()
	return soon(c.t, "the replicas agree", func() bool { return agreed(after, members...) })
}

// leader is the member that publishes.
func (c *company) leader() (leader *member, others []*member) {
	c.t.Helper()
	before := make([]uint64, len(c.members))
	second := time.NewTicker(time.Second)
	defer second.Stop()
	soon(c.t, "one of them asks the sources, alone", func() bool {
		for i, m := range c.members {
			before[i] = m.polls()
		}
		<-second.C
		leader, others = nil, nil
		asking := 0
		for i, m := range c.members {
			if m.polls() > before[i] {
				leader = m
				asking++
			} else {
				others = append(others, m)
			}
		}
		return asking == 1
	})
	return leader, others
}

// attempts are how often a machine may stand still for longer than a leader's lease, while something is looked at that takes one leader.
const attempts = 5

// undisturbed lets look have a company, another one as long as its leader changes meanwhile by itself.
func undisturbed(t *testing.T, size int, look func(c *company)) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		c := openCompany(t, size)
		c.settle(0, c.members...)
		term := c.members[0].newest().Term
		var faults []string
		c.complain = func(fault string) { faults = append(faults, fault) }
		look(c)
		if c.members[0].newest().Term != term && attempt < attempts {
			t.Logf("the leader changed: %q", faults)
			c.disband()
			continue
		}
		for _, fault := range faults {
			t.Error(fault)
		}
		return
	}
}

// readers read all members all the time until they are stopped, and find fault with what is labelled better than it is.
func (c *company) readers(members ...*member) (stop func()) {
	c.t.Helper()
	var late, stalled, reads atomic.Int64
	end := begin(c.t.Context(), func(ctx context.Context) {
		var work sync.WaitGroup
		for _, m := range members {
			work.Go(func() {
				read := time.NewTicker(time.Millisecond)
				defer read.Stop()
				for last := time.Now(); ctx.Err() == nil; {
					<-read.C
					s, now := m.newest(), time.Now()
					stalled.Store(max(stalled.Load(), int64(now.Sub(last))))
					if last = now; s.ID == 0 {
						continue
					}
					reads.Add(1)
					for i := range s.Quotes {
						q := &s.Quotes[i]
						age := now.Sub(q.Legs[0].Rate.AsOf)
						switch {
						case q.Status == pairs.Fresh:
							late.Store(max(late.Load(), int64(age-companyFresh)))
						case q.Status == pairs.Stale && q.Reason == pairs.Aging:
							late.Store(max(late.Load(), int64(age-companyStale)))
						}
					}
				}
			})
		}
		work.Wait()
	})
	return func() {
		end()
		if by, stall := time.Duration(late.Load()), time.Duration(stalled.Load()); by > lateness+2*stall {
			c.t.Errorf("a price was labelled better than it was for %s; the machine stood still for %s", by, stall)
		}
		if reads.Load() == 0 {
			c.t.Error("nobody read")
		}
	}
}

// audit checks that every edition was one and the same wherever it was shown, and that no term has two leaders; and returns how long each
// took from the first replica to the last.
func (c *company) audit() (delays []time.Duration) {
	c.t.Helper()
	type seen struct {
		text        string
		first, last time.Time
		times       int
	}
	editions := map[ports.Mark]*seen{}
	for _, m := range c.members {
		var newest ports.Mark
		for _, s := range m.all() {
			if s.Term == 0 {
				newest = ports.Mark{}
				continue
			}
			mark := ports.Mark{Term: s.Term, Number: s.ID}
			if !mark.Above(newest) {
				c.t.Errorf("%v is shown after %v", mark, newest)
			}
			newest = mark
			shown := *s.Snapshot
			shown.Markets = nil
			text, err := json.Marshal(shown)
			if err != nil {
				c.t.Fatal(err)
			}
			e := editions[mark]
			if e == nil {
				e = &seen{text: string(text), first: s.at, last: s.at}
				editions[mark] = e
			}
			if e.times++; e.text != string(text) {
				c.t.Errorf("%v is\n%s\nand\n%s", mark, e.text, text)
			}
			if s.at.Before(e.first) {
				e.first = s.at
			}
			if s.at.After(e.last) {
				e.last = s.at
			}
		}
	}
	numbers := map[uint64]uint64{}
	for mark, e := range editions {
		if other, there := numbers[mark.Number]; there && other != mark.Term {
			c.t.Logf("number %d is of two terms: it was forgotten in between", mark.Number)
		}
		numbers[mark.Number] = mark.Term
		if e.times == len(c.members) {
			delays = append(delays, e.last.Sub(e.first))
		}
	}
	slices.Sort(delays)
	return delays
}

func TestReplicasShowTheSameWithinAMoment(t *testing.T) {
	t.Parallel()
	undisturbed(t, 3, func(c *company) {
		leader, others := c.leader()
		stop := c.readers(c.members...)
		asked := []uint64{others[0].polls(), others[1].polls()}
		from := leader.newest().ID
		soon(t, "ten editions", func() bool { return leader.newest().ID >= from+10 })
		stop()
		for i, m := range others {
			if m.polls() != asked[i] {
				c.complain("a follower asks sources")
			}
		}
		delays := c.audit()
		if len(delays) < 8 {
			c.complain(fmt.Sprintf("only %d editions reached all", len(delays)))
			return
		}
		quick, median, worst := delays[len(delays)/4], delays[len(delays)/2], delays[len(delays)-1]
		t.Logf("%d editions reached all three replicas: a quarter within %s, median %s, slowest %s", len(delays), quick, median, worst)
		if quick > 250*time.Millisecond { // the median says more, but of the machine
			c.complain(fmt.Sprintf("three in four took more than %s", quick))
		}
	})
}

// Whatever ends a leader, another one goes on within three seconds, from where it was. A machine that does other things meanwhile has several attempts.
func TestAnotherOneLeadsWithinThreeSeconds(t *testing.T) {
	t.Parallel()
	for name, fell := range map[string]func(*member){
		"it ends":                        func(m *member) { m.end() },
		"it is cut off":                  func(m *member) { m.way.Part() },
		"its connections break for good": func(m *member) { m.way.Part(); m.way.Break() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const most = 3 * time.Second
			for range attempts {
				c := openCompany(t, 3)
				took, faults := c.succeed(fell)
				c.disband()
				if t.Logf("the others follow a new leader after %s %q", took, faults); took <= most && len(faults) == 0 {
					return
				}
			}
			t.Errorf("it took more than %s, or prices went wrong on the way, every time", most)
		})
	}
}

// succeed has the leader fall, and returns how long it took until the others followed another one, and what went wrong on the way.
func (c *company) succeed(fell func(*member)) (took time.Duration, faults []string) {
	c.t.Helper()
	c.settle(0, c.members...)
	leader, others := c.leader()
	stop := c.readers(others...)
	term, number := leader.newest().Term, leader.newest().ID
	fell(leader)
	took = c.settle(term, others...)
	if now := others[0].newest(); now.ID <= number || now.Quotes[0].Status != pairs.Fresh {
		faults = append(faults, fmt.Sprintf("number %d after %d, %s", now.ID, number, now.Quotes[0].Status))
	}
	for _, m := range others {
		for _, s := range m.all() {
			if s.ID > number && s.Quotes[0].Reason != "" {
				faults = append(faults, fmt.Sprintf("%s was %s %q on the way", s.Quotes[0].ID, s.Quotes[0].Status, s.Quotes[0].Reason))
			}
		}
	}
	leader.way.Join()
	stop()
	c.audit()
	return took, faults
}

// Whatever happens to the server, every replica has fresh prices, and they share the book again when it is back, without a restart.
func TestTheBookInTrouble(t *testing.T) {
	t.Parallel()
	wait := func(d time.Duration) { <-time.NewTimer(d).C }
	for name, trouble := range map[string]func(*company){
		"flushed": func(c *company) { c.server.Do("FLUSHALL") },
		"stopped for five seconds": func(c *company) {
			c.server.Pause()
			wait(5 * time.Second)
			c.server.Resume()
		},
		"killed for five seconds": func(c *company) {
			c.server.Kill()
			wait(5 * time.Second)
			c.server.Start()
		},
		"restarted at once": func(c *company) { c.server.Kill(); c.server.Start() },
		"full for five seconds": func(c *company) {
			c.server.Do("CONFIG", "SET", "maxmemory", "1")
			wait(5 * time.Second)
			c.server.Do("CONFIG", "SET", "maxmemory", "0")
		},
		"slow for five seconds": func(c *company) {
			for _, m := range c.members {
				m.way.Slow(300 * time.Millisecond)
			}
			wait(5 * time.Second)
			for _, m := range c.members {
				m.way.Slow(0)
			}
		},
		"away for its leader alone": func(c *company) {
			leader, _ := c.leader()
			leader.way.Part()
			wait(5 * time.Second)
			leader.way.Join()
		},
		"away for a follower alone": func(c *company) {
			_, others := c.leader()
			others[0].way.Part()
			wait(5 * time.Second)
			if s := others[0].newest(); s.Term != 0 || s.Quotes[0].Status != pairs.Fresh {
				c.t.Errorf("alone it shows %s of term %d", s.Quotes[0].Status, s.Term)
			}
			others[0].way.Join()
		},
		"parted and joined again and again": func(c *company) {
			for i := range 12 {
				m := c.members[i%3]
				m.way.Part()
				wait(400 * time.Millisecond)
				m.way.Join()
			}
		},
		"full of what strangers wrote": func(c *company) {
			for range 20 {
				c.server.Do("SET", "causeway:book:{company}:edition", "9007199254740000 9007199254740000\nfree money")
				c.server.Do("PUBLISH", "causeway:book:{company}:news", "9007199254740000 9007199254740000\nfree money")
				c.server.Do("PUBLISH", "causeway:book:{company}:news", "")
				wait(50 * time.Millisecond)
			}
			c.server.Do("DEL", "causeway:book:{company}:edition")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCompany(t, 3)
			c.settle(0, c.members...)
			stop := c.readers(c.members...)
			trouble(c)
			over := time.Now()
			took := soon(t, "they go on together", func() bool { return agreed(0, c.members...) && c.members[0].newest().At.After(over) })
			from := c.members[0].newest().ID
			soon(t, "and on", func() bool { return c.members[0].newest().ID > from+2 && agreed(0, c.members...) })
			t.Logf("%s: %s later the replicas share what was made since", name, took)
			stop()
			c.audit()
			for _, m := range c.members {
				for _, s := range m.all() {
					if s.ID > 3 && s.Quotes[0].Status == pairs.Halted {
						t.Errorf("%s was halted", s.Quotes[0].ID)
					}
				}
			}
		})
	}
}

func TestALeaderThatNoSourceAnswersLetsAnotherOneTry(t *testing.T) {
	t.Parallel()
	c := openCompany(t, 3)
	c.settle(0, c.members...)
	leader, others := c.leader()
	for _, s := range leader.stalls {
		s.off.Store(true)
	}
	term := leader.newest().Term
	took := c.settle(term, c.members...)
	t.Logf("another one leads after %s", took)
	soon(t, "prices are fresh again", func() bool { return others[0].newest().Quotes[0].Status == pairs.Fresh })
	if got, _ := c.leader(); got == leader {
		t.Error("the one that hears nothing leads")
	}
	c.audit()
}

func TestAReplicaWhoseClockIsAheadIsNotBelieved(t *testing.T) {
	t.Parallel()
	c := openCompany(t, 0)
	ahead := c.hire(func() time.Time { return time.Now().Add(time.Minute) })
	soon(t, "it leads", func() bool { return ahead.newest().Term > 0 })
	right := c.hire(time.Now)
	stop := c.readers(right)
	soon(t, "the other one has prices", func() bool { return right.newest().ID > 3 })
	if s := right.newest(); s.Term != 0 || s.Quotes[0].Status != pairs.Fresh {
		t.Errorf("it shows %s of term %d", s.Quotes[0].Status, s.Term)
	}
	stop()
}

// The word of an operator about a stablecoin, said to any of them, is heard by all, and outlives who leads.
func TestTheOperatorsWordIsForAllReplicas(t *testing.T) {
	t.Parallel()
	c := openCompany(t, 3)
	c.price.Store(10_000_000)
	c.settle(0, c.members...)
	leader, others := c.leader()
	status := func(m *member) pairs.Status { return m.newest().Quote("USDTUSD").Status }
	for _, price := range []int64{9_700_000, 9_350_000} {
		c.price.Store(price)
		soon(t, "the price moves", func() bool {
			return leader.newest().Quote("USDTUSD").Mid.LessThan(decimal.New(price/100_000+1, -2))
		})
	}
	soon(t, "it is off its peg everywhere", func() bool {
		return !slices.ContainsFunc(c.members, func(m *member) bool { return status(m) != pairs.Halted || len(m.Depegged()) != 1 })
	})
	if err := others[0].Acknowledge("USDT"); err != nil {
		t.Fatal(err)
	}
	traded := func(members []*member) func() bool {
		return func() bool {
			return !slices.ContainsFunc(members, func(m *member) bool { return status(m) == pairs.Halted })
		}
	}
	t.Logf("it is traded everywhere after %s", soon(t, "it is traded", traded(c.members)))
	term := leader.newest().Term
	leader.end()
	c.settle(term, others...)
	if !traded(others)() {
		t.Error("the next leader does not know of it")
	}
	if err := others[1].Acknowledge("BTC"); core.CodeOf(err) != core.NotFound {
		t.Errorf("got %v", err)
	}
}

func TestAStartShowsWhatTheOthersShow(t *testing.T) {
	t.Parallel()
	undisturbed(t, 2, func(c *company) {
		late := c.hire(time.Now)
		soon(t, "it agrees", func() bool { return agreed(0, c.members...) })
		if first := late.all()[0]; first.Term == 0 || late.polls() > 0 {
			c.complain(fmt.Sprintf("its first snapshot is %d of term %d, and it asked %d times", first.ID, first.Term, late.polls()))
		}
	})
}

// Replicas take another configuration one after the other: who has it shares a book with the others who have, nobody is without fresh prices
// meanwhile, and in the end all share the new one.
func TestReplicasTakeAnotherConfiguration(t *testing.T) {
	t.Parallel()
	c := openCompany(t, 3)
	c.settle(0, c.members...)
	stop := c.readers(c.members...)
	leader, others := c.leader()
	cfg := companyPrices()
	cfg.ListingClasses[0].MarginBPS = 200
	take := func(m *member) {
		t.Helper()
		plan, err := m.now.Load().Plan(cfg)
		if err != nil {
			t.Fatal(err)
		}
		m.change(t.Context(), plan, redis.NewBook(m.server, "company with another margin"))
	}
	margin := func(m *member) string {
		if q := m.newest().Quote("BTCUSD"); q != nil && q.Status == pairs.Fresh {
			return q.Margin.String()
		}
		return ""
	}
	take(leader)
	soon(t, "who took it has the new margin, and the others agree on the old one", func() bool {
		return margin(leader) == "0.02" && margin(others[0]) == "0.015" && agreed(0, others...)
	})
	take(others[0])
	soon(t, "two of them agree on the new margin", func() bool { return margin(others[0]) == "0.02" && agreed(0, leader, others[0]) })
	take(others[1])
	soon(t, "all of them agree on the new margin", func() bool { return margin(others[1]) == "0.02" && agreed(0, c.members...) })
	stop()
	if err := leader.Acknowledge("USDT"); core.CodeOf(err) != core.NotFound {
		t.Errorf("the operator's word: %v", err)
	}
}
