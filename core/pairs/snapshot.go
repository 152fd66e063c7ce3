package pairs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// Snapshot is every price of one instant, computed from one set of observations. It is never
// changed.
type Snapshot struct {
	// ID grows from publication to publication. It is At in microseconds since 1970, or more if the
	// clock was set back, so that it is unique among processes that take turns.
	ID uint64
	At time.Time

	// FreshUntil is when the first fresh quote stops being fresh if nothing new comes; At if no
	// quote is fresh. A quote that never stops counts as fresh for a Heartbeat.
	FreshUntil time.Time
	Quotes     []Quote // by id; a listing without any price so far is missing

	Markets  []MarketState // what a service continues from, by pair; markets without a rate are missing
	Depegged []Depeg       // stablecoins off their peg, by code
	Held     []core.Pair   // markets that wait for an operator: their rate jumped or is disputed
}

// Depeg is a stablecoin that is off its peg.
type Depeg struct {
	Market       core.Pair // the coin and the currency that it is pegged to
	Peg, Mid     decimal.Decimal
	Acknowledged bool // it is traded all the same
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
	var until time.Time
	for i := range s.Quotes {
		if q := &s.Quotes[i]; q.Status == Fresh {
			until = earlier(until, cmp.Or(q.FreshUntil, s.At.Add(Heartbeat)))
		}
	}
	s.FreshUntil = cmp.Or(until, s.At)
}

// ended reports whether a snapshot is due for replacement even if nothing changed. One from the
// future is: the clock was set back.
func (s *Snapshot) ended(now time.Time) bool {
	return now.Before(s.At) || now.Sub(s.At) >= Heartbeat || s.FreshUntil.After(s.At) && !now.Before(s.FreshUntil)
}

// maxLead is how far the ID of another process may be ahead of the clock, because that process set
// its clock back.
const maxLead = time.Hour

// Check returns an error if a snapshot of another process is not sound, or from the future.
func (s *Snapshot) Check(now time.Time) error {
	if ahead := s.At.Sub(now); ahead > skew {
		return fmt.Errorf("it is %s in the future; synchronize the clocks", ahead)
	}
	if s.ID > uint64(max(0, now.Add(maxLead).UnixMicro())) {
		return fmt.Errorf("its ID %d is more than %s ahead of the clock", s.ID, maxLead)
	}
	for i := range s.Quotes {
		q := &s.Quotes[i]
		unknown := slices.ContainsFunc(q.Legs, func(leg Leg) bool { return leg.Rate == nil })
		if !q.sound() || unknown || len(q.Legs) == 0 {
			return fmt.Errorf("%s: 0 < sell < mid < buy does not hold, or a limit or leg is wrong", q.ID)
		}
	}
	if slices.ContainsFunc(s.Markets, func(m MarketState) bool { return m.Rate == nil }) {
		return errors.New("a market has no rate")
	}
	return nil
}
