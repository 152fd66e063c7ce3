package world_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/chain"
	"causeway/simulator/input"
	"causeway/simulator/journal"
	"causeway/simulator/world"
)

// chained is a registry whose worlds have two chains.
func chained(t testing.TB) (*world.Registry, *machine) {
	t.Helper()
	asset := []core.Asset{{Currency: "USDT", Contract: "0x55d398326f99059fF775485246999027B3197955", Decimals: 18}}
	return registry(t, func(c *world.RegistryConfig) {
		c.Chains = []core.Chain{
			{Network: "BSC", ID: "56", Confirmations: 15, Finality: true, Assets: asset},
			{Network: "ETH", ID: "1", Finality: true, Assets: asset},
		}
	})
}

// pay sends a transfer on a chain of a world.
func pay(t testing.TB, w *world.World, network string) *chain.Chain {
	t.Helper()
	c, err := w.Chains().Find(network)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Pay(chain.Payment{Currency: "USDT", Payees: []chain.Payee{{To: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", Amount: "1"}}}, w.Now())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAdvance_Blocks stops at each block while a transfer is on its way, and at none afterwards.
func TestAdvance_Blocks(t *testing.T) {
	t.Parallel()
	ws, _ := chained(t)
	w := frozenIn(t, ws, world.Options{BlockTime: input.Duration(7 * time.Second)})
	c := pay(t, w, "BSC")
	began, seen := c.Height(w.Now()), map[int64]bool{}
	w.OnAdvance(func(_ context.Context, now time.Time) error {
		seen[c.Height(now)] = true
		return nil
	})
	advance(t, w, 24*time.Hour)
	for height := began + 1; height <= began+16; height++ {
		if !seen[height] {
			t.Errorf("the clock did not stop at block %d", height-began)
		}
	}
	if blocks := c.Height(w.Now()) - began; blocks != 16 || !w.ClockState().NextEvent.IsZero() {
		t.Errorf("%d blocks in a day, and the next event is at %s", blocks, w.ClockState().NextEvent)
	}
	if _, err := w.AdvanceToNext(t.Context()); core.CodeOf(err) != core.Invalid {
		t.Errorf("got %v", err)
	}
	pay(t, w, "ETH")
	if at, err := w.AdvanceToNext(t.Context()); err != nil || !at.Equal(noon.Add(24*time.Hour+7*time.Second)) {
		t.Errorf("got %s, %v", at, err)
	}
	entries, err := w.Journal().Find(journal.Match{Control: true, Operation: journal.OpBlock}, 0)
	if err != nil || len(entries) != 2 || !entries[0].At.Equal(noon.Add(7*time.Second)) || entries[0].Block.Network != "BSC" {
		t.Errorf("the journal has %+v, %v", entries, err)
	}
	if bundle := w.Journal().Bundle(journal.Origin{}); len(bundle.Requests) != 0 || !bundle.Complete {
		t.Errorf("a bundle repeats %+v", bundle.Requests)
	}
}

// forks is an Observer of worlds that are forked.
type forks struct {
	world.NoServices

	told *[]string
}

func (f forks) Forked(origin, fork *world.World) {
	*f.told = append(*f.told, origin.ID()+" "+fork.ID())
}

func TestRegistry_ForkedChains(t *testing.T) {
	t.Parallel()
	ws, machine := chained(t)
	w, err := ws.Use("a")
	if err != nil {
		t.Fatal(err)
	}
	c := pay(t, w, "BSC")
	machine.pass(12 * time.Second)
	var told []string
	ws.Subscribe(forks{told: &told})
	fork, err := ws.Fork("a", "b")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ws.Fork("a", "b"); err == nil {
		t.Fatal("forked twice")
	}
	if fmt.Sprint(told) != "[a b]" {
		t.Errorf("told of %v", told)
	}
	copied, err := fork.Chains().Find("BSC")
	if err != nil {
		t.Fatal(err)
	}
	machine.pass(10 * time.Minute)
	if got, want := fmt.Sprint(copied.Payments(fork.Now())), fmt.Sprint(c.Payments(w.Now())); got != want {
		t.Errorf("the fork has %s, want %s", got, want)
	}
	before := c.Height(w.Now())
	if err := copied.Mine(3, fork.Now()); err != nil || c.Height(w.Now()) != before {
		t.Errorf("a block of the fork is in its origin, or %v", err)
	}
	w.Stop()
	if got := c.Payments(w.Now()); len(got) != 1 {
		t.Error("a stop forgets transfers")
	}
	again, err := ws.Reset("a")
	if err != nil {
		t.Fatal(err)
	}
	if fresh, err := again.Chains().Find("BSC"); err != nil || len(fresh.Payments(again.Now())) != 0 {
		t.Errorf("after a reset: %v", err)
	}
}
