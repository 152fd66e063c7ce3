package pairs

import (
	"maps"
	"strings"
	"time"
)

// Stats counts what the engine did, for metrics.
type Stats struct {
	Recomputed uint64
	Published  uint64
	Refused    map[string]uint64 // prices withheld because they broke an invariant, by pair id
	Cycles     uint64            // profitable cycles of conversions, each of which halted a pair
}

// Stats returns the counts so far. The caller owns them.
func (s *Service) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{
		Recomputed: s.recomputed.Load(), Published: s.published.Load(),
		Refused: maps.Clone(s.refused), Cycles: s.cycles.Load(),
	}
}

// Alarm says what was withheld because it broke an invariant.
type Alarm struct {
	At     time.Time
	Quotes []string // pairs whose newest price was not 0 < sell < mid < buy, or left no room for an order; by id
	Cycle  []string // currencies of the first profitable cycle; the first one is also the end
	Pairs  []string // the pairs along Cycle
	Halted []string // the pairs that were halted because of a cycle
}

// report counts what was withheld, and raises an alarm when that changes.
func (s *Service) report(now time.Time, refused []string, cycles [][]conversion) {
	s.mu.Lock()
	for _, id := range refused {
		s.refused[id]++
	}
	s.mu.Unlock()
	s.cycles.Add(uint64(len(cycles)))
	a := Alarm{At: now, Quotes: refused}
	for i, cycle := range cycles {
		a.Halted = append(a.Halted, leastCertain(cycle).quote.ID)
		for _, c := range cycle {
			from := c.quote.Pair.Counter
			if c.sells {
				from = c.quote.Pair.Base
			}
			if i == 0 {
				a.Cycle, a.Pairs = append(a.Cycle, from), append(a.Pairs, c.quote.ID)
			}
		}
	}
	about := strings.Join(refused, " ") + "|" + strings.Join(a.Halted, " ")
	if about != "|" && about != s.raised && s.raise != nil {
		s.raise(a)
	}
	s.raised = about
}
