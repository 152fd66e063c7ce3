package memory_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"causeway/adapters/memory"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

func TestTransactions_Contract(t *testing.T) {
	t.Parallel()
	open := func(_ *testing.T, processes int) []ports.TransactionStore {
		return slices.Repeat([]ports.TransactionStore{memory.NewTransactions()}, processes)
	}
	for _, suite := range []interface{ Run(t *testing.T) }{
		porttest.Transactions{Open: open}, porttest.Events{Open: open}, porttest.Deliveries{Open: open},
	} {
		t.Run(fmt.Sprintf("%T", suite), func(t *testing.T) {
			t.Parallel()
			suite.Run(t)
		})
	}
}

// A clone has what the original has, and neither sees what the other stores later.
func TestTransactions_Clone(t *testing.T) {
	t.Parallel()
	original := memory.NewTransactions()
	state, err := original.Lease(t.Context(), "BSC", "a", 0)
	if err != nil {
		t.Fatal(err)
	}
	read := func(store *memory.Transactions, height int64, id string) {
		t.Helper()
		after := state
		after.Tip.Height = height
		err := store.Commit(t.Context(), ports.ChainBatch{
			State: after, Before: state.Tip, Blocks: []core.Block{{BlockID: after.Tip}},
			Transactions: []core.Transaction{{ID: id, Revision: 1}}, Unassigned: []core.UnassignedTransfer{{Network: id}},
		})
		if err != nil {
			t.Error(err)
		}
	}
	read(original, 1, "first")
	state.Tip.Height = 1
	clone := original.Clone()
	read(original, 2, "second")
	read(clone, 2, "third")
	for store, want := range map[*memory.Transactions]string{original: "second", clone: "third"} {
		known, err := store.Known(t.Context(), []string{"first", "second", "third"})
		if err != nil || len(known) != 2 || known[0].ID != "first" || known[1].ID != want {
			t.Errorf("got %+v, %v; want first and %s", known, err, want)
		}
		if all, err := store.Unassigned(t.Context(), ports.UnassignedQuery{Network: want}); err != nil || len(all) != 1 {
			t.Errorf("got %+v, %v; want one unassigned transfer of %s", all, err, want)
		}
		if blocks, err := store.Blocks(t.Context(), "BSC", 1, 2); err != nil || len(blocks) != 2 {
			t.Errorf("got %+v, %v; want two blocks", blocks, err)
		}
	}
}

// A clone has the events and deliveries of the original, and neither sees what the other adds or claims later.
func TestTransactions_CloneEvents(t *testing.T) {
	t.Parallel()
	original, to, now := memory.NewTransactions(), ports.WebhookEndpoint{Name: "hook", Account: "a"}, time.Unix(0, 0)
	state, err := original.Lease(t.Context(), "BSC", "a", 0)
	if err != nil {
		t.Fatal(err)
	}
	pay := func(store *memory.Transactions, id string) {
		t.Helper()
		tx := core.Transaction{ID: id, Revision: 1, User: core.DepositUser{Account: "a"}}
		err := store.Commit(t.Context(), ports.ChainBatch{State: state, Transactions: []core.Transaction{tx}})
		if _, planErr := store.Deliveries().Plan(t.Context(), to, now); err != nil || planErr != nil {
			t.Fatal(err, planErr)
		}
	}
	check := func(store *memory.Transactions, want ...string) {
		t.Helper()
		claimed, err := store.Deliveries().Claim(t.Context(), to, now, now.Add(time.Hour), 10)
		var got []string
		for _, d := range claimed {
			got = append(got, d.Event.Transaction.ID)
			if e, err := store.Events().Find(t.Context(), "a", d.Event.ID); e != d.Event || err != nil {
				t.Errorf("got %+v, %v; want %+v", e, err, d.Event)
			}
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("claimed %v, %v; want %v", got, err, want)
		}
	}
	pay(original, "before the endpoint")
	pay(original, "first")
	clone, another := original.Clone(), original.Clone()
	pay(original, "second")
	pay(clone, "third")
	check(clone, "first", "third")
	check(original, "first", "second")
	check(another, "first")
}

// filled returns a store that read blocks of ten payments each, one to each of ten users.
func filled(tb testing.TB, payments int) *memory.Transactions {
	tb.Helper()
	const users = 10
	store := memory.NewTransactions()
	state, err := store.Lease(tb.Context(), "BSC", "a", 0)
	for height := int64(1); err == nil && height <= int64(payments/users); height++ {
		batch := ports.ChainBatch{Before: state.Tip, Forget: height - 100}
		state.Tip.Height = height
		batch.State, batch.Blocks = state, []core.Block{{BlockID: state.Tip}}
		for user := range users {
			at := time.Unix(height, int64(user)*1000)
			hash := fmt.Sprint(height, "-", user)
			batch.Transactions = append(batch.Transactions, core.Transaction{
				ID: hash, Revision: 1, Network: "BSC", Block: state.Tip, Created: at, Updated: at, Status: core.Completed,
				User: core.DepositUser{Account: fmt.Sprint(user)}, Currency: "BNB",
			})
			batch.Unassigned = append(batch.Unassigned, core.UnassignedTransfer{
				Transfer: core.Transfer{Hash: hash}, Network: "BSC", Block: state.Tip,
			})
		}
		if err = store.Commit(tb.Context(), batch); err == nil {
			_, err = store.Unsettled(tb.Context(), "BSC", height-20)
		}
	}
	if err != nil {
		tb.Fatal(err)
	}
	return store
}

// reads are what requests to a world and its next block read.
func reads(payments int) map[string]func(context.Context, *memory.Transactions) error {
	user, tip := core.DepositUser{Account: "1"}, int64(payments/10)
	hash := fmt.Sprint(tip/2, "-", 1)
	return map[string]func(context.Context, *memory.Transactions) error{
		"list": func(ctx context.Context, t *memory.Transactions) error {
			_, err := t.List(ctx, ports.TransactionQuery{User: user, Limit: 20})
			return err
		},
		"balances": func(ctx context.Context, t *memory.Transactions) error { _, err := t.Balances(ctx, user); return err },
		"known": func(ctx context.Context, t *memory.Transactions) error {
			_, err := t.Known(ctx, []string{hash})
			return err
		},
		"unsettled": func(ctx context.Context, t *memory.Transactions) error {
			_, err := t.Unsettled(ctx, "BSC", tip-20)
			return err
		},
		"blocks": func(ctx context.Context, t *memory.Transactions) error {
			_, err := t.Blocks(ctx, "BSC", tip-5, tip)
			return err
		},
		"unassigned": func(ctx context.Context, t *memory.Transactions) error {
			_, err := t.Unassigned(ctx, ports.UnassignedQuery{Network: "BSC", Hashes: []string{hash}})
			return err
		},
	}
}

// A read copies as much from many transactions as from few.
func TestTransactions_Growth(t *testing.T) {
	const few, many, runs = 300, 3_000, 10
	copied := map[string]map[int]uint64{}
	for _, payments := range []int{few, many} {
		store := filled(t, payments)
		for name, read := range reads(payments) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range runs {
				if err := read(t.Context(), store); err != nil {
					t.Fatal(err)
				}
			}
			runtime.ReadMemStats(&after)
			if copied[name] == nil {
				copied[name] = map[int]uint64{}
			}
			copied[name][payments] = (after.TotalAlloc - before.TotalAlloc) / runs
		}
	}
	for name, bytes := range copied {
		if bytes[many] > 2*bytes[few]+1000 {
			t.Errorf("%s: %d bytes with %d transactions, %d with %d", name, bytes[many], many, bytes[few], few)
		}
	}
}

// BenchmarkTransactions measures how long the store takes to import so many payments, and each read then.
func BenchmarkTransactions(b *testing.B) {
	for _, payments := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(payments, "/import"), func(b *testing.B) {
			for b.Loop() {
				filled(b, payments)
			}
		})
		store := filled(b, payments)
		for name, read := range reads(payments) {
			b.Run(fmt.Sprint(payments, "/", name), func(b *testing.B) {
				for b.Loop() {
					if err := read(b.Context(), store); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
