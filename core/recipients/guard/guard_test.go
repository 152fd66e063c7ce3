package guard_test

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/recipients/guard"
)

// until looks up numbers until one is refused, and returns how many were not.
func (w *world) until(number func(i int) string) int {
	for i := range 30_000 {
		before := w.now
		_, refused := w.look(gtb, number(i))
		w.now = before // all at one instant
		if refused {
			return i
		}
	}
	return -1
}

// newLongWorld returns a world that lasts for longer than a day.
func newLongWorld(s guard.Settings) *world {
	w := newWorld(1, s)
	w.end = w.end.Add(100 * 24 * time.Hour)
	return w
}

func (w *world) somewhere(int) string { return w.anywhere() }

func withBudget(units int) guard.Settings { return guard.Settings{Mode: guard.Block, Daily: units} }

func TestGuard_Prices(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before func(w *world)
		want   int // names that 100 units are enough for afterwards
	}{
		"nothing": {func(*world) {}, 100},
		"a name, repeated": {func(w *world) {
			for range 50 {
				w.look(gtb, "0123456789")
			}
		}, 99},
		"an account that does not exist, repeated": {func(w *world) {
			w.populate(0)
			w.look(gtb, "0123456789")
			w.look(gtb, "0123456789")
			w.populate(100)
		}, 80},
		"two wrong banks of a number that exists": {func(w *world) {
			w.populate(0)
			w.look("000001", "0123456789")
			w.look("000002", "0123456789")
			w.populate(100)
			w.look("000003", "0123456789")
		}, 97},
		"a match, repeated": {func(w *world) {
			w.claim("0123456789", "Ada Obi", guard.Matched)
			w.claim("0123456789", " ada  OBI", guard.Matched)
		}, 99},
		"a close match": {func(w *world) { w.claim("0123456789", "Ada", guard.CloselyMatched) }, 95},
		"no match":      {func(w *world) { w.claim("0123456789", "Eve", guard.NotMatched) }, 80},
		"an outage": {func(w *world) {
			l := w.lookup
			l.Account.Number = "0123456789"
			w.guard.Admit(context.Background(), l)
		}, 99},
		"a day ago": {func(w *world) {
			w.until(w.somewhere)
			w.now = w.now.Add(25 * time.Hour)
		}, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newLongWorld(withBudget(100))
			test.before(w)
			if got := w.until(w.somewhere); got != test.want {
				t.Errorf("%d more names, want %d", got, test.want)
			}
			if len(w.alarms) > 0 {
				t.Errorf("a spent budget is an alarm: %+v", w.alarms)
			}
		})
	}
}

func TestGuard_BudgetReturns(t *testing.T) {
	t.Parallel()
	w := newLongWorld(withBudget(10))
	for range 10 {
		w.look(gtb, w.anywhere())
		w.now = w.now.Truncate(time.Hour).Add(time.Hour)
	}
	d := w.guard.Admit(t.Context(), guard.Lookup{Caller: "eve", Account: core.AccountQuery{Number: "1234567890"}})
	if d.Reason != guard.Budget || d.Wait <= 14*time.Hour || d.Wait > 15*time.Hour {
		t.Fatalf("got %q for %s, want the budget for 15 hours at most", d.Reason, d.Wait)
	}
	w.now = w.now.Add(d.Wait)
	if d := w.guard.Admit(t.Context(), guard.Lookup{Caller: "eve", Account: core.AccountQuery{Number: "1234567890"}}); d.Reason != "" {
		t.Errorf("refused after the wait: %q", d.Reason)
	}
}

func TestGuard_Alarm(t *testing.T) {
	t.Parallel()
	consecutive := func(i int) string { return fmt.Sprintf("%010d", 123_450_000+i) }
	for reason, search := range map[guard.Reason]func(w *world){
		guard.Density: func(w *world) { w.until(consecutive) },
		guard.Misses: func(w *world) {
			w.populate(0)
			w.until(w.somewhere)
		},
		guard.Banks: func(w *world) {
			for bank := range 8 {
				w.look(fmt.Sprint(bank), "0123456789")
			}
		},
		guard.Claims: func(w *world) {
			for i := 0; w.claim("0123456789", fmt.Sprint("NAME ", i), guard.NotMatched) == ""; i++ {
			}
		},
	} {
		w := newLongWorld(guard.Default())
		search(w)
		if len(w.alarms) != 1 || w.alarms[0].Reason != reason || w.alarms[0].Caller != "eve" || w.alarms[0].Key != "key_eve" ||
			w.alarms[0].Mode != guard.Block {
			t.Errorf("%s: got %+v", reason, w.alarms)
		}
	}
}

func TestGuard_StopsLongerEachTime(t *testing.T) {
	t.Parallel()
	w := newLongWorld(guard.Default())
	serial := 0
	for _, want := range []time.Duration{
		15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour,
		16 * time.Hour, 24 * time.Hour, 24 * time.Hour,
	} {
		serial += 1_000_000
		w.until(func(i int) string { return fmt.Sprintf("%010d", serial+i) })
		last := w.alarms[len(w.alarms)-1]
		if got := last.Until.Sub(last.At); got != want {
			t.Errorf("stopped for %s, want %s", got, want)
		}
		w.now = last.Until
	}
	w.now = w.now.Add(25 * time.Hour)
	w.until(func(i int) string { return fmt.Sprintf("%010d", i) })
	if last := w.alarms[len(w.alarms)-1]; last.Until.Sub(last.At) != 15*time.Minute {
		t.Errorf("stopped for %s a day later", last.Until.Sub(last.At))
	}
}

func TestGuard_RemembersADay(t *testing.T) {
	t.Parallel()
	w := newLongWorld(guard.Default())
	block := func(i int) string { return fmt.Sprintf("%010d", 123_450_000+i) }
	n := w.until(block)
	w.now = w.alarms[0].Until
	if _, refused := w.look(gtb, block(n)); !refused {
		t.Error("the search may continue in the same block")
	}
	w.now = w.now.Add(25 * time.Hour)
	if more := w.until(func(i int) string { return block(i + n) }); more < 10 {
		t.Errorf("%d numbers of the block a day later", more)
	}
}

func TestGuard_ConfirmOnly(t *testing.T) {
	t.Parallel()
	s := guard.Default()
	s.Mode = guard.ConfirmOnly
	w := newLongWorld(s)
	hidden := 0
	for i := range 100 {
		l := w.lookup
		l.Account = core.AccountQuery{Country: "NG", Bank: core.Bank{Code: gtb}, Number: core.Private(nuban(i))}
		d := w.guard.Admit(t.Context(), l)
		if d.Reason != "" {
			t.Fatalf("refused: %q", d.Reason)
		}
		if d.HideName {
			hidden++
		}
		w.guard.Settle(t.Context(), d, guard.Named)
	}
	if hidden < 60 || len(w.alarms) != 1 {
		t.Errorf("%d names hidden, %d alarms", hidden, len(w.alarms))
	}
	var refused guard.Reason
	for i := range 16 {
		refused = w.claim("0999999999", fmt.Sprint("NAME ", i), guard.NotMatched)
	}
	if refused != guard.Claims {
		t.Errorf("a search for a name is not refused: %q", refused)
	}
}

func TestGuard_Allowed(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]bool{
		"NG": true, "NG/000013": true, "NG/000013/0123450000-0123450999": true,
		"GH": false, "NG/000014": false, "NG/000013/0123460000-0123469999": false,
	} {
		s := guard.Default()
		s.Allowed = map[string][]string{"key_eve": {entry}, "other": {"NG"}}
		w := newLongWorld(s)
		for i := range 200 {
			w.look(gtb, fmt.Sprintf("%010d", 123_450_000+i))
		}
		if got := w.refused == 0; got != want {
			t.Errorf("%s: allowed %t, want %t", entry, got, want)
		}
	}
}

// Devices of one /48 are one caller only if many of its /64 networks are active.
func TestGuard_Networks(t *testing.T) {
	t.Parallel()
	for networks, want := range map[int]bool{4: false, 16: true} {
		w := newLongWorld(withBudget(50))
		for i := range 80 {
			network := netip.MustParsePrefix(fmt.Sprintf("2001:db8:0:%x::/64", i%networks))
			w.lookup.Caller, w.lookup.Network = network.String(), network
			w.look(gtb, w.anywhere())
		}
		if got := w.refused > 0; got != want {
			t.Errorf("%d networks: refused %t, want %t", networks, got, want)
		}
	}
}

func TestGuard_Memory(t *testing.T) {
	t.Parallel()
	const limit = 20 // bytes for each number
	w := newLongWorld(guard.Settings{Mode: guard.Block, Daily: 5000})
	w.until(w.somewhere)
	if _, numbers, bytes := w.guard.Memory(); numbers != 5000 || bytes > limit*numbers {
		t.Errorf("one caller: %d numbers in %d bytes", numbers, bytes)
	}
	w.now = w.now.Add(25 * time.Hour)
	w.look(gtb, "0123456789")
	if _, numbers, bytes := w.guard.Memory(); numbers != 1 || bytes > 100 {
		t.Errorf("a day later: %d numbers in %d bytes", numbers, bytes)
	}
	const callers = 100
	w.guard.SetMaxBytes(callers * (guard.CallerBytes + 10*guard.NumberBytes))
	for i := range 3000 {
		w.lookup.Caller = fmt.Sprint("caller ", i/10)
		w.look(gtb, w.anywhere())
	}
	if got, numbers, bytes := w.guard.Memory(); got > callers+1 || numbers > 10*callers+10 || bytes > 3*limit*numbers {
		t.Errorf("all callers: %d with %d numbers in %d bytes", got, numbers, bytes)
	}
	if text := fmt.Sprintf("%+v", w.guard); strings.Contains(text, "0123456789") || strings.Contains(text, "123456789 ") {
		t.Error("the guard holds an account number")
	}
}

// What the guard knows of 20,000 callers in turn accumulates.
func TestGuard_ManyCallers(t *testing.T) {
	t.Parallel()
	const many, rounds = 20_000, 3
	w := newLongWorld(guard.Default())
	w.crowd(many)
	w.crowd(many)
	w.crowd(many)
	if callers, numbers, _ := w.guard.Memory(); callers != many || numbers != rounds*many {
		t.Errorf("got %d callers with %d numbers, want %d with %d", callers, numbers, many, rounds*many)
	}
}

// crowd lets many callers look up one number each, at one instant.
func (w *world) crowd(callers int) {
	for i := range callers {
		before := w.now
		w.lookup.Caller = fmt.Sprint("caller ", i)
		w.look(gtb, w.anywhere())
		w.now = before
	}
}

// Callers with an alarm are not forgotten because of many others without one, until the alarm is over for a day.
func TestGuard_AlarmedCallers(t *testing.T) {
	t.Parallel()
	const searchers, each = 10, 20 // lookups before an alarm, at least
	w := newLongWorld(guard.Default())
	w.guard.SetMaxBytes(100 * guard.CallerBytes)
	search := func(i int) int {
		w.lookup.Caller = fmt.Sprint("searcher ", i)
		return w.until(nuban)
	}
	for i := range searchers {
		search(i)
	}
	w.crowd(1_000)
	for i := range searchers {
		if n := search(i); n != 0 {
			t.Errorf("the crowd made the guard forget alarm %d: %d more lookups", i, n)
		}
	}
	w.now = w.now.Add(49 * time.Hour)
	w.crowd(1_000)
	if callers, numbers, _ := w.guard.Memory(); callers > 100 || numbers > callers+2*each {
		t.Errorf("two days later: %d callers with %d numbers are remembered", callers, numbers)
	}
}

func TestGuard_OffAndClock(t *testing.T) {
	t.Parallel()
	w := newLongWorld(guard.Settings{Mode: guard.Off})
	if n := w.until(nuban); n != -1 {
		t.Errorf("refused after %d lookups while off", n)
	}
	w = newLongWorld(guard.Default())
	w.until(nuban)
	w.now = w.now.Add(-time.Hour)
	if _, refused := w.look(gtb, nuban(0)); refused {
		t.Error("refused after the clock was set back")
	}
}

func TestSettings_Check(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]guard.Settings{
		`recipients.guard.mode is "watch"; accepted: off, block, confirm_only`: {Mode: "watch", Daily: 1},
		"recipients.guard.daily is 0; accepted: 1 to 100000":                   {Mode: guard.Block},
		"recipients.guard.daily is 100001":                                     {Mode: guard.Block, Daily: 100_001},
		"recipients.guard.allowed.k1 has a wrong entry":                        {Mode: guard.Off, Daily: 1, Allowed: map[string][]string{"k1": {"NG/000013/2-1"}}},
		"recipients.guard.allowed.k2 has a wrong entry":                        {Mode: guard.Off, Daily: 1, Allowed: map[string][]string{"k2": {"Nigeria"}}},
	} {
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := guard.Default().Check(); err != nil {
		t.Error(err)
	}
}
