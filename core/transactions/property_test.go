package transactions_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/transactions"
	"causeway/ports"
)

// After any forks, outages and incomplete answers, once the network is quiet, the balances are the sums of
// the transfers of its main chain, and each transfer has one transaction.
func TestSync_RandomForks(t *testing.T) {
	t.Parallel()
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 28))
		w := newWorld(t, 1+random.IntN(2))
		w.sync(t)
		pending := map[string]core.Transfer{} // sent, and in no block
		processes := []*transactions.Service{w.Service, w.second(t)}
		for step := range 60 {
			switch random.IntN(8) {
			case 0:
				if depth := random.IntN(8); len(w.ledger.blocks)-depth >= 200 {
					for _, b := range w.ledger.blocks[len(w.ledger.blocks)-depth:] {
						for _, t := range b.Transfers {
							if random.IntN(4) > 0 { // else it is dropped
								pending[t.Hash] = t
							}
						}
					}
					w.ledger.fork(depth)
				}
			case 1:
				n := w.nodes[random.IntN(len(w.nodes))]
				n.missing = map[int64]error{int64(len(w.ledger.blocks) - random.IntN(3)): ports.ErrNoBlock}
			case 2:
				if len(w.nodes) == 1 {
					continue // a single back end that never shows a transfer cannot be caught
				}
				w.nodes[1].edit = without(fmt.Sprint("t", random.IntN(step+1)))
			case 3:
				for _, n := range w.nodes {
					n.missing, n.edit, n.behind = nil, nil, random.IntN(3)
				}
			case 4:
				w.now = w.now.Add(time.Duration(random.IntN(30)-5) * time.Second)
			default:
				hash := fmt.Sprint("t", step)
				pending[hash] = pays(hash, random.Int64N(2), []string{alice, bob, other, pool}[random.IntN(4)], 1+random.Int64N(9))
			}
			var block []core.Transfer
			for i := range step + 1 { // in an order that is the same each time
				if hash := fmt.Sprint("t", i); pending[hash].Hash != "" && random.IntN(2) == 0 {
					block = append(block, pending[hash])
					delete(pending, hash)
				}
			}
			w.ledger.mine(block...)
			_ = processes[random.IntN(2)].Sync(t.Context(), bsc)
		}
		for _, n := range w.nodes {
			n.missing, n.edit, n.behind = nil, nil, 0
		}
		for range 3 {
			w.ledger.empty(max(10, 265-len(w.ledger.blocks))) // more than any fork had
			for _, s := range processes {
				if err := s.Sync(t.Context(), bsc); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
			}
		}
		if state := w.state(t); state.Stopped != "" {
			t.Errorf("seed %d: stopped: %s", seed, state.Stopped)
		}
		sums := w.ledger.onMain(200)
		for profile, address := range map[string]string{"alice": alice, "bob": bob} {
			all, err := w.Balances(t.Context(), person(profile))
			if err != nil {
				t.Fatal(err)
			}
			got := core.Balance{Pending: decimal.Zero, Available: decimal.Zero}
			for _, b := range all {
				got = b
			}
			if !got.Available.Equal(sums[address]) || !got.Pending.IsZero() {
				t.Errorf("seed %d: %s has %s and %s pending, want %s: %s", seed, profile, got.Available, got.Pending,
					sums[address], w.brief(t, profile))
			}
		}
	}
}
