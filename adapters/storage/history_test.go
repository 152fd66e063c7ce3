package storage

import (
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/ports"
	_ "causeway/test/fixedseed"
)

var later = monday.AddDate(0, 0, 20)

// newHistory opens a history with a fixed clock, and loads it.
func newHistory(t *testing.T, store *Store, now time.Time) *History {
	t.Helper()
	h := NewHistory(store, nil, nil, nil)
	h.clock = func() time.Time { return now }
	synced(t, h)
	return h
}

func synced(t *testing.T, h *History) {
	t.Helper()
	if h.Sync(t.Context()); h.outage.active {
		t.Fatal("synchronization failed")
	}
}

// record adds points of two pairs.
func record(t *testing.T, h *History, at time.Time, n int64) {
	t.Helper()
	if err := h.Record(t.Context(), at, mids(n)); err != nil {
		t.Fatal(err)
	}
}

// read returns the prices of bitcoin; unknown ones are left out.
func read(t *testing.T, h *History, from time.Time, every time.Duration, count int) string {
	t.Helper()
	points, err := h.Read(t.Context(), bitcoin(), from, every, count)
	if err != nil {
		t.Fatal(err)
	}
	var prices []string
	for _, p := range points {
		prices = append(prices, p.Mid.String())
	}
	return strings.Join(prices, " ")
}

// insert writes a row of bitcoin.
func insert(t *testing.T, s *Store, step time.Duration, at time.Time, mid string) {
	t.Helper()
	execute(t, s, `INSERT INTO price_history VALUES ($1, $2, 'BTC', 'USD', $3)`, int64(step/time.Second), at.Unix(), mid)
}

func TestHistory_Restart(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, cfg Config) {
		store := open(t, cfg)
		h := newHistory(t, store, later)
		for i := range 30 * 12 {
			record(t, h, monday.Add(time.Duration(i)*ports.FineStep+time.Second), int64(i+1))
		}
		synced(t, h)
		end := monday.Add(30*time.Hour - ports.FineStep)
		again := newHistory(t, open(t, cfg), end)
		if got := read(t, again, end.Add(-10*time.Minute), ports.FineStep, 4); got != "3.58 3.59 3.6" {
			t.Errorf("last points: %s", got)
		}
		if got := len(strings.Fields(read(t, again, end.Add(-24*time.Hour), ports.FineStep, 24*12+1))); got != 24*12+1 {
			t.Errorf("got %d fine points", got)
		}
		if got := read(t, again, monday, ports.CoarseStep, 3); got != "0.01 0.25 0.49" {
			t.Errorf("coarse points: %s", got)
		}
		record(t, again, end.Add(time.Minute), 999)
		if got := read(t, again, end, ports.FineStep, 1); got != "3.6" {
			t.Errorf("interval with a price: got %s, want the first price", got)
		}
	})
}

// Replicas that recorded different prices for an interval agree on the one that was written first.
func TestHistory_Replicas(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, cfg Config) {
		now := monday.Add(time.Hour)
		first, second := newHistory(t, open(t, cfg), now), newHistory(t, open(t, cfg), now)
		record(t, first, monday, 1)
		record(t, second, monday, 2)
		record(t, second, monday.Add(ports.FineStep), 3)
		for _, h := range []*History{first, second, first} {
			h.reloaded = time.Time{}
			synced(t, h)
		}
		for _, h := range []*History{first, second} {
			if got := read(t, h, monday, ports.FineStep, 2); got != "0.01 0.03" {
				t.Errorf("got %s", got)
			}
		}
	})
}

// Points wait in memory while the database is away.
func TestHistory_Outage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := open(t, Config{Dir: dir})
	h := newHistory(t, store, monday)
	_ = store.Close()
	record(t, h, monday, 1)
	h.Sync(t.Context())
	if failures := value(t, h.outage.failed); failures != 1 || read(t, h, monday, ports.FineStep, 1) != "0.01" {
		t.Errorf("got %v failures and point %q", failures, read(t, h, monday, ports.FineStep, 1))
	}
	h.store = open(t, Config{Dir: dir})
	synced(t, h)
	if got := read(t, newHistory(t, h.store, monday), monday, ports.FineStep, 1); got != "0.01" {
		t.Errorf("after the outage: %q", got)
	}
}

// TestHistory_Future has a point that was written while the clock was wrong.
func TestHistory_Future(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, cfg Config) {
		store := open(t, cfg)
		now := monday.Add(2 * time.Hour)
		insert(t, store, ports.FineStep, monday, "12345678901234567.5")
		insert(t, store, ports.FineStep, now.AddDate(1, 0, 0), "5")
		if got := read(t, newHistory(t, store, now), monday, ports.FineStep, 24); got != "12345678901234567.5" {
			t.Errorf("got %s", got)
		}
	})
}

// A process prunes at its start, which may come more often than once an hour. A clock that is wrong then deletes no
// points that are younger than the others.
func TestHistory_Prune(t *testing.T) {
	t.Parallel()
	const margin = retentionMargin + time.Hour
	for name, test := range map[string]struct {
		clock time.Time
		want  int
	}{
		"right clock":      {later, 5}, // 2 fine and 3 coarse ones
		"clock in 2036":    {later.AddDate(10, 0, 0), 5},
		"clock since 1970": {time.Unix(100, 0), 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachBackend(t, func(t *testing.T, cfg Config) {
				store := open(t, cfg)
				for _, age := range []time.Duration{0, ports.FineSpan, ports.FineSpan + margin, ports.CoarseSpan + margin} {
					insert(t, store, ports.FineStep, later.Add(-age), "1")
					insert(t, store, ports.CoarseStep, later.Add(-age), "1")
				}
				h := NewHistory(store, nil, nil, nil)
				h.clock = func() time.Time { return test.clock }
				record(t, h, test.clock, 999)
				synced(t, h)
				old, err := collect(t.Context(), store.db, scanValue[int], `SELECT count(*) FROM price_history WHERE base = 'BTC' AND mid = '1'`)
				if err != nil || old[0] != test.want {
					t.Errorf("got %d old rows, %v; want %d", old, err, test.want)
				}
			})
		})
	}
}

// The SQLite file returns the space of deleted points.
func TestHistory_Shrink(t *testing.T) {
	t.Parallel()
	store := open(t, backends()["SQLite"](t))
	execute(t, store, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
		INSERT INTO price_history SELECT $1, i, 'BTC', 'USD', '12345.678901234' FROM n`, int64(ports.FineStep/time.Second))
	insert(t, store, ports.FineStep, later, "1")
	pages := func(what string) int {
		found, err := collect(t.Context(), store.db, scanValue[int], `PRAGMA `+what)
		if err != nil {
			t.Fatal(err)
		}
		return found[0]
	}
	before := pages("page_count")
	newHistory(t, store, later)
	if after, free := pages("page_count"), pages("freelist_count"); after > before/2 || free > 0 {
		t.Errorf("got %d pages of %d, %d of them free", after, before, free)
	}
}

func TestHistory_Backfill(t *testing.T) {
	t.Parallel()
	h := NewHistory(nil, func(p core.Pair, at time.Time) (decimal.Decimal, bool) {
		return decimal.New(int64(at.Sub(monday)/time.Minute), 0), p == bitcoin()
	}, nil, nil)
	record(t, h, monday.Add(7*time.Minute), 9900)
	if got := read(t, h, monday, ports.FineStep, 3); got != "0 99 10" {
		t.Errorf("got %s, want the recorded price between others", got)
	}
	got, err := h.Read(t.Context(), core.Pair{Base: "X", Counter: "USD"}, monday, ports.FineStep, 3)
	if err != nil || len(got) != 0 {
		t.Errorf("unknown pair: %v, %v", got, err)
	}
}
