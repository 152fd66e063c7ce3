package banks

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"causeway/core"
)

const (
	interval   = time.Hour        // between two requests for a list, plus or minus 10 %
	firstRetry = 5 * time.Second  // after a failed request before the first list; doubles each time
	retry      = time.Minute      // after a failed request later; doubles each time
	maxRetry   = 15 * time.Minute // upper bound of both
	timeout    = time.Minute      // for one list with all its pages
	maxSleep   = 5 * time.Second  // longest sleep of Run, within which it notices a jump of a virtual clock
)

// schedule is when a feed is fetched next.
type schedule struct {
	due  time.Time // zero: now
	busy bool
}

// fetched is the response of a directory for a country.
type fetched struct {
	feed  *feed
	banks []core.Bank
	err   error
}

// Tick fetches every list that is due, directories in parallel and the countries of one directory
// in turn, waits for all of them and publishes the results at once. Requests that a clock jump
// skipped are not made up for.
func (s *Service) Tick(ctx context.Context) {
	var all sync.WaitGroup
	answers := make([][]*fetched, len(s.lanes))
	for i, lane := range s.lanes {
		all.Go(func() {
			for _, f := range lane {
				if s.begin(f) {
					answers[i] = append(answers[i], s.fetch(ctx, f))
				}
			}
		})
	}
	all.Wait()
	s.apply(ctx, slices.Concat(answers...)...)
}

// Run refreshes the lists hourly until ctx is done, and sooner after a failure. Directories are
// independent: one that hangs does not delay the others. Run may run beside Tick.
func (s *Service) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, lane := range s.lanes {
		all.Go(func() { s.follow(ctx, lane) })
	}
	all.Wait()
}

// follow refreshes the lists of one directory.
func (s *Service) follow(ctx context.Context, feeds []*feed) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		for _, f := range feeds {
			if s.begin(f) {
				s.apply(ctx, s.fetch(ctx, f))
			}
		}
		timer.Reset(s.wait(feeds))
	}
}

// begin marks a feed as busy and reports true if it is due and not being fetched already.
func (s *Service) begin(f *feed) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.schedule.busy || s.clock().Before(f.schedule.due) {
		return false
	}
	f.schedule.busy = true
	return true
}

// wait returns the time until the next list is due, at most maxSleep.
func (s *Service) wait(feeds []*feed) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait, now := maxSleep, s.clock()
	for _, f := range feeds {
		wait = min(wait, f.schedule.due.Sub(now))
	}
	return max(wait, time.Millisecond)
}

func (s *Service) fetch(ctx context.Context, f *feed) *fetched {
	ctx, done := context.WithTimeout(ctx, timeout)
	defer done()
	a := &fetched{feed: f}
	a.banks, a.err = f.directory.Banks(ctx, f.country)
	if a.err == nil && len(a.banks) == 0 {
		a.err = core.Errorf(core.Unavailable, "The list of banks is empty")
	}
	return a
}

// apply merges and publishes fetched lists, schedules the next requests and reports the states.
func (s *Service) apply(ctx context.Context, answers ...*fetched) {
	states := s.settle(ctx, answers)
	if s.report == nil {
		return
	}
	for _, state := range states {
		s.report(state)
	}
}

// settle is apply without the reports, which it returns.
func (s *Service) settle(ctx context.Context, answers []*fetched) []State {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock()
	changed, held := s.takeAll(answers)
	if changed {
		s.publish()
	}
	states := make([]State, 0, len(answers))
	for _, a := range answers {
		f := a.feed
		f.schedule.busy = false
		if a.err != nil && ctx.Err() != nil { // cancelled by us: not a failure of the directory
			f.schedule.due = now.Add(firstRetry)
			continue
		}
		s.record(a, held[f], now)
		f.schedule.due = now.Add(s.pause(f))
		states = append(states, f.state)
	}
	return states
}

// record stores the outcome of a request.
func (s *Service) record(a *fetched, held *HeldBack, now time.Time) {
	f := a.feed
	switch {
	case a.err != nil:
		f.state.Failed++
		f.failed(a.err)
	case held != nil:
		held.At = now
		f.state.Held++
		f.failed(core.Errorf(core.Unavailable, "The list is held back: too much is missing"))
		f.held, f.state.HeldBack = a.banks, held
	default:
		f.succeeded(now)
		s.pending.Delete(f.source)
	}
}

// succeeded records that a list was taken over.
func (f *feed) succeeded(now time.Time) {
	f.held, f.state.HeldBack = nil, nil
	f.state.LastSuccess, f.state.LastError, f.state.Failures = now, nil, 0
	f.state.Answered++
}

func (f *feed) failed(err error) {
	f.state.LastError = err
	f.state.Failures++
}

// pause returns the time until the next request: an hour, or less after failures, but at least the
// provider's Retry-After; plus or minus 10 %, so that replicas do not send their requests at the
// same time.
func (s *Service) pause(f *feed) time.Duration {
	pause := interval
	if n := f.state.Failures; n > 0 {
		pause = retry
		if f.state.LastSuccess.IsZero() {
			pause = firstRetry
		}
		pause = min(pause<<min(n-1, 10), maxRetry)
		if e, ok := errors.AsType[*core.Error](f.state.LastError); ok {
			pause = max(pause, min(e.RetryAfter, interval))
		}
	}
	const steps = 1 << 20
	return pause*9/10 + pause/5*time.Duration(s.entropy()%steps)/steps
}
