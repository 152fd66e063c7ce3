package pairs

import (
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
	// quote is fresh; At plus Heartbeat if none of the fresh ones ever stops.
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

// ended reports whether a snapshot is due for replacement even if nothing changed. One from the
// future is: the clock was set back.
func (s *Snapshot) ended(now time.Time) bool {
	return now.Before(s.At) || now.Sub(s.At) >= Heartbeat || s.FreshUntil.After(s.At) && !now.Before(s.FreshUntil)
}

// Check returns an error if a snapshot of another process is not sound, or from the future.
func (s *Snapshot) Check(now time.Time) error {
	if ahead := s.At.Sub(now); ahead > skew {
		return fmt.Errorf("it is %s in the future; synchronize the clocks", ahead)
	}
	for i := range s.Quotes {
		q := &s.Quotes[i]
		tradable := q.Status == Fresh || q.Status == Stale
		switch {
		case i > 0 && s.Quotes[i-1].ID >= q.ID:
			return errors.New("its pairs are not sorted")
		case !q.sound():
			return fmt.Errorf("%s: 0 < sell < mid < buy does not hold, or a limit is wrong", q.ID)
		case !tradable && q.Status != Halted, q.BuySupported != tradable, q.SellSupported != tradable:
			return fmt.Errorf("%s: status %q with the wrong supported flags", q.ID, q.Status)
		case len(q.Legs) == 0 || slices.ContainsFunc(q.Legs, func(leg Leg) bool { return !leg.Rate.sound() }):
			return fmt.Errorf("%s: a leg has no sound rate", q.ID)
		}
	}
	if slices.ContainsFunc(s.Markets, func(m MarketState) bool { return !m.Rate.sound() }) {
		return errors.New("a market has no sound rate")
	}
	return nil
}

// sound reports whether a rate is positive and its votes are.
func (r *Rate) sound() bool {
	unsound := func(v *Vote) bool { return v == nil || !v.Bid.IsPositive() || v.Bid.GreaterThan(v.Ask) }
	return r != nil && r.Mid.IsPositive() && !r.Confidence.IsNegative() && !slices.ContainsFunc(r.Used, unsound)
}
