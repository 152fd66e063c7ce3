package pairs

import (
	"slices"
	"strings"
	"time"
)

// Snapshot is every price of one instant, computed from one set of observations. It is never
// changed.
type Snapshot struct {
	// ID grows from publication to publication. It is At in microseconds since 1970, or more if the
	// clock was set back, so that it is unique among processes that take turns.
	ID uint64
	At time.Time

	// FreshUntil is when the first fresh quote stops being fresh if nothing new comes; At if no
	// quote is fresh; At plus Heartbeat if none of the fresh ones ever stops.
	FreshUntil time.Time
	Quotes     []Quote // by id; a listing without any price so far is missing

	Markets []MarketState // what Restore continues from
}

// Quote returns the quote of a pair by its id, or nil.
func (s *Snapshot) Quote(id string) *Quote {
	i, ok := slices.BinarySearchFunc(s.Quotes, id, func(q Quote, id string) int { return strings.Compare(q.ID, id) })
	if !ok {
		return nil
	}
	return &s.Quotes[i]
}

// freshness sets FreshUntil.
func (s *Snapshot) freshness() {
	s.FreshUntil = s.At
	until, fresh := time.Time{}, false
	for i := range s.Quotes {
		if q := &s.Quotes[i]; q.Status == Fresh {
			until, fresh = earlier(until, q.FreshUntil), true
		}
	}
	switch {
	case fresh && until.IsZero():
		s.FreshUntil = s.At.Add(Heartbeat)
	case fresh:
		s.FreshUntil = until
	}
}
