package pairs

import (
	"context"
	"time"
)

// RecomputeAll recomputes and publishes as if every source had just said something new of every market.
func (s *Service) RecomputeAll() {
	s.mu.Lock()
	s.changed = true
	for _, m := range s.book.markets {
		m.changed = true
	}
	s.mu.Unlock()
	s.computing.Lock()
	s.computed = time.Time{}
	s.computing.Unlock()
	s.current.Store(nil)
	s.recompute(context.Background())
}

// OctavesOf is the fixed-point logarithm of a price.
var OctavesOf = octavesOf

// Easter is Easter Sunday of a year.
var Easter = easter

// Free looks for free money in quotes of any book, and returns the ids along the cycle.
func Free(quotes []Quote) []string {
	c := compiler{book: &book{currencies: map[string]int{}}}
	for _, q := range quotes {
		c.book.listings = append(c.book.listings, &listing{id: q.ID, from: c.number(q.Pair.Base), to: c.number(q.Pair.Counter)})
	}
	var ids []string
	for _, t := range c.book.free(quotes) {
		ids = append(ids, t.quote.ID)
	}
	return ids
}

// Resume does what Run does first; Tick then does the work.
func (s *Service) Resume() { s.resume() }
