package ports

import (
	"context"
	"time"

	"causeway/core"
)

// The resolution of a RateHistory: FineStep for the last FineSpan, CoarseStep for the last CoarseSpan.
const (
	FineStep   = 5 * time.Minute
	FineSpan   = 25 * time.Hour
	CoarseStep = 2 * time.Hour
	CoarseSpan = 31 * 24 * time.Hour
)

// RateHistory remembers what pairs were worth.
//
// Time is divided into steps of UTC: FineStep and CoarseStep. The first mid that is recorded in a step stands for it, with 17
// significant digits at least. Record notes mids of one instant. Read returns a pair's mids in the steps that begin at from,
// from+every, … (count of them, each a multiple of FineStep), oldest first, with these instants; a step of which nothing is known is missing,
// and so is everything of an unknown pair, which is no error. Within FineSpan of the record that was made last a point is of the FineStep, before
// that of the CoarseStep that begins then, as far as CoarseSpan; points of which only a CoarseStep that begins earlier is known
// are missing.
// A history that cannot be reached returns core.Unavailable. The engine asks while it computes prices, so both answer from memory or
// return promptly when ctx is done. They are safe for concurrent use.
type RateHistory interface {
	Record(ctx context.Context, at time.Time, mids []core.PairMid) error
	Read(ctx context.Context, pair core.Pair, from time.Time, every time.Duration, count int) ([]core.PricePoint, error)
}
