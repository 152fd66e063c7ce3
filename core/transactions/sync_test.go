package transactions_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/transactions"
	"causeway/ports"
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

func TestSync_Reorganization(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		confirmed, depth int // blocks after the transfer; blocks that are replaced
		log              []string
		brief, balance   string
	}{
		"after it":        {3, 3, []string{"completed 1 dropped 0", "reorganized 3: 0, 0 back"}, "a#0 completed r2 @201", "USDT 0/5"},
		"1 block":         {0, 1, []string{"reorganized 1: 1, 0 back"}, "a#0 pending reorganized r2 @0", "USDT 5/0"},
		"2 blocks":        {1, 2, []string{"reorganized 2: 1, 0 back"}, "a#0 pending reorganized r2 @0", "USDT 5/0"},
		"completed":       {2, 3, []string{"completed 1 dropped 0", "reorganized 3: 1, 1 back"}, "a#0 pending reorganized r3 @0", "USDT 5/0"},
		"150 blocks":      {149, 150, []string{"completed 1 dropped 0", "stopped: it replaced block 250, and no block before it is stored"}, "a#0 completed r2 @201", "USDT 0/5"},
		"below the start": {2, 4, []string{"completed 1 dropped 0", "stopped: it replaced block 200, and no block before it is stored"}, "a#0 completed r2 @201", "USDT 0/5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			w.sync(t)
			w.ledger.mine(pays("a", 0, alice, 5))
			w.mine(t, c.confirmed)
			w.ledger.fork(c.depth)
			w.ledger.empty(c.depth)
			w.sync(t)
			w.ledger.empty(1)
			err := w.Sync(t.Context(), bsc)
			if got, want := err != nil, strings.HasPrefix(c.log[len(c.log)-1], "stopped"); got != want {
				t.Errorf("got error %v", err)
			}
			_ = w.Sync(t.Context(), bsc) // once more: nothing changes
			w.logged(t, c.log...)
			w.expect(t, c.brief, c.balance)
		})
	}
}

func TestSync_Dropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.sync(t)
	w.ledger.mine(pays("a", 0, alice, 5))
	w.mine(t, 2)
	w.ledger.fork(3)
	w.mine(t, 4) // 201 to 204: two blocks are verified
	w.expect(t, "a#0 pending reorganized r3 @0", "USDT 5/0")
	w.nodes[0].set(func(n *node) { n.failure = core.Errorf(core.Unavailable, "It is down") })
	w.now = w.now.Add(24 * time.Hour)
	w.fails(t, w.nodes[0].failure) // an outage drops nothing
	w.expect(t, "a#0 pending reorganized r3 @0", "USDT 5/0")
	w.nodes[0].set(func(n *node) { n.failure = nil })
	w.mine(t, 1)
	w.expect(t, "a#0 failed dropped r4 @0", "USDT 0/0")

	w.ledger.mine(pays("b", 0, alice, 1), pays("a", 0, alice, 5))
	w.sync(t)
	w.expect(t, "a#0 pending r5 @206, b#0 pending r1 @206", "USDT 6/0")
	w.mine(t, 2)
	w.expect(t, "a#0 completed r6 @206, b#0 completed r2 @206", "USDT 0/6")
	w.mine(t, 300)
	w.expect(t, "a#0 completed r6 @206, b#0 completed r2 @206", "USDT 0/6")
}

// A transaction that is executed again may pay another amount, or another user.
func TestSync_ExecutedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.sync(t)
	w.ledger.mine(pays("a", 1, alice, 5), pays("a", 2, alice, 7))
	w.mine(t, 2)
	w.ledger.fork(3)
	w.ledger.mine(pays("a", 1, alice, 6), pays("a", 2, bob, 7))
	w.mine(t, 5)
	w.expect(t, "a#1 completed r5 @201, a#2 failed dropped r4 @0", "USDT 0/6")
	if got := w.brief(t, "bob"); got != "" {
		t.Errorf("bob has %s", got)
	}
	unassigned, err := w.Unassigned(t.Context(), bsc, 10)
	if err != nil || len(unassigned) != 1 || unassigned[0].Reason != core.ChangedReceiver {
		t.Errorf("got %+v, %v", unassigned, err)
	}
}

func TestSync_Transfers(t *testing.T) {
	t.Parallel()
	dust := pays("e", 0, alice, 0)
	dust.Units = decimal.New(1, 0)
	part := dust
	part.Hash, part.Units = "f", decimal.New(5, -1)
	fake := pays("g", 0, alice, 5)
	fake.Contract = "0xfake"
	native := pays("h", 0, alice, 2)
	native.Contract = ""
	for name, c := range map[string]struct {
		transfers      []core.Transfer
		brief, balance string
	}{
		"the same address twice":  {[]core.Transfer{pays("a", 1, alice, 5), pays("a", 2, alice, 5)}, "a#1 completed r2 @201, a#2 completed r2 @201", "USDT 0/10"},
		"the same transfer twice": {[]core.Transfer{pays("a", 1, alice, 5), pays("a", 1, alice, 5)}, "a#1 completed r2 @201", "USDT 0/5"},
		"dust":                    {[]core.Transfer{dust}, "e#0 completed r2 @201", "USDT 0/0.000000000000000001"},
		"nothing":                 {[]core.Transfer{pays("a", 0, alice, 0), pays("b", 0, alice, -1), part}, "", ""},
		"another token":           {[]core.Transfer{fake}, "", ""},
		"the coin of the network": {[]core.Transfer{native}, "h#0 completed r2 @201", "BNB 0/2"},
		"a replaced address":      {[]core.Transfer{pays("a", 0, "0xold", 5)}, "a#0 completed r2 @201", "USDT 0/5"},
		"other addresses":         {[]core.Transfer{pays("a", 0, other, 5), pays("b", 0, pool, 5), pays("c", 0, bob, 5)}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			w.owners["0xold"] = "alice"
			w.sync(t)
			w.ledger.mine(c.transfers...)
			w.mine(t, 3)
			w.expect(t, c.brief, c.balance)
		})
	}
}

// A transfer to an address without a user stays with the operator, also if a user gets the address
// before the block is verified.
func TestSync_Unassigned(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.sync(t)
	w.ledger.mine(pays("a", 0, pool, 5))
	w.sync(t)
	w.logged(t, "unassigned: unassigned_address")
	w.owners[pool] = "alice"
	w.ledger.mine(pays("b", 0, pool, 6))
	w.mine(t, 3)
	w.expect(t, "b#0 completed r2 @202", "USDT 0/6")
	w.logged(t, "completed 1 dropped 0")
	for _, network := range []string{"", bsc} {
		all, err := w.Unassigned(t.Context(), network, 10)
		if err != nil || len(all) != 1 || all[0].Hash != "a" || all[0].Reason != core.UnassignedAddress ||
			all[0].Currency != "USDT" || all[0].Block.Height != 201 {
			t.Errorf("%q: got %+v, %v", network, all, err)
		}
	}
}

// The same holds if the network puts the transfer into another block.
func TestSync_UnassignedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.sync(t)
	unassigned := func(want ...int64) {
		t.Helper()
		all, err := w.Unassigned(t.Context(), bsc, 100)
		var got []int64
		for _, u := range all {
			got = append(got, u.Block.Height)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("got transfers without a user at %d, %v; want %d", got, err, want)
		}
	}
	w.ledger.mine(pays("a", 0, pool, 5))
	w.sync(t)
	unassigned(201)
	w.owners[pool] = "alice"
	w.ledger.fork(1)
	w.mine(t, 2)
	unassigned()
	w.ledger.mine(pays("a", 0, pool, 5), pays("b", 0, pool, 6))
	w.mine(t, 5)
	w.expect(t, "b#0 completed r2 @203", "USDT 0/6")
	unassigned(203)
}

// A tampered row credits no user. Once it is repaired, verification credits its user.
func TestSync_Tampered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.sync(t)
	w.ledger.mine(pays("before", 0, alice, 1))
	w.sync(t)
	w.owners[alice] = tampered
	w.ledger.mine(pays("repaired", 0, alice, 2), pays("never", 0, bob, 4))
	w.owners[bob] = tampered
	w.mine(t, 1)
	w.expect(t, "before#0 completed r2 @201", "USDT 0/1") // it was derived when it was read
	if all, err := w.Unassigned(t.Context(), "", 10); err != nil || len(all) != 2 || all[0].Reason != core.TamperedAddress {
		t.Errorf("got %+v, %v", all, err)
	}
	w.owners[alice] = "alice"
	w.mine(t, 3)
	w.expect(t, "before#0 completed r2 @201, repaired#0 completed r2 @202", "USDT 0/3")
	if all, err := w.Unassigned(t.Context(), "", 10); err != nil || len(all) != 1 || all[0].Hash != "never" {
		t.Errorf("got %+v, %v", all, err)
	}
}

func TestSync_CatchUp(t *testing.T) {
	t.Parallel()
	for _, serial := range []bool{false, true} {
		w := newWorld(t, 2, func(c *transactions.Config) { c.Serial = serial })
		w.sync(t)
		for i := range 1000 {
			w.ledger.mine(pays(fmt.Sprint(i), 0, alice, 1))
		}
		w.mine(t, 2)
		if got := w.balance(t, "alice"); got != "USDT 0/1000" {
			t.Errorf("got %s", got)
		}
		blocks, err := w.store.Blocks(t.Context(), bsc, 0, 2000)
		if err != nil || len(blocks) != 101 || blocks[0].Height != 1102 {
			t.Errorf("%d blocks are stored, %v", len(blocks), err)
		}
	}
}

// What fails during a long catch-up is tried again before its end.
func TestSync_CatchUpAfterFailure(t *testing.T) {
	t.Parallel()
	for _, failed := range []int{50, 150} { // the first reading of a block, and the second one
		w := newWorld(t, 1)
		w.sync(t)
		w.ledger.empty(1000)
		blocks := 0
		w.nodes[0].set(func(n *node) {
			n.edit = func(b core.Block) core.Block {
				w.now = w.now.Add(time.Second)
				if blocks++; blocks == failed {
					b.Hash = ""
				}
				return b
			}
		})
		w.sync(t)
		if state := w.state(t); state.Tip.Height != 1200 || state.Verified != 1198 {
			t.Errorf("request %d: read up to %d, verified up to %d", failed, state.Tip.Height, state.Verified)
		}
	}
}

// young is a back end of a network whose newest block is the first one of all when it is first read.
type young struct{ *node }

func (y young) Tip(ctx context.Context) (core.Tip, error) {
	tip, err := y.node.Tip(ctx)
	tip.Height -= 200
	return tip, err
}

func (y young) Block(ctx context.Context, height int64) (core.Block, error) {
	b, err := y.node.Block(ctx, height+200)
	b.Height -= 200
	return b, err
}

func TestSync_FirstOfAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, func(c *transactions.Config) {
		c.Backends = map[string][]ports.Chain{bsc: {young{c.Backends[bsc][0].(*node)}}}
	})
	w.sync(t)
	w.ledger.mine(pays("a", 0, alice, 5))
	w.mine(t, 5)
	w.expect(t, "a#0 completed r2 @1", "USDT 0/5")
}

func TestSync_LargeBlock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.sync(t)
	transfers := make([]core.Transfer, 10_000)
	for i := range transfers {
		transfers[i] = pays(fmt.Sprint(i/100), int64(i%100), []string{alice, other}[i%2], 1)
	}
	w.ledger.mine(transfers...)
	w.mine(t, 2)
	if got := w.balance(t, "alice"); got != "USDT 0/5000" {
		t.Errorf("got %s", got)
	}
}

// What a back end does not show is not there yet.
func TestSync_Faults(t *testing.T) {
	t.Parallel()
	down := core.Errorf(core.Unavailable, "It is down")
	for name, c := range map[string]struct {
		fault func(*world, *node)
		err   error
		brief string // afterwards
	}{
		"null block":      {func(_ *world, n *node) { n.missing = map[int64]error{202: ports.ErrNoBlock} }, ports.ErrNoBlock, "a#0 pending r1 @201"},
		"incomplete":      {func(_ *world, n *node) { n.missing = map[int64]error{202: ports.ErrIncomplete} }, ports.ErrIncomplete, "a#0 pending r1 @201"},
		"block fails":     {func(_ *world, n *node) { n.missing = map[int64]error{202: down} }, down, "a#0 pending r1 @201"},
		"down":            {func(_ *world, n *node) { n.failure = down }, down, "a#0 pending r1 @201"},
		"other height":    {func(_ *world, n *node) { n.edit = func(b core.Block) core.Block { b.Height--; return b } }, ports.ErrIncomplete, "a#0 pending r1 @201"},
		"without parent":  {func(_ *world, n *node) { n.edit = func(b core.Block) core.Block { b.Parent = ""; return b } }, ports.ErrIncomplete, "a#0 pending r1 @201"},
		"unlinked":        {func(_ *world, n *node) { n.edit = func(b core.Block) core.Block { b.Parent = "x"; return b } }, ports.ErrIncomplete, "a#0 pending r1 @201"},
		"lower tip":       {func(_ *world, n *node) { n.behind = 10 }, nil, "a#0 pending r1 @201"},
		"owners are away": {func(w *world, _ *node) { w.owners[""] = "away" }, nil, "a#0 pending r1 @201, b#0 pending r1 @203"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			w.sync(t)
			w.ledger.mine(pays("a", 0, alice, 5))
			w.sync(t)
			w.ledger.empty(1)
			w.ledger.mine(pays("b", 0, alice, 5))
			w.nodes[0].set(func(n *node) { c.fault(w, n) })
			err := w.Sync(t.Context(), bsc)
			if name == "owners are away" && core.CodeOf(err) != core.Unavailable || c.err != nil && !errors.Is(err, c.err) ||
				strings.Contains(fmt.Sprint(err), alice) {
				t.Errorf("got %v, want %v", err, c.err)
			}
			w.expect(t, "a#0 pending r1 @201", "USDT 5/0")
			w.nodes[0].set(func(n *node) { n.missing, n.failure, n.edit, n.behind = nil, nil, nil, 0 })
			delete(w.owners, "")
			w.mine(t, 2)
			w.expect(t, "a#0 completed r2 @201, b#0 completed r2 @203", "USDT 0/10")
		})
	}
}

// A back end that shows another network from one request to the next, such as behind a changed name, does not look
// like a reorganization.
func TestSync_OtherNetwork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.ledger.mine(pays("a", 0, alice, 5))
	w.sync(t)
	w.ledger.empty(2)
	w.nodes[0].set(func(n *node) {
		n.check = ports.ErrOtherNetwork
		n.edit = func(b core.Block) core.Block {
			b.Hash, b.Parent = "other-"+b.Hash, "other-"+b.Parent
			return b
		}
	})
	w.fails(t, ports.ErrOtherNetwork)
	if got := w.state(t); got.Stopped != "" {
		t.Fatalf("the network is stopped: %s", got.Stopped)
	}
	w.nodes[0].set(func(n *node) { n.check, n.edit = nil, nil })
	w.sync(t)
	w.mine(t, 2)
	if got := w.balance(t, "alice"); got != "USDT 0/5" {
		t.Errorf("got %s", got)
	}
}

func TestSync_Backends(t *testing.T) {
	t.Parallel()
	down := core.Errorf(core.Unavailable, "It is down")
	w := newWorld(t, 2)
	w.nodes[0].check = ports.ErrOtherNetwork
	w.sync(t)
	w.ledger.mine(pays("a", 0, alice, 5))
	w.sync(t) // the second back end reads
	w.expect(t, "a#0 pending r1 @201", "USDT 5/0")
	w.ledger.empty(2)
	w.fails(t, ports.ErrOtherNetwork) // all must verify
	w.expect(t, "a#0 pending r1 @201", "USDT 5/0")
	w.logged(t, "evm-bsc-1: "+ports.ErrOtherNetwork.Error())
	w.nodes[0].set(func(n *node) { n.check = nil })
	w.sync(t)
	w.expect(t, "a#0 completed r2 @201", "USDT 0/5")
	w.logged(t, "evm-bsc-1: <nil>", "completed 1 dropped 0")

	w.nodes[0].set(func(n *node) { n.failure, n.checks = down, 0 })
	w.ledger.empty(1)
	w.fails(t, down)
	w.nodes[0].set(func(n *node) { n.failure = nil })
	w.sync(t)
	if n := w.nodes[0].checks; n == 0 {
		t.Error("the back end was not checked after its outage")
	}
	w.logged(t, "evm-bsc-1: "+down.Error(), "evm-bsc-1: <nil>")

	w.nodes[0].set(func(n *node) { n.behind = 2 })
	w.ledger.mine(pays("b", 0, alice, 1))
	w.sync(t) // the second back end reads
	if got := w.state(t).Tip.Height; got != 205 {
		t.Errorf("read up to %d, want 205", got)
	}
}

// A back end may begin to serve another network without an outage, such as a proxy that was configured
// anew. Its blocks are no reorganization.
func TestSync_OtherNetworkLater(t *testing.T) {
	t.Parallel()
	for backends, want := range map[int]string{
		1: "a#0 completed r2 @201",
		2: "a#0 completed r2 @201, b#0 pending r1 @205", // the second one reads
	} {
		w := newWorld(t, backends)
		w.sync(t)
		w.ledger.mine(pays("a", 0, alice, 5))
		w.mine(t, 3)
		w.ledger.mine(pays("b", 0, alice, 1))
		w.nodes[0].set(func(n *node) {
			n.check = ports.ErrOtherNetwork
			n.edit = func(b core.Block) core.Block {
				b.Hash, b.Parent, b.Transfers = fmt.Sprint("other-", b.Height), fmt.Sprint("other-", b.Height-1), nil
				return b
			}
		})
		for range 2 {
			_ = w.Sync(t.Context(), bsc)
		}
		if state := w.state(t); state.Stopped != "" {
			t.Errorf("%d back ends: stopped: %s", backends, state.Stopped)
		}
		if got := w.brief(t, "alice"); got != want {
			t.Errorf("%d back ends: got %s, want %s", backends, got, want)
		}
		w.nodes[0].set(func(n *node) { n.check, n.edit = nil, nil })
		w.mine(t, 3)
		w.expect(t, "a#0 completed r2 @201, b#0 completed r2 @205", "USDT 0/6")
	}
}

// A back end that shows another fork with each answer ends a Sync with an error.
func TestSync_ForksInTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.sync(t)
	w.mine(t, 1)
	w.ledger.empty(5)
	w.nodes[0].set(func(n *node) {
		n.edit = func(b core.Block) core.Block {
			if b.Height > 202 {
				b.Parent = fmt.Sprintf("fork-%d-%d", len(n.requests), b.Height-1)
			}
			if b.Height > 201 {
				b.Hash = fmt.Sprintf("fork-%d-%d", len(n.requests), b.Height)
			}
			return b
		}
	})
	if err := w.Sync(t.Context(), bsc); err == nil || w.state(t).Tip.Height > 202 {
		t.Errorf("read up to %d, %v", w.state(t).Tip.Height, err)
	}
	w.nodes[0].set(func(n *node) { n.edit = nil })
	w.ledger.mine(pays("a", 0, alice, 5))
	w.mine(t, 2)
	w.expect(t, "a#0 completed r2 @207", "USDT 0/5")
}

// lost is a store whose database is away at a query.
type lost struct {
	ports.TransactionStore

	query int // that fails, from 1 on
}

var errAway = core.Errorf(core.Unavailable, "The database is away")

func (l *lost) fail() error {
	if l.query--; l.query == 0 {
		return errAway
	}
	return nil
}

func (l *lost) Chains(ctx context.Context) ([]ports.ChainState, error) {
	if err := l.fail(); err != nil {
		return nil, err
	}
	return l.TransactionStore.Chains(ctx)
}

func (l *lost) Lease(ctx context.Context, network, holder string, epoch int64) (ports.ChainState, error) {
	if err := l.fail(); err != nil {
		return ports.ChainState{}, err
	}
	return l.TransactionStore.Lease(ctx, network, holder, epoch)
}

func (l *lost) Blocks(ctx context.Context, network string, from, to int64) ([]core.Block, error) {
	if err := l.fail(); err != nil {
		return nil, err
	}
	return l.TransactionStore.Blocks(ctx, network, from, to)
}

func (l *lost) Known(ctx context.Context, ids []string) ([]core.Transaction, error) {
	if err := l.fail(); err != nil {
		return nil, err
	}
	return l.TransactionStore.Known(ctx, ids)
}

func (l *lost) Unsettled(ctx context.Context, network string, above int64) ([]core.Transaction, error) {
	if err := l.fail(); err != nil {
		return nil, err
	}
	return l.TransactionStore.Unsettled(ctx, network, above)
}

func (l *lost) Unassigned(ctx context.Context, q ports.UnassignedQuery) ([]core.UnassignedTransfer, error) {
	if err := l.fail(); err != nil {
		return nil, err
	}
	return l.TransactionStore.Unassigned(ctx, q)
}

// Whichever query fails, the next Sync goes on.
func TestSync_DatabaseAway(t *testing.T) {
	t.Parallel()
	for query := 1; ; query++ {
		l := &lost{query: query}
		w := newWorld(t, 1, func(c *transactions.Config) {
			l.TransactionStore = c.Store
			c.Store = l
		})
		failed := 0
		for _, step := range []func(){
			func() {}, func() { w.ledger.mine(pays("a", 0, alice, 5), pays("b", 0, pool, 5)) }, func() { w.ledger.empty(2) },
			func() { w.ledger.fork(3); w.ledger.empty(3); w.ledger.mine(pays("a", 0, alice, 5)) },
			func() { w.nodes[0].edit = without("c"); w.ledger.mine(pays("c", 0, alice, 1)) },
			func() { w.nodes[0].edit = nil; w.ledger.empty(3) },
		} {
			step()
			if err := w.Sync(t.Context(), bsc); err != nil {
				failed++
				if !errors.Is(err, errAway) {
					t.Errorf("query %d: got %v", query, err)
				}
				w.sync(t)
			}
		}
		if got := w.balance(t, "alice"); got != "USDT 0/6" || failed > 1 {
			t.Errorf("query %d: got %s after %d failures", query, got, failed)
		}
		if failed == 0 { // there are fewer queries
			if query < 20 {
				t.Errorf("%d queries", query)
			}
			break
		}
	}
	w := newWorld(t, 1)
	l := &lost{TransactionStore: w.store}
	w.cfg.Store = l
	s := service(t, w.cfg)
	for name, f := range map[string]func() error{
		"list":       func() error { _, err := s.List(t.Context(), transactions.Query{Limit: 1}); return err },
		"status":     func() error { _, err := s.Status(t.Context()); return err },
		"unassigned": func() error { _, err := s.Unassigned(t.Context(), "", 10); return err },
		"rescan":     func() error { _, err := s.Rescan(t.Context(), bsc, 1, nil); return err },
		"resume":     func() error { _, err := s.Resume(t.Context(), bsc); return err },
	} {
		l.query = 1
		if err := f(); core.CodeOf(err) != core.Unavailable {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
