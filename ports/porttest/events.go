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

// Events is the suite of ports.EventStore.
type Events struct {
	// Open opens new, empty stores several times, as several processes do.
	Open func(t *testing.T, processes int) []ports.TransactionStore
}

// Run runs the suite.
func (s Events) Run(t *testing.T) {
	t.Helper()
	run(t, map[string]func(*testing.T){
		"types": s.types, "several revisions": s.revisions, "refused batch": s.refused, "query": s.query, "find": s.find,
		"prune": s.prune, "canceled context": s.canceled, "concurrent": s.concurrent,
	})
}

// paid returns the first revision of a transaction of an account.
func paid(account, network string, number int) core.Transaction {
	tx := incoming(network, number, "USDT", "5", 6)
	tx.User.Account = account
	tx.Updated = chainDay.Add(time.Duration(number) * time.Hour)
	return tx
}

// pay commits new transactions of an account, and returns their events.
func (w *chainWriter) pay(account string, first int64, numbers ...int) (events []core.Event) {
	w.t.Helper()
	var transactions []core.Transaction
	for i, number := range numbers {
		tx := paid(account, w.state.Network, number)
		transactions = append(transactions, tx)
		events = append(events, numbered(first+int64(i), core.NewEvent("", tx, w.state.Tip.Height)))
	}
	w.put(transactions...)
	return events
}

func numbered(number int64, e core.Event) core.Event {
	e.Number = number
	return e
}

func checkEvents(t *testing.T, store ports.EventStore, q ports.EventQuery, want ...core.Event) {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 1_000
	}
	got, err := store.Events(t.Context(), q)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%+v: %v (-want +got):\n%s", q, err, diff)
	}
}

func checkRange(t *testing.T, store ports.EventStore, account string, want ports.EventRange) {
	t.Helper()
	if got, err := store.Range(t.Context(), account); got != want || err != nil {
		t.Errorf("range of %q: got %+v, %v; want %+v", account, got, err, want)
	}
}

func (s Events) types(t *testing.T) {
	stores := s.Open(t, 2)
	w := newChainWriter(t, stores[0], "BSC")
	tx := paid("a", "BSC", 1)
	var want []core.Event
	for i, step := range []struct {
		status core.TransactionStatus
		want   core.EventType
	}{
		{core.Pending, core.TransactionPending},
		{core.Completed, core.TransactionCompleted},
		{core.Pending, core.TransactionReversed},
		{core.Failed, core.TransactionFailed},
		{core.Pending, core.TransactionPending},
		{core.Completed, core.TransactionCompleted},
	} {
		before := tx.Status
		if i > 0 {
			tx = next(tx, step.status)
		}
		w.read("A", int64(100+i))
		w.put(tx)
		e := numbered(int64(i+1), core.NewEvent(before, tx, int64(100+i)))
		if e.Type != step.want {
			t.Errorf("%s after %s: got %s, want %s", tx.Status, before, e.Type, step.want)
		}
		want = append(want, e)
	}
	checkEvents(t, stores[1].Events(), ports.EventQuery{Account: "a"}, want...)
	checkRange(t, stores[1].Events(), "a", ports.EventRange{Last: 6})
}

// revisions commits several revisions of a transaction, and transactions of several accounts, in one batch.
func (s Events) revisions(t *testing.T) {
	stores := s.Open(t, 1)[0]
	w := newChainWriter(t, stores, "BSC")
	first, other := paid("a", "BSC", 1), paid("b", "BSC", 2)
	second := next(first, core.Completed)
	third := next(second, core.Pending)
	w.commit(func(b *ports.ChainBatch) {
		b.Blocks, b.State.Tip = chainBlocks("A", 7)
		b.Transactions = []core.Transaction{first, other, second, third}
	})
	checkEvents(t, stores.Events(), ports.EventQuery{Account: "a"}, numbered(1, core.NewEvent("", first, 7)),
		numbered(2, core.NewEvent(core.Pending, second, 7)), numbered(3, core.NewEvent(core.Completed, third, 7)))
	checkEvents(t, stores.Events(), ports.EventQuery{Account: "b"}, numbered(1, core.NewEvent("", other, 7)))
}

// refused checks that a batch that is not stored uses no number.
func (s Events) refused(t *testing.T) {
	stores := s.Open(t, 1)[0]
	w := newChainWriter(t, stores, "BSC")
	want := w.pay("a", 1, 1)
	unknown := next(paid("a", "BSC", 3), core.Completed)
	err := w.try(func(b *ports.ChainBatch) { b.Transactions = []core.Transaction{paid("a", "BSC", 2), unknown} })
	if err == nil {
		t.Error("got no error, want one")
	}
	checkRange(t, stores.Events(), "a", ports.EventRange{Last: 1})
	want = append(want, w.pay("a", 2, 2)...)
	checkEvents(t, stores.Events(), ports.EventQuery{Account: "a"}, want...)
}

func (s Events) query(t *testing.T) {
	stores := s.Open(t, 2)
	w := newChainWriter(t, stores[0], "BSC")
	all := w.pay("a", 1, 1, 2, 3)
	others := w.pay("b", 1, 4, 5)
	completed := next(all[1].Transaction, core.Completed)
	w.put(completed)
	all = append(all, numbered(4, core.NewEvent(core.Pending, completed, 0)))
	for name, c := range map[string]struct {
		query ports.EventQuery
		want  []core.Event
	}{
		"all":                {ports.EventQuery{Account: "a"}, all},
		"another account":    {ports.EventQuery{Account: "b"}, others},
		"unknown account":    {ports.EventQuery{Account: "c"}, nil},
		"unusual account":    {ports.EventQuery{Account: "\x00\xff"}, nil},
		"after":              {ports.EventQuery{Account: "a", After: 1}, all[1:]},
		"after the last":     {ports.EventQuery{Account: "a", After: 4}, nil},
		"after the future":   {ports.EventQuery{Account: "a", After: 1 << 60}, nil},
		"limit":              {ports.EventQuery{Account: "a", After: 1, Limit: 2}, all[1:3]},
		"type":               {ports.EventQuery{Account: "a", Type: core.TransactionPending, Limit: 3}, all[:3]},
		"type, after, limit": {ports.EventQuery{Account: "a", Type: core.TransactionPending, After: 1, Limit: 1}, all[1:2]},
		"another type":       {ports.EventQuery{Account: "a", Type: core.TransactionCompleted}, all[3:]},
		"no event of a type": {ports.EventQuery{Account: "a", Type: core.TransactionFailed}, nil},
		"unknown type":       {ports.EventQuery{Account: "a", Type: "\x00"}, nil},
	} {
		t.Run(name, func(t *testing.T) { checkEvents(t, stores[1].Events(), c.query, c.want...) })
	}
	checkRange(t, stores[1].Events(), "a", ports.EventRange{Last: 4})
	checkRange(t, stores[1].Events(), "b", ports.EventRange{Last: 2})
	checkRange(t, stores[1].Events(), "c", ports.EventRange{})
}

func (s Events) find(t *testing.T) {
	stores := s.Open(t, 2)
	events := newChainWriter(t, stores[0], "BSC").pay("a", 1, 1, 2)
	got, err := stores[1].Events().Find(t.Context(), "a", events[1].ID)
	if diff := cmp.Diff(events[1], got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, unknown := range [][2]string{
		{"b", events[1].ID}, {"a", "evt_0"}, {"a", ""}, {"a", events[1].Transaction.ID}, {"a", "\x00\xff"},
	} {
		if got, err := stores[1].Events().Find(t.Context(), unknown[0], unknown[1]); core.CodeOf(err) != core.NotFound {
			t.Errorf("%q: got %+v, %v; want not found", unknown, got, err)
		}
	}
}

func (s Events) prune(t *testing.T) {
	stores := s.Open(t, 2)
	w := newChainWriter(t, stores[0], "BSC")
	to := ports.WebhookEndpoint{Name: "hook", Account: "a"}
	plan(t, stores[0], to, 0)
	all := w.pay("a", 1, 1, 2, 5, 3, 6) // the process that wrote the fourth had another clock
	others := w.pay("b", 1, 4)
	plan(t, stores[0], to, 5)
	prune := func(before int, want int64) {
		t.Helper()
		at := chainDay.Add(time.Duration(before) * time.Hour)
		if got, err := stores[1].Events().Prune(t.Context(), at); got != want || err != nil {
			t.Errorf("before %d: got %d events, %v; want %d", before, got, err, want)
		}
	}
	prune(1, 0)
	prune(4, 2)
	prune(4, 0)
	checkEvents(t, stores[0].Events(), ports.EventQuery{Account: "a"}, all[2:]...)
	checkEvents(t, stores[0].Events(), ports.EventQuery{Account: "a", After: 1}, all[2:]...)
	checkEvents(t, stores[0].Events(), ports.EventQuery{Account: "b"}, others...)
	checkRange(t, stores[0].Events(), "a", ports.EventRange{Pruned: 2, Last: 5})
	checkRange(t, stores[0].Events(), "b", ports.EventRange{Last: 1})
	if got, err := stores[0].Events().Find(t.Context(), "a", all[1].ID); core.CodeOf(err) != core.NotFound {
		t.Errorf("a pruned event: got %+v, %v; want not found", got, err)
	}
	checkDeliveries(t, stores[0], ports.DeliveryQuery{}, "hook 5 pending", "hook 3 pending", "hook 4 pending")
	prune(100, 4)
	checkRange(t, stores[0].Events(), "a", ports.EventRange{Pruned: 5, Last: 5})
	checkDeliveries(t, stores[0], ports.DeliveryQuery{})
	if got := claim(t, stores[0], to, planDay.Add(time.Hour), 10); len(got) != 0 {
		t.Errorf("after all were pruned: claimed %v, want none", got)
	}
	checkEvents(t, stores[0].Events(), ports.EventQuery{Account: "a"})
	all = append(all, w.pay("a", 6, 7)...)
	checkEvents(t, stores[0].Events(), ports.EventQuery{Account: "a", After: 2}, all[5])
	checkRange(t, stores[0].Events(), "a", ports.EventRange{Pruned: 5, Last: 6})
	plan(t, stores[0], to, 1)
}

func (s Events) canceled(t *testing.T) {
	stores := s.Open(t, 1)[0]
	events := newChainWriter(t, stores, "BSC").pay("a", 1, 1)
	ctx := canceled(t)
	for name, call := range map[string]func() error{
		"Range": func() error { _, err := stores.Events().Range(ctx, "a"); return err },
		"Events": func() error {
			_, err := stores.Events().Events(ctx, ports.EventQuery{Account: "a", Limit: 1})
			return err
		},
		"Find":  func() error { _, err := stores.Events().Find(ctx, "a", events[0].ID); return err },
		"Prune": func() error { _, err := stores.Events().Prune(ctx, chainDay.AddDate(1, 0, 0)); return err },
	} {
		if err := call(); err == nil || core.CodeOf(err) == core.NotFound {
			t.Errorf("%s: got %v, want the error of the context", name, err)
		}
	}
	checkEvents(t, stores.Events(), ports.EventQuery{Account: "a"}, events...)
}

// concurrent lets several networks write events of the same accounts, new ones and known ones, while a client of each
// account polls. No client misses an event, and no number is missing.
func (s Events) concurrent(t *testing.T) {
	const rounds, accounts = 5, 12
	networks := []string{"BSC", "ETH", "TRON"}
	stores := s.Open(t, len(networks)+1)
	account := func(i int) string { return fmt.Sprintf("account %02d", i) }
	var writing, polling sync.WaitGroup
	for n, network := range networks {
		w := newChainWriter(t, stores[n], network)
		writing.Go(func() {
			for round := range rounds {
				var transactions []core.Transaction
				for i := range accounts / 2 {
					// each network in an order of its own, and each round with half of the accounts known so far
					number := ((i+round)*(2*n+3) + n) % accounts
					transactions = append(transactions, paid(account(number), network, round*accounts+i))
				}
				if err := w.try(func(b *ports.ChainBatch) { b.Transactions = transactions }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	const total = rounds * accounts / 2
	written := make(chan struct{})
	polled := make([][]core.Event, accounts)
	for i := range goroutines {
		polling.Go(func() {
			for done := false; !done; {
				select {
				case <-written:
					done = true // after this round
				default:
				}
				for a := i; a < accounts; a += goroutines {
					q := ports.EventQuery{Account: account(a), After: int64(len(polled[a])), Limit: 1_000}
					events, err := stores[len(networks)].Events().Events(t.Context(), q)
					if err != nil {
						t.Error(err)
					}
					polled[a] = append(polled[a], events...)
				}
			}
		})
	}
	writing.Wait()
	close(written)
	polling.Wait()
	var ids []string
	for a, events := range polled {
		for i, e := range events {
			if e.Number != int64(i+1) || e.Transaction.User.Account != account(a) {
				t.Fatalf("%s: got event %d of %s at place %d", account(a), e.Number, e.Transaction.User.Account, i+1)
			}
			ids = append(ids, e.ID)
		}
		checkRange(t, stores[0].Events(), account(a), ports.EventRange{Last: int64(len(events))})
	}
	slices.Sort(ids)
	if got, want := len(slices.Compact(ids)), total*len(networks); got != want {
		t.Errorf("clients got %d events, want %d", got, want)
	}
}
