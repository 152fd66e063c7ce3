package transactions_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"causeway/core"
	"causeway/core/transactions"
	"causeway/ports"
)

// without returns blocks without transfers of a transaction.
func without(hash string) func(core.Block) core.Block {
	return func(b core.Block) core.Block {
		b.Transfers = slices.DeleteFunc(slices.Clone(b.Transfers), func(t core.Transfer) bool { return t.Hash == hash })
		return b
	}
}

func TestVerify_FoundLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.sync(t)
	w.nodes[0].set(func(n *node) { n.edit = without("a") })
	w.ledger.mine(pays("a", 0, alice, 5), pays("b", 0, alice, 2))
	w.mine(t, 1)
	w.expect(t, "b#0 pending r1 @201", "USDT 2/0")
	w.nodes[0].set(func(n *node) { n.edit = nil })
	w.mine(t, 1)
	w.expect(t, "a#0 completed r2 @201, b#0 completed r2 @201", "USDT 0/7")
	w.logged(t, "late 1", "completed 2 dropped 0")
	w.mine(t, 10)
	w.logged(t)
}

func TestVerify_Disagreement(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		node int
		edit func(core.Block) core.Block
	}{
		"the first lacks a transfer":  {0, without("a")},
		"the second lacks a transfer": {1, without("a")},
		"one more transfer": {1, func(b core.Block) core.Block {
			b.Transfers = append(slices.Clone(b.Transfers), pays("x", 0, alice, 1))
			return b
		}},
		"another amount": {1, func(b core.Block) core.Block {
			b.Transfers = slices.Clone(b.Transfers)
			for i := range b.Transfers {
				b.Transfers[i].Units = b.Transfers[i].Units.Add(b.Transfers[i].Units)
			}
			return b
		}},
		"another user": {1, func(b core.Block) core.Block {
			b.Transfers = slices.Clone(b.Transfers)
			for i := range b.Transfers {
				b.Transfers[i].Address = bob
			}
			return b
		}},
		"another block": {1, func(b core.Block) core.Block { b.Hash = "fork"; return b }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			w.sync(t)
			w.ledger.mine(pays("a", 0, alice, 5))
			w.sync(t)
			w.ledger.empty(2)
			w.nodes[c.node].set(func(n *node) {
				n.edit = func(b core.Block) core.Block {
					if b.Height == 201 {
						return c.edit(b)
					}
					return b
				}
			})
			for range 3 {
				err := w.Sync(t.Context(), bsc)
				if err == nil {
					t.Fatal("got no error")
				}
				private(t, err.Error())
				w.ledger.mine(pays(fmt.Sprint("later", len(w.ledger.blocks)), 0, bob, 1))
			}
			w.nodes[1].requests = nil
			if _ = w.Sync(t.Context(), bsc); len(w.nodes[1].requests) > 1 {
				t.Errorf("requested %v, want the block that differs", w.nodes[1].requests)
			}
			w.expect(t, "a#0 pending r1 @201", "USDT 5/0")
			if got := w.balance(t, "bob"); got != "USDT 3/0" {
				t.Errorf("later blocks: bob has %s", got)
			}
			if len(w.log) != 1 || !strings.HasSuffix(w.log[0], "differs at 201") || w.problem(t) == "" {
				t.Errorf("got events %q, problem %q", w.log, w.problem(t))
			}
			w.Service = w.second(t) // does not read the network, and knows the problem
			if got := w.problem(t); !strings.HasSuffix(got, "differ in block 201") {
				t.Errorf("another process: got problem %q", got)
			}
			w.Service = service(t, w.cfg) // the first process, started anew
			w.log = nil
			w.nodes[c.node].set(func(n *node) { n.edit = nil })
			w.sync(t)
			w.expect(t, "a#0 completed r2 @201", "USDT 0/5")
			if got := w.problem(t); got != "" {
				t.Errorf("got problem %q", got)
			}
		})
	}
}

// Both back ends lost a transfer that is stored: that contradicts, whatever the number of back ends.
func TestVerify_LostTransfer(t *testing.T) {
	t.Parallel()
	for _, backends := range []int{1, 2} {
		w := newWorld(t, backends)
		w.sync(t)
		w.ledger.mine(pays("a", 0, alice, 5))
		w.sync(t)
		for _, n := range w.nodes {
			n.set(func(n *node) { n.edit = without("a") })
		}
		w.ledger.empty(5)
		if err := w.Sync(t.Context(), bsc); err == nil {
			t.Error("got no error")
		}
		w.expect(t, "a#0 pending r1 @201", "USDT 5/0")
		w.logged(t, "evm-bsc-1 differs at 201")
	}
}

func TestVerify_Outage(t *testing.T) {
	t.Parallel()
	for _, fault := range []error{ports.ErrNoBlock, ports.ErrIncomplete, core.Errorf(core.Unavailable, "It is down")} {
		w := newWorld(t, 2)
		w.sync(t)
		w.ledger.mine(pays("a", 0, alice, 5))
		w.sync(t)
		w.nodes[1].set(func(n *node) { n.missing = map[int64]error{201: fault} })
		w.ledger.empty(5)
		w.fails(t, fault)
		w.expect(t, "a#0 pending r1 @201", "USDT 5/0")
		w.nodes[1].set(func(n *node) { n.missing = nil })
		w.sync(t)
		w.expect(t, "a#0 completed r2 @201", "USDT 0/5")
	}
}

// A block is final only if it is stored with the hash that the network calls final, and a block that
// is not followed by another one is not verified.
func TestVerify_Finality(t *testing.T) {
	t.Parallel()
	onlyFinal := func(c *transactions.Config) { c.Chains[0].Confirmations = 0 }
	for name, c := range map[string]struct {
		final  int64
		forked bool
		want   string
	}{
		"not final":   {200, false, "a#0 pending r1 @201"},
		"final":       {201, false, "a#0 completed r2 @201"},
		"later":       {202, false, "a#0 completed r2 @201"},
		"other block": {201, true, "a#0 pending r1 @201"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, option := range []func(*transactions.Config){onlyFinal, func(*transactions.Config) {}} {
				w := newWorld(t, 1, option)
				w.sync(t)
				w.ledger.mine(pays("a", 0, alice, 5))
				w.nodes[0].set(func(n *node) { n.final, n.forked = min(c.final, 201), c.forked })
				w.sync(t)
				w.expect(t, "a#0 pending r1 @201", "USDT 5/0")
				w.nodes[0].set(func(n *node) { n.final, n.forked = c.final, c.forked })
				w.ledger.empty(1)
				w.sync(t)
				if got := w.brief(t, "alice"); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			}
		})
	}
}

func TestVerify_Confirmations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, func(c *transactions.Config) { c.Chains[0].Confirmations = 1 })
	w.sync(t)
	w.ledger.mine(pays("a", 0, alice, 5))
	w.sync(t)
	w.expect(t, "a#0 pending r1 @201", "USDT 5/0") // its block may be incomplete
	w.mine(t, 1)
	w.expect(t, "a#0 completed r2 @201", "USDT 0/5")
	if _, err := transactions.New(transactions.Config{
		Chains: []core.Chain{{Network: "X"}}, Clock: w.cfg.Clock, Store: w.store,
		Backends: map[string][]ports.Chain{"X": {w.nodes[0]}, "Y": {w.nodes[0]}},
	}); err == nil || !strings.Contains(err.Error(), "X has no number") || !strings.Contains(err.Error(), `"Y" is not`) {
		t.Errorf("got %v", err)
	}
	if err := w.Sync(t.Context(), "ETH"); core.CodeOf(err) != core.NotFound || errors.Is(err, ports.ErrNoBlock) {
		t.Errorf("got %v", err)
	}
}

// A transfer that was undone is found late in the block that would drop it.
func TestVerify_FoundBeforeDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.sync(t)
	w.ledger.mine(pays("a", 0, alice, 5))
	w.sync(t)
	w.ledger.fork(1)
	w.ledger.empty(3)
	w.ledger.mine(pays("a", 0, alice, 5)) // 204: verified together with the block that would drop it
	w.nodes[0].set(func(n *node) { n.edit = without("a") })
	w.sync(t)
	w.nodes[0].set(func(n *node) { n.edit = nil })
	w.mine(t, 2)
	w.expect(t, "a#0 completed r4 @204", "USDT 0/5")
	w.logged(t, "reorganized 1: 1, 0 back", "late 1", "completed 1 dropped 0")
}
