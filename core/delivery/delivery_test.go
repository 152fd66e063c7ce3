package delivery_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"causeway/adapters/memory"
	"causeway/core"
	"causeway/core/delivery"
	"causeway/ports"
)

var start = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// receiver is the sender of a test and counts tries by endpoint and event.
type receiver struct {
	mu    sync.Mutex
	tries map[string]int
	log   []string
	fails func(ctx context.Context, endpoint string) error // nil: no try fails
}

func (r *receiver) Send(ctx context.Context, endpoint string, e core.Event) error {
	r.mu.Lock()
	r.tries[endpoint]++
	r.log = append(r.log, fmt.Sprintf("%s %s %s", endpoint, e.Transaction.Hash, e.Type))
	r.mu.Unlock()
	if r.fails != nil {
		return r.fails(ctx, endpoint)
	}
	return nil
}

// set is a service with what it works on.
type set struct {
	*delivery.Service

	store    *memory.Transactions
	receiver *receiver
	now      time.Time
	payments int
	expired  []string
}

func newSet(t *testing.T, clock core.Clock, names ...string) *set {
	s := &set{store: memory.NewTransactions(), receiver: &receiver{tries: map[string]int{}}, now: start}
	if clock == nil {
		clock = func() time.Time { return s.now }
	}
	var endpoints []ports.WebhookEndpoint
	for _, name := range names {
		endpoints = append(endpoints, ports.WebhookEndpoint{Name: name, Account: "shop"})
	}
	var mu sync.Mutex
	s.Service = delivery.New(delivery.Config{
		Endpoints: endpoints, Store: s.store.Deliveries(), Sender: s.receiver, Clock: clock,
		Events: delivery.Events{
			Expired: func(endpoint, _ string) {
				mu.Lock()
				defer mu.Unlock()
				s.expired = append(s.expired, endpoint)
			},
			Failed: func(_ string, err error) { t.Error(err) },
		},
	})
	if err := s.Plan(t.Context()); err != nil { // endpoints receive events from now on
		t.Fatal(err)
	}
	if _, err := s.store.Lease(t.Context(), "BTC", "test", 0); err != nil {
		t.Fatal(err)
	}
	return s
}

// pay adds an event for each of n new transactions.
func (s *set) pay(t *testing.T, n int, at time.Time) {
	t.Helper()
	chains, err := s.store.Chains(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	batch := ports.ChainBatch{State: chains[0], Before: chains[0].Tip}
	for range n {
		s.payments++
		hash := fmt.Sprint("payment ", s.payments)
		batch.Transactions = append(batch.Transactions, core.Transaction{
			ID: core.TransactionID("BTC", hash, 0), Network: "BTC", Hash: hash, User: core.DepositUser{Account: "shop"},
			Currency: "BTC", Units: decimal.NewFromInt(1), Status: core.Pending, Revision: 1, Created: at, Updated: at,
		})
	}
	if err := s.store.Commit(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
}

func (s *set) deliveries(t *testing.T, status core.DeliveryStatus) []core.Delivery {
	t.Helper()
	found, err := s.store.Deliveries().Deliveries(t.Context(), ports.DeliveryQuery{Status: status, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func unavailable(context.Context, string) error {
	return core.Errorf(core.Unavailable, "answered 500")
}

func TestDeliver(t *testing.T) {
	s := newSet(t, nil, "a", "b")
	s.pay(t, 2, s.now)
	if err := s.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a payment 1 transaction.pending", "a payment 2 transaction.pending",
		"b payment 1 transaction.pending", "b payment 2 transaction.pending",
	}
	got := slices.Sorted(slices.Values(s.receiver.log))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if left := s.deliveries(t, core.DeliveryPending); len(left) > 0 {
		t.Errorf("%d deliveries are pending", len(left))
	}
}

// The pauses are the recommended ones, however far the clock jumps, and a delivery expires after three days.
func TestDeliver_Retries(t *testing.T) {
	const tries, last = 10, 71*time.Hour + 35*time.Minute + 5*time.Second
	for name, step := range map[string]time.Duration{"one jump": 4 * 24 * time.Hour, "minutes": time.Minute} {
		t.Run(name, func(t *testing.T) {
			s := newSet(t, nil, "a")
			s.receiver.fails = unavailable
			s.pay(t, 1, s.now)
			for ; s.now.Before(start.Add(5 * 24 * time.Hour)); s.now = s.now.Add(step) {
				if err := s.Deliver(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			all := s.deliveries(t, "")
			if len(all) != 1 || all[0].Status != core.DeliveryExpired || all[0].Tries != tries ||
				all[0].Problem != "answered 500" || all[0].Updated.Sub(start) != last {
				t.Errorf("got %+v, want %d tries, the last one after %v", all, tries, last)
			}
			if diff := cmp.Diff([]string{"a"}, s.expired); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An endpoint can make the pauses longer, up to an hour, and none shorter.
func TestDeliver_RetryAfter(t *testing.T) {
	for name, c := range map[string]struct {
		retryAfter time.Duration
		want       [4]time.Duration // the first pauses
	}{
		"none":    {0, [4]time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour}},
		"shorter": {time.Second, [4]time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour}},
		"longer":  {90 * time.Second, [4]time.Duration{90 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour}},
		"an hour": {time.Hour, [4]time.Duration{time.Hour, time.Hour, time.Hour, 2 * time.Hour}},
		"a year":  {365 * 24 * time.Hour, [4]time.Duration{time.Hour, time.Hour, time.Hour, 2 * time.Hour}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSet(t, nil, "a")
			s.receiver.fails = func(context.Context, string) error {
				return core.Errorf(core.Unavailable, "answered 429").Retry(c.retryAfter)
			}
			s.pay(t, 1, s.now)
			for try, want := range c.want {
				if err := s.Deliver(t.Context()); err != nil {
					t.Fatal(err)
				}
				due, err := s.Next(t.Context())
				if got := due.Sub(s.now); got != want || err != nil {
					t.Errorf("after try %d: got a pause of %v, %v; want %v", try+1, got, err, want)
				}
				s.now = due
			}
		})
	}
}

// A receiver that changes the world while it is called must not wait for itself.
func TestDeliver_CallsBack(t *testing.T) {
	s := newSet(t, nil, "a")
	s.pay(t, 1, s.now)
	s.receiver.fails = func(ctx context.Context, _ string) error {
		if s.payments < 3 {
			s.pay(t, 1, s.now)
			return s.Deliver(ctx)
		}
		return nil
	}
	if err := s.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.receiver.tries["a"]; got != 3 {
		t.Errorf("got %d tries, want 3", got)
	}
}

// Run delivers to the other endpoints while one hangs and another one refuses everything.
func TestRun(t *testing.T) {
	const events = 100
	synctest.Test(t, func(t *testing.T) {
		s := newSet(t, time.Now, "dead", "hangs", "live")
		s.receiver.fails = func(ctx context.Context, endpoint string) error {
			switch endpoint {
			case "dead":
				return unavailable(ctx, endpoint)
			case "hangs":
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		s.pay(t, events, time.Now())
		ctx, cancel := context.WithCancel(t.Context())
		go s.Run(ctx)
		time.Sleep(time.Second)
		synctest.Wait()
		s.receiver.mu.Lock()
		got := maps.Clone(s.receiver.tries)
		s.receiver.mu.Unlock()
		if got["live"] != events || got["hangs"] != 16 || got["dead"] < 16 || got["dead"] > 20 {
			t.Errorf("got tries %v, want live %d, hangs 16 and dead a few", got, events)
		}
		cancel()
		synctest.Wait()
		for _, d := range s.deliveries(t, core.DeliveryPending) {
			if d.Endpoint == "hangs" && d.Tries > 0 && d.Due.After(time.Now()) {
				t.Errorf("the delivery is due after %v, want at once", time.Until(d.Due))
			}
		}
	})
}

// Two processes make each try once.
func TestRun_TwoProcesses(t *testing.T) {
	const events = 200
	synctest.Test(t, func(t *testing.T) {
		s := newSet(t, time.Now, "a")
		second := delivery.New(s.Config)
		s.pay(t, events, time.Now())
		ctx, cancel := context.WithCancel(t.Context())
		go s.Run(ctx)
		go second.Run(ctx)
		time.Sleep(time.Minute)
		cancel()
		synctest.Wait()
		if got := s.receiver.tries["a"]; got != events {
			t.Errorf("got %d tries, want %d", got, events)
		}
	})
}

func TestStatus(t *testing.T) {
	s := newSet(t, nil, "a")
	s.receiver.fails = unavailable
	s.pay(t, 3, s.now)
	if err := s.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := s.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []delivery.Status{{
		ports.WebhookEndpoint{Name: "a", Account: "shop"}, core.Backlog{Pending: 3, Oldest: start, Problem: "answered 500"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := s.Endpoint("b"); core.CodeOf(err) != core.NotFound {
		t.Errorf("got %v, want not found", err)
	}
}
