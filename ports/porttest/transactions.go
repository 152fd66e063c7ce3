package porttest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/ports"
)

// Transactions is the suite of ports.TransactionStore.
type Transactions struct {
	// Open opens a new, empty store several times, as several processes do.
	Open func(t *testing.T, processes int) []ports.TransactionStore
}

// Run runs the suite.
func (s Transactions) Run(t *testing.T) {
	t.Helper()
	run(t, map[string]func(*testing.T){
		"lease": s.lease, "lost lease": s.lostLease, "concurrent leases": s.concurrentLeases,
		"all or nothing": s.allOrNothing, "canceled context": s.canceled, "blocks": s.blocks, "undo": s.undo,
		"round trip": s.roundTrip, "balances": s.balances, "another user": s.anotherUser, "large amounts": s.largeAmounts,
		"list": s.list, "find": s.find, "known": s.known, "unsettled": s.unsettled, "unassigned": s.unassigned,
		"concurrent": s.concurrent,
	})
}

var (
	chainDay    = time.Date(2026, 11, 23, 12, 0, 0, 123_456_000, time.UTC)
	chainUser   = core.DepositUser{Account: "a", Profile: "u"}
	otherHolder = "another process"
)

// chainWriter is the holder of the lease of a network.
type chainWriter struct {
	t     *testing.T
	store ports.TransactionStore
	state ports.ChainState
}

func newChainWriter(t *testing.T, store ports.TransactionStore, network string) *chainWriter {
	t.Helper()
	state, err := store.Lease(t.Context(), network, "a process", 0)
	if err != nil {
		t.Fatal(err)
	}
	return &chainWriter{t, store, state}
}

// try commits a batch of the holder.
func (w *chainWriter) try(change func(b *ports.ChainBatch)) error {
	w.t.Helper()
	batch := ports.ChainBatch{State: w.state, Before: w.state.Tip}
	change(&batch)
	err := w.store.Commit(w.t.Context(), batch)
	if err == nil {
		w.state = batch.State
	}
	return err
}

func (w *chainWriter) commit(change func(b *ports.ChainBatch)) {
	w.t.Helper()
	if err := w.try(change); err != nil {
		w.t.Fatal(err)
	}
}

// put commits transactions.
func (w *chainWriter) put(transactions ...core.Transaction) {
	w.t.Helper()
	w.commit(func(b *ports.ChainBatch) { b.Transactions = transactions })
}

// read commits the blocks of a fork with the given heights.
func (w *chainWriter) read(fork string, heights ...int64) {
	w.t.Helper()
	w.commit(func(b *ports.ChainBatch) { b.Blocks, b.State.Tip = chainBlocks(fork, heights...) })
}

// chainBlocks returns blocks of a fork, and the last of them.
func chainBlocks(fork string, heights ...int64) (blocks []core.Block, last core.BlockID) {
	hash := func(height int64) string { return fmt.Sprint(fork, " ", height) }
	for _, height := range heights {
		last = core.BlockID{Height: height, Hash: hash(height)}
		blocks = append(blocks, core.Block{
			BlockID: last, Parent: hash(height - 1), Time: chainDay.Add(time.Duration(height) * time.Second),
		})
	}
	return blocks, last
}

// incoming returns a new transaction of chainUser.
func incoming(network string, number int, currency, units string, decimals int32) core.Transaction {
	hash := fmt.Sprint("0x", number)
	return core.Transaction{
		ID: core.TransactionID(network, hash, 1), Network: network, Hash: hash, Index: 1, User: chainUser,
		Address:  core.DepositAddress{Address: "an address", Memo: "007"},
		Currency: currency, Units: decimal.RequireFromString(units), Decimals: decimals,
		Status: core.Pending, Revision: 1, Block: core.BlockID{Height: 10, Hash: "A 10"},
		Created: chainDay, Updated: chainDay,
	}
}

// next returns the next revision of a transaction.
func next(tx core.Transaction, status core.TransactionStatus) core.Transaction {
	tx.Status, tx.Revision, tx.Updated, tx.Completed = status, tx.Revision+1, tx.Updated.Add(time.Minute), time.Time{}
	if status == core.Completed {
		tx.Completed = tx.Updated
	}
	return tx
}

// stored is all that a store has.
type stored struct {
	Chains       []ports.ChainState
	Blocks       []core.Block
	Transactions []core.Transaction
	Unassigned   []core.UnassignedTransfer
	Balances     []core.Balance
}

func storedIn(t *testing.T, store ports.TransactionStore) stored {
	t.Helper()
	var (
		all  stored
		errs [5]error
	)
	ctx := t.Context()
	all.Chains, errs[0] = store.Chains(ctx)
	all.Blocks, errs[1] = store.Blocks(ctx, "BSC", 0, 1_000)
	all.Transactions, errs[2] = store.List(ctx, ports.TransactionQuery{User: chainUser, Limit: 1_000})
	all.Unassigned, errs[3] = store.Unassigned(ctx, ports.UnassignedQuery{})
	all.Balances, errs[4] = store.Balances(ctx, chainUser)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return all
}

// checkBalances compares the balances of chainUser: currency, pending and available.
func checkBalances(t *testing.T, store ports.TransactionStore, want ...[3]string) {
	t.Helper()
	balances, err := store.Balances(t.Context(), chainUser)
	var got [][3]string
	for _, b := range balances {
		if b.User != chainUser {
			t.Errorf("got a balance of %+v", b.User)
		}
		got = append(got, [3]string{b.Currency, b.Pending.String(), b.Available.String()})
	}
	equal(t, "balances", want, got, err)
}

func (s Transactions) lease(t *testing.T) {
	stores := s.Open(t, 2)
	if chains, err := stores[0].Chains(t.Context()); len(chains) != 0 || err != nil {
		t.Errorf("empty: got %+v, %v", chains, err)
	}
	newChainWriter(t, stores[1], "TRON")
	w := newChainWriter(t, stores[0], "BSC")
	if want := (ports.ChainState{Network: "BSC", Holder: "a process", Epoch: 1, Beat: w.state.Beat}); w.state != want {
		t.Errorf("first lease: got %+v, want %+v", w.state, want)
	}
	want := ports.ChainState{
		Network: "BSC", Start: 9, Tip: core.BlockID{Height: 10, Hash: "A 10"}, TipTime: chainDay, Verified: 8, Final: 7,
		Head: 12, Checked: chainDay.Add(time.Minute), Stopped: "why", Problem: "block 9", Holder: "ignored",
		Epoch: 1, Beat: -1,
	}
	w.commit(func(b *ports.ChainBatch) { b.State = want })
	want.Holder, want.Beat = "a process", storedIn(t, stores[1]).Chains[0].Beat
	chains := storedIn(t, stores[1]).Chains
	if len(chains) != 2 || chains[1].Network != "TRON" {
		t.Fatalf("got %+v, want BSC and TRON", chains)
	}
	equal(t, "after a commit", want, chains[0])
	beat := chains[0].Beat
	if beat <= 0 {
		t.Errorf("got beat %d after a commit", beat)
	}
	w.commit(func(*ports.ChainBatch) {})
	if got := storedIn(t, stores[1]).Chains[0].Beat; got <= beat {
		t.Errorf("after an empty commit: got beat %d, want more than %d", got, beat)
	}
	beat = storedIn(t, stores[1]).Chains[0].Beat
	taken, err := stores[1].Lease(t.Context(), "BSC", otherHolder, 1)
	if err != nil || taken.Beat <= beat {
		t.Errorf("taken over: got beat %d, %v; want more than %d", taken.Beat, err, beat)
	}
	want.Holder, want.Epoch, want.Beat = otherHolder, 2, taken.Beat
	equal(t, "taken over", want, taken)
}

// lostLease checks that a holder writes nothing after another process took its network over, or read on.
func (s Transactions) lostLease(t *testing.T) {
	stores := s.Open(t, 2)
	w := newChainWriter(t, stores[0], "BSC")
	w.read("A", 9, 10)
	stale := *w
	w.read("A", 11)
	for name, epoch := range map[string]int64{"BSC": 0, "TRON": 1} {
		if _, err := stores[1].Lease(t.Context(), name, otherHolder, epoch); !errors.Is(err, ports.ErrLeaseLost) {
			t.Errorf("lease of %s with epoch %d: got %v, want ErrLeaseLost", name, epoch, err)
		}
	}
	write := func(b *ports.ChainBatch) {
		b.Blocks, b.State.Tip = chainBlocks("B", 12)
		b.Undo, b.Forget = true, 10
		b.Transactions = []core.Transaction{incoming("BSC", 1, "USDT", "5", 6)}
		b.Unassigned = []core.UnassignedTransfer{unassignedTransfer("BSC", 12)}
	}
	check := func(name string, w chainWriter, change func(*ports.ChainBatch)) {
		t.Helper()
		before := storedIn(t, stores[1])
		err := w.try(func(b *ports.ChainBatch) {
			write(b)
			change(b)
		})
		if !errors.Is(err, ports.ErrLeaseLost) {
			t.Errorf("%s: got %v, want ErrLeaseLost", name, err)
		}
		equal(t, name, before, storedIn(t, stores[1]))
	}
	check("read on", stale, func(*ports.ChainBatch) {})
	check("another fork", *w, func(b *ports.ChainBatch) { b.Before.Hash = "B 11" })
	check("another height", *w, func(b *ports.ChainBatch) { b.Before.Height = 12 })
	check("unknown network", *w, func(b *ports.ChainBatch) { b.State.Network = "TRON" })
	check("epoch of nobody", *w, func(b *ports.ChainBatch) {
		b.State = ports.ChainState{Network: "TRON"}
		b.Before = core.BlockID{}
	})
	if _, err := stores[1].Lease(t.Context(), "BSC", otherHolder, 1); err != nil {
		t.Fatal(err)
	}
	check("taken over", *w, func(*ports.ChainBatch) {})
	w.state.Epoch = 2
	w.commit(write)
}

// concurrentLeases checks that one of several processes gets a lease.
func (s Transactions) concurrentLeases(t *testing.T) {
	stores := s.Open(t, goroutines)
	for epoch := range int64(3) {
		var next, won atomic.Int64
		concurrently(func() {
			i := next.Add(1) - 1
			state, err := stores[i].Lease(t.Context(), "BSC", fmt.Sprint(i), epoch)
			switch {
			case err == nil && state.Epoch == epoch+1 && state.Holder == fmt.Sprint(i):
				won.Add(1)
			case !errors.Is(err, ports.ErrLeaseLost):
				t.Errorf("got %+v, %v", state, err)
			}
		})
		if won.Load() != 1 {
			t.Errorf("epoch %d: got %d holders, want 1", epoch, won.Load())
		}
	}
}

// allOrNothing checks that a batch with a transaction of another revision changes nothing.
func (s Transactions) allOrNothing(t *testing.T) {
	store := s.Open(t, 1)[0]
	w := newChainWriter(t, store, "BSC")
	w.read("A", 9, 10)
	first := incoming("BSC", 1, "USDT", "5", 6)
	second := next(first, core.Completed)
	w.put(first)
	w.put(second)
	before := storedIn(t, store)
	skipped, other := next(next(second, core.Pending), core.Pending), incoming("BSC", 2, "USDT", "7", 6)
	for name, wrong := range map[string]core.Transaction{
		"known as new": first, "same revision": second, "skipped revision": skipped, "unknown": next(other, core.Pending),
	} {
		err := w.try(func(b *ports.ChainBatch) {
			b.Blocks, b.State.Tip = chainBlocks("B", 10, 11)
			b.Undo, b.Forget, b.State.Verified = true, 10, 9
			b.Transactions = []core.Transaction{incoming("BSC", 3, "BNB", "7", 18), wrong}
			b.Unassigned = []core.UnassignedTransfer{unassignedTransfer("BSC", 11)}
		})
		if !errors.Is(err, ports.ErrLeaseLost) {
			t.Errorf("%s: got %v, want ErrLeaseLost", name, err)
		}
		equal(t, name, before, storedIn(t, store))
	}
	if err := w.try(func(b *ports.ChainBatch) { b.Blocks, b.State.Tip = chainBlocks("B", 11, 10) }); err == nil {
		t.Error("a second block with a height: got no error, want one")
	}
	equal(t, "a second block with a height", before, storedIn(t, store))
}

func (s Transactions) canceled(t *testing.T) {
	store := s.Open(t, 1)[0]
	w := newChainWriter(t, store, "BSC")
	before := storedIn(t, store)
	ctx := canceled(t)
	batch := ports.ChainBatch{State: w.state, Transactions: []core.Transaction{incoming("BSC", 1, "USDT", "5", 6)}}
	if err := store.Commit(ctx, batch); err == nil || errors.Is(err, ports.ErrLeaseLost) {
		t.Errorf("Commit: got %v, want the error of the context", err)
	}
	if _, err := store.Lease(ctx, "BSC", otherHolder, 1); err == nil || errors.Is(err, ports.ErrLeaseLost) {
		t.Errorf("Lease: got %v, want the error of the context", err)
	}
	if _, err := store.List(ctx, ports.TransactionQuery{User: chainUser, Limit: 1}); err == nil {
		t.Error("List: got no error, want one")
	}
	if _, err := store.Find(ctx, chainUser, "tx"); err == nil || core.CodeOf(err) == core.NotFound {
		t.Errorf("Find: got %v, want the error of the context", err)
	}
	equal(t, "stored", before, storedIn(t, store))
}

// checkBlocks compares the stored blocks of BSC.
func checkBlocks(t *testing.T, store ports.TransactionStore, from, to int64, want ...core.Block) {
	t.Helper()
	got, err := store.Blocks(t.Context(), "BSC", from, to)
	equal(t, fmt.Sprintf("blocks %d to %d", from, to), want, got, err)
}

func (s Transactions) blocks(t *testing.T) {
	stores := s.Open(t, 2)
	w, other := newChainWriter(t, stores[0], "BSC"), newChainWriter(t, stores[0], "TRON")
	other.read("T", 11, 12)
	all, tip := chainBlocks("A", 9, 10, 11, 12)
	withTransfers := slices.Clone(all)
	withTransfers[0].Transfers = []core.Transfer{{Hash: "0x1", Address: "an address", Units: decimal.NewFromInt(1)}}
	w.commit(func(b *ports.ChainBatch) { b.Blocks, b.State.Tip = withTransfers, tip })
	checkBlocks(t, stores[1], 0, 100, all...)
	checkBlocks(t, stores[1], 10, 11, all[1:3]...)
	checkBlocks(t, stores[1], 13, 100)
	w.commit(func(b *ports.ChainBatch) { b.Forget = 11 })
	checkBlocks(t, stores[1], 0, 100, all[2:]...)
	if got, err := stores[1].Blocks(t.Context(), "TRON", 0, 100); len(got) != 2 || err != nil {
		t.Errorf("another network: got %+v, %v; want two blocks", got, err)
	}
}

func (s Transactions) undo(t *testing.T) {
	stores := s.Open(t, 2)
	w, other := newChainWriter(t, stores[0], "BSC"), newChainWriter(t, stores[0], "TRON")
	other.read("T", 12)
	foreign := unassignedTransfer("TRON", 12)
	other.commit(func(b *ports.ChainBatch) { b.Unassigned = []core.UnassignedTransfer{foreign} })
	w.read("A", 9, 10, 11, 12)
	ten, twelve := unassignedTransfer("BSC", 10), unassignedTransfer("BSC", 12)
	w.commit(func(b *ports.ChainBatch) { b.Unassigned = []core.UnassignedTransfer{ten, twelve} })
	check := func(name string, want ...core.UnassignedTransfer) {
		t.Helper()
		got, err := stores[1].Unassigned(t.Context(), ports.UnassignedQuery{})
		equal(t, name, want, got, err)
	}
	check("before", twelve, foreign, ten)
	kept, ancestor := chainBlocks("A", 9, 10)
	nowhere := twelve // no block has it at the moment
	nowhere.Block = core.BlockID{}
	w.commit(func(b *ports.ChainBatch) {
		b.Undo, b.State.Tip, b.Unassigned = true, ancestor, []core.UnassignedTransfer{nowhere}
	})
	checkBlocks(t, stores[1], 0, 100, kept...)
	check("undone", nowhere, foreign, ten)
	// Blocks and transfers that come instead are added in the same batch.
	instead, tip := chainBlocks("B", 10, 11)
	again := ten
	again.Block = instead[0].BlockID
	w.commit(func(b *ports.ChainBatch) {
		b.Undo, b.Blocks, b.State.Tip, b.Unassigned = true, instead, tip, []core.UnassignedTransfer{again}
	})
	checkBlocks(t, stores[1], 0, 100, append(kept[:1], instead...)...)
	check("replaced", nowhere, foreign, again)
	if got, err := stores[1].Blocks(t.Context(), "TRON", 0, 100); len(got) != 1 || err != nil {
		t.Errorf("another network: got %+v, %v; want one block", got, err)
	}
}

// roundTrip checks that each field of a transaction is stored, new and changed.
func (s Transactions) roundTrip(t *testing.T) {
	stores := s.Open(t, 2)
	w := newChainWriter(t, stores[0], "BSC")
	tx := incoming("BSC", 1, "USDT", "1500000000000000001", 18)
	tx.Index, tx.User.Profile = 1<<40, "né \"quoted\" \\u0000 user"
	tx.Address.Memo = "a \\ memo, 'quoted'"
	for _, change := range []func(*core.Transaction){
		func(*core.Transaction) {},
		func(tx *core.Transaction) { *tx = next(*tx, core.Completed) },
		func(tx *core.Transaction) {
			*tx = next(*tx, core.Pending)
			tx.Reason, tx.Block, tx.Ancestor = core.Reorganized, core.BlockID{}, 9
		},
		func(tx *core.Transaction) { *tx = next(*tx, core.Failed); tx.Reason = core.Dropped },
	} {
		change(&tx)
		w.put(tx)
		got, err := stores[1].Find(t.Context(), tx.User, tx.ID)
		equal(t, fmt.Sprintf("revision %d", tx.Revision), tx, got, err)
	}
}

func (s Transactions) balances(t *testing.T) {
	stores := s.Open(t, 2)
	bsc, eth := newChainWriter(t, stores[0], "BSC"), newChainWriter(t, stores[1], "ETH")
	checkBalances(t, stores[0])
	onBSC := incoming("BSC", 1, "USDT", "1500000000000000001", 18)
	onETH, small, coin := incoming("ETH", 1, "USDT", "2500000", 6), incoming("ETH", 2, "USDT", "1", 6),
		incoming("BSC", 2, "BNB", "1", 18)
	bsc.put(onBSC, coin)
	eth.put(onETH, small)
	checkBalances(t, stores[1],
		[3]string{"BNB", "0.000000000000000001", "0"}, [3]string{"USDT", "4.000001000000000001", "0"})

	onBSC, onETH = next(onBSC, core.Completed), next(onETH, core.Completed)
	bsc.put(onBSC)
	eth.put(onETH)
	checkBalances(t, stores[1],
		[3]string{"BNB", "0.000000000000000001", "0"}, [3]string{"USDT", "0.000001", "4.000000000000000001"})

	// The credit is taken back, and the last transaction of BNB fails.
	onBSC, coin = next(onBSC, core.Pending), next(coin, core.Failed)
	bsc.put(onBSC, coin)
	checkBalances(t, stores[1],
		[3]string{"BNB", "0", "0"}, [3]string{"USDT", "1.500001000000000001", "2.5"})

	// Two revisions in one batch count once.
	failed := next(onBSC, core.Failed)
	bsc.put(failed, next(failed, core.Pending))
	checkBalances(t, stores[1],
		[3]string{"BNB", "0", "0"}, [3]string{"USDT", "1.500001000000000001", "2.5"})
}

// anotherUser checks that balances follow transactions whose user differs from the user of the revision before.
func (s Transactions) anotherUser(t *testing.T) {
	store := s.Open(t, 1)[0]
	w := newChainWriter(t, store, "BSC")
	first := incoming("BSC", 1, "USDT", "5", 0)
	foreign := next(first, core.Completed)
	foreign.User.Account = "b"
	w.put(first)
	w.put(foreign)
	mine := next(foreign, core.Completed)
	mine.User = chainUser
	w.put(mine)
	checkBalances(t, store, [3]string{"USDT", "0", "5"})
}

func (s Transactions) largeAmounts(t *testing.T) {
	store := s.Open(t, 1)[0]
	w := newChainWriter(t, store, "BSC")
	const digits = "123456789012345678901234567890"
	coin, token := incoming("BSC", 1, "SHIB", digits, 18), incoming("BSC", 2, "SHIB", digits, 0)
	// The largest amount of a token.
	largest := decimal.NewFromInt(2).Pow(decimal.NewFromInt(256)).Sub(decimal.NewFromInt(1))
	most := incoming("BSC", 3, "DAI", largest.String(), 18)
	w.put(coin, token, most)
	w.put(next(token, core.Completed))
	checkBalances(t, store,
		[3]string{"DAI", "115792089237316195423570985008687907853269984665640564039457.584007913129639935", "0"},
		[3]string{"SHIB", "123456789012.34567890123456789", digits})
	if got, err := store.Find(t.Context(), chainUser, coin.ID); got.Units.String() != digits || err != nil {
		t.Errorf("got %s, %v; want %s", got.Units, err, digits)
	}
}

// list reads pages in both orders. Several transactions have the same time.
func (s Transactions) list(t *testing.T) {
	store := s.Open(t, 1)[0]
	bsc, eth := newChainWriter(t, store, "BSC"), newChainWriter(t, store, "ETH")
	var all []core.Transaction // oldest first
	for i := range 10 {
		w, currency := bsc, []string{"USDT", "BNB"}[i%2]
		if i%3 == 0 {
			w = eth
		}
		tx := incoming(w.state.Network, i, currency, "1", 6)
		tx.Created = chainDay.Add(time.Duration(i/4) * time.Microsecond)
		w.put(tx)
		if i%5 == 0 {
			tx = next(tx, core.Completed)
			w.put(tx)
		}
		all = append(all, tx)
	}
	foreign := incoming("BSC", 100, "USDT", "1", 6)
	foreign.User.Profile = ""
	bsc.put(foreign)
	slices.SortFunc(all, func(a, b core.Transaction) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	for name, q := range map[string]ports.TransactionQuery{
		"all": {}, "currency": {Currency: "BNB"}, "network": {Network: "ETH"}, "status": {Status: core.Completed},
		"both": {Currency: "USDT", Network: "BSC"}, "nothing": {Currency: "BTC"},
		"all three": {Currency: "USDT", Network: "ETH", Status: core.Completed},
	} {
		var want []core.Transaction
		for _, tx := range all {
			if (q.Currency == "" || q.Currency == tx.Currency) && (q.Network == "" || q.Network == tx.Network) &&
				(q.Status == "" || q.Status == tx.Status) {
				want = append(want, tx)
			}
		}
		q.User, q.Limit = chainUser, 3
		for range 2 {
			q.Oldest, q.After = !q.Oldest, ports.TransactionPosition{}
			var got []core.Transaction
			for {
				page, err := store.List(t.Context(), q)
				if err != nil || len(page) > q.Limit {
					t.Fatalf("%s: got %d transactions, %v", name, len(page), err)
				}
				if len(page) == 0 {
					break
				}
				got = append(got, page...)
				last := page[len(page)-1]
				q.After = ports.TransactionPosition{Created: last.Created, ID: last.ID}
			}
			if !q.Oldest {
				slices.Reverse(got)
			}
			equal(t, fmt.Sprintf("%s, oldest first %t", name, q.Oldest), want, got)
		}
	}
}

func (s Transactions) find(t *testing.T) {
	store := s.Open(t, 1)[0]
	tx := incoming("BSC", 1, "USDT", "5", 6)
	newChainWriter(t, store, "BSC").put(tx)
	for name, c := range map[string]struct {
		user  core.DepositUser
		id    string
		found bool
	}{
		"own":             {chainUser, tx.ID, true},
		"unknown":         {chainUser, "tx_0", false},
		"no ID":           {chainUser, "", false},
		"no text":         {chainUser, "\x00\xff", false},
		"another profile": {core.DepositUser{Account: "a", Profile: "v"}, tx.ID, false},
		"another account": {core.DepositUser{Account: "b", Profile: "u"}, tx.ID, false},
	} {
		got, err := store.Find(t.Context(), c.user, c.id)
		if c.found != (err == nil) || !c.found && core.CodeOf(err) != core.NotFound || c.found && got.ID != tx.ID {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func (s Transactions) known(t *testing.T) {
	stores := s.Open(t, 2)
	mine, foreign := incoming("BSC", 1, "USDT", "5", 6), incoming("ETH", 2, "USDT", "5", 6)
	foreign.User.Account = "b"
	newChainWriter(t, stores[0], "BSC").put(mine)
	newChainWriter(t, stores[0], "ETH").put(foreign)
	ids := []string{foreign.ID, mine.ID}
	for i := range 10_000 {
		ids = append(ids, fmt.Sprint("tx_", i))
	}
	ids = append(ids, mine.ID)
	got, err := stores[1].Known(t.Context(), ids)
	slices.SortFunc(got, func(a, b core.Transaction) int { return strings.Compare(a.Network, b.Network) })
	equal(t, "known", []core.Transaction{mine, foreign}, got, err)
	if got, err := stores[1].Known(t.Context(), nil); len(got) != 0 || err != nil {
		t.Errorf("no IDs: got %+v, %v", got, err)
	}
}

func (s Transactions) unsettled(t *testing.T) {
	store := s.Open(t, 1)[0]
	w, other := newChainWriter(t, store, "BSC"), newChainWriter(t, store, "ETH")
	at := func(number int, height int64, created int) core.Transaction {
		tx := incoming("BSC", number, "USDT", "5", 6)
		tx.Block.Height, tx.Created = height, chainDay.Add(time.Duration(created)*time.Second)
		return tx
	}
	pending, deep, high, orphan, dropped := at(1, 5, 4), at(2, 10, 3), at(3, 11, 2), at(4, 11, 1), at(5, 11, 0)
	w.put(pending, deep, high, orphan, dropped)
	other.put(incoming("ETH", 1, "USDT", "5", 6))
	deep, high, orphan, dropped = next(deep, core.Completed), next(high, core.Completed), next(orphan, core.Pending),
		next(dropped, core.Failed)
	orphan.Block, orphan.Ancestor, dropped.Block = core.BlockID{}, 9, core.BlockID{}
	w.put(deep, high, orphan, dropped)
	got, err := store.Unsettled(t.Context(), "BSC", 10)
	equal(t, "unsettled", []core.Transaction{orphan, high, pending}, got, err)
}

func unassignedTransfer(network string, height int64) core.UnassignedTransfer {
	return core.UnassignedTransfer{
		Transfer: core.Transfer{
			Hash: fmt.Sprint("0x", height), Index: 2, Contract: "0xc", Address: "shared", Memo: "m",
			Units: decimal.RequireFromString("123456789012345678901234567890"),
		},
		Network: network, Currency: "USDT", Decimals: 18, Block: core.BlockID{Height: height, Hash: fmt.Sprint("A ", height)},
		Reason: core.UnknownMemo, Seen: chainDay.Add(time.Duration(height) * time.Second),
	}
}

func (s Transactions) unassigned(t *testing.T) {
	stores := s.Open(t, 2)
	bsc, eth := newChainWriter(t, stores[0], "BSC"), newChainWriter(t, stores[0], "TRON")
	five, six, foreign := unassignedTransfer("BSC", 5), unassignedTransfer("BSC", 6), unassignedTransfer("TRON", 7)
	second := six
	second.Index = 3
	bsc.commit(func(b *ports.ChainBatch) { b.Unassigned = []core.UnassignedTransfer{five, six, second} })
	eth.commit(func(b *ports.ChainBatch) { b.Unassigned = []core.UnassignedTransfer{foreign} })
	six.Reason = core.WithoutMemo
	bsc.commit(func(b *ports.ChainBatch) { b.Unassigned = []core.UnassignedTransfer{six} })
	for name, c := range map[string]struct {
		query ports.UnassignedQuery
		want  []core.UnassignedTransfer
	}{
		"all":             {ports.UnassignedQuery{}, []core.UnassignedTransfer{foreign, six, second, five}},
		"network":         {ports.UnassignedQuery{Network: "BSC"}, []core.UnassignedTransfer{six, second, five}},
		"another network": {ports.UnassignedQuery{Network: "TRON"}, []core.UnassignedTransfer{foreign}},
		"no transfers":    {ports.UnassignedQuery{Network: "ETH"}, nil},
		"limit":           {ports.UnassignedQuery{Limit: 2}, []core.UnassignedTransfer{foreign, six}},
		"network, limit":  {ports.UnassignedQuery{Network: "BSC", Limit: 1}, []core.UnassignedTransfer{six}},
		"hashes": {
			ports.UnassignedQuery{Network: "BSC", Hashes: []string{six.Hash, foreign.Hash, "\x00\xff"}},
			[]core.UnassignedTransfer{six, second},
		},
		"hashes, limit": {
			ports.UnassignedQuery{Hashes: []string{five.Hash, six.Hash}, Limit: 1},
			[]core.UnassignedTransfer{six},
		},
		"no hashes": {ports.UnassignedQuery{Hashes: []string{}}, nil},
	} {
		got, err := stores[1].Unassigned(t.Context(), c.query)
		equal(t, name, c.want, got, err)
	}
	// No text of a transfer, which anyone can send, makes a batch impossible.
	strange := unassignedTransfer("BSC", 8)
	strange.Memo = "\x00\xff"
	bsc.commit(func(b *ports.ChainBatch) { b.Unassigned = []core.UnassignedTransfer{strange} })
}

// concurrent lets two networks credit the same users at the same time, first without and then with balances.
func (s Transactions) concurrent(t *testing.T) {
	const rounds, users = 6, 50
	networks := []string{"BSC", "ETH"}
	stores := s.Open(t, len(networks))
	writers := []*chainWriter{newChainWriter(t, stores[0], networks[0]), newChainWriter(t, stores[1], networks[1])}
	user := func(round, i int) core.DepositUser {
		return core.DepositUser{Account: "a", Profile: core.Private(fmt.Sprint(round/2, " ", i))}
	}
	for round := range rounds {
		var work sync.WaitGroup
		for n, w := range writers {
			var transactions []core.Transaction
			for i := range users {
				tx := incoming(networks[n], round*users+i, "USDT", "1", 1)
				tx.User = user(round, i)
				transactions = append(transactions, tx)
			}
			work.Go(func() {
				if err := w.try(func(b *ports.ChainBatch) { b.Transactions = transactions }); err != nil {
					t.Error(err)
				}
			})
		}
		work.Wait()
	}
	for round := 0; round < rounds; round += 2 {
		for i := range users {
			got, err := stores[0].Balances(t.Context(), user(round, i))
			if err != nil || len(got) != 1 || got[0].Pending.String() != "0.4" {
				t.Fatalf("round %d, user %d: got %+v, %v; want 0.4 USDT", round, i, got, err)
			}
		}
	}
}
