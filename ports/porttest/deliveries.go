package porttest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/ports"
)

// Deliveries is the suite of ports.DeliveryStore.
type Deliveries struct {
	// Open opens new, empty stores several times, as several processes do.
	Open func(t *testing.T, processes int) []ports.TransactionStore
}

// Run runs the suite.
func (s Deliveries) Run(t *testing.T) {
	t.Helper()
	run(t, map[string]func(*testing.T){
		"plan": s.plan, "types": s.types, "claim": s.claim, "settle": s.settle, "late settle": s.lateSettle,
		"replay": s.replay, "replay of a new endpoint": s.replayNew, "query": s.query, "backlog": s.backlog,
		"another account": s.anotherAccount, "canceled context": s.canceled, "concurrent": s.concurrent,
	})
}

var (
	planDay = chainDay.AddDate(0, 0, 1)
	hook    = ports.WebhookEndpoint{Name: "hook", Account: "a"}
)

const lease = time.Minute

// plan plans until nothing is left, and checks how many deliveries were added.
func plan(t *testing.T, stores ports.TransactionStore, to ports.WebhookEndpoint, want int) {
	t.Helper()
	got := 0
	for {
		added, err := stores.Deliveries().Plan(t.Context(), to, planDay)
		if err != nil {
			t.Fatal(err)
		}
		if got += added; added == 0 {
			break
		}
	}
	if got != want {
		t.Errorf("%s planned %d deliveries, want %d", to.Name, got, want)
	}
}

func claim(
	t *testing.T, stores ports.TransactionStore, to ports.WebhookEndpoint, now time.Time, limit int,
) []core.Delivery {
	t.Helper()
	claimed, err := stores.Deliveries().Claim(t.Context(), to, now, now.Add(lease), limit)
	if err != nil {
		t.Fatal(err)
	}
	return claimed
}

// numbers returns the numbers of the events of deliveries.
func numbers(deliveries []core.Delivery) (numbers []int64) {
	for _, d := range deliveries {
		numbers = append(numbers, d.Event.Number)
	}
	return numbers
}

func checkClaim(
	t *testing.T, stores ports.TransactionStore, to ports.WebhookEndpoint, now time.Time, want ...int64,
) []core.Delivery {
	t.Helper()
	claimed := claim(t, stores, to, now, 1_000)
	if got := numbers(claimed); !slices.Equal(got, want) {
		t.Errorf("%s claimed %v, want %v", to.Name, got, want)
	}
	return claimed
}

func settle(t *testing.T, stores ports.TransactionStore, deliveries ...core.Delivery) {
	t.Helper()
	if err := stores.Deliveries().Settle(t.Context(), deliveries); err != nil {
		t.Fatal(err)
	}
}

// settled returns a delivery after a try.
func settled(d core.Delivery, status core.DeliveryStatus, at time.Time) core.Delivery {
	d.Status, d.Due, d.Updated, d.Problem = status, at.Add(lease), at, "status 500"
	if status == core.DeliveryDelivered {
		d.Problem = ""
	}
	return d
}

// checkDeliveries compares endpoint, number and status of deliveries.
func checkDeliveries(t *testing.T, stores ports.TransactionStore, q ports.DeliveryQuery, want ...string) {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 1_000
	}
	found, err := stores.Deliveries().Deliveries(t.Context(), q)
	var got []string
	for _, d := range found {
		got = append(got, fmt.Sprint(d.Endpoint, " ", d.Event.Number, " ", d.Status))
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%+v: %v (-want +got):\n%s", q, err, diff)
	}
}

func (s Deliveries) plan(t *testing.T) {
	stores := s.Open(t, 2)
	w := newChainWriter(t, stores[0], "BSC")
	w.pay("a", 1, 1, 2)
	later := ports.WebhookEndpoint{Name: "later", Account: "a"}
	other := ports.WebhookEndpoint{Name: "other", Account: "b"}
	for _, to := range []ports.WebhookEndpoint{hook, other} {
		plan(t, stores[0], to, 0)
	}
	all := w.pay("a", 3, 3, 4)
	w.pay("b", 1, 5)
	plan(t, stores[1], hook, 2)
	plan(t, stores[0], hook, 0)
	plan(t, stores[0], later, 0)
	plan(t, stores[0], other, 1)
	got := checkClaim(t, stores[1], hook, planDay, 3, 4)
	want := []core.Delivery{
		{Endpoint: "hook", Event: all[0], Status: core.DeliveryPending, Planned: planDay, Due: planDay.Add(lease), Tries: 1},
		{Endpoint: "hook", Event: all[1], Status: core.DeliveryPending, Planned: planDay, Due: planDay.Add(lease), Tries: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("claimed (-want +got):\n%s", diff)
	}
	checkClaim(t, stores[0], later, planDay)
	checkClaim(t, stores[0], other, planDay, 1)
	// More events than one call plans.
	const many = 1_200
	for i := range many {
		all = append(all, core.Event{Transaction: paid("a", "BSC", 100+i)})
	}
	w.commit(func(b *ports.ChainBatch) {
		for _, e := range all[2:] {
			b.Transactions = append(b.Transactions, e.Transaction)
		}
	})
	plan(t, stores[0], hook, many)
	plan(t, stores[0], hook, 0)
}

func (s Deliveries) types(t *testing.T) {
	stores := s.Open(t, 1)[0]
	w := newChainWriter(t, stores, "BSC")
	some := ports.WebhookEndpoint{
		Name: "some", Account: "a", Types: []core.EventType{core.TransactionFailed, core.TransactionCompleted},
	}
	plan(t, stores, some, 0)
	plan(t, stores, hook, 0)
	// More events that the endpoint does not receive than one call plans, before one that it does.
	const many = 1_200
	var transactions []core.Transaction
	for i := range many {
		transactions = append(transactions, paid("a", "BSC", i))
	}
	w.put(append(transactions, next(transactions[1], core.Completed), next(transactions[0], core.Failed))...)
	plan(t, stores, some, 2)
	plan(t, stores, hook, many+2)
	checkClaim(t, stores, some, planDay, many+1, many+2)
	w.pay("a", many+3, many)
	plan(t, stores, some, 0)
	some.Types = nil // events of the past are not planned again
	plan(t, stores, some, 0)
	w.pay("a", many+4, many+1)
	plan(t, stores, some, 1)
}

// claim checks order, limit and lease of claims.
func (s Deliveries) claim(t *testing.T) {
	stores := s.Open(t, 2)
	w := newChainWriter(t, stores[0], "BSC")
	checkClaim(t, stores[0], hook, planDay)
	checkNext(t, stores[0], hook, time.Time{})
	plan(t, stores[0], hook, 0)
	w.pay("a", 1, 1, 2, 3, 4, 5)
	checkClaim(t, stores[0], hook, planDay)
	plan(t, stores[0], hook, 5)
	checkNext(t, stores[0], hook, planDay)
	checkClaim(t, stores[0], hook, planDay.Add(-time.Microsecond))
	first := claim(t, stores[0], hook, planDay, 2)
	if got := numbers(first); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("claimed %v, want 1 and 2", got)
	}
	checkNext(t, stores[0], hook, planDay)
	at := planDay.Add(lease / 2)
	checkClaim(t, stores[1], hook, at, 3, 4, 5)
	checkNext(t, stores[0], hook, planDay.Add(lease))
	checkClaim(t, stores[1], hook, at)
	// A claim that is not settled is due again, and only that one.
	again := checkClaim(t, stores[1], hook, planDay.Add(lease), 1, 2)
	for _, d := range again {
		if d.Tries != 2 || !d.Planned.Equal(planDay) || !d.Updated.IsZero() {
			t.Errorf("got %+v, want the second try", d)
		}
	}
	// All are due: the ones that wait the longest come first.
	at = planDay.Add(time.Hour)
	if got := numbers(claim(t, stores[0], hook, at, 3)); !slices.Equal(got, []int64{3, 4, 5}) {
		t.Errorf("claimed %v, want 3, 4 and 5", got)
	}
	checkClaim(t, stores[0], hook, at, 1, 2)
}

func checkNext(t *testing.T, stores ports.TransactionStore, to ports.WebhookEndpoint, want time.Time) {
	t.Helper()
	if got, err := stores.Deliveries().Next(t.Context(), to); !got.Equal(want) || err != nil {
		t.Errorf("next of %s: got %s, %v; want %s", to.Name, got, err, want)
	}
}

// settle settles deliveries in several ways.
func (s Deliveries) settle(t *testing.T) {
	stores := s.Open(t, 2)
	w := newChainWriter(t, stores[0], "BSC")
	plan(t, stores[0], hook, 0)
	w.pay("a", 1, 1, 2, 3, 4)
	plan(t, stores[0], hook, 4)
	settle(t, stores[0])
	at := planDay.Add(time.Second)
	claimed := claim(t, stores[0], hook, at, 3)
	want := []core.Delivery{
		settled(claimed[2], core.DeliveryExpired, at), settled(claimed[1], core.DeliveryPending, at),
		settled(claimed[0], core.DeliveryDelivered, at),
	}
	strange := want[0]
	strange.Problem = "\x00\xff"
	settle(t, stores[1], strange)
	settle(t, stores[1], want...)
	want[0].Problem = strange.Problem
	got, err := stores[0].Deliveries().Deliveries(t.Context(), ports.DeliveryQuery{Endpoint: "hook", Limit: 10})
	if err != nil || len(got) != 4 {
		t.Fatalf("got %+v, %v; want 4 deliveries", got, err)
	}
	want[0].Problem = got[1].Problem // PostgreSQL stores other characters
	if diff := cmp.Diff(want, got[1:]); diff != "" {
		t.Errorf("settled (-want +got):\n%s", diff)
	}
	checkClaim(t, stores[0], hook, at, 4)
	again := checkClaim(t, stores[0], hook, at.Add(lease), 2, 4)
	if d := again[0]; d.Tries != 2 || d.Problem == "" || !d.Updated.Equal(at) {
		t.Errorf("got %+v, want the second try with the problem of the first", d)
	}
	settle(t, stores[0], settled(again[0], core.DeliveryDelivered, at), settled(again[1], core.DeliveryDelivered, at))
	checkNext(t, stores[0], hook, time.Time{})
	checkClaim(t, stores[0], hook, at.AddDate(1, 0, 0))
}

// lateSettle checks that a claim is not settled after another claim or a replay, even in the same instant.
func (s Deliveries) lateSettle(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, stores ports.TransactionStore){
		"claimed again": func(t *testing.T, stores ports.TransactionStore) {
			t.Helper()
			checkClaim(t, stores, hook, planDay.Add(lease), 1)
		},
		"replayed": func(t *testing.T, stores ports.TransactionStore) {
			t.Helper()
			checkReplay(t, stores, hook, 0, planDay, 1)
		},
		"replayed and claimed": func(t *testing.T, stores ports.TransactionStore) {
			t.Helper()
			checkReplay(t, stores, hook, 0, planDay, 1)
			checkClaim(t, stores, hook, planDay, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stores := s.Open(t, 2)
			plan(t, stores[0], hook, 0)
			newChainWriter(t, stores[0], "BSC").pay("a", 1, 1)
			plan(t, stores[0], hook, 1)
			late := checkClaim(t, stores[0], hook, planDay, 1)
			change(t, stores[1])
			before, err := stores[0].Deliveries().Deliveries(t.Context(), ports.DeliveryQuery{Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			settle(t, stores[0], settled(late[0], core.DeliveryDelivered, planDay))
			after, err := stores[0].Deliveries().Deliveries(t.Context(), ports.DeliveryQuery{Limit: 10})
			if diff := cmp.Diff(before, after); diff != "" || err != nil {
				t.Errorf("%v (-before +after):\n%s", err, diff)
			}
		})
	}
}

// checkReplay replays the events since the transaction with a number.
func checkReplay(
	t *testing.T, stores ports.TransactionStore, to ports.WebhookEndpoint, since int, now time.Time, want int64,
) {
	t.Helper()
	at := chainDay.Add(time.Duration(since) * time.Hour)
	if got, err := stores.Deliveries().Replay(t.Context(), to, at, now); got != want || err != nil {
		t.Errorf("replayed %d, %v; want %d", got, err, want)
	}
}

func (s Deliveries) replay(t *testing.T) {
	stores := s.Open(t, 2)
	w := newChainWriter(t, stores[0], "BSC")
	some := ports.WebhookEndpoint{Name: "some", Account: "a", Types: []core.EventType{core.TransactionPending}}
	events := w.pay("a", 1, 1) // before the endpoint
	plan(t, stores[0], some, 0)
	events = append(events, w.pay("a", 2, 2, 3)...)
	plan(t, stores[0], some, 2)
	w.put(next(events[2].Transaction, core.Completed)) // not for the endpoint
	w.pay("a", 5, 4)                                   // not planned yet
	claimed := checkClaim(t, stores[0], some, planDay, 2, 3)
	settle(t, stores[0], settled(claimed[0], core.DeliveryDelivered, planDay),
		settled(claimed[1], core.DeliveryExpired, planDay))
	now := planDay.Add(time.Hour)
	checkReplay(t, stores[1], some, 100, now, 0)
	checkDeliveries(t, stores[0], ports.DeliveryQuery{}, "some 5 pending", "some 3 expired", "some 2 delivered")
	checkReplay(t, stores[1], some, 3, now, 2)
	checkDeliveries(t, stores[0], ports.DeliveryQuery{}, "some 5 pending", "some 3 pending", "some 2 delivered")
	checkClaim(t, stores[0], some, now.Add(-time.Hour))
	for _, d := range checkClaim(t, stores[0], some, now, 3, 5) {
		if d.Tries != 1 || d.Planned.Before(now) || d.Problem != "" || !d.Updated.IsZero() {
			t.Errorf("got %+v, want a first try", d)
		}
	}
	plan(t, stores[0], some, 0)
	checkReplay(t, stores[1], some, 0, now, 4)
	checkClaim(t, stores[0], some, now, 1, 2, 3, 5)
	w.pay("a", 6, 5)
	plan(t, stores[0], some, 1)
}

// replayNew replays past events to an endpoint that has received none.
func (s Deliveries) replayNew(t *testing.T) {
	stores := s.Open(t, 1)[0]
	w := newChainWriter(t, stores, "BSC")
	w.pay("a", 1, 1, 2, 3)
	checkReplay(t, stores, hook, 2, planDay, 2)
	w.pay("a", 4, 4)
	plan(t, stores, hook, 1)
	checkClaim(t, stores, hook, planDay, 2, 3, 4)
}

func (s Deliveries) query(t *testing.T) {
	stores := s.Open(t, 2)
	w := newChainWriter(t, stores[0], "BSC")
	other := ports.WebhookEndpoint{Name: "other", Account: "b"}
	checkDeliveries(t, stores[0], ports.DeliveryQuery{})
	plan(t, stores[0], hook, 0)
	plan(t, stores[0], other, 0)
	w.pay("a", 1, 1, 3, 5)
	w.pay("b", 1, 2, 4)
	plan(t, stores[0], hook, 3)
	plan(t, stores[0], other, 2)
	claimed := checkClaim(t, stores[0], hook, planDay, 1, 2, 3)
	settle(t, stores[0], settled(claimed[0], core.DeliveryExpired, planDay),
		settled(claimed[2], core.DeliveryDelivered, planDay))
	for name, c := range map[string]struct {
		query ports.DeliveryQuery
		want  []string
	}{
		"all": {ports.DeliveryQuery{}, []string{
			"hook 3 delivered", "other 2 pending", "hook 2 pending", "other 1 pending", "hook 1 expired",
		}},
		"limit":           {ports.DeliveryQuery{Limit: 2}, []string{"hook 3 delivered", "other 2 pending"}},
		"endpoint":        {ports.DeliveryQuery{Endpoint: "other"}, []string{"other 2 pending", "other 1 pending"}},
		"endpoint, limit": {ports.DeliveryQuery{Endpoint: "hook", Limit: 2}, []string{"hook 3 delivered", "hook 2 pending"}},
		"status": {ports.DeliveryQuery{Status: core.DeliveryPending}, []string{
			"other 2 pending", "hook 2 pending", "other 1 pending",
		}},
		"endpoint, status": {
			ports.DeliveryQuery{Endpoint: "hook", Status: core.DeliveryExpired}, []string{"hook 1 expired"},
		},
		"delivered":        {ports.DeliveryQuery{Status: core.DeliveryDelivered}, []string{"hook 3 delivered"}},
		"unknown endpoint": {ports.DeliveryQuery{Endpoint: "\x00\xff"}, nil},
		"unknown status":   {ports.DeliveryQuery{Status: "\x00\xff"}, nil},
	} {
		t.Run(name, func(t *testing.T) { checkDeliveries(t, stores[1], c.query, c.want...) })
	}
}

func (s Deliveries) backlog(t *testing.T) {
	stores := s.Open(t, 2)
	w := newChainWriter(t, stores[0], "BSC")
	check := func(want core.Backlog) {
		t.Helper()
		if got, err := stores[1].Deliveries().Backlog(t.Context(), hook); got != want || err != nil {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
	check(core.Backlog{})
	plan(t, stores[0], hook, 0)
	check(core.Backlog{})
	events := w.pay("a", 1, 1, 2, 3)
	oldest := func(i int) time.Time { return events[i].Transaction.Updated }
	plan(t, stores[0], hook, 3)
	check(core.Backlog{Pending: 3, Oldest: oldest(0)})
	claimed := checkClaim(t, stores[0], hook, planDay, 1, 2, 3)
	check(core.Backlog{Pending: 3, Oldest: oldest(0)})
	settle(t, stores[0], settled(claimed[0], core.DeliveryDelivered, planDay))
	check(core.Backlog{Pending: 2, Oldest: oldest(1)})
	failed := claimed[2]
	failed.Updated, failed.Problem = planDay.Add(time.Second), "answered 500"
	settle(t, stores[0], failed)
	check(core.Backlog{Pending: 2, Oldest: oldest(1), Problem: "answered 500"})
	failed = claimed[1]
	failed.Updated, failed.Problem = planDay, "answered 400"
	settle(t, stores[0], failed)
	check(core.Backlog{Pending: 2, Oldest: oldest(1), Problem: "answered 500"})
	settle(t, stores[0], settled(claimed[1], core.DeliveryExpired, planDay))
	check(core.Backlog{Pending: 1, Oldest: oldest(2), Expired: 1, Problem: "answered 500"})
	settle(t, stores[0], settled(claimed[2], core.DeliveryExpired, planDay))
	check(core.Backlog{Expired: 2})
	checkReplay(t, stores[0], hook, 2, planDay, 2)
	check(core.Backlog{Pending: 2, Oldest: oldest(1)})
}

// anotherAccount moves an endpoint to another account.
func (s Deliveries) anotherAccount(t *testing.T) {
	stores := s.Open(t, 1)[0]
	w := newChainWriter(t, stores, "BSC")
	moved := ports.WebhookEndpoint{Name: hook.Name, Account: "b"}
	plan(t, stores, hook, 0)
	w.pay("a", 1, 1)
	w.pay("b", 1, 2, 3)
	plan(t, stores, hook, 1)
	claimed := checkClaim(t, stores, hook, planDay, 1)
	plan(t, stores, moved, 0)
	w.pay("a", 2, 4)
	w.pay("b", 3, 5)
	plan(t, stores, moved, 1)
	checkClaim(t, stores, moved, planDay.Add(time.Hour), 3)
	checkNext(t, stores, moved, planDay.Add(time.Hour+lease))
	settle(t, stores, settled(claimed[0], core.DeliveryDelivered, planDay))
	checkDeliveries(t, stores, ports.DeliveryQuery{Endpoint: hook.Name}, "hook 3 pending", "hook 1 delivered")
	if got, err := stores.Deliveries().Backlog(t.Context(), moved); got.Pending != 1 || err != nil {
		t.Errorf("got %+v, %v; want one pending delivery", got, err)
	}
}

func (s Deliveries) canceled(t *testing.T) {
	stores := s.Open(t, 1)[0]
	plan(t, stores, hook, 0)
	w := newChainWriter(t, stores, "BSC")
	w.pay("a", 1, 1)
	plan(t, stores, hook, 1)
	claimed := checkClaim(t, stores, hook, planDay, 1)
	w.pay("a", 2, 2)
	ctx := canceled(t)
	late := planDay.AddDate(1, 0, 0)
	for name, call := range map[string]func() error{
		"Plan":  func() error { _, err := stores.Deliveries().Plan(ctx, hook, late); return err },
		"Claim": func() error { _, err := stores.Deliveries().Claim(ctx, hook, late, late, 1); return err },
		"Next":  func() error { _, err := stores.Deliveries().Next(ctx, hook); return err },
		"Settle": func() error {
			return stores.Deliveries().Settle(ctx, []core.Delivery{settled(claimed[0], "expired", late)})
		},
		"Replay": func() error { _, err := stores.Deliveries().Replay(ctx, hook, chainDay, late); return err },
		"Deliveries": func() error {
			_, err := stores.Deliveries().Deliveries(ctx, ports.DeliveryQuery{Limit: 1})
			return err
		},
		"Backlog": func() error { _, err := stores.Deliveries().Backlog(ctx, hook); return err },
	} {
		if err := call(); err == nil {
			t.Errorf("%s: got no error, want the error of the context", name)
		}
	}
	checkDeliveries(t, stores, ports.DeliveryQuery{}, "hook 1 pending")
	checkNext(t, stores, hook, planDay.Add(lease))
}

// concurrent lets several processes plan, claim and settle at once, while a network writes. Each delivery is claimed
// once. Meanwhile, the processes replay and prune the events of another account.
func (s Deliveries) concurrent(t *testing.T) {
	const rounds, perRound = 6, 30
	stores := s.Open(t, goroutines+1)
	replayed := ports.WebhookEndpoint{Name: "replayed", Account: "b"}
	for _, to := range []ports.WebhookEndpoint{hook, replayed} {
		plan(t, stores[0], to, 0)
	}
	w := newChainWriter(t, stores[goroutines], "BSC")
	written := make(chan struct{})
	var (
		work    sync.WaitGroup
		mu      sync.Mutex
		claimed = map[int64]int{}
	)
	for _, from := range stores[:goroutines] {
		work.Go(func() {
			for done := false; !done; {
				select {
				case <-written:
					done = true // after this round
				default:
				}
				for more := true; more; {
					more = false
					for _, to := range []ports.WebhookEndpoint{hook, replayed} {
						added, err := from.Deliveries().Plan(t.Context(), to, planDay)
						if err != nil {
							t.Error(err)
							return
						}
						deliveries, err := from.Deliveries().Claim(t.Context(), to, planDay, planDay.Add(lease), 7)
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						for i, d := range deliveries {
							if to.Name == hook.Name {
								claimed[d.Event.Number]++
								more = true
							}
							deliveries[i] = settled(d, core.DeliveryDelivered, planDay)
						}
						mu.Unlock()
						more = more || added > 0
						if err := from.Deliveries().Settle(t.Context(), deliveries); err != nil {
							t.Error(err)
						}
					}
				}
				if _, err := from.Deliveries().Replay(t.Context(), replayed, time.Time{}, planDay); err != nil {
					t.Error(err)
				}
				if _, err := from.Events().Prune(t.Context(), chainDay); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for round := range rounds {
		var transactions []core.Transaction
		for i := range perRound {
			old := paid("b", "BSC", -1-round*perRound-i)
			transactions = append(transactions, paid("a", "BSC", round*perRound+i), old)
		}
		w.put(transactions...)
	}
	close(written)
	work.Wait()
	if _, err := stores[0].Events().Prune(t.Context(), chainDay); err != nil {
		t.Error(err)
	}
	checkRange(t, stores[0].Events(), "b", ports.EventRange{Pruned: rounds * perRound, Last: rounds * perRound})
	if got, err := stores[0].Deliveries().Backlog(t.Context(), replayed); got.Pending != 0 || err != nil {
		t.Errorf("all events are pruned: got %+v, %v; want no delivery", got, err)
	}
	for number := range int64(rounds * perRound) {
		if claimed[number+1] != 1 {
			t.Errorf("event %d was claimed %d times, want once", number+1, claimed[number+1])
		}
	}
}
