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
	Refused    map[string]uint64 // quotes not published because they broke an invariant, by pair id
	Kept       uint64            // snapshots not published because a cycle of currencies would have returned more than was put in
}

// Stats returns the counts so far. The caller owns them.
func (s *Service) Stats() Stats {
	s.refusals.Lock()
	defer s.refusals.Unlock()
	return Stats{Recomputed: s.recomputed.Load(), Published: s.published.Load(), Refused: maps.Clone(s.refused), Kept: s.kept.Load()}
}

func (s *Service) countRefused(ids []string) {
	s.refusals.Lock()
	defer s.refusals.Unlock()
	for _, id := range ids {
		s.refused[id]++
	}
}

// Alarm says what was not published because it broke an invariant. The last good prices stay, and age.
type Alarm struct {
	At     time.Time
	Quotes []string // pairs whose newest price was not 0 < sell < mid < buy, or left no room for an order; by id
	Cycle  []string // currencies round which the newest book would have returned more than was put in; the first one is also the end
	Pairs  []string // the pairs along Cycle, by id
}

// alert raises an alarm when something new is the matter: not again for as long as it stays the same.
func (s *Service) alert(now time.Time, refused []string, cycle []trade) {
	a := Alarm{At: now, Quotes: refused}
	for _, t := range cycle {
		from := t.quote.Pair.Counter
		if t.sells {
			from = t.quote.Pair.Base
		}
		a.Cycle, a.Pairs = append(a.Cycle, from), append(a.Pairs, t.quote.ID)
	}
	about := strings.Join(refused, " ") + "|" + strings.Join(a.Pairs, " ")
	if about != "|" && about != s.raised && s.raise != nil {
		s.raise(a)
	}
	s.raised = about
}
