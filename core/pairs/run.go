package pairs

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// pace is the shortest time between two recomputations.
	pace = time.Second
	// Heartbeat is the longest time between two publications while the service runs.
	Heartbeat = 10 * time.Second
)

// Tick does the work that is due: it polls the sources whose time has come, waits for them (each
// for at most its timeout), then recomputes and publishes. It does not make up for what a jumping
// clock skipped: each source is polled once. Responses are applied in the order of the sources'
// names, so that equal worlds have equal prices. Concurrent calls wait for each other.
func (s *Service) Tick(ctx context.Context) {
	select {
	case s.ticking <- struct{}{}:
		defer func() { <-s.ticking }()
	case <-ctx.Done():
		return
	}
	responses := make([]*response, len(s.feeds))
	var polls sync.WaitGroup
	for i, f := range s.feeds {
		if len(f.pairs) == 0 {
			continue
		}
		polls.Go(func() {
			if s.begin(ctx, f) {
				r := s.poll(ctx, f)
				responses[i] = &r
			}
		})
	}
	polls.Wait()
	for i, f := range s.feeds {
		if responses[i] != nil {
			s.apply(ctx, f, *responses[i])
			f.end()
		}
	}
	s.recompute(ctx)
}

// Renew makes the next Tick poll every source, recompute and publish, whatever their schedules.
func (s *Service) Renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.feeds {
		f.state.NextPoll = time.Time{}
	}
	s.computed, s.renewed = time.Time{}, true
}

// Run polls and publishes until ctx is done, then waits for what it started. Every source has its
// own goroutine and schedule, so that one that hangs does not delay the others. It may run beside
// Tick.
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
			s.apply(ctx, f, s.poll(ctx, f))
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

// recompute computes a snapshot and publishes it if it is due. It returns how long to wait until
// the next call, at most the pace.
func (s *Service) recompute(ctx context.Context) time.Duration {
	s.recomputing.Lock()
	defer s.recomputing.Unlock()
	now := s.now()
	s.mu.Lock()
	if since := now.Sub(s.computed); since >= 0 && since < pace {
		s.mu.Unlock()
		return pace - since
	}
	s.computed = now
	s.mu.Unlock()

	s.recall(ctx, now)
	s.mu.Lock()
	quotes, refused, cycles := s.book.quote(now)
	s.recomputed.Add(1)
	snapshot := s.due(quotes, now)
	if snapshot != nil {
		s.book.each(snapshot.Quotes, (*listing).published)
		s.renewed = false
	}
	s.mu.Unlock()

	s.report(now, refused, cycles)
	s.remember(ctx, now, quotes)
	if snapshot != nil {
		s.show(snapshot)
	}
	return pace
}

// due returns a snapshot of the quotes if one is due: it was asked for, a price or status changed,
// the last one is a heartbeat old, or its freshness ended. Otherwise it returns nil.
func (s *Service) due(quotes []Quote, now time.Time) *Snapshot {
	last := s.current.Load()
	if len(quotes) == 0 || last != nil && !s.renewed && !now.Before(last.At) && now.Sub(last.At) < Heartbeat &&
		(!last.FreshUntil.After(last.At) || now.Before(last.FreshUntil)) && !s.book.changed(quotes) {
		return nil
	}
	s.number = max(s.number+1, uint64(max(0, now.UnixMicro())))
	snapshot := &Snapshot{ID: s.number, At: now, Quotes: quotes, Markets: s.book.states()}
	snapshot.freshness()
	return snapshot
}

// show passes a snapshot to the subscribers, then to readers.
func (s *Service) show(snapshot *Snapshot) {
	s.published.Add(1)
	for _, f := range slices.Clone(s.subscribers) {
		f(snapshot)
	}
	s.current.Store(snapshot)
}
