package storage

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"causeway/core"
	"causeway/ports"
)

const (
	writeEvery  = 10 * time.Second
	reloadEvery = time.Hour
	maxUnsaved  = 50_000 // points: half a day of 100 pairs

	// Points that are too old for clients stay in the database a little longer.
	retentionMargin = 24 * time.Hour

	significantDigits = 18
)

// Backfill returns the price of a pair at an instant without a recorded price.
type Backfill func(pair core.Pair, at time.Time) (decimal.Decimal, bool)

// History keeps mid prices in memory: FineStep apart for FineSpan, and CoarseStep apart for
// CoarseSpan. Record and Read use memory only, so that a slow database delays no request and no
// price. Run writes new points to the database, and reads the points that other replicas wrote.
//
// The first point of an interval in the database stays, and replaces the point in memory at the next
// reload, so that replicas return the same history.
type History struct {
	store    *Store // nil: memory only
	backfill Backfill
	clock    core.Clock
	outage   outage
	reloaded time.Time // written by Sync only

	mu      sync.RWMutex
	pairs   map[core.Pair]*series
	unsaved []point
}

var _ ports.RateHistory = (*History)(nil)

// point is a mid price and the interval that it represents.
type point struct {
	step  time.Duration
	start time.Time
	pair  core.Pair
	mid   decimal.Decimal
}

// series is the history of one pair. Keys of the maps are Unix seconds.
type series struct {
	latest       time.Time // last record
	fine, coarse map[int64]decimal.Decimal
}

// NewHistory makes an empty history, which Sync or Run loads. All arguments may be nil.
func NewHistory(store *Store, backfill Backfill, log *zap.Logger, reg prometheus.Registerer) *History {
	log = orNop(log)
	auto := promauto.With(reg)
	return &History{
		store: store, backfill: backfill, clock: time.Now, pairs: map[core.Pair]*series{},
		outage: outage{log, auto.NewCounter(prometheus.CounterOpts{
			Name: "causeway_history_failures_total",
			Help: "Failed attempts to read or write price history in the database.",
		}), false},
	}
}

// Record adds the mid prices of one instant. The first price of an interval represents it.
func (h *History) Record(_ context.Context, at time.Time, mids []core.PairMid) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range mids {
		s, mid := h.series(m.Pair), round(m.Mid)
		s.latest = at // also if the clock was set back: points of a wrong future must not hide new ones
		for _, step := range []time.Duration{ports.FineStep, ports.CoarseStep} {
			p := point{step, at.UTC().Truncate(step), m.Pair, mid}
			if s.add(p, false) && h.store != nil {
				h.unsaved = append(h.unsaved, p)
			}
		}
	}
	h.unsaved = h.unsaved[max(0, len(h.unsaved)-maxUnsaved):]
	return nil
}

// series returns the history of a pair. The caller holds the lock.
func (h *History) series(pair core.Pair) *series {
	s := h.pairs[pair]
	if s == nil {
		s = &series{fine: map[int64]decimal.Decimal{}, coarse: map[int64]decimal.Decimal{}}
		h.pairs[pair] = s
	}
	return s
}

// add stores a point unless its interval has one, which replace allows to overwrite. It drops the
// oldest point if there are too many, and reports whether it stored p.
func (s *series) add(p point, replace bool) bool {
	points, limit := s.fine, int(ports.FineSpan/ports.FineStep)+1
	if p.step == ports.CoarseStep {
		points, limit = s.coarse, int(ports.CoarseSpan/ports.CoarseStep)+1
	}
	start := p.start.Unix()
	if _, ok := points[start]; ok && !replace {
		return false
	}
	points[start] = p.mid
	if len(points) > limit {
		oldest := start
		for at := range points {
			oldest = min(oldest, at)
		}
		delete(points, oldest)
	}
	return true
}

// Read returns the points of a pair at count instants that are a multiple of FineStep apart, oldest
// first. Instants without a price are left out.
func (h *History) Read(
	ctx context.Context, pair core.Pair, from time.Time, every time.Duration, count int,
) ([]core.PricePoint, error) {
	if err := ctx.Err(); err != nil {
		return nil, core.Errorf(core.Unavailable, "Price history is unavailable. Retry later.").With(err)
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	var out []core.PricePoint
	for i := range count {
		at := from.Add(time.Duration(i) * every).UTC()
		if mid, ok := h.mid(pair, at); ok {
			out = append(out, core.PricePoint{At: at, Mid: mid})
		}
	}
	return out, nil
}

// mid returns the price of the interval that starts at an instant.
func (h *History) mid(pair core.Pair, at time.Time) (decimal.Decimal, bool) {
	if s := h.pairs[pair]; s != nil {
		points := s.fine
		if s.latest.Sub(at) > ports.FineSpan {
			points = s.coarse
		}
		if mid, ok := points[at.Unix()]; ok {
			return mid, true
		}
	}
	if h.backfill == nil {
		return decimal.Zero, false
	}
	mid, ok := h.backfill(pair, at)
	return round(mid), ok
}

// Run synchronizes the history with the database until ctx is done, and then writes what is left.
func (h *History) Run(ctx context.Context) {
	if h.store == nil {
		return
	}
	core.Repeat(ctx, func() time.Duration {
		h.Sync(ctx)
		return writeEvery
	})
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	h.outage.observe(h.write(last), "price history cannot be written")
}

// Sync writes new points to the database. At first and then once an hour, it also reads all points
// and deletes old ones. It logs failures; points that cannot be written stay in memory.
func (h *History) Sync(ctx context.Context) {
	if h.store == nil {
		return
	}
	var err error
	if now := h.clock(); now.Sub(h.reloaded) >= reloadEvery {
		err = h.reload(ctx, now)
	}
	err = errors.Join(err, h.write(ctx))
	if !errors.Is(ctx.Err(), context.Canceled) {
		h.outage.observe(err, "price history cannot be synchronized with the database")
	}
}

func (h *History) reload(ctx context.Context, now time.Time) error {
	spans := map[time.Duration]time.Duration{ports.FineStep: ports.FineSpan, ports.CoarseStep: ports.CoarseSpan}
	for step, span := range spans {
		if err := h.load(ctx, step, now.Add(-span), now); err != nil {
			return err
		}
		if err := h.prune(ctx, step, now, span+retentionMargin); err != nil {
			return err
		}
	}
	h.reloaded = now
	return h.store.shrink(ctx)
}

// load reads the points of a step since an instant into memory. A clock that was wrong leaves points of the future.
func (h *History) load(ctx context.Context, step time.Duration, since, now time.Time) error {
	points, err := all(ctx, h.store, func(row scanner) (point, error) {
		p, start := point{step: step}, int64(0)
		err := row.Scan(&start, &p.pair.Base, &p.pair.Counter, &p.mid)
		p.start = time.Unix(start, 0).UTC()
		return p, err
	}, `SELECT start_at, base, counter, mid FROM price_history
		WHERE step = $1 AND start_at BETWEEN $2 AND $3 ORDER BY start_at`,
		int64(step/time.Second), since.Unix(), now.Unix())
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range points {
		s := h.series(p.pair)
		s.add(p, true)
		if p.start.After(s.latest) {
			s.latest = p.start
		}
	}
	return err
}

// prune deletes the points of a step that are older than an age, by the clock and by the newest point: the clock may be
// wrong at boot, and deleted points do not come back. It comes before the first points that this process writes.
func (h *History) prune(ctx context.Context, step time.Duration, now time.Time, age time.Duration) error {
	return h.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM price_history WHERE step = $1 AND start_at < $2
			AND start_at < (SELECT max(start_at) FROM price_history WHERE step = $1) - $3`,
			int64(step/time.Second), now.Add(-age).Unix(), int64(age/time.Second))
		return err
	})
}

// write moves new points to the database in one transaction.
func (h *History) write(ctx context.Context) error {
	h.mu.Lock()
	points := h.unsaved
	h.unsaved = nil
	h.mu.Unlock()
	if len(points) == 0 {
		return nil
	}
	var rows [][]any
	for _, p := range points {
		rows = append(rows, []any{
			int64(p.step / time.Second), p.start.Unix(), p.pair.Base, p.pair.Counter, p.mid.String(),
		})
	}
	err := h.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return h.store.put(ctx, tx, historyTable, rows)
	})
	if err != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.unsaved = slices.Concat(points, h.unsaved)
	}
	return err
}

var historyTable = table{name: "price_history", columns: "step#, start_at#, base, counter, mid", keep: true}

// round limits a price to 18 significant digits.
func round(mid decimal.Decimal) decimal.Decimal {
	excess := int32(mid.NumDigits() - significantDigits) //nolint:gosec // a number of digits
	if excess <= 0 {
		return mid
	}
	return mid.Round(-mid.Exponent() - excess)
}
