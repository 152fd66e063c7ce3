package pairs

import "time"

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
	s.recompute()
}

// OctavesOf is the fixed-point logarithm of a price.
var OctavesOf = octavesOf
