package guard_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"causeway/adapters/memory"
	"causeway/core"
	"causeway/core/recipients/guard"
	"causeway/ports"
)

// outage is a log that can be away.
type outage struct {
	ports.LookupLog
	away atomic.Bool
}

func (o *outage) Append(ctx context.Context, record []byte) error {
	if o.away.Load() {
		return errors.New("away")
	}
	return o.LookupLog.Append(ctx, record)
}

func (o *outage) Read(ctx context.Context, after string) ([][]byte, string, error) {
	if o.away.Load() {
		return nil, after, errors.New("away")
	}
	return o.LookupLog.Read(ctx, after)
}

// TestGuard_ConcurrentReplicas checks that lookups of one instant at three replicas get no more
// than the limits.
func TestGuard_ConcurrentReplicas(t *testing.T) {
	t.Parallel()
	now := time.Unix(1795824000, 0)
	for name, test := range map[string]struct {
		daily, want int
		lookup      func(i int) guard.Lookup
	}{
		"density": {10_000, 60, func(i int) guard.Lookup { // of a block of 100,000
			return guard.Lookup{Caller: "eve", Account: core.AccountQuery{
				Country: "NG", Bank: core.Bank{Code: gtb}, Number: core.Private(fmt.Sprintf("%010d", 123_400_000+i)),
			}}
		}},
		"banks": {10_000, 7, func(i int) guard.Lookup {
			return guard.Lookup{Caller: "eve", Account: core.AccountQuery{
				Country: "NG", Bank: core.Bank{Code: fmt.Sprint(i)}, Number: "0123456789",
			}}
		}},
		"budget": {50, 50, func(i int) guard.Lookup {
			return guard.Lookup{Caller: "eve", Account: core.AccountQuery{
				Country: "NG", Bank: core.Bank{Code: gtb}, Number: core.Private(fmt.Sprintf("%010d", i*7_368_787)),
			}}
		}},
		"IPv6 site": {50, 50, func(i int) guard.Lookup {
			network := netip.MustParsePrefix(fmt.Sprintf("2001:db8:0:%x::/64", (i/24+i)%16))
			return guard.Lookup{Caller: network.String(), Network: network, Account: core.AccountQuery{
				Country: "NG", Bank: core.Bank{Code: gtb}, Number: core.Private(fmt.Sprintf("%010d", i*7_368_787)),
			}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := guard.Config{
				Settings: withBudget(test.daily), Clock: func() time.Time { return now }, Hash: keyedHash(1),
				Alarm: func(guard.Alarm) {}, Seal: slices.Clone[[]byte], Open: slices.Clone[[]byte],
			}
			cfg.Shared = memory.NewLookups(cfg.Clock)
			var (
				admitted atomic.Int64
				requests sync.WaitGroup
			)
			for replica := range 3 {
				g := open(cfg)
				for client := range 8 {
					requests.Go(func() {
						for i := range 20 {
							l := test.lookup((i*8+client)*3 + replica)
							if d := g.Admit(t.Context(), l); d.Reason == "" {
								admitted.Add(1)
								g.Settle(t.Context(), d, guard.Named)
							}
						}
					})
				}
			}
			requests.Wait()
			if n := admitted.Load(); n == 0 || n > int64(test.want) {
				t.Errorf("got %d lookups, want at most %d", n, test.want)
			}
		})
	}
}

// TestGuard_UnansweredClaims checks that names which one replica has not answered yet count at
// another one.
func TestGuard_UnansweredClaims(t *testing.T) {
	t.Parallel()
	w := newWorldOf(2, 1, guard.Default())
	claim := func(g *guard.Guard, i int) guard.Reason {
		l := w.lookup
		l.Account = core.AccountQuery{Country: "NG", Bank: core.Bank{Code: gtb}, Number: "0123456789"}
		l.Claim, l.Hidden = core.Private(fmt.Sprint("NAME ", i)), true
		return g.Admit(t.Context(), l).Reason
	}
	for i := 0; claim(w.guards[0], i) == ""; i++ { // some names look the same
		if i > 20 {
			t.Fatal("one replica admits all names")
		}
	}
	w.now = w.alarms[0].Until
	for i := range 3 {
		if got := claim(w.guards[1], 100+i); got == "" {
			t.Errorf("name %d: admitted at the other replica", i)
		}
	}
}

// TestGuard_Outage checks that a caller gains no budget by an outage of the shared log: every
// replica remembers what the others shared before, and shares later what it counted meanwhile.
func TestGuard_Outage(t *testing.T) {
	t.Parallel()
	w := newWorldOf(1, 1, withBudget(100))
	log := &outage{LookupLog: memory.NewLookups(func() time.Time { return w.now })}
	failures := 0
	cfg := guard.Config{
		Settings: withBudget(100), Clock: func() time.Time { return w.now }, Hash: keyedHash(1),
		Alarm: func(guard.Alarm) {}, Seal: slices.Clone[[]byte], Open: slices.Clone[[]byte],
		Shared: log, Failed: func(string, error) { failures++ },
	}
	a, b := open(cfg), open(cfg)
	use := func(g *guard.Guard, numbers int) (names int) {
		w.guards = []*guard.Guard{g}
		for range numbers {
			if found, _ := w.look(gtb, w.anywhere()); found {
				names++
			}
			w.now = w.now.Truncate(time.Hour)
		}
		return names
	}
	use(a, 90)
	b.Flush(t.Context())
	log.away.Store(true)
	if names := use(b, 20); names != 10 || failures == 0 {
		t.Errorf("at a replica that has not seen the caller: got %d names and %d failures, want 10 names", names, failures)
	}
	use(a, 5)
	log.away.Store(false)
	a.Flush(t.Context())
	b.Flush(t.Context())
	a.Flush(t.Context())
	for name, g := range map[string]*guard.Guard{"a": a, "b": b, "a third": open(cfg)} {
		if names := use(g, 20); names != 0 {
			t.Errorf("%s after the outage: got %d names, want none", name, names)
		}
	}
}

// TestGuard_Restart checks that a process remembers what earlier ones saved, also if the log is
// away at its start.
func TestGuard_Restart(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]bool{"log at the start": false, "log later": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newLongWorld(guard.Default())
			log := &outage{LookupLog: memory.NewLookups(func() time.Time { return w.now })}
			cfg := guard.Config{
				Settings: withBudget(100), Clock: func() time.Time { return w.now }, Hash: keyedHash(1),
				Alarm: func(a guard.Alarm) { w.alarms = append(w.alarms, a) },
				Seal:  slices.Clone[[]byte], Open: slices.Clone[[]byte],
				Saved: log, Failed: func(string, error) {},
			}
			restart := func() {
				w.guards[0].Flush(t.Context())
				w.guards = []*guard.Guard{open(cfg)}
				log.away.Store(away)
				w.guards[0].Restore(t.Context())
				log.away.Store(false)
				w.guards[0].Flush(t.Context())
			}
			w.guards = []*guard.Guard{open(cfg)}
			row := func(i int) string { return fmt.Sprintf("%010d", 123_450_000+i) }
			n := w.until(row)
			restart()
			if _, refused := w.look(gtb, w.anywhere()); !refused {
				t.Error("the caller is not stopped after a restart")
			}
			w.now = w.alarms[0].Until
			restart()
			if _, refused := w.look(gtb, row(n)); !refused || len(w.alarms) != 2 {
				t.Error("the search may continue in the same block")
			}
			if got := w.alarms[1].Until.Sub(w.alarms[1].At); got != 30*time.Minute {
				t.Errorf("stopped for %s, want twice as long", got)
			}
			w.now = w.alarms[1].Until
			spent := w.until(w.somewhere)
			restart()
			if more := w.until(w.somewhere); n+spent != 100 || more != 0 {
				t.Errorf("got %d names before and %d after a restart, want 100 and none", n+spent, more)
			}
			w.now = w.now.Add(25 * time.Hour)
			restart()
			if more := w.until(w.somewhere); more != 100 {
				t.Errorf("got %d names a day later, want 100", more)
			}
		})
	}
}

// TestGuard_ForgedRecords checks that records which were not sealed with the secret change nothing.
func TestGuard_ForgedRecords(t *testing.T) {
	t.Parallel()
	w := newWorldOf(2, 1, withBudget(10))
	log := memory.NewLookups(func() time.Time { return w.now })
	if err := log.Append(t.Context(), make([]byte, 500)); err != nil {
		t.Fatal(err)
	}
	g := open(guard.Config{
		Settings: withBudget(10), Clock: func() time.Time { return w.now }, Hash: keyedHash(1),
		Seal: slices.Clone[[]byte], Open: func([]byte) []byte { return nil }, Shared: log,
	})
	g.Flush(t.Context())
	if callers, _, _ := g.Memory(); callers != 0 {
		t.Errorf("got %d callers, want none", callers)
	}
}
