package replicas

import (
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/shopspring/decimal"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hub shares prices in memory.
type hub struct {
	mu          sync.Mutex
	stored      []byte
	subscribers map[*func([]byte)]bool
	started     atomic.Uint64 // replicas
	depose      func()        // ends the term of the leader; nil: there is none
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
		term, cancel := context.WithCancel(ctx)
		h.mu.Lock()
		won := h.depose == nil
		if won {
			h.depose = cancel
		}
		h.mu.Unlock()
		if won {
			lead(term)
			if term.Err() == nil {
				wait = 10 * time.Second
			}
			h.mu.Lock()
			h.depose = nil
			h.mu.Unlock()
		}
		cancel()
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

// testReplica is a replica with its own service and source.
type testReplica struct {
	*Prices
	source *constantSource
	logs   *observer.ObservedLogs
	stop   func()
}

// startReplica warms a replica up and runs it.
func startReplica(t *testing.T, h *hub, name string) *testReplica {
	t.Helper()
	r := &testReplica{source: new(constantSource)}
	service, err := pairs.New(testPriceConfig(), []ports.RateSource{r.source}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	log, logs := observer.New(zap.InfoLevel)
	r.logs = logs
	r.Prices, err = New(Config{
		Service: func() *pairs.Service { return service }, Clock: time.Now, Sharing: h, HashKey: "key of all replicas",
		Name: name, Process: h.started.Add(1),
	}, zap.New(log), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	r.WarmUp(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.Run(ctx) }()
	r.stop = func() { cancel(); <-done }
	t.Cleanup(r.stop)
	return r
}

// startTwo starts the replicas a:9099, which leads, and b:9099, which follows.
func startTwo(t *testing.T) (h *hub, a, b *testReplica) {
	t.Helper()
	h = newHub()
	a = startReplica(t, h, "a:9099")
	sleep(time.Second)
	b = startReplica(t, h, "b:9099")
	sleep(time.Second)
	return h, a, b
}

// is reports whether the replica has a role, and a fresh price.
func (r *testReplica) is(want role) bool {
	q := r.cfg.Service().Snapshot().Quote("BTCUSD")
	return testutil.ToFloat64(r.roles.WithLabelValues(string(want))) == 1 && q.Status == pairs.Fresh
}

// sleep lets time pass until the replicas are idle.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestPrices_IsolatedLeaderResigns(t *testing.T) {
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

// A leader that lost its term receives its own last message, because its subscription begins again.
// It computes for itself. Another process of the same name, which started later, uses the message.
func TestPrices_FormerLeader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHub()
		a := startReplica(t, h, "a")
		sleep(time.Minute)
		h.depose()
		synctest.Wait()
		if err := h.Publish(t.Context(), []byte(h.latest())); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !a.is(standalone) {
			t.Error("a follows itself")
		}
		if err := a.Acknowledge("USDT"); core.CodeOf(err) != core.NotFound {
			t.Errorf("acknowledge: %v", err)
		}
		a.stop()
		h.depose = func() {} // another process won the election and has not published yet
		again := startReplica(t, h, "a")
		sleep(time.Second)
		if polls := again.source.polls.Load(); polls != 0 || !again.is(follower) {
			t.Errorf("the next process polled %d times or does not use the stored snapshot", polls)
		}
	})
}

// A follower that was elected and lost its term no longer follows the leader before it.
func TestPrices_EarlierLeader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, a, b := startTwo(t)
		a.stop()
		sleep(time.Second)
		if !b.is(leader) {
			t.Fatal("b does not lead")
		}
		h.depose()
		synctest.Wait()
		if !b.is(standalone) {
			t.Error("b follows a, which ended")
		}
	})
}

// sign signs the JSON of a message.
func sign(s signer, text string) []byte { return append(s.mac([]byte(text)), text...) }

func TestPrices_RejectsSnapshots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, a, b := startTwo(t)
		first, replayed := a.cfg.Service().Snapshot(), h.latest()
		sleep(time.Minute)
		for reason, message := range map[string]func() ([]byte, error){
			"malformed": func() ([]byte, error) { return sign(a.signer, `{"leader":"x"`), nil },
			"version": func() ([]byte, error) {
				return sign(a.signer, `{"format":99,"leader":"x","snapshot":{"Quotes":"new"}}`), nil
			},
			"expired":  func() ([]byte, error) { return []byte(replayed), nil },
			"outdated": func() ([]byte, error) { return a.signer.seal("x", 0, first, time.Now()) },
			"invalid": func() ([]byte, error) {
				forged := *a.cfg.Service().Snapshot()
				forged.ID = math.MaxInt64
				return a.signer.seal("x", 0, &forged, time.Now())
			},
		} {
			for range 3 {
				text, err := message()
				if err != nil {
					t.Fatal(err)
				}
				if err := h.Publish(t.Context(), text); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			}
			if n := testutil.ToFloat64(b.rejectedCounter.WithLabelValues(reason)); n != 3 {
				t.Errorf("%s: %v rejected, want 3", reason, n)
			}
			logged := b.logs.FilterMessageSnippet("rejected").FilterField(zap.String("reason", reason)).Len()
			want := 1
			if reason == "outdated" {
				want = 0
			}
			if logged != want {
				t.Errorf("%s: logged %d times, want %d", reason, logged, want)
			}
			sleep(heartbeat)
		}
		if !a.is(leader) || !b.is(follower) {
			t.Error("rejected snapshots changed the roles")
		}
	})
}

// A forged snapshot is never served, and the follower that received it computes for itself for a
// minute.
func TestPrices_ForgedSnapshot(t *testing.T) {
	t.Parallel()
	for name, message := range map[string]func(s signer, snapshot string) []byte{
		"unsigned":    func(_ signer, snapshot string) []byte { return []byte(`{"leader":"x","snapshot":` + snapshot + `}`) },
		"another key": func(_ signer, snapshot string) []byte { return sign(signer{[]byte("x")}, forgedMessage(snapshot)) },
		"changed": func(s signer, snapshot string) []byte {
			return append(s.mac([]byte(forgedMessage("{}"))), forgedMessage(snapshot)...)
		},
		"short": func(signer, string) []byte { return []byte("{}") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h, a, b := startTwo(t)
				forged := *a.cfg.Service().Snapshot()
				forged.ID, forged.Quotes = math.MaxInt64, slices.Clone(forged.Quotes)
				forged.Quotes[0].Mid = forged.Quotes[0].Mid.Mul(decimal.New(101, -2))
				text, err := json.Marshal(forged)
				if err != nil {
					t.Fatal(err)
				}
				b.cfg.Service().Subscribe(func(s *pairs.Snapshot) {
					if s.ID == forged.ID || !s.Quotes[0].Mid.Equal(decimal.New(100, 0)) {
						t.Errorf("served %d at %s", s.ID, s.Quotes[0].Mid)
					}
				})
				polls := b.source.polls.Load()
				if err := h.Publish(t.Context(), message(a.signer, string(text))); err != nil {
					t.Fatal(err)
				}
				sleep(distrust)
				if !a.is(leader) || !b.is(standalone) || b.source.polls.Load() == polls {
					t.Error("the follower does not compute for itself")
				}
				if n := testutil.ToFloat64(b.rejectedCounter.WithLabelValues("signature")); n != 1 {
					t.Errorf("%v rejected, want 1", n)
				}
				sleep(10 * time.Second)
				if !b.is(follower) {
					t.Error("the replica does not follow again")
				}
			})
		})
	}
}

func forgedMessage(snapshot string) string {
	return fmt.Sprintf(`{"format":%d,"leader":"x","sent":"2100-01-01T00:00:00Z","snapshot":%s}`, snapshotFormat, snapshot)
}

// TestSnapshotFormat fails if the fields of a snapshot change while its format does not.
func TestSnapshotFormat(t *testing.T) {
	t.Parallel()
	const format, want = 1, "576119e0"
	sum := sha256.Sum256([]byte(shape(reflect.TypeFor[pairs.Snapshot](), map[reflect.Type]bool{})))
	if got := hex.EncodeToString(sum[:4]); snapshotFormat != format || got != want {
		t.Errorf("got format %d and fields %s, want %d and %s: raise snapshotFormat and correct this test",
			snapshotFormat, got, format, want)
	}
}

// shape describes the JSON of a type.
func shape(of reflect.Type, seen map[reflect.Type]bool) string {
	switch {
	case seen[of], of.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return of.String()
	case of.Kind() == reflect.Pointer, of.Kind() == reflect.Slice:
		return of.Kind().String() + " " + shape(of.Elem(), seen)
	case of.Kind() == reflect.Map:
		return shape(of.Key(), seen) + ": " + shape(of.Elem(), seen)
	case of.Kind() != reflect.Struct:
		return of.Kind().String()
	}
	seen[of] = true
	var fields strings.Builder
	for f := range of.Fields() {
		if f.IsExported() {
			fmt.Fprintf(&fields, "%s %s; ", f.Name, shape(f.Type, seen))
		}
	}
	return "{" + fields.String() + "}"
}

func TestPrices_Acknowledge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, a, b := startTwo(t)
		if err := b.Acknowledge("USDT"); core.CodeOf(err) != core.Conflict || !strings.Contains(err.Error(), "a:9099") {
			t.Errorf("at a follower: %v", err)
		}
		if err := a.Acknowledge("USDT"); core.CodeOf(err) != core.NotFound {
			t.Errorf("at the leader: %v", err)
		}
	})
}

func TestPrices_Apply(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, a, b := startTwo(t)
		cfg := testPriceConfig()
		cfg.ListingClasses[0].MarginBPS = 300
		for _, r := range []*testReplica{b, a} {
			plan, err := r.cfg.Service().Plan(cfg.PriceCatalog)
			if err != nil {
				t.Fatal(err)
			}
			r.Apply(t.Context(), plan)
		}
		sleep(3 * time.Second)
		for _, r := range []*testReplica{a, b} {
			if q := r.cfg.Service().Snapshot().Quote("BTCUSD"); q.BuyMargin.String() != "0.03" {
				t.Errorf("%s has the margin %s", r.cfg.Name, q.BuyMargin)
			}
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		a.stop()
		a.Apply(ended, func() { t.Error(errors.New("called after the end")) })
	})
}
