package memory

import (
	"testing"

	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

func TestTransactions_Contract(t *testing.T) {
	t.Parallel()
	porttest.Transactions{Open: func(_ *testing.T, processes int) []ports.TransactionStore {
		store := NewTransactions()
		var stores []ports.TransactionStore
		for range processes {
			stores = append(stores, store)
		}
		return stores
	}}.Run(t)
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
