package pairs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"causeway/core"
)

// MarketState is what a service that continues from a snapshot needs to know of a market besides its prices.
type MarketState struct {
	Rate *Rate // the last accepted one, with its present Reason

	// Since when a condition lasts; zero if it does not apply.
	QuorumLost time.Time
	Doubted    time.Time // the newest rate is not believed
	Jumped     time.Time // the newest rate is an unconfirmed jump

	OffPeg       bool
	Acknowledged bool // an operator lets the coin be traded off its peg
}

// ErrOutdated is the error of Restore for a snapshot that is not newer than the published one.
var ErrOutdated = errors.New("pairs: the snapshot is not newer than the published one")

// Restore publishes a snapshot that another service computed, and continues from it: a later Run or Tick lets its prices
// age, judges new rates against its rates, and keeps its doubts and acknowledgements. The service takes possession of
// the snapshot, of which it needs all exported fields.
//
// Restore changes nothing and returns an error if the snapshot is not newer than the published one (ErrOutdated), is
// from the future, contains pairs that are not on offer here, or breaks an invariant of prices.
func (s *Service) Restore(ctx context.Context, snapshot *Snapshot) error {
	s.computing.Lock()
	defer s.computing.Unlock()
	now := s.now()
	if last := s.current.Load(); last != nil && snapshot.ID <= last.ID {
		return ErrOutdated
	}
	if ahead := snapshot.At.Sub(now); ahead > skew {
		return fmt.Errorf("pairs: the snapshot is %s in the future; synchronize the clocks", ahead)
	}
	if err := s.book.check(snapshot); err != nil {
		return fmt.Errorf("pairs: invalid snapshot: %w", err)
	}
	s.mu.Lock()
	for _, state := range snapshot.Markets {
		s.book.market(state.Rate.Pair).restore(state, snapshot.At)
	}
	s.mu.Unlock()
	s.book.each(snapshot.Quotes, func(l *listing, q *Quote) { l.places, l.fresh = q.CounterDecimals, q.UpdatedAt })
	s.number, s.computed = snapshot.ID, time.Time{}
	s.remember(ctx, snapshot.At, snapshot.Quotes)
	s.show(snapshot)
	s.alarm = s.book.alarm(snapshot.Quotes, snapshot.At)
	return nil
}

// resume has the next recomputation publish, and every market that was in trouble stay so until all its sources were
// polled again: a dispute, for example, is not over because the first source that is polled agrees with itself.
func (s *Service) resume() {
	s.computing.Lock()
	defer s.computing.Unlock()
	now := s.now()
	for _, m := range s.book.markets {
		switch m.condition.reason {
		case "", Degraded, NoQuorum:
		default:
			m.resumed = now
		}
	}
	s.renewed, s.computed = true, time.Time{}
	s.mu.Lock()
	s.changed = true
	s.mu.Unlock()
}

// states returns the states of all markets that have a rate of their own, by pair.
func (b *book) states() []MarketState {
	out := make([]MarketState, 0, len(b.markets))
	for _, m := range b.markets {
		if m.rate != nil && !m.fixed {
			out = append(out, MarketState{
				Rate: m.rate, QuorumLost: m.lost, Doubted: m.doubted, Jumped: m.guard.since,
				OffPeg: m.peg.off, Acknowledged: m.peg.acknowledged,
			})
		}
	}
	return out
}

// market returns the market of a pair, or nil.
func (b *book) market(pair core.Pair) *market {
	i, found := slices.BinarySearchFunc(b.markets, pair, func(m *market, pair core.Pair) int { return comparePairs(m.Pair, pair) })
	if !found {
		return nil
	}
	return b.markets[i]
}

// check validates a snapshot that another service computed, and adds what is derived from the exported fields.
func (b *book) check(s *Snapshot) error {
	known := map[core.Pair]bool{}
	for _, state := range s.Markets {
		if err := b.checkRate(state.Rate); err != nil {
			return err
		}
		known[state.Rate.Pair] = true
	}
	for i := range s.Quotes {
		q := &s.Quotes[i]
		if i > 0 && s.Quotes[i-1].ID >= q.ID {
			return errors.New("the pairs are not sorted")
		}
		if err := b.checkQuote(q, known); err != nil {
			return fmt.Errorf("%s: %w", q.ID, err)
		}
	}
	if b.free(s.Quotes) != nil {
		return errors.New("a cycle of conversions is profitable")
	}
	return nil
}

func (b *book) checkQuote(q *Quote, markets map[core.Pair]bool) error {
	tradable := q.Status == Fresh || q.Status == Stale
	switch l := b.listing(q.ID); {
	case l == nil || l.pair != q.Pair:
		return errors.New("the pair is not on offer")
	case !q.sound():
		return errors.New("buy, mid, sell and zero are not in this order, or a limit is wrong")
	case !tradable && q.Status != Halted, q.BuySupported != tradable, q.SellSupported != tradable:
		return fmt.Errorf("status %q with the wrong supported flags", q.Status)
	case len(q.Legs) == 0:
		return errors.New("no legs")
	}
	for i := range q.Legs {
		leg := &q.Legs[i]
		if leg.Rate == nil {
			return errors.New("a leg has no rate")
		}
		leg.market = b.market(leg.Rate.Pair)
		switch {
		case leg.market != nil && leg.market.fixed:
			leg.Rate = leg.market.rate
		case !markets[leg.Rate.Pair]:
			return fmt.Errorf("the market %s is missing", leg.Rate.Pair)
		default:
			if err := b.checkRate(leg.Rate); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *book) checkRate(r *Rate) error {
	if r == nil {
		return errors.New("a market has no rate")
	}
	m := b.market(r.Pair)
	if m == nil || m.fixed {
		return fmt.Errorf("the market %s is not polled here", r.Pair)
	}
	if !r.Mid.IsPositive() || r.Confidence.IsNegative() || len(r.Used) == 0 {
		return fmt.Errorf("the rate of %s is not positive, or has no votes", r.Pair)
	}
	r.Class, r.Quorum, r.octaves = m.class.Name, m.quorum, octavesOf(r.Mid)
	for _, v := range r.Used {
		if v == nil || !v.Bid.IsPositive() || v.Bid.GreaterThan(v.Ask) {
			return fmt.Errorf("a vote on %s is not positive, or its bid is above its ask", r.Pair)
		}
		v.Mid = half(v.Bid.Add(v.Ask))
		v.expires, v.ticks, v.octaves = expiry(v.At, m.class.MaxAge), ticksOf(v.Bid, v.Mid, v.Ask), octavesOf(v.Mid)
	}
	return nil
}

// restore takes over the state that a market had elsewhere at an instant.
func (m *market) restore(from MarketState, at time.Time) {
	r, reason := from.Rate, from.Rate.Reason
	if reason == NoQuorum {
		reason = Degraded // note turns it into NoQuorum again when its time is up
	}
	m.rate, m.inverse, m.ratio = r, nil, nil
	m.lost, m.doubted, m.guard.since, m.guard.granted = from.QuorumLost, from.Doubted, from.Jumped, false
	m.peg = peg{off: from.OffPeg, acknowledged: from.Acknowledged}
	m.unsettled, m.resumed, m.due = time.Time{}, time.Time{}, time.Time{}
	m.note(at, reason)
	believed := reason == "" || reason == Degraded
	if believed && !m.class.Jump.IsZero() {
		if m.guard.jumped(at, r.octaves, m.terms.jump, m.terms.rules.JumpWithin) {
			m.guard.buckets = [guardBuckets + 1]bucket{} // a jump that was believed elsewhere
		}
		m.guard.record(at, r.octaves, m.terms.rules.JumpWithin)
	}
	for _, s := range m.slots {
		s.restore(r, believed, at)
	}
}

// restore takes over the vote that the slot's source has in a rate. The votes of a rate that is not believed are older than
// the doubt, so they are dropped.
func (s *slot) restore(r *Rate, believed bool, at time.Time) {
	name := s.feed.name
	excluded := slices.IndexFunc(r.Excluded, func(e Exclusion) bool { return e.Source == name })
	used := slices.IndexFunc(r.Used, func(v *Vote) bool { return v.Source == name })
	s.reason, s.agreed, s.close = "", 0, false
	s.rejected = excluded >= 0 && r.Excluded[excluded].Reason == Outlier
	if excluded >= 0 || used < 0 || !believed {
		s.vote, s.stalled = nil, false
		return
	}
	s.hold(r.Used[used], at)
}

// resuming reports whether the market stays as it was until every source was polled again, for settle at most.
func (m *market) resuming(now time.Time) bool {
	if m.resumed.IsZero() {
		return false
	}
	if now.Sub(m.resumed) < settle && slices.ContainsFunc(m.slots, func(s *slot) bool { return s.feed.state.LastPoll.Before(m.resumed) }) {
		return true
	}
	m.resumed = time.Time{}
	return false
}
