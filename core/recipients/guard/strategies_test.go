package guard_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"causeway/adapters/memory"
	"causeway/core"
	"causeway/core/recipients/guard"
)

// world is a day of one or more callers at a guard, over accounts of which some exist.
type world struct {
	*rand.Rand
	guard   *guard.Guard   // of the next lookup
	guards  []*guard.Guard // of all replicas
	now     time.Time
	end     time.Time
	exists  func(bank, number string) bool
	lookup  guard.Lookup // the rest of the next lookup
	tries   int
	first   int // tries before the first alarm
	alarms  []guard.Alarm
	refused int
	names   map[string]bool
}

func newWorld(seed uint64, s guard.Settings) *world { return newWorldOf(1, seed, s) }

// newWorldOf returns a world with a number of replicas, which callers use in turn. They share a
// log.
func newWorldOf(replicas int, seed uint64, s guard.Settings) *world {
	now := time.Unix(1795824000, 0)
	w := &world{
		Rand: rand.New(rand.NewPCG(seed, 1)), now: now, end: now.Add(24 * time.Hour), names: map[string]bool{},
		lookup: guard.Lookup{Caller: "eve", Key: "key_eve"},
	}
	w.exists = func(string, string) bool { return true }
	cfg := guard.Config{
		Settings: s, Clock: func() time.Time { return w.now }, Hash: keyedHash(seed),
		Alarm: func(a guard.Alarm) {
			if len(w.alarms) == 0 {
				w.first = w.tries
			}
			w.alarms = append(w.alarms, a)
		},
		Seal: slices.Clone[[]byte], Open: slices.Clone[[]byte],
	}
	if replicas > 1 {
		cfg.Shared = memory.NewLookups(cfg.Clock)
	}
	for range replicas {
		w.guards = append(w.guards, open(cfg))
	}
	w.guard = w.guards[0]
	return w
}

// open opens the guard of a replica.
func open(cfg guard.Config) *guard.Guard {
	if cfg.Failed == nil {
		cfg.Failed = func(log string, err error) { panic(log + ": " + err.Error()) }
	}
	g, err := guard.New(cfg)
	if err != nil {
		panic(err)
	}
	return g
}

// next moves on to the next replica.
func (w *world) next() { w.guard = w.guards[w.tries%len(w.guards)] }

func keyedHash(seed uint64) func(parts ...string) [32]byte {
	return func(parts ...string) [32]byte {
		return sha256.Sum256([]byte(strings.Join(append(parts, strconv.FormatUint(seed, 10)), "\x00")))
	}
}

// populate lets a share of the numbers exist, in percent.
func (w *world) populate(percent uint64) {
	seed := w.Uint64()
	w.exists = func(bank, number string) bool {
		h := keyedHash(seed)(bank, number)
		return binary.LittleEndian.Uint64(h[:])%100 < percent
	}
}

// look looks a number up ten times a second. It reports whether the guard refused it.
func (w *world) look(bank, number string) (found, refused bool) {
	if !w.now.Before(w.end) {
		return false, true
	}
	w.tries++
	w.next()
	w.now = w.now.Add(100 * time.Millisecond)
	l := w.lookup
	l.Account = core.AccountQuery{Country: "NG", Bank: core.Bank{Code: bank}, Number: core.Private(number)}
	d := w.guard.Admit(context.Background(), l)
	if d.Reason != "" {
		w.refused++
		w.now = w.now.Add(d.Wait)
		return false, true
	}
	if !w.exists(bank, number) {
		w.guard.Settle(context.Background(), d, guard.Missing)
		return false, false
	}
	w.guard.Settle(context.Background(), d, guard.Named)
	w.names[bank+number] = true
	return true, false
}

// upTo counts to n, or to the end of the day.
func (w *world) upTo(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < n && w.now.Before(w.end) && yield(i); i++ {
		}
	}
}

// claim claims a name for a number while names are hidden. It returns the reason of a refusal.
func (w *world) claim(number, name string, o guard.Outcome) guard.Reason {
	if !w.now.Before(w.end) {
		return guard.Budget
	}
	w.tries++
	w.next()
	w.now = w.now.Add(100 * time.Millisecond)
	l := w.lookup
	l.Account = core.AccountQuery{Country: "NG", Bank: core.Bank{Code: gtb}, Number: core.Private(number)}
	l.Claim, l.Hidden = core.Private(name), true
	d := w.guard.Admit(context.Background(), l)
	if d.Reason != "" {
		w.now = w.now.Add(d.Wait)
		return d.Reason
	}
	w.guard.Settle(context.Background(), d, o)
	if o == guard.Matched {
		w.names[gtb+number] = true
	}
	return ""
}

const gtb = "000013"

// nuban returns a number of a dense block with a check digit that looks valid.
func nuban(serial int) string { return fmt.Sprintf("%09d%d", serial, (10-serial*7%10)%10) }

func (w *world) anywhere() string { return fmt.Sprintf("%010d", w.Int64N(1e10)) }

func (w *world) bank() string { return fmt.Sprintf("%06d", w.IntN(12)+1) }

type strategy struct {
	name string
	run  func(w *world)
}

var attacks = []strategy{
	{"consecutive numbers, 60 % of them exist", func(w *world) {
		w.populate(60)
		for i := range w.upTo(10_000) {
			w.look(gtb, nuban(12_345_000+i))
		}
	}},
	{"the same, in a new block after each alarm", func(w *world) {
		serial := 0
		for range w.upTo(100_000) {
			if _, refused := w.look(gtb, nuban(serial)); refused {
				serial += 10_000
			}
			serial++
		}
	}},
	{"every 21st number, in passes over a block of 1,113", func(w *world) {
		for i := range 1113 {
			w.look(gtb, fmt.Sprintf("%010d", 123_450_000+i%53*21+i/53))
		}
	}},
	{"every 101st of 60,000 numbers", func(w *world) {
		for i := range 600 {
			w.look(gtb, fmt.Sprintf("%010d", 123_450_000+i*101))
		}
	}},
	{"every 1,009th of 6,000,000 numbers", func(w *world) {
		for i := range w.upTo(6000) {
			w.look(gtb, fmt.Sprintf("%010d", 123_450_000+i*1009))
		}
	}},
	{"random numbers of a block of 100,000, all exist", func(w *world) {
		for range w.upTo(10_000) {
			w.look(gtb, fmt.Sprintf("%010d", 123_400_000+w.IntN(100_000)))
		}
	}},
	{"one number of a block of 1,113 every 20 minutes", func(w *world) {
		for i := range 72 {
			w.look(gtb, fmt.Sprintf("%010d", 123_450_000+i*15))
			w.now = w.now.Add(20 * time.Minute)
		}
	}},
	{"random numbers of a bank, 60 % exist", func(w *world) {
		w.populate(60)
		for range w.upTo(50_000) {
			w.look(gtb, w.anywhere())
		}
	}},
	{"the same, hidden among known payees", func(w *world) {
		w.populate(60)
		var known []string
		for len(known) < 60 {
			if n := w.anywhere(); w.exists(gtb, n) {
				known = append(known, n)
			}
		}
		misses := 0
		for i := range w.upTo(50_000) {
			if i%50 == 0 {
				misses = 0
			}
			if misses >= 6 {
				w.look(gtb, known[i%len(known)])
				continue
			}
			if found, _ := w.look(gtb, w.anywhere()); !found {
				misses++
			}
		}
		for _, n := range known {
			delete(w.names, gtb+n)
		}
	}},
	{"one person's number at 20 banks, person after person", func(w *world) {
		w.exists = func(bank, number string) bool { return bank == "000015" }
		for i := range 2000 {
			w.look(fmt.Sprintf("%06d", i%20+1), fmt.Sprint(8_030_000_000+i/20*7919))
		}
	}},
	{"16 networks of one IPv6 site share a block", func(w *world) {
		w.lookup.Key = ""
		for i := range 1113 {
			network := netip.MustParsePrefix(fmt.Sprintf("2001:db8:0:%x::/64", i%16))
			w.lookup.Caller, w.lookup.Network = network.String(), network
			w.look(gtb, fmt.Sprintf("%010d", 123_450_000+i))
		}
	}},
	{"names of a dictionary of 10,000, four for each number, names hidden", func(w *world) {
		for range w.upTo(50_000) {
			number, holder := w.anywhere(), w.IntN(10_000)
			for range 4 {
				o, name := guard.NotMatched, w.IntN(10_000)
				if name == holder {
					o = guard.Matched
				}
				w.claim(number, strconv.Itoa(name), o)
			}
		}
	}},
	{"a list of known numbers, spread over all blocks", func(w *world) {
		list := make([]string, 11_000)
		for i := range list {
			list[i] = w.anywhere()
		}
		slices.Sort(list)
		for _, number := range list {
			w.look(w.bank(), number)
		}
	}},
}

var payouts = []strategy{
	{"payroll: 3,500 random accounts at 12 banks, 2 % do not exist", func(w *world) {
		w.populate(98)
		for range 3500 {
			w.look(w.bank(), w.anywhere())
		}
	}},
	{"payroll: 200 consecutive accounts that the operator allowed", func(w *world) {
		w.lookup.Key = "key_payroll"
		for i := range 200 {
			w.look(gtb, fmt.Sprintf("%010d", 123_456_000+i))
		}
	}},
	{"payroll: 3,500 accounts of 12 dense ranges of 10,000,000 numbers", func(w *world) {
		for range 3500 {
			w.look(w.bank(), fmt.Sprintf("%010d", 120_000_000+w.IntN(10_000_000)))
		}
	}},
	{"payout: 4,900 of 50,000,000 wallets of one operator", func(w *world) {
		for range 4900 {
			w.look("MPESA", fmt.Sprintf("+2547%08d", w.IntN(50_000_000)))
		}
	}},
	{"20 colleagues whose accounts were opened on one day, among 500", func(w *world) {
		for i := range 500 {
			if i%25 == 0 {
				w.look(gtb, nuban(12_345_000+i/25))
			}
			w.look(w.bank(), w.anywhere())
		}
	}},
	{"shop: 2,000 customers, one in ten mistypes the number", func(w *world) {
		w.exists = func(_, number string) bool { return !strings.HasPrefix(number, "99") }
		for i := range 2000 {
			number := "0" + w.anywhere()[1:]
			if i%10 == 0 {
				w.look(gtb, "99"+number[2:])
			}
			w.look(gtb, number)
			w.now = w.now.Add(30 * time.Second)
		}
	}},
	{"500 people who find their bank at the fifth attempt", func(w *world) {
		w.exists = func(bank, _ string) bool { return bank == "000005" }
		for range 500 {
			number := w.anywhere()
			for bank := range 5 {
				w.look(fmt.Sprintf("%06d", bank+1), number)
			}
			w.now = w.now.Add(time.Minute)
		}
	}},
	{"60 payees, each looked up every hour", func(w *world) {
		var payees []string
		for range 60 {
			payees = append(payees, w.anywhere())
		}
		for range 23 {
			for _, number := range payees {
				w.look(gtb, number)
			}
			w.now = w.now.Add(50 * time.Minute)
		}
	}},
}

const seeds = 3

func settings() guard.Settings {
	s := guard.Default()
	s.Allowed = map[string][]string{"key_payroll": {"NG/000013/0123456000-0123456199"}}
	return s
}

// TestStrategies measures what attackers get from one process and from three replicas, and how
// often payouts are stopped, and compares the tables with docs/recipients.md.
func TestStrategies(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| attack, one day | lookups | noticed | after at most | names at most | names from three replicas |\n" +
		"|---|---|---|---|---|---|\n")
	for _, a := range attacks {
		tries, noticed, after, names, shared := 0, 0, 0, 0, 0
		for seed := range uint64(seeds) {
			w, three := newWorld(seed, settings()), newWorldOf(3, seed, settings())
			a.run(w)
			a.run(three)
			tries, names, shared = max(tries, w.tries), max(names, len(w.names)), max(shared, len(three.names))
			if len(w.alarms) > 0 {
				noticed++
				after = max(after, w.first)
			}
		}
		fmt.Fprintf(&table, "| %s | %d | %d %% | %s | %d | %d |\n", a.name, tries, noticed*100/seeds, lookups(after), names, shared)
		if limit := guard.Default().Daily; max(names, shared) > limit {
			t.Errorf("%s: %d and %d names, more than the daily budget of %d", a.name, names, shared, limit)
		}
	}
	table.WriteString("\n| payouts, one day | lookups | stopped |\n|---|---|---|\n")
	for _, p := range payouts {
		worlds := []*world{newWorldOf(3, 0, settings())}
		for seed := range uint64(seeds) {
			worlds = append(worlds, newWorld(seed, settings()))
		}
		tries, stopped := 0, 0
		for _, w := range worlds {
			p.run(w)
			tries = max(tries, w.tries)
			if w.refused > 0 || len(w.alarms) > 0 {
				stopped++
			}
		}
		fmt.Fprintf(&table, "| %s | %d | %d %% |\n", p.name, tries, stopped*100/len(worlds))
		if stopped > 0 {
			t.Errorf("%s: stopped in %d of %d worlds", p.name, stopped, len(worlds))
		}
	}
	page, err := os.ReadFile("../../../docs/recipients.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), table.String()) {
		t.Errorf("docs/recipients.md lacks this table:\n%s", table.String())
	}
}

func lookups(n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprint(n, " lookups")
}
