package pairs_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/core/pairs"
)

// TestRate_FirstPriceDespiteOutlier has four venues answer one after the other, of whom one is a thousand times too high: there is nothing yet that it could be the
// first to move from.
func TestRate_FirstPriceDespiteOutlier(t *testing.T) {
	t.Parallel()
	for liar := range 4 {
		synctest.Test(t, func(t *testing.T) {
			s := panel(t, "X/USD", "major", 4)
			for i := range 4 {
				v, price := s.venues[venueName(i)], "100"
				if i == liar {
					price = "100000"
				}
				v.observe = func(context.Context, []core.Pair) ([]core.Observation, error) {
					time.Sleep(time.Duration(i+1) * time.Millisecond) // of the bubble: so they answer in this order
					s.clock.advance(time.Millisecond)
					return []core.Observation{{Pair: pair("X/USD"), Bid: dec(price), Ask: dec(price), At: s.clock.Now(), Source: v.name}}, nil
				}
			}
			s.Tick(t.Context())
			same(t, "mid", s.want(t, "XUSD", pairs.Fresh, "").Mid, "100")
			if got := s.excluded(t, "XUSD"); len(got) != 1 || got[venueName(liar)] != pairs.Outlier {
				t.Errorf("without votes: %v", got)
			}
		})
	}
}
