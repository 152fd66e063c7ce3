package transactions_test

import (
	"errors"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/transactions"
	"causeway/ports"
)

func TestRescan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.ledger.mine(pays("before", 0, alice, 1)) // 201, before the first block that is read
	w.ledger.empty(5)
	w.sync(t)
	w.ledger.mine(pays("known", 0, alice, 2), pays("nobody", 0, pool, 4))
	delete(w.owners, bob) // as if his address were missing in the database
	w.ledger.mine(pays("missed", 0, bob, 8))
	w.mine(t, 300)
	w.owners[bob], w.owners[pool] = "bob", "alice"

	var heights []int64
	rescan := func(s *transactions.Service) (int, error) {
		heights = nil
		return s.Rescan(t.Context(), bsc, 190, func(h int64) { heights = append(heights, h) })
	}
	for i, want := range []int{2, 0, 0} { // by the process itself, by another one, again
		s := []*transactions.Service{w.second(t), w.Service, w.Service}[i]
		if n, err := rescan(s); err != nil || n != want || len(heights) != 4 || heights[3] != 190 {
			t.Errorf("%d: found %d, want %d; %v, %v", i, n, want, heights, err)
		}
		if holder := w.state(t).Holder; holder != "one" {
			t.Errorf("%s reads", holder)
		}
	}
	if got := w.brief(t, "bob"); got != "missed#0 pending r1 @208" {
		t.Errorf("bob has %s", got)
	}
	w.mine(t, 1)
	w.expect(t, "before#0 completed r2 @201, known#0 completed r2 @207", "USDT 0/3")
	if got := w.balance(t, "bob"); got != "USDT 0/8" {
		t.Errorf("bob has %s", got)
	}
}

func TestRescan_Faults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from  int64
		fault func(*world)
		ok    func(error) bool
	}{
		"above the tip": {400, nil, func(err error) bool { return core.CodeOf(err) == core.Invalid }},
		"not a height":  {0, nil, func(err error) bool { return core.CodeOf(err) == core.Invalid }},
		"not there yet": {100, func(w *world) { w.nodes[1].missing = map[int64]error{150: ports.ErrNoBlock} }, func(err error) bool { return errors.Is(err, ports.ErrNoBlock) }},
		"difference":    {100, func(w *world) { w.nodes[1].edit = without("before") }, func(err error) bool { return err != nil }},
		"replaced":      {100, func(w *world) { w.ledger.fork(3); w.ledger.empty(3) }, func(err error) bool { return err != nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			w.ledger.mine(pays("before", 0, alice, 1))
			w.mine(t, 101)
			if c.fault != nil {
				c.fault(w)
			}
			n, err := w.Rescan(t.Context(), bsc, c.from, func(int64) {})
			if n != 0 || !c.ok(err) {
				t.Errorf("got %d, %v", n, err)
			}
			w.expect(t, "", "")
		})
	}
}

// The process that reads the network goes on during a rescan.
func TestRescan_Beside(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(*ledger)
		found     int
		brief     string
	}{
		"new block":  {func(l *ledger) { l.empty(1) }, 1, "a#0 completed r2 @209"},
		"other fork": {func(l *ledger) { l.fork(7); l.empty(9) }, 0, ""},
	} {
		var f *flaky
		w := newWorld(t, 1, func(c *transactions.Config) {
			f = &flaky{TransactionStore: c.Store}
			c.Store = f
		})
		w.sync(t)
		w.mine(t, 8)
		delete(w.owners, alice)
		w.ledger.mine(pays("a", 0, alice, 1)) // 209
		w.mine(t, 5)
		w.owners[alice] = "alice"
		reader := w.second(t) // takes over as soon as it may
		_ = reader.Sync(t.Context(), bsc)
		w.now = w.now.Add(time.Minute)
		turns := 0
		f.fail = func(ports.ChainBatch) error {
			if turns++; turns == 1 {
				c.meanwhile(w.ledger)
				return reader.Sync(t.Context(), bsc)
			}
			return nil
		}
		if n, err := w.Rescan(t.Context(), bsc, 150, func(int64) {}); (err == nil) != (c.found > 0) || n != c.found {
			t.Errorf("%s: got %d, %v", name, n, err)
		}
		f.fail = nil
		w.ledger.empty(3)
		if err := reader.Sync(t.Context(), bsc); err != nil {
			t.Error(err)
		}
		if got := w.brief(t, "alice"); got != c.brief {
			t.Errorf("%s: got %s, want %s", name, got, c.brief)
		}
	}
}

// A network that replaced more blocks than are kept stops, also in other processes, until the operator
// resumes it and rescans what it replaced.
func TestResume(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.sync(t)
	if _, err := w.Resume(t.Context(), bsc); core.CodeOf(err) != core.Conflict {
		t.Errorf("got %v", err)
	}
	w.ledger.mine(pays("kept", 0, alice, 1), pays("lost", 0, alice, 2), pays("a", 0, pool, 1)) // 201
	w.mine(t, 2)
	w.ledger.fork(8)
	w.ledger.empty(7)
	w.ledger.mine(pays("kept", 0, alice, 1), pays("new", 0, alice, 4)) // 203
	w.ledger.empty(20)
	for _, s := range []*transactions.Service{w.Service, w.second(t), w.Service} {
		_ = s.Sync(t.Context(), bsc)
		w.now = w.now.Add(time.Minute)
	}
	w.expect(t, "kept#0 completed r2 @201, lost#0 completed r2 @201", "USDT 0/3")

	other := w.second(t)
	lowest, err := other.Resume(t.Context(), bsc)
	if err != nil || lowest != 200 {
		t.Errorf("got %d, %v", lowest, err)
	}
	w.expect(t, "kept#0 pending reorganized r3 @0, lost#0 pending reorganized r3 @0", "USDT 3/0")
	w.mine(t, 1) // reads the blocks that came instead
	w.expect(t, "kept#0 completed r5 @203, lost#0 failed dropped r4 @0, new#0 completed r2 @203", "USDT 0/5")
	if n, err := other.Rescan(t.Context(), bsc, lowest-10, func(int64) {}); err != nil || n != 0 {
		t.Errorf("found %d, %v", n, err)
	}
	if got := w.problem(t); got != "" {
		t.Errorf("got problem %q", got)
	}
}
