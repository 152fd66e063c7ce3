package transactions_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/core/transactions"
	"causeway/ports"
)

// second is another process that reads the same network with the same database.
func (w *world) second(t *testing.T) *transactions.Service {
	t.Helper()
	cfg := w.cfg
	cfg.Holder = "two"
	return service(t, cfg)
}

func TestLease_TakeOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.sync(t)
	two := w.second(t)
	step := func(s *transactions.Service, after time.Duration, holder string) {
		t.Helper()
		w.now = w.now.Add(after)
		if err := s.Sync(t.Context(), bsc); err != nil {
			t.Fatal(err)
		}
		if got := w.state(t); got.Holder != holder || got.Tip.Height > int64(len(w.ledger.blocks)) {
			t.Errorf("%s reads up to %d, want %s", got.Holder, got.Tip.Height, holder)
		}
	}
	step(two, 0, "one")
	step(w.Service, 9*time.Second, "one") // an idle holder shows that it lives
	step(two, 3*time.Second, "one")
	step(two, 9*time.Second, "one")
	step(two, -time.Hour, "one") // the clock was set back: it waits again
	step(two, 9*time.Second, "one")
	step(two, time.Second, "two")
	w.ledger.mine(pays("a", 0, alice, 5))
	step(w.Service, 0, "two") // the first process was paused, and writes nothing
	w.expect(t, "", "")
	step(w.Service, 9*time.Second, "two")
	step(two, 0, "two")
	w.expect(t, "a#0 pending r1 @201", "USDT 5/0")
	step(w.Service, 9*time.Second, "two")
	step(w.Service, time.Hour, "one") // a clock that jumps takes over early, which is harmless
	w.ledger.empty(2)
	step(two, 0, "one")
	step(w.Service, 0, "one")
	w.expect(t, "a#0 completed r2 @201", "USDT 0/5")

	again := service(t, w.cfg) // the same process, started anew
	w.ledger.mine(pays("b", 0, alice, 1))
	step(again, 0, "one")
	w.expect(t, "a#0 completed r2 @201, b#0 pending r1 @204", "USDT 1/5")
}

// Two processes have the same name by mistake, such as on clones of a machine: the newer one takes over
// once, and they do not take the network from each other again and again.
func TestLease_SameName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.sync(t)
	namesake := service(t, w.cfg)
	for range 3 {
		for _, s := range []*transactions.Service{namesake, w.Service} {
			w.ledger.empty(1)
			if err := s.Sync(t.Context(), bsc); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := w.state(t); got.Epoch != 2 {
		t.Errorf("the lease was taken %d times, want 2", got.Epoch)
	}
	w.now = w.now.Add(11 * time.Second)
	w.sync(t)
	if got := w.state(t); got.Epoch != 3 || got.Tip.Height != int64(len(w.ledger.blocks)) {
		t.Errorf("got epoch %d and block %d after the end of the namesake", got.Epoch, got.Tip.Height)
	}
}

// Each transfer counts once, whichever commit fails, before or after it is stored, and whichever process goes on.
func TestLease_Lost(t *testing.T) {
	t.Parallel()
	away := core.Errorf(core.Unavailable, "The database is away")
	for name, fault := range map[string]func(f *flaky, w *world, two *transactions.Service, n *int){
		"before": func(f *flaky, _ *world, _ *transactions.Service, n *int) {
			f.fail = func(ports.ChainBatch) error { *n--; return failAt(*n, away) }
		},
		"after": func(f *flaky, _ *world, _ *transactions.Service, n *int) {
			f.lose = func(ports.ChainBatch) error { *n--; return failAt(*n, away) }
		},
		"taken over": func(f *flaky, w *world, two *transactions.Service, n *int) {
			f.fail = func(ports.ChainBatch) error {
				if *n--; *n == 0 {
					_ = two.Sync(context.Background(), bsc)
					w.now = w.now.Add(11 * time.Second)
					return two.Sync(context.Background(), bsc)
				}
				return nil
			}
		},
	} {
		for at := 1; at < 9; at++ {
			var f *flaky
			w := newWorld(t, 1, func(c *transactions.Config) {
				f = &flaky{TransactionStore: c.Store}
				c.Store = f
			})
			two, n := w.second(t), at
			fault(f, w, two, &n)
			steps := []func(){
				func() {}, func() { w.ledger.mine(pays("a", 0, alice, 5)) }, func() { w.ledger.empty(2) },
				func() { w.ledger.fork(3); w.ledger.empty(2); w.ledger.mine(pays("a", 0, alice, 5)) },
				func() { w.ledger.empty(1) }, func() { w.ledger.empty(3) },
			}
			for i, step := range steps {
				step()
				for _, s := range []*transactions.Service{w.Service, two, w.Service} {
					if err := s.Sync(t.Context(), bsc); err != nil && !errors.Is(err, away) {
						t.Errorf("%s, commit %d, step %d: %v", name, at, i, err)
					}
				}
			}
			if got := w.balance(t, "alice"); got != "USDT 0/5" {
				t.Errorf("%s, commit %d: got %s, %s", name, at, got, w.brief(t, "alice"))
			}
		}
	}
}

func failAt(n int, err error) error {
	if n == 0 {
		return err
	}
	return nil
}

// Run reads every network, keeps the lease while a back end hangs, and gives it up when the network was
// not seen for long.
func TestRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		synced := 0
		pass := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}
		w := newWorld(t, 1, func(c *transactions.Config) {
			c.Clock = time.Now
			c.Events.Synced = func(_ string, err error) {
				synced++
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
			}
		})
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { w.Run(ctx) })
		synctest.Wait()
		w.ledger.mine(pays("a", 0, alice, 5))
		pass(10 * time.Second)
		w.ledger.empty(2)
		pass(2 * time.Second)
		w.expect(t, "a#0 completed r2 @201", "USDT 0/5")
		if synced < 11 || synced > 14 {
			t.Errorf("%d calls of Sync in 12 seconds, want one a block", synced)
		}
		before := w.state(t).Beat
		w.nodes[0].hangs.Store(true)
		pass(time.Minute)
		if beats := w.state(t).Beat - before; beats < 15 || beats > 21 {
			t.Errorf("%d signs of the holder in a minute, want one every 3 s", beats)
		}
		pass(2 * time.Minute)
		before = w.state(t).Beat
		pass(time.Minute)
		if beats := w.state(t).Beat - before; beats != 0 {
			t.Errorf("%d signs of a holder that does not see the network", beats)
		}
		stop()
		all.Wait()
	})
}

// A batch of slow blocks takes longer than a process waits for a network that it does not see.
func TestRun_SlowBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, func(c *transactions.Config) { c.Clock = time.Now })
		w.sync(t)
		w.ledger.empty(90)
		w.nodes[0].slow = 3 * time.Second
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { w.Run(ctx) })
		all.Go(func() { w.second(t).Run(ctx) })
		time.Sleep(10 * time.Minute)
		if state := w.state(t); state.Holder != "one" || state.Tip.Height != 290 || state.Verified != 288 {
			t.Errorf("%s read up to %d, and verified up to %d", state.Holder, state.Tip.Height, state.Verified)
		}
		stop()
		all.Wait()
	})
}
