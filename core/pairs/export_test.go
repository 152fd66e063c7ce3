package pairs

import (
	"context"
	"time"
)

// RecomputeAll recomputes and publishes as if the pace had passed and nothing was published.
func (s *Service) RecomputeAll() {
	s.mu.Lock()
	s.computed = time.Time{}
	s.mu.Unlock()
	s.current.Store(nil)
	s.recompute(context.Background())
}

// Easter is Easter Sunday of a year.
var Easter = easter

// Free looks for a profitable cycle in quotes and returns the ids along it.
func Free(quotes []Quote) []string {
	c := compiler{book: &book{currencies: map[string]int{}}}
	var listings []*listing
	var pointers []*Quote
	for i := range quotes {
		q := &quotes[i]
		listings = append(listings, &listing{id: q.ID, from: c.number(q.Pair.Base), to: c.number(q.Pair.Counter)})
		pointers = append(pointers, q)
	}
	var ids []string
	for _, t := range profitableCycle(len(c.book.currencies), conversions(listings, pointers)) {
		ids = append(ids, t.quote.ID)
	}
	return ids
}

// Resume does what Run does first; Tick then does the work.
func (s *Service) Resume() { s.resume() }

// Rules is the table that decides the status of a price.
func Rules() []rule { return rules }
