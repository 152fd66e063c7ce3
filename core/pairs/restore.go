package pairs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"causeway/core"
)

// ErrOutdated is the error of Restore for a snapshot that is not newer than the published one.
var ErrOutdated = errors.New("pairs: the snapshot is not newer than the published one")

// Restore publishes a snapshot that another service computed, and continues from it: a later Run or
// Tick lets its prices age, judges new rates against its rates, and keeps its doubts and
// acknowledgements. The service takes possession of the snapshot, of which it needs all exported
// fields.
//
// Restore changes nothing and returns an error if the snapshot is not newer than the published one
// (ErrOutdated), is from the future, contains pairs that are not offered here, or breaks an
// invariant of prices.
func (s *Service) Restore(ctx context.Context, snapshot *Snapshot) error {
	s.recomputing.Lock()
	defer s.recomputing.Unlock()
	now := s.now()
	if last := s.current.Load(); last != nil && snapshot.ID <= last.ID {
		return ErrOutdated
	}
	if ahead := snapshot.At.Sub(now); ahead > skew {
		return fmt.Errorf("pairs: the snapshot is %s in the future; synchronize the clocks", ahead)
	}
	s.mu.Lock()
	if err := s.book.check(snapshot); err != nil {
		s.mu.Unlock()
		return fmt.Errorf("pairs: invalid snapshot: %w", err)
	}
	for _, state := range snapshot.Markets {
		s.book.market(state.pair()).restore(state, snapshot)
	}
	s.book.each(snapshot.Quotes, func(l *listing, q *Quote) {
		l.places, l.fresh = q.CounterDecimals, q.UpdatedAt
		l.published(q)
	})
	s.number = snapshot.ID
	s.mu.Unlock()
	s.remember(ctx, snapshot.At, snapshot.Quotes)
	s.show(snapshot)
	return nil
}

// resume makes the next recomputation publish, and keeps a market's problem until all its sources
// were polled again: a dispute, for example, is not over because the first source that is polled
// agrees with itself.
func (s *Service) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for _, m := range s.book.markets {
		switch m.Problem {
		case "", Degraded, NoQuorum:
		default:
			m.resumed = now
		}
	}
	s.renewed = true
}

// states returns the states of all markets, except those with a fixed or without a rate.
func (b *book) states() []MarketState {
	out := make([]MarketState, 0, len(b.markets))
	for _, m := range b.markets {
		if m.Rate != nil && !m.fixed {
			out = append(out, m.MarketState)
		}
	}
	return out
}

func (m *MarketState) pair() core.Pair { return m.Rate.Pair }

// check validates a snapshot that another service computed, and links its legs to their markets.
func (b *book) check(s *Snapshot) error {
	known := map[core.Pair]bool{}
	for _, state := range s.Markets {
		if err := b.checkRate(state.Rate); err != nil {
			return err
		}
		known[state.Rate.Pair] = true
	}
	var priced []*listing
	var quotes []*Quote
	for i := range s.Quotes {
		q := &s.Quotes[i]
		if i > 0 && s.Quotes[i-1].ID >= q.ID {
			return errors.New("the pairs are not sorted")
		}
		if err := b.checkQuote(q, known); err != nil {
			return fmt.Errorf("%s: %w", q.ID, err)
		}
		priced, quotes = append(priced, b.listing(q.ID)), append(quotes, q)
	}
	if profitableCycle(len(b.currencies), conversions(priced, quotes)) != nil {
		return errors.New("a cycle of conversions is profitable")
	}
	return nil
}

func (b *book) checkQuote(q *Quote, markets map[core.Pair]bool) error {
	tradable := q.Status == Fresh || q.Status == Stale
	switch l := b.listing(q.ID); {
	case l == nil || l.pair != q.Pair:
		return errors.New("the pair is not offered")
	case !q.sound():
		return errors.New("0 < sell < mid < buy does not hold, or a limit is wrong")
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
			leg.Rate = leg.market.Rate
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
	r.Class, r.Quorum = m.class.Name, m.quorum
	for _, v := range r.Used {
		if v == nil || !v.Bid.IsPositive() || v.Bid.GreaterThan(v.Ask) {
			return fmt.Errorf("a vote on %s is not positive, or its bid is above its ask", r.Pair)
		}
		v.Mid = half(v.Bid.Add(v.Ask)).Normalize()
	}
	return nil
}

// restore takes over the state of a market in a snapshot. The votes of a rate with a doubt are
// older than the doubt, so they are dropped.
func (m *market) restore(state MarketState, from *Snapshot) {
	if !state.Anchor.Equal(m.Anchor) {
		m.recent = nil
	}
	m.MarketState = state
	m.unsettled, m.resumed, m.pending = time.Time{}, time.Time{}, state.Rate.Other
	keep := m.Problem == "" || m.Problem == Degraded || m.Problem == NoQuorum
	for _, s := range m.sources {
		excluded := slices.IndexFunc(m.Rate.Excluded, func(e Exclusion) bool { return e.Source == s.feed.name })
		used := slices.IndexFunc(m.Rate.Used, func(v *Vote) bool { return v.Source == s.feed.name })
		s.rejected, s.agreed, s.close = "", 0, false
		s.outlier = excluded >= 0 && m.Rate.Excluded[excluded].Reason == Outlier
		if excluded >= 0 || used < 0 || !keep {
			s.vote, s.stalled = nil, false
			continue
		}
		s.hold(m.Rate.Used[used], from.At)
	}
}

// resuming reports whether the market stays as it was until every source was polled again, for
// settle at most.
func (m *market) resuming(now time.Time) bool {
	if m.resumed.IsZero() {
		return false
	}
	waits := slices.ContainsFunc(m.sources, func(s *sourceState) bool { return s.feed.state.LastPoll.Before(m.resumed) })
	if now.Sub(m.resumed) < settle && waits {
		return true
	}
	m.resumed = time.Time{}
	return false
}
