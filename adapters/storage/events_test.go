package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/ports"
)

// eventWriter makes the test binary a process that writes and delivers events until it is killed.
const eventWriter = "CAUSEWAY_TEST_EVENT_WRITER"

const eventAccounts = 3

func endpointOf(account int) ports.WebhookEndpoint {
	return ports.WebhookEndpoint{Name: "hook", Account: fmt.Sprint(account)}
}

// writeEvents commits blocks, and plans, claims and settles deliveries. It prints the height of each block that is
// committed.
func writeEvents(cfg Config) {
	ctx := context.Background()
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	store, err := Open(ctx, cfg)
	must(err)
	chains, err := store.Transactions().Chains(ctx)
	must(err)
	epoch := int64(0)
	if len(chains) > 0 {
		epoch = chains[0].Epoch
	}
	state, err := store.Transactions().Lease(ctx, "BSC", "a", epoch)
	must(err)
	for {
		before := state.Tip
		state.Tip = core.BlockID{Height: before.Height + 1, Hash: fmt.Sprint(before.Height + 1)}
		batch := ports.ChainBatch{State: state, Before: before, Blocks: []core.Block{{BlockID: state.Tip, Parent: before.Hash}}}
		for i := range 2 * eventAccounts {
			hash := fmt.Sprint(state.Tip.Height, i)
			pending := core.Transaction{
				ID: core.TransactionID("BSC", hash, 1), Network: "BSC", Hash: hash, Currency: "USDT",
				User: core.DepositUser{Account: fmt.Sprint(i % eventAccounts)}, Units: decimal.NewFromInt(1),
				Status: core.Pending, Revision: 1, Created: monday, Updated: monday,
			}
			completed := pending
			completed.Status, completed.Revision, completed.Completed = core.Completed, 2, monday
			batch.Transactions = append(batch.Transactions, pending, completed)
		}
		must(store.Transactions().Commit(ctx, batch))
		if _, err := fmt.Println(state.Tip.Height); err != nil {
			os.Exit(1)
		}
		for account := range eventAccounts {
			_, err := deliver(ctx, store, endpointOf(account), monday)
			must(err)
		}
	}
}

// deliver plans, claims and settles deliveries once, and returns how many were delivered.
func deliver(ctx context.Context, store *Store, to ports.WebhookEndpoint, now time.Time) (delivered int, err error) {
	if _, err := store.Transactions().Deliveries().Plan(ctx, to, now); err != nil {
		return 0, err
	}
	claimed, err := store.Transactions().Deliveries().Claim(ctx, to, now, now.Add(time.Minute), 100)
	for i := range claimed {
		claimed[i].Status, claimed[i].Updated = core.DeliveryDelivered, now
	}
	return len(claimed), errors.Join(err, store.Transactions().Deliveries().Settle(ctx, claimed))
}

// A process that is killed while it writes and delivers events loses none. What it had claimed is delivered by the
// next one.
func TestEvents_Killed(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, cfg Config) {
		store := open(t, cfg)
		for account := range eventAccounts {
			if _, err := deliver(t.Context(), store, endpointOf(account), monday); err != nil {
				t.Fatal(err)
			}
		}
		for trial := range 2 {
			printed := killEventWriter(t, cfg, 10+7*trial)
			chains, err := store.Transactions().Chains(t.Context())
			if err != nil || len(chains) != 1 || chains[0].Tip.Height < printed {
				t.Fatalf("got %+v, %v; want a block at %d or above", chains, err, printed)
			}
			written := 4 * chains[0].Tip.Height
			for account := range eventAccounts {
				checkNumbers(t, store, fmt.Sprint(account), written)
			}
			checkDelivered(t, store, written)
		}
	})
}

// killEventWriter starts a process, kills it after n blocks, and returns the height of the last one that it printed.
func killEventWriter(t *testing.T, cfg Config, n int) (height int64) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), writerDir+"="+cfg.Dir, writerURL+"="+cfg.URL.Reveal(), eventWriter+"=1")
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err := errors.Join(err, child.Start()); err != nil {
		t.Fatal(err)
	}
	for range n {
		if _, err := fmt.Fscanln(out, &height); err != nil {
			t.Fatal(err)
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // killed
	return height
}

// checkNumbers checks that an account has the events with the numbers 1 to n.
func checkNumbers(t *testing.T, store *Store, account string, n int64) {
	t.Helper()
	stored, err := store.Transactions().Events().Range(t.Context(), account)
	if want := (ports.EventRange{Last: n}); stored != want || err != nil {
		t.Errorf("account %s: got %+v, %v; want %+v", account, stored, err, want)
	}
	events, err := store.Transactions().Events().Events(t.Context(), ports.EventQuery{Account: account, Limit: int(n) + 1})
	if err != nil || int64(len(events)) != n {
		t.Fatalf("account %s: got %d events, %v; want %d", account, len(events), err, n)
	}
	for i, e := range events {
		if e.Number != int64(i+1) {
			t.Errorf("account %s: got event %d at place %d", account, e.Number, i+1)
		}
	}
}

// checkDelivered delivers what is left, and checks that n events of each account were delivered.
func checkDelivered(t *testing.T, store *Store, n int64) {
	t.Helper()
	for account := range eventAccounts {
		for more := true; more; {
			n, err := deliver(t.Context(), store, endpointOf(account), monday.Add(time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			more = n > 0
		}
	}
	delivered, err := store.Transactions().Deliveries().Deliveries(t.Context(), ports.DeliveryQuery{
		Status: core.DeliveryDelivered, Limit: eventAccounts*int(n) + 1,
	})
	if err != nil || len(delivered) != eventAccounts*int(n) {
		t.Errorf("got %d delivered events, %v; want %d", len(delivered), err, eventAccounts*n)
	}
}
