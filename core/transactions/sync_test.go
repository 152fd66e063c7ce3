package transactions_test

import (
	"testing"

	"causeway/core"
)

func TestSync_CountsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.sync(t) // begins at the tip
	w.ledger.mine(pays("a", 3, "0xALICE", 5))
	w.sync(t)
	w.expect(t, "a#3 pending r1 @201", "USDT 5/0")
	w.mine(t, 1)
	w.expect(t, "a#3 pending r1 @201", "USDT 5/0")
	w.mine(t, 1)
	w.expect(t, "a#3 completed r2 @201", "USDT 0/5")
	w.mine(t, 10)
	w.expect(t, "a#3 completed r2 @201", "USDT 0/5")
	w.logged(t, "completed 1 dropped 0")

	w.ledger.fork(13)
	w.ledger.empty(3)
	w.ledger.mine(pays("a", 3, alice, 5))
	w.sync(t) // the new blocks are not more than the old ones
	w.expect(t, "a#3 completed r2 @201", "USDT 0/5")
	w.mine(t, 10)
	w.expect(t, "a#3 completed r5 @204", "USDT 0/5")
	w.logged(t, "reorganized 13: 1, 1 back", "completed 1 dropped 0")
	item, err := w.Get(t.Context(), person("alice"), core.TransactionID(bsc, "a", 3))
	if err != nil || item.Confirmations != 3 || item.Completed.IsZero() || item.Chain.Network != bsc {
		t.Errorf("got %+v, %v", item, err)
	}
}
