package pairs

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Replicas that share one book need not all poll. One leads: it polls, and shares every snapshot before anybody sees it (Lead). The others
// follow: they adopt what it shared, as it is (Adopt), and only let it age while nothing newer comes (Follow). Who leads is decided
// elsewhere, and so is how a snapshot gets from one to the other. A process that is cut off runs for itself (Run).
//
// With each snapshot a follower learns what the leader knows of the markets (MarketState), so that it can lead in its place at once: last good
// prices, the votes that they are made of, doubts, jumps, broken pegs and what the operator said about them. Of sources without a vote
// it learns only why: a new leader lets an outlier back after three samples, as the old one would have, but counts them anew, and
// notices anew who stands still.

// grace is how much longer than its own deadline a follower lets the leader say that a price ages: the leader may be as late as its pace,
// and the word takes a while.
const grace = pace + 250*time.Millisecond

// Why Adopt does not take a snapshot.
var (
	// ErrLate is a snapshot that is older than what is shown here, or so old that it should have aged since: nothing is the matter.
	ErrLate = errors.New("pairs: the snapshot is out of date")
	// ErrForeign is a snapshot of another book, of another time, or one that breaks an invariant: somebody must look.
	ErrForeign = errors.New("pairs: the snapshot is not one of this book")
)

// mark is the place of a snapshot in the shared book.
type mark struct{ term, id uint64 }

func (m mark) before(other mark) bool {
	return m.term < other.term || m.term == other.term && m.id < other.id
}

// Lead is how a leader shares its snapshots.
type Lead struct {
	Term  uint64 // above zero, and above that of any leader before
	Above uint64 // the largest number in the book so far
	// Share puts a snapshot into the book. What it returns an error for is not published; another one is made within a second. It is called
	// by the goroutine that recomputes, and must not call the service.
	Share func(context.Context, *Snapshot) error
}

// Lead runs the service (see Run) as the leader of those who share its book.
func (s *Service) Lead(ctx context.Context, lead Lead) { s.run(ctx, &lead) }

// takeOver makes the service publish what it computes. What is the matter with a market stays so until every source that it has was asked,
// or had the time: a dispute is not over because only one side of it has spoken again.
func (s *Service) takeOver(lead *Lead) {
	s.computing.Lock()
	defer s.computing.Unlock()
	s.lead, s.following, s.computed = lead, false, time.Time{}
	if lead != nil {
		s.number = max(s.number, lead.Above)
	} else {
		s.shared = mark{} // alone; when it is not any more, whatever is in the book then is news
	}
	now := s.now()
	for _, m := range s.book.markets {
		switch m.condition.reason {
		case "", Degraded, NoQuorum:
		default:
			m.inherited = now
		}
	}
	s.mu.Lock()
	s.changed = true
	s.mu.Unlock()
}

// share puts a snapshot into the book, with what the next leader has to know, or has another one made soon.
func (s *Service) share(ctx context.Context, snapshot *Snapshot) bool {
	snapshot.Term, snapshot.Markets = s.lead.Term, s.book.states()
	if s.lead.Share(ctx, snapshot) != nil {
		s.mu.Lock()
		s.changed = true
		s.mu.Unlock()
		return false
	}
	s.shared = mark{snapshot.Term, snapshot.ID}
	return true
}

// Follow lets the last snapshot age until ctx is done. From the first Adopt on nothing is computed but that, so it is for whoever adopts.
func (s *Service) Follow(ctx context.Context) {
	timer := time.NewTimer(pace)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			timer.Reset(s.recompute(ctx))
		}
	}
}

// patient is how long a follower waits before it says itself that a price ages, at most the pace.
func (s *Service) patient(now time.Time) time.Duration {
	if s.alarm.IsZero() {
		return pace
	}
	return min(s.alarm.Add(grace).Sub(now), pace)
}

// Adopt publishes a snapshot that was made elsewhere, and makes the service a follower until it runs or leads again. The snapshot is the
// service's from then on; it needs Term, ID, At, FreshUntil, Quotes and Markets, of which only what numbers and times say has to be
// filled in. It returns ErrLate or ErrForeign, as they are or wrapped, where it does not take it; then nothing changes.
func (s *Service) Adopt(ctx context.Context, snapshot *Snapshot) error {
	s.computing.Lock()
	defer s.computing.Unlock()
	now, place := s.now(), mark{snapshot.Term, snapshot.ID}
	switch last := s.current.Load(); {
	case place.term == 0 || place.id == 0:
		return fmt.Errorf("%w: it has no place in it", ErrForeign)
	case !s.shared.before(place):
		return ErrLate
	case last == nil:
	case last.Term == place.term && last.ID >= place.id, snapshot.At.Before(last.At.Add(-skew)):
		return ErrLate // it is shown already, or who ran alone meanwhile knows better
	}
	if err := s.book.admit(snapshot, now); err != nil {
		return err
	}
	s.mu.Lock()
	for _, state := range snapshot.Markets {
		s.book.market(state.Rate.Pair).succeed(state, snapshot.At)
	}
	s.mu.Unlock()
	s.following, s.lead, s.shared, s.number, s.computed = true, nil, place, max(s.number, snapshot.ID), time.Time{}
	s.book.each(snapshot.Quotes, func(l *listing, q *Quote) { l.places, l.fresh = q.CounterDecimals, q.UpdatedAt })
	s.remember(ctx, snapshot.At, snapshot.Quotes)
	s.show(snapshot)
	s.alarm = s.book.alarm(snapshot.Quotes, snapshot.At)
	return nil
}
