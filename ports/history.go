package ports

import (
	"context"
	"time"

	"causeway/core"
)

// The resolution of a RateHistory: FineStep for the last FineSpan, CoarseStep for the last
// CoarseSpan.
const (
	FineStep   = 5 * time.Minute
	FineSpan   = 25 * time.Hour
	CoarseStep = 2 * time.Hour
	CoarseSpan = 31 * 24 * time.Hour
)

// RateHistory keeps mid prices of pairs, one per interval of UTC.
//
// Record adds the mid prices of one instant. The first price of an interval represents it, with 17
// significant digits or more.
//
// Read returns the prices of the intervals that start at from, from+every, … (count of them; from
// and every are multiples of FineStep), oldest first. Up to FineSpan before the last record, an
// interval is FineStep long, and before that CoarseStep. Intervals without a price are left out;
// for an unknown pair these are all.
//
// The price engine calls both methods while it computes prices, so they work in memory. They are
// safe for concurrent use. A history that cannot be read is core.Unavailable.
type RateHistory interface {
	Record(ctx context.Context, at time.Time, mids []core.PairMid) error
	Read(ctx context.Context, pair core.Pair, from time.Time, every time.Duration, count int) ([]core.PricePoint, error)
}
