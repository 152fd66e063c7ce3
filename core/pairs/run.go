package pairs

import (
	"context"
	"sync"
	"time"

	"causeway/core"
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
// names, so that equal worlds have equal prices. Concurrent calls wait for each other. Tick may be
// called while Run runs.
func (s *Service) Tick(ctx context.Context) {
	select {
	case s.ticking <- struct{}{}:
		defer func() { <-s.ticking }()
	case <-ctx.Done():
		return
	}
	var feeds []*feed
	s.do(func(e *engine) { feeds = e.feeds })
	responses := make([]*response, len(feeds))
	var polls sync.WaitGroup
	for i, f := range feeds {
		polls.Go(func() { responses[i] = s.poll(ctx, f) })
	}
	polls.Wait()
	s.do(func(e *engine) {
		for i, r := range responses {
			if r != nil {
				feeds[i].apply(ctx, r, s.entropy)
			}
		}
		s.recompute(ctx, e)
	})
}

// Renew makes the next Tick poll every source, recompute and publish, whatever their schedules.
func (s *Service) Renew() {
	s.do(func(e *engine) {
		for _, f := range e.feeds {
			f.NextPoll = time.Time{}
		}
		e.computed, e.renewed = time.Time{}, true
	})
}

// Run owns the engine until ctx is done: it applies the responses of the sources and the calls of
// other goroutines as they arrive, and recomputes. Every source is polled by a goroutine on a
// schedule of its own, so that one that hangs does not delay the others. Run publishes at once, and
// returns when everything that it started has ended.
func (s *Service) Run(ctx context.Context) {
	e := <-s.idle
	e.resume(s.now())
	var polls sync.WaitGroup
	for _, f := range e.feeds {
		polls.Go(func() { s.follow(ctx, f) })
	}
	timer := time.NewTimer(pace)
	defer timer.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			continue
		case call := <-s.calls:
			if call(e); !e.responded {
				continue
			}
		case <-timer.C:
		}
		e.responded = false
		timer.Reset(s.recompute(ctx, e))
	}
	s.idle <- e
	polls.Wait()
}

// follow polls one source on its schedule.
func (s *Service) follow(ctx context.Context, f *feed) {
	core.Repeat(ctx, func() time.Duration {
		r := s.poll(ctx, f)
		var wait time.Duration
		s.do(func(e *engine) {
			if r != nil {
				f.apply(ctx, r, s.entropy)
				e.responded = true
			}
			wait = f.wait(s.now())
		})
		return min(wait, pace)
	})
}

// recompute computes a snapshot and publishes it if it is due. It returns how long to wait until
// the next call, at most the pace.
func (s *Service) recompute(ctx context.Context, e *engine) time.Duration {
	now := s.now()
	if since := now.Sub(e.computed); since >= 0 && since < pace {
		return pace - since
	}
	e.computed = now
	s.recall(ctx, e, now)
	if snapshot := e.compute(now); snapshot != nil {
		e.last, e.renewed = snapshot, false
		s.publish(ctx, e, snapshot)
	}
	return pace
}

// publish records a snapshot in the history, and passes it to the subscribers and then to readers.
func (s *Service) publish(ctx context.Context, e *engine, snapshot *Snapshot) {
	e.stats.Published++
	s.record(ctx, snapshot)
	for _, f := range e.subscribers {
		f(snapshot)
	}
	s.current.Store(snapshot)
}
