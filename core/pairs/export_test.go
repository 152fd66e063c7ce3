package pairs

import (
	"context"
	"time"
)

// RecomputeAll recomputes and publishes as if the pace had passed and nothing was published.
func (s *Service) RecomputeAll() {
	s.do(func(e *engine) {
		e.computed, e.renewed = time.Time{}, true
		s.recompute(context.Background(), e)
	})
}

// Free looks for a profitable cycle in quotes and returns the ids along it.
func Free(quotes []Quote) (ids []string) {
	var all []*priced
	for i := range quotes {
		all = append(all, &priced{quote: &quotes[i]})
	}
	for _, c := range profitableCycle(conversions(all)) {
		ids = append(ids, c.quote.ID)
	}
	return ids
}

// Resume does what Run does first; Tick then does the work.
func (s *Service) Resume() { s.do(func(e *engine) { e.resume(s.now()) }) }

// Rules is the table that decides the status of a price.
func Rules() []rule { return rules }

// Expiry is the last instant at which an observation may be used.
var Expiry = expiry
