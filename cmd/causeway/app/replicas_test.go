package app

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/shopspring/decimal"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

// hub shares prices in memory.
type hub struct {
	mu          sync.Mutex
	stored      []byte
	subscribers map[*func([]byte)]bool
	leads       bool
}

func newHub() *hub {
	return &hub{subscribers: map[*func([]byte)]bool{}}
}

func (h *hub) Publish(_ context.Context, snapshot []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stored = snapshot
	for f := range h.subscribers {
		(*f)(snapshot)
	}
	return nil
}

func (h *hub) Subscribe(ctx context.Context, f func([]byte)) {
	h.mu.Lock()
	if h.stored != nil {
		f(h.stored)
	}
	h.subscribers[&f] = true
	h.mu.Unlock()
	<-ctx.Done()
	h.mu.Lock()
	delete(h.subscribers, &f)
	h.mu.Unlock()
}

func (h *hub) Campaign(ctx context.Context, lead func(context.Context)) {
	wait := time.Duration(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = 500 * time.Millisecond
		h.mu.Lock()
		won := !h.leads
		h.leads = h.leads || won
		h.mu.Unlock()
		if !won {
			continue
		}
		term, cancel := context.WithCancel(ctx)
		lead(term)
		if term.Err() == nil {
			wait = 10 * time.Second
		}
		cancel()
		h.mu.Lock()
		h.leads = false
		h.mu.Unlock()
	}
}

// latest returns the stored snapshot.
func (h *hub) latest() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.stored)
}

// constantSource quotes BTC/USD at 100 unless it fails.
type constantSource struct {
	failing atomic.Bool
	polls   atomic.Int64
}

func (s *constantSource) Name() string { return "venue" }

func (s *constantSource) Observe(_ context.Context, markets []core.Pair) ([]core.Observation, error) {
	s.polls.Add(1)
	if s.failing.Load() {
		return nil, core.Errorf(core.Unavailable, "down")
	}
	price := decimal.New(100, 0)
	return []core.Observation{{Pair: markets[0], Bid: price, Ask: price, At: time.Now(), Source: "venue"}}, nil
}

func testPriceConfig() pairs.Config {
	pair := core.Pair{Base: "BTC", Counter: "USD"}
	return pairs.Config{
		PriceCatalog: core.PriceCatalog{
			Currencies: []core.Currency{
				{Code: "BTC", Name: "Bitcoin", Type: core.Crypto, Decimals: 8},
				{Code: "USD", Name: "US Dollar", Type: core.Fiat, Decimals: 2},
			},
			Sources: []core.Source{{Name: "venue", Family: "venue", Kind: core.BookSource, Interval: 2 * time.Second}},
			Rules: core.PriceRules{
				ReadmitSamples: 3, StallMove: decimal.New(1, -3), DegradedFor: time.Minute, DegradedMargin: 3,
				JumpWithin: time.Minute, JumpHold: 30 * time.Second, JumpFamilies: 3, JumpConfidence: decimal.New(1, -2),
				Wide: decimal.New(2, -2),
			},
			MarketClasses: []core.MarketClass{{
				Name: "major", MaxAge: 30 * time.Second, MaxSpread: decimal.New(1, -2), Quorum: 1, Band: decimal.New(1, -2),
				Jump: decimal.New(5, -2),
			}},
			Markets: []core.Market{{Pair: pair, Class: "major", Sources: []string{"venue"}}},
			ListingClasses: []core.ListingClass{{
				Name: "crypto", MarginBPS: 150, MinUSD: decimal.New(5, 0), MaxUSD: decimal.New(10000, 0), Fresh: 10 * time.Second,
				Stale: time.Minute,
			}},
			Listings: []core.Listing{{Pair: pair, Class: "crypto"}},
		},
		Entropy: func() uint64 { return 0 },
	}
}

// testReplica is a runner with its own service and source.
type testReplica struct {
	*priceRunner
	source *constantSource
	reg    *prometheus.Registry
	logs   *observer.ObservedLogs
	stop   func()
}

// startReplica warms a replica up and runs it.
func startReplica(t *testing.T, h *hub, name string) *testReplica {
	t.Helper()
	r := &testReplica{source: new(constantSource), reg: prometheus.NewRegistry()}
	service, err := pairs.New(testPriceConfig(), []ports.RateSource{r.source}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	log, logs := observer.New(zap.InfoLevel)
	r.logs = logs
	home := &defaultWorld{}
	home.services.Store(&WorldServices{Environment: Environment{Clock: time.Now}, Pairs: service})
	r.priceRunner = newPriceRunner(home, h, name, zap.New(log), r.reg)
	r.warmUp(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.Run(ctx) }()
	r.stop = func() { cancel(); <-done }
	t.Cleanup(r.stop)
	return r
}

// is reports whether the replica has a role, and a fresh price.
func (r *testReplica) is(want role) bool {
	q := r.home.pairs().Snapshot().Quote("BTCUSD")
	return testutil.ToFloat64(r.roles.WithLabelValues(string(want))) == 1 && q.Status == pairs.Fresh
}

// sleep lets time pass until the replicas are idle.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestPriceRunner_IsolatedLeaderResigns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHub()
		a := startReplica(t, h, "a")
		sleep(time.Minute)
		b := startReplica(t, h, "b")
		a.source.failing.Store(true)
		sleep(30 * time.Second)
		if !b.is(leader) || !a.is(follower) {
			t.Error("b does not lead although no source replies to a")
		}
	})
}

func TestPriceRunner_RejectsSnapshots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHub()
		a := startReplica(t, h, "a")
		sleep(time.Second)
		b := startReplica(t, h, "b")
		sleep(time.Second)
		valid := h.latest()
		sleep(time.Minute)
		for reason, text := range map[string]string{
			"malformed": `{"leader":"x"`,
			"invalid":   strings.Replace(h.latest(), `"Sell":"`, `"Sell":"-`, 1),
			"outdated":  valid,
		} {
			if reason == "invalid" { // else it is a heartbeat
				text = strings.Replace(text, `"snapshot":{"ID":`, `"snapshot":{"ID":9`, 1)
			}
			for range 3 {
				if err := h.Publish(t.Context(), []byte(text)); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			}
			if n := testutil.ToFloat64(b.rejectedCounter.WithLabelValues(reason)); n != 3 {
				t.Errorf("%s: %v rejected, want 3", reason, n)
			}
			logged := b.logs.FilterMessageSnippet("rejected").FilterField(zap.String("reason", reason)).Len()
			if want := map[string]int{"malformed": 1, "invalid": 1, "outdated": 0}[reason]; logged != want {
				t.Errorf("%s: logged %d times, want %d", reason, logged, want)
			}
			sleep(heartbeat)
		}
		if !a.is(leader) || !b.is(follower) {
			t.Error("rejected snapshots changed the roles")
		}
	})
}

func TestPriceRunner_Acknowledge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHub()
		a := startReplica(t, h, "a:9099")
		sleep(time.Second)
		b := startReplica(t, h, "b:9099")
		sleep(time.Second)
		if err := b.Acknowledge("USDT"); core.CodeOf(err) != core.Conflict || !strings.Contains(err.Error(), "a:9099") {
			t.Errorf("at a follower: %v", err)
		}
		if err := a.Acknowledge("USDT"); core.CodeOf(err) != core.NotFound {
			t.Errorf("at the leader: %v", err)
		}
	})
}

func TestPriceRunner_Apply(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHub()
		a := startReplica(t, h, "a")
		sleep(time.Second)
		b := startReplica(t, h, "b")
		cfg := testPriceConfig()
		cfg.ListingClasses[0].MarginBPS = 300
		for _, r := range []*testReplica{b, a} {
			plan, err := r.home.pairs().Plan(cfg.PriceCatalog)
			if err != nil {
				t.Fatal(err)
			}
			r.apply(t.Context(), plan)
		}
		sleep(3 * time.Second)
		for _, r := range []*testReplica{a, b} {
			if q := r.home.pairs().Snapshot().Quote("BTCUSD"); q.BuyMargin.String() != "0.03" {
				t.Errorf("%s has the margin %s", r.name, q.BuyMargin)
			}
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		a.stop()
		a.apply(ended, func() { t.Error(errors.New("called after the end")) })
	})
}
