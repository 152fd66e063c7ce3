package pairs

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// pace is the shortest time between two recomputations. It is also how long Run sleeps at most, so that it notices within that
	// time when a virtual clock jumps.
	pace = time.Second
	// Heartbeat is the longest time between two publications while the service runs.
	Heartbeat = 10 * time.Second
)

// Tick does all work that is due at the clock's present: it polls the sources whose time has come, all at once, waits for them (each for
// no longer than its time-out), then recomputes and publishes where that is due. What a jumping clock skipped is not made up
// for: a source is polled once, whoever wants the prices in between moves the clock in steps. Answers are taken in the order of the
// sources' names, so that the same world gives the same prices. One tick waits for another.
func (s *Service) Tick(ctx context.Context) {
	select {
	case s.ticking <- struct{}{}:
		defer func() { <-s.ticking }()
	case <-ctx.Done():
		return
	}
	answers := make([]*answer, len(s.feeds))
	var polls sync.WaitGroup
	for i, f := range s.feeds {
		if len(f.pairs) == 0 {
			continue
		}
		polls.Go(func() {
			if s.begin(ctx, f) {
				a := s.ask(ctx, f)
				answers[i] = &a
			}
		})
	}
	polls.Wait()
	for i, f := range s.feeds {
		if answers[i] != nil {
			s.apply(ctx, f, *answers[i])
			f.end()
		}
	}
	s.recompute(ctx)
}

// Renew has the next Tick ask every source, recompute and publish, whatever their schedules, and although the clock may stand still: the world that they tell
// of is another one.
func (s *Service) Renew() {
	s.computing.Lock()
	defer s.computing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.feeds {
		f.state.NextPoll = time.Time{}
	}
	s.computed, s.renewed = time.Time{}, true
}

// Run polls and publishes until ctx is done, then waits for what it started. Every source has a goroutine and a schedule of its own: one
// that hangs delays nobody. It may run beside Tick.
func (s *Service) Run(ctx context.Context) {
	s.resume()
	var feeds sync.WaitGroup
	for _, f := range s.feeds {
		if len(f.pairs) == 0 {
			continue
		}
		feeds.Go(func() { s.follow(ctx, f) })
	}
	timer := time.NewTimer(pace)
	defer timer.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-s.wake:
			timer.Reset(s.recompute(ctx))
		case <-timer.C:
			timer.Reset(s.recompute(ctx))
		}
	}
	feeds.Wait()
}

// follow polls one source on its schedule.
func (s *Service) follow(ctx context.Context, f *feed) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if s.begin(ctx, f) {
			s.apply(ctx, f, s.ask(ctx, f))
			f.end()
			select {
			case s.wake <- struct{}{}:
			default:
			}
		}
		s.mu.Lock()
		wait := f.wait(s.now())
		s.mu.Unlock()
		timer.Reset(min(wait, pace))
	}
}

// recompute makes and publishes a snapshot where that is due, and returns how long to wait before asking again, at most the pace.
func (s *Service) recompute(ctx context.Context) time.Duration {
	s.computing.Lock()
	defer s.computing.Unlock()
	now := s.now()

	s.mu.Lock()
	if wait := s.early(now); wait > 0 {
		s.mu.Unlock()
		return wait
	}
	s.changed, s.computed = false, now
	s.book.consent(now)
	s.mu.Unlock()

	s.recall(ctx, now)
	quotes, refused := s.book.quote(now)
	s.recomputed.Add(1)
	s.countRefused(refused)
	cycle := s.book.free(quotes)
	s.alert(now, refused, cycle)
	if cycle != nil {
		s.kept.Add(1)
		quotes = s.book.keep(now)
	} else {
		s.remember(ctx, now, quotes)
	}
	if s.tellable(quotes, now) {
		s.publish(ctx, &Snapshot{At: now, Quotes: quotes})
	}
	s.alarm = s.book.alarm(quotes, now)
	if last := s.current.Load(); last != nil {
		s.alarm = earlier(s.alarm, last.At.Add(Heartbeat))
		if last.FreshUntil.After(now) {
			s.alarm = earlier(s.alarm, last.FreshUntil)
		}
	}
	return pace
}

// early is how long it is too early to recompute, at most the pace: never twice within the pace, and only where an observation came,
// time changes something, or the clock was set back.
func (s *Service) early(now time.Time) time.Duration {
	since := now.Sub(s.computed)
	switch {
	case since < 0:
		return 0
	case since < pace:
		return pace - since
	case s.changed, s.computed.IsZero():
		return 0
	case s.alarm.IsZero():
		return pace
	default:
		return min(s.alarm.Sub(now), pace)
	}
}

// tellable reports whether a snapshot is due: it was asked for, something is worth telling, the last one is a heartbeat old, or it runs out of freshness
// while the quotes are fresher than it says.
func (s *Service) tellable(quotes []Quote, now time.Time) bool {
	if len(quotes) == 0 {
		return false
	}
	last := s.current.Load()
	if last == nil || s.renewed || now.Before(last.At) || now.Sub(last.At) >= Heartbeat {
		return true
	}
	if last.FreshUntil.After(last.At) && !now.Before(last.FreshUntil) {
		return true
	}
	return s.book.worthTelling(quotes)
}

// publish completes the snapshot and shows it.
func (s *Service) publish(ctx context.Context, snapshot *Snapshot) {
	s.number = max(s.number+1, uint64(max(0, snapshot.At.UnixMicro()))) //nolint:gosec // not negative
	snapshot.ID, snapshot.Markets = s.number, s.book.states()
	snapshot.freshness()
	s.show(snapshot)
}

// show shows a snapshot to the subscribers, then to everybody.
func (s *Service) show(snapshot *Snapshot) {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	s.published.Add(1)
	for _, f := range slices.Clone(s.subscribers) {
		f(snapshot)
	}
	s.current.Store(snapshot)
	s.book.published(snapshot)
	s.renewed = false
}
