package memory

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

func TestTransactions_Contract(t *testing.T) {
	t.Parallel()
	open := func(_ *testing.T, processes int) []ports.TransactionStore {
		return slices.Repeat([]ports.TransactionStore{NewTransactions()}, processes)
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
	original := NewTransactions()
	state, err := original.Lease(t.Context(), "BSC", "a", 0)
	if err != nil {
		t.Fatal(err)
	}
	read := func(store *Transactions, height int64, id string) {
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
	for store, want := range map[*Transactions]string{original: "second", clone: "third"} {
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
	original, to, now := NewTransactions(), ports.WebhookEndpoint{Name: "hook", Account: "a"}, time.Unix(0, 0)
	state, err := original.Lease(t.Context(), "BSC", "a", 0)
	if err != nil {
		t.Fatal(err)
	}
	pay := func(store *Transactions, id string) {
		t.Helper()
		tx := core.Transaction{ID: id, Revision: 1, User: core.DepositUser{Account: "a"}}
		err := store.Commit(t.Context(), ports.ChainBatch{State: state, Transactions: []core.Transaction{tx}})
		if _, planErr := store.Deliveries().Plan(t.Context(), to, now); err != nil || planErr != nil {
			t.Fatal(err, planErr)
		}
	}
	check := func(store *Transactions, want ...string) {
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
