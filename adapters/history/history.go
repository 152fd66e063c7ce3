// Package history remembers in memory what pairs were worth: the last day in steps of 5 minutes, the last month in steps of 2 hours. It
// takes 16 KB a pair and is gone with the process; it computes nothing and asks nobody.
//
// A simulated world knows its own past. There a Backfill answers for what was never recorded, so that history exists from the first
// second; in production there is none, and what is unknown is missing.
package history

import (
	"context"
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
	latest       time.Time // of the records
	fine, coarse ring
}

// ring keeps the points of the latest steps.
type ring struct {
	step   int64 // in seconds
	points []point
}

// point is a mid, coefficient × 10^exponent, and the number of its step since 1970; coefficient 0 is none.
type point struct {
	number      int64
	coefficient int64
	exponent    int32
}

func newRing(step, span time.Duration) ring {
	return ring{step: int64(step / time.Second), points: make([]point, span/step+1)}
}

// at is the place of an instant, and the number of its step.
func (r *ring) at(t time.Time) (*point, int64) {
	number := t.Unix() / r.step
	return &r.points[uint64(number)%uint64(len(r.points))], number //nolint:gosec // any place will do for a time before 1970
}

func (r *ring) record(t time.Time, mid decimal.Decimal) {
	p, number := r.at(t)
	if p.number == number && p.coefficient != 0 {
		return
	}
	*p = point{number: number, coefficient: mid.CoefficientInt64(), exponent: mid.Exponent()}
}

// read returns the point of the step that begins at an instant.
func (r *ring) read(t time.Time) (decimal.Decimal, bool) {
	if t.Unix()%r.step != 0 {
		return decimal.Zero, false
	}
	p, number := r.at(t)
	if p.number != number || p.coefficient == 0 {
		return decimal.Zero, false
	}
	return decimal.New(p.coefficient, p.exponent), true
}

// Record notes the mids of one instant.
func (m *Memory) Record(_ context.Context, at time.Time, mids []core.PairMid) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, pm := range mids {
		p := m.pairs[pm.Pair]
		if p == nil {
			p = &past{fine: newRing(ports.FineStep, ports.FineSpan), coarse: newRing(ports.CoarseStep, ports.CoarseSpan)}
			m.pairs[pm.Pair] = p
		}
		mid := short(pm.Mid)
		if at.After(p.latest) {
			p.latest = at
		}
		p.fine.record(at, mid)
		p.coarse.record(at, mid)
	}
	return nil
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
