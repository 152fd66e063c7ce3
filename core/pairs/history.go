package pairs

import (
	"time"

	"github.com/shopspring/decimal"
)

const (
	historyEvery = 5 * time.Minute
	historySlots = 300            // 25 h
	changeOver   = 24 * time.Hour // of the percentage that clients see
	changeSlack  = 11             // slots further back that will do where the exact one is missing
)

// history is what a pair's mid was during the last 25 hours: the first one of every 5 minutes, to 18 significant digits.
type history struct{ points []point }

// point is a mid, coefficient × 10^exponent, and the number of its 5 minutes since 1970; coefficient 0 is none.
type point struct {
	slot        int64
	coefficient int64
	exponent    int32
}

func slotOf(at time.Time) int64 { return at.Unix() / int64(historyEvery/time.Second) }

// record keeps mid if it is the first of its 5 minutes.
func (h *history) record(at time.Time, mid decimal.Decimal) {
	slot := slotOf(at)
	if slot < 0 {
		return
	}
	if h.points == nil {
		h.points = make([]point, historySlots)
	}
	p := &h.points[slot%historySlots]
	if p.slot == slot && p.coefficient != 0 {
		return
	}
	if mid.NumDigits() > maxDigits {
		mid = mid.Round(maxDigits - 1 - magnitude(mid)) // rounding up may add a digit
	}
	*p = point{slot: slot, coefficient: mid.CoefficientInt64(), exponent: mid.Exponent()}
}

// change is by how many per cent mid differs from the one 24 hours before, to 2 decimals; zero when that is unknown.
func (h *history) change(at time.Time, mid decimal.Decimal) decimal.Decimal {
	then := slotOf(at.Add(-changeOver))
	for slot := then; h.points != nil && slot >= max(0, then-changeSlack); slot-- {
		if p := h.points[slot%historySlots]; p.slot == slot && p.coefficient != 0 {
			old := decimal.New(p.coefficient, p.exponent)
			return mid.Sub(old).Shift(2).DivRound(old, 2)
		}
	}
	return decimal.Zero
}
