// Package history remembers what pairs were worth: the last day in steps of 5 minutes, the last month in steps of 2 hours. Memory
// takes up to 16 KB a pair and is gone with the process; an Archive is the same with a database behind it, a SQLite file or PostgreSQL. It
// computes nothing and asks nobody.
//
// A simulated world knows its own past. There a Backfill answers for what was never recorded, so that history exists from the first
// second; in production there is none, and what is unknown is missing.
package history

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/ports"
)

// digits of a mid that are kept: what every int64 holds.
const digits = 18

// Backfill tells what a pair was worth at an instant before anybody recorded it, and whether it knows.
type Backfill func(pair core.Pair, at time.Time) (decimal.Decimal, bool)

// Memory is a ports.RateHistory in memory.
type Memory struct {
	backfill Backfill

	mu    sync.RWMutex
	pairs map[core.Pair]*past
}

var _ ports.RateHistory = (*Memory)(nil)

// New makes an empty history. Nil: no backfill.
func New(backfill Backfill) *Memory {
	return &Memory{backfill: backfill, pairs: map[core.Pair]*past{}}
}

// past is what one pair was worth.
type past struct {
	latest       time.Time // of the record that was made last
	fine, coarse ring
}

// ring keeps the points of the latest steps, as many as there is room for, in order of time. It grows with what it holds: a young
// process has little to remember.
type ring struct {
	step   int64 // in seconds
	room   int
	points []point
}

// point is a mid, coefficient × 10^exponent, and the number of its step since 1970.
type point struct {
	number      int64
	coefficient int64
	exponent    int32
}

func newRing(step, span time.Duration) ring {
	return ring{step: int64(step / time.Second), room: int(span/step) + 1}
}

// at is where the point of an instant is, or belongs, and whether it is there.
func (r *ring) at(t time.Time) (place int, number int64, known bool) {
	number = t.Unix() / r.step
	place, known = slices.BinarySearchFunc(r.points, number, func(p point, n int64) int { return cmp.Compare(p.number, n) })
	return place, number, known
}

// record keeps a mid if it is the first of its step, and reports whether it is.
func (r *ring) record(t time.Time, mid decimal.Decimal) bool {
	place, number, known := r.at(t)
	if known {
		return false
	}
	r.points = slices.Insert(r.points, place, point{number: number, coefficient: mid.CoefficientInt64(), exponent: mid.Exponent()})
	if len(r.points) > r.room {
		r.points = slices.Delete(r.points, 0, 1)
	}
	return true
}

// read returns the point of the step that begins at an instant.
func (r *ring) read(t time.Time) (decimal.Decimal, bool) {
	place, _, known := r.at(t)
	if !known || t.Unix()%r.step != 0 {
		return decimal.Zero, false
	}
	return decimal.New(r.points[place].coefficient, r.points[place].exponent), true
}

// Record notes the mids of one instant.
func (m *Memory) Record(_ context.Context, at time.Time, mids []core.PairMid) error {
	m.record(at, mids)
	return nil
}

// record notes mids and returns those that are the first of their step.
func (m *Memory) record(at time.Time, mids []core.PairMid) []row {
	m.mu.Lock()
	defer m.mu.Unlock()
	var fresh []row
	for _, pm := range mids {
		p := m.past(pm.Pair)
		p.latest = at // even where a clock that was ahead is set back: what it left does not make the rest old
		mid := short(pm.Mid)
		for _, r := range []*ring{&p.fine, &p.coarse} {
			if step := time.Duration(r.step) * time.Second; r.record(at, mid) {
				fresh = append(fresh, row{step, at.UTC().Truncate(step), pm.Pair, mid})
			}
		}
	}
	return fresh
}

// restore takes back a point that was recorded before.
func (m *Memory) restore(r row) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.past(r.pair)
	if r.at.After(p.latest) {
		p.latest = r.at
	}
	if r.step == ports.CoarseStep {
		p.coarse.record(r.at, r.mid)
	} else {
		p.fine.record(r.at, r.mid)
	}
}

// past returns what is known of a pair. The caller holds the lock.
func (m *Memory) past(pair core.Pair) *past {
	p := m.pairs[pair]
	if p == nil {
		p = &past{fine: newRing(ports.FineStep, ports.FineSpan), coarse: newRing(ports.CoarseStep, ports.CoarseSpan)}
		m.pairs[pair] = p
	}
	return p
}

// Read returns the points of a pair.
func (m *Memory) Read(ctx context.Context, pair core.Pair, from time.Time, every time.Duration, count int) ([]core.PricePoint, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	p := m.pairs[pair]
	var out []core.PricePoint
	for i := range count {
		if err := ctx.Err(); err != nil {
			return nil, core.Errorf(core.Unavailable, "The history is unavailable").With(err)
		}
		at := from.Add(time.Duration(i) * every).UTC()
		if mid, known := m.mid(p, pair, at); known {
			out = append(out, core.PricePoint{At: at, Mid: mid})
		}
	}
	return out, nil
}

// mid is what is known of a step.
func (m *Memory) mid(p *past, pair core.Pair, at time.Time) (decimal.Decimal, bool) {
	if p != nil {
		r := &p.fine
		if p.latest.Sub(at) > ports.FineSpan {
			r = &p.coarse
		}
		if mid, known := r.read(at); known {
			return mid, true
		}
	}
	if m.backfill == nil {
		return decimal.Zero, false
	}
	mid, known := m.backfill(pair, at)
	return short(mid), known
}

// short rounds a mid to the digits that are kept.
func short(mid decimal.Decimal) decimal.Decimal {
	if mid.NumDigits() <= digits {
		return mid
	}
	places := digits - 1 - (int32(mid.NumDigits()) + mid.Exponent()) //nolint:gosec // a number of digits; one is spared, since rounding up may add one
	return mid.Round(places)
}
