package recipients_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/recipients"
)

// town is a service with a guard, over accounts of which some exist: by default one in six, at one bank.
type town struct {
	*recipients.Service
	hands    *hands
	asked    int // of the provider
	exists   func(bank, number string) bool
	names    map[string]bool // of accounts whose holders were told, by anybody
	searches []recipients.Search
	told     []recipients.Resolution
}

func newTown(t testing.TB, change func(*recipients.Config)) *town {
	t.Helper()
	w := &town{hands: &hands{}, names: map[string]bool{}}
	w.exists = func(bank, number string) bool { return bank == "000013" && part(6, number) == 0 }
	cfg := configOf(countries(), resolver{name: "paystack", resolves: always, resolve: func(_ context.Context, q core.AccountQuery) (core.Private, error) {
		w.asked++
		if !w.exists(q.Bank.Code, q.Number.Reveal()) {
			return "", core.Errorf(core.NotFound, "No account")
		}
		return "HOLDER OF " + q.Number, nil
	}})
	cfg.Settings.Guard = recipients.Default().Guard
	cfg.Clock, cfg.Cache = w.hands.now, newNameCache(w.hands.now)
	cfg.Registry.Find = func(country, code string) (core.Bank, error) {
		if country == "NG" {
			return core.Bank{Country: "NG", Code: code, Name: "Bank " + code, Channels: []core.Channel{core.BankTransfer}}, nil
		}
		return find(country, code)
	}
	cfg.Events.Search = func(s recipients.Search) { w.searches = append(w.searches, s) }
	cfg.Events.Resolution = func(_ context.Context, r recipients.Resolution) { w.told = append(w.told, r) }
	if change != nil {
		change(&cfg)
	}
	w.Service = open(t, cfg)
	return w
}

// look looks one number up, and says how long to wait if that was refused.
func (w *town) look(t testing.TB, caller, bank, number string) time.Duration {
	t.Helper()
	req := recipients.Request{Currency: "NGN", Country: "NG", Channel: "bank_transfer", BankCode: bank, AccountNumber: core.Private(number), Caller: caller, Key: "key of " + caller}
	got, err := w.Resolve(t.Context(), req)
	if e, ok := errors.AsType[*core.Error](err); ok && e.Code == core.TooMany {
		if e.RetryAfter <= 0 || e.RetryAfter > 24*time.Hour {
			t.Fatalf("got %v with a wait of %s", err, e.RetryAfter)
		}
		return e.RetryAfter
	}
	if exists := w.exists(bank, number); exists != (err == nil) || !exists && core.CodeOf(err) != core.NotFound {
		t.Fatalf("%s at %s: got %v; it exists: %t", number, bank, err, exists)
	}
	if got.Holder != "" {
		w.names[bank+number] = true
	}
	return 0
}

// until looks numbers up until one is refused, and says which.
func (w *town) until(t testing.TB, most int, next func(i int) (bank, number string)) int {
	t.Helper()
	for i := range most {
		bank, number := next(i)
		if w.look(t, "eve", bank, number) > 0 {
			return i
		}
	}
	return most
}

// nuban is the n-th serial of a bank, with a check digit that differs from its neighbours'.
func nuban(n int) string { return fmt.Sprintf("%09d%d", n, (10-n*7%10)%10) }

// random is a number anywhere.
func random(i int) string { return fmt.Sprintf("%010d", part(1e10, "random", i)) }

func TestTheAlarmNamesTheKeyThatSearches(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(i int) (bank, number string){
		"numbers beside each other": func(i int) (string, string) { return "000013", nuban(12345678 + i) },
		"numbers that do not exist": func(i int) (string, string) { return "000014", random(i) },
	} {
		w := newTown(t, nil)
		w.until(t, 1000, next)
		if len(w.searches) != 1 || w.searches[0].Key != "key of eve" || w.searches[0].Caller != w.CallerHash("eve") {
			t.Errorf("%s: got %+v", name, w.searches)
		}
	}
}

func TestSearchesAreStopped(t *testing.T) {
	t.Parallel()
	known := func(w *town) func(i int) string { // numbers that exist, found out elsewhere
		next := 0
		return func(int) string {
			for next++; !w.exists("000013", random(-next)); next++ {
			}
			return random(-next)
		}
	}
	for _, c := range []struct {
		name   string
		next   func(w *town) func(i int) (bank, number string)
		within int
		reason recipients.Reason
	}{
		{"serial by serial", func(*town) func(int) (string, string) {
			return func(i int) (string, string) { return "000013", nuban(12345678 + i) }
		}, 20, recipients.Adjacent},
		{"backwards", func(*town) func(int) (string, string) {
			return func(i int) (string, string) { return "000013", nuban(12345678 - i) }
		}, 20, recipients.Adjacent},
		{"serial by serial in a branch where all exist", func(w *town) func(int) (string, string) {
			w.exists = func(string, string) bool { return true }
			return func(i int) (string, string) { return "000013", nuban(12345678 + i) }
		}, 20, recipients.Adjacent},
		{"serials shuffled among others, at several banks", func(w *town) func(int) (string, string) {
			w.exists = func(string, string) bool { return true }
			return func(i int) (string, string) {
				if i%2 == 0 {
					return "000013", random(i)
				}
				return fmt.Sprintf("%06d", 13+i%3), nuban(12345678 + i/2*37%40)
			}
		}, 60, recipients.Adjacent},
		{"anywhere", func(*town) func(int) (string, string) {
			return func(i int) (string, string) { return "000013", random(i) }
		}, 50, recipients.Misses},
		{"anywhere, half of them known to exist", func(w *town) func(int) (string, string) {
			other := known(w)
			return func(i int) (string, string) {
				if i%2 == 0 {
					return "000013", other(i)
				}
				return "000013", random(i)
			}
		}, 60, recipients.Misses},
		{"one person at every bank", func(*town) func(int) (string, string) {
			return func(i int) (string, string) { return fmt.Sprintf("%06d", 100+i), "0123456789" }
		}, 7, recipients.ManyBanks},
		{"some people at every bank, in turn", func(*town) func(int) (string, string) {
			return func(i int) (string, string) { return fmt.Sprintf("%06d", 100+i/10), random(i % 10) }
		}, 70, recipients.ManyBanks},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newTown(t, nil)
			stopped := w.until(t, 1000, c.next(w))
			if stopped > c.within || len(w.searches) != 1 || w.searches[0].Reason != c.reason {
				t.Fatalf("stopped after %d lookups, %+v; want %d and %s", stopped, w.searches, c.within, c.reason)
			}
			last := w.told[len(w.told)-1]
			if last.Outcome != recipients.Refused || last.Reason != c.reason || last.Caller != w.searches[0].Caller {
				t.Errorf("told %+v", last)
			}
			if asked := w.asked; w.look(t, "eve", "000013", "0123456789") == 0 || w.asked != asked {
				t.Error("who was stopped goes on")
			}
			if w.look(t, "bob", "000013", "0123456789") != 0 {
				t.Error("somebody else was stopped too")
			}
			w.hands.pass(15*time.Minute + time.Second)
			if w.look(t, "eve", "000013", "0123456789") != 0 {
				t.Error("it is not over after a quarter of an hour")
			}
		})
	}
}

// The message of a refusal says what is wrong and when to come back, not what gave the search away.
func TestRefusal(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	w.until(t, 1000, func(i int) (string, string) { return "000013", random(i) })
	_, err := w.Resolve(t.Context(), recipients.Request{Currency: "NGN", Country: "NG", Channel: "bank_transfer", BankCode: "000013", AccountNumber: "0123456789", Caller: "eve"})
	if want := "too_many: Too many lookups that look like a search through account numbers; please try again in 900 seconds"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = w.Resolve(t.Context(), recipients.Request{Country: "NG", Caller: "eve"})
	if core.CodeOf(err) != core.Invalid {
		t.Errorf("got %v; a question with faults is that first", err)
	}
}

// Each search within a day of the last one is stopped for twice as long.
func TestStoppedLongerEachTime(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	n := 0
	search := func() time.Duration {
		for {
			n++
			if wait := w.look(t, "eve", "000013", random(n)); wait > 0 {
				return wait
			}
			w.hands.pass(15 * time.Second) // slowly enough for the tokens
		}
	}
	for _, want := range []time.Duration{15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 16 * time.Hour, 24 * time.Hour, 24 * time.Hour} {
		wait := search()
		if wait > want || wait < want-15*time.Second {
			t.Errorf("stopped for %s, want %s", wait, want)
		}
		w.hands.pass(wait)
	}
	w.hands.pass(25 * time.Hour)
	if wait := search(); wait > 15*time.Minute {
		t.Errorf("a day later: stopped for %s", wait)
	}
}

// A key that may call more often than the guard has tokens for gets as many as it was promised, and no fewer than others; a search of it is
// stopped all the same.
func TestTheRateOfAKey(t *testing.T) {
	t.Parallel()
	ask := func(t *testing.T, w *town, rate core.RateLimit, number string) bool {
		t.Helper()
		req := nigerian()
		req.Caller, req.Rate, req.AccountNumber = "key", rate, core.Private(number)
		_, err := w.Resolve(t.Context(), req)
		return core.CodeOf(err) != core.TooMany
	}
	everybody := func(string, string) bool { return true }
	few := func(c *recipients.Config) { c.Settings.Guard.Capacity, c.Settings.Guard.PerMinute = 10, 6 }
	for name, c := range map[string]struct {
		rate                core.RateLimit
		atOnce, aMinuteLate int
	}{
		"none":                    {core.RateLimit{}, 10, 6},
		"a smaller one":           {core.RateLimit{Calls: 2, Per: time.Minute}, 10, 6},
		"a larger one":            {core.RateLimit{Calls: 100, Per: time.Minute}, 100, 100},
		"many at once, slowly":    {core.RateLimit{Calls: 100, Per: time.Hour}, 100, 6},
		"few at once, but faster": {core.RateLimit{Calls: 1, Per: time.Second}, 10, 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTown(t, few)
			w.exists = everybody
			asked := 0
			spend := func() (n int) {
				for n < 1000 && ask(t, w, c.rate, random(asked)) {
					n++
					asked++
				}
				return n
			}
			if n := spend(); n != c.atOnce {
				t.Errorf("%d at once, want %d", n, c.atOnce)
			}
			w.hands.pass(time.Minute)
			if n := spend(); n != c.aMinuteLate {
				t.Errorf("%d after a minute, want %d", n, c.aMinuteLate)
			}
		})
	}
	t.Run("what was spent stays spent when the rate changes", func(t *testing.T) {
		t.Parallel()
		w := newTown(t, few)
		w.exists = everybody
		for i := range 10 {
			ask(t, w, core.RateLimit{}, random(i))
		}
		n := 0
		for n < 1000 && ask(t, w, core.RateLimit{Calls: 100, Per: time.Minute}, random(100+n)) {
			n++
		}
		if n != 90 {
			t.Errorf("%d more, want 90", n)
		}
	})
	t.Run("a search is stopped", func(t *testing.T) {
		t.Parallel()
		w := newTown(t, nil)
		n := 0
		for n < 1000 && ask(t, w, core.RateLimit{Calls: 1_000_000, Per: time.Second}, fmt.Sprintf("%010d", n)) {
			n++
		}
		if n > 100 || len(w.searches) != 1 {
			t.Errorf("%d neighbours were asked about, %d searches noticed", n, len(w.searches))
		}
	})
}

// The attack of record: 600,000 lookups from 7 accounts took 98,000 names. Each waits for as long as it is told to, for a week.
func TestTheAttackOfRecord(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	lookups := 0
	until := make([]time.Time, 7)
	for week := w.hands.now().Add(7 * 24 * time.Hour); w.hands.now().Before(week) && lookups < 600_000; w.hands.pass(10 * time.Second) {
		for i := range until {
			for range 10 {
				if w.hands.now().Before(until[i]) {
					break
				}
				lookups++
				until[i] = w.hands.now().Add(w.look(t, fmt.Sprint("account", i), "000013", random(lookups)))
			}
		}
	}
	if len(w.names) > 1000 {
		t.Errorf("%d names in a week of %d lookups", len(w.names), lookups)
	}
}

// Who knows the guard, and hides his wrong guesses among right ones so that it never notices, is held by the tokens.
func TestAPatientSearch(t *testing.T) {
	t.Parallel()
	w := newTown(t, func(c *recipients.Config) { c.Cache = nil })
	known := make([]string, 0, 60)
	for i := -1; len(known) < cap(known); i-- {
		if w.exists("000013", random(i)) {
			known = append(known, random(i))
		}
	}
	var wrong [50]bool // of the last numbers
	taken := 0
	for n, evening := 0, w.hands.now().Add(8*time.Hour); w.hands.now().Before(evening); {
		misses := 0
		for _, miss := range wrong {
			if miss {
				misses++
			}
		}
		number, guess := known[n%len(known)], misses < 15
		if guess {
			number = random(n)
		}
		if wait := w.look(t, "eve", "000013", number); wait > 0 {
			w.hands.pass(wait)
			continue
		}
		found := w.exists("000013", number)
		wrong[n%len(wrong)] = !found
		n++
		if guess && found {
			taken++
		}
	}
	if len(w.searches) > 0 || taken < 150 || taken > 700 {
		t.Errorf("%d names in eight hours, %d searches noticed", taken, len(w.searches))
	}
}

// What businesses do is left alone.
func TestPayoutsAreLeftAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		exists func(bank, number string) bool
		run    func(t *testing.T, w *town, look func(bank, number string))
	}{
		"a payroll of 3,500 at once, one in fifty numbers wrong": {
			func(_, number string) bool { return part(50, number) != 0 },
			func(_ *testing.T, _ *town, look func(string, string)) {
				for i := range 3500 {
					look(fmt.Sprintf("%06d", i%20), random(i))
				}
			},
		},
		"a shop whose customers mistype one number in ten, and try again": {
			func(_, number string) bool { return !strings.HasPrefix(number, "99") },
			func(_ *testing.T, w *town, look func(string, string)) {
				for i := range 2000 {
					number := "0" + random(i)[1:]
					if i%10 == 0 {
						look("000013", "99"+number[2:])
					}
					look("000013", number)
					w.hands.pass(3 * time.Second)
				}
			},
		},
		"people who do not know their bank: the fifth guess is right": {
			func(bank, _ string) bool { return bank == "000005" },
			func(_ *testing.T, w *town, look func(string, string)) {
				for i := range 500 {
					for bank := range 5 {
						look(fmt.Sprintf("%06d", bank+1), random(i))
					}
					w.hands.pass(10 * time.Second)
				}
			},
		},
		"somebody who tries another bank every ten minutes, all day": {
			func(string, string) bool { return false },
			func(_ *testing.T, w *town, look func(string, string)) {
				for bank := range 100 {
					look(fmt.Sprintf("%06d", bank), "0123456789")
					w.hands.pass(10 * time.Minute)
				}
			},
		},
		"a client that asks for one wrong number again and again": {
			func(string, string) bool { return false },
			func(_ *testing.T, w *town, look func(string, string)) {
				for range 500 {
					look("000013", "0123456789")
					w.hands.pass(15 * time.Second)
				}
			},
		},
		"a few neighbours, whose accounts were opened on one day": {
			func(string, string) bool { return true },
			func(_ *testing.T, _ *town, look func(string, string)) {
				for i := range 200 {
					if i%50 < 15 {
						look("000013", nuban(1000*(i/50)+i%50))
					} else {
						look("000013", random(i))
					}
				}
			},
		},
		"the same payees every day for a month, one at a new bank each": {
			func(string, string) bool { return true },
			func(_ *testing.T, w *town, look func(string, string)) {
				for day := range 30 {
					for i := range 60 {
						look("000013", random(i))
					}
					look(fmt.Sprintf("%06d", day), random(1))
					w.hands.pass(24 * time.Hour)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTown(t, nil)
			w.exists = c.exists
			c.run(t, w, func(bank, number string) {
				if wait := w.look(t, "shop", bank, number); wait > 0 {
					t.Fatalf("refused for %s after %d lookups: %+v", wait, len(w.told), w.told[len(w.told)-1])
				}
			})
			if len(w.searches) > 0 {
				t.Errorf("taken for a search: %+v", w.searches)
			}
		})
	}
}

// What a lookup costs: a name 1, none 20, whether it was remembered or not; wrong banks of a number that is found are given back.
func TestTokens(t *testing.T) {
	t.Parallel()
	small := func(c *recipients.Config) {
		c.Settings.Guard.Capacity, c.Settings.Guard.PerMinute = 100, 10
	}
	open := func(t *testing.T) *town {
		t.Helper()
		w := newTown(t, small)
		w.exists = func(_, number string) bool { return number != "0000000000" }
		return w
	}
	count := func(t *testing.T, w *town, number func(i int) string) int {
		t.Helper()
		return w.until(t, 1000, func(i int) (string, string) { return "000013", number(i) })
	}
	same := func(number string) func(int) string { return func(int) string { return number } }
	t.Run("a name costs one", func(t *testing.T) {
		t.Parallel()
		if n := count(t, open(t), random); n != 100 {
			t.Errorf("refused after %d", n)
		}
	})
	t.Run("a remembered name too", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		if n := count(t, w, same("0123456789")); n != 100 || w.asked != 1 {
			t.Errorf("refused after %d, asked %d times", n, w.asked)
		}
	})
	t.Run("none costs twenty, remembered or not", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		if n := count(t, w, same("0000000000")); n != 5 || w.asked != 1 {
			t.Errorf("refused after %d, asked %d times", n, w.asked)
		}
	})
	t.Run("they come back, one by one", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		count(t, w, random)
		wait := w.look(t, "eve", "000013", "0123456789")
		if wait != 6*time.Second {
			t.Errorf("told to wait %s, want 6s", wait)
		}
		w.hands.pass(wait)
		if n := count(t, w, random); n != 1 {
			t.Errorf("%d are back", n)
		}
		w.hands.pass(time.Hour)
		if n := count(t, w, random); n != 100 {
			t.Errorf("%d are back after an hour, want no more than fit", n)
		}
	})
	t.Run("what cannot be told costs one", func(t *testing.T) {
		t.Parallel()
		cfg := configOf(countries(), answers("one", "", core.Errorf(core.Unavailable, "down")))
		cfg.Settings.Guard = recipients.Default().Guard
		cfg.Settings.Guard.Capacity = 100
		cfg.Clock = (&hands{}).now
		s := openTown(t, cfg)
		n := 0
		for ; n < 1000; n++ {
			if _, err := s.Resolve(t.Context(), nigerian()); core.CodeOf(err) == core.TooMany {
				break
			}
		}
		if n != 100 {
			t.Errorf("refused after %d", n)
		}
	})
	t.Run("wrong banks of a number that is found are given back", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		w.exists = func(bank, _ string) bool { return bank == "000003" }
		for bank := range 3 {
			if w.look(t, "eve", fmt.Sprintf("%06d", bank+1), "0123456789") > 0 {
				t.Fatal("refused")
			}
		}
		w.exists = func(string, string) bool { return true }
		if n := count(t, w, random); n != 97 {
			t.Errorf("refused after %d more, want 97", n)
		}
	})
	t.Run("a wrong name costs twenty where names are only confirmed", func(t *testing.T) {
		t.Parallel()
		w := newTown(t, func(c *recipients.Config) { small(c); c.Settings.ConfirmOnly = true })
		w.exists = func(string, string) bool { return true }
		n := 0
		for ; n < 1000; n++ {
			req := recipients.Request{
				Currency: "NGN", Country: "NG", Channel: "bank_transfer", BankCode: "000013", AccountNumber: "0123456789", Claimed: core.Private(fmt.Sprintf("EVE %c", 'A'+n)),
			}
			if _, err := w.Resolve(t.Context(), req); core.CodeOf(err) == core.TooMany {
				break
			}
		}
		if n != 5 {
			t.Errorf("refused after %d", n)
		}
	})
}

func openTown(t testing.TB, cfg recipients.Config) *recipients.Service {
	t.Helper()
	return open(t, cfg)
}

// A search may go on without names instead.
func TestASearchWithoutNames(t *testing.T) {
	t.Parallel()
	w := newTown(t, func(c *recipients.Config) { c.Settings.Guard.Mode = recipients.GuardConfirmOnly })
	w.exists = func(string, string) bool { return true }
	req := recipients.Request{Currency: "NGN", Country: "NG", Channel: "bank_transfer", BankCode: "000013", Caller: "eve"}
	named := 0
	for i := range 30 {
		req.AccountNumber = core.Private(nuban(1000 + i))
		got, err := w.Resolve(t.Context(), req)
		switch {
		case err == nil && got.Holder != "":
			named++
		case faults(t, err)["account_name"] == "":
			t.Fatalf("got %v", err)
		}
	}
	if named != 19 || len(w.searches) != 1 || w.searches[0].Mode != recipients.GuardConfirmOnly {
		t.Errorf("%d names were told, %+v", named, w.searches)
	}
	req.Claimed = "Somebody"
	if got, err := w.Resolve(t.Context(), req); err != nil || got.Holder != "" || got.Match != core.NoMatch {
		t.Errorf("with a name: got %q, %q, %v", got.Holder.Reveal(), got.Match, err)
	}
	w.hands.pass(15 * time.Minute)
	if got, err := w.Resolve(t.Context(), req); err != nil || got.Holder == "" {
		t.Errorf("afterwards: got %q, %v", got.Holder.Reveal(), err)
	}
}

func TestGuardOff(t *testing.T) {
	t.Parallel()
	w := newTown(t, func(c *recipients.Config) { c.Settings.Guard.Mode = recipients.GuardOff })
	if n := w.until(t, 10_000, func(i int) (string, string) { return "000013", nuban(i) }); n != 10_000 {
		t.Errorf("refused after %d", n)
	}
}

// Only so many callers are watched; the one that was not seen for the longest time is forgotten.
func TestCallersAreBounded(t *testing.T) {
	t.Parallel()
	w := newTown(t, func(c *recipients.Config) { c.Settings.Guard.Callers = 2 })
	w.until(t, 1000, func(i int) (string, string) { return "000013", random(i) })
	stopped := func() bool { return w.look(t, "eve", "000013", "0123456789") > 0 }
	w.look(t, "bob", "000013", "0123456789")
	if !stopped() {
		t.Error("two callers are too many")
	}
	w.look(t, "carol", "000013", "0123456789") // bob is forgotten
	if !stopped() {
		t.Error("the wrong one was forgotten")
	}
	w.look(t, "dave", "000013", "0123456789")
	w.look(t, "frank", "000013", "0123456789")
	if stopped() {
		t.Error("five callers are watched")
	}
}

// A world's clock that is set back does not stop anybody until it comes round again.
func TestAClockThatIsSetBack(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	w.until(t, 1000, func(i int) (string, string) { return "000013", random(i) })
	w.hands.pass(-time.Hour)
	if w.look(t, "eve", "000013", "0123456789") != 0 {
		t.Error("still stopped")
	}
}
