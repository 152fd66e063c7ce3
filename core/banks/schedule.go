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
	maxSleep   = 5 * time.Second  // longest sleep of Run, so that it notices a jump of a virtual clock
)

// fetched is the response of a directory for a country.
type fetched struct {
	feed  *feed
	banks []core.Bank
	err   error
}

// Tick fetches every list that is due, directories in parallel and the countries of one directory
// in turn, waits for all of them and publishes the results at once. Requests that were due during a
// clock jump are not repeated.
func (s *Service) Tick(ctx context.Context) {
	var all sync.WaitGroup
	responses := make([][]*fetched, len(s.byDirectory))
	for i, feeds := range s.byDirectory {
		all.Go(func() {
			for _, f := range feeds {
				if s.begin(f) {
					responses[i] = append(responses[i], s.fetch(ctx, f))
				}
			}
		})
	}
	all.Wait()
	s.apply(ctx, slices.Concat(responses...)...)
}

// Run refreshes the lists hourly until ctx is done, and sooner after a failure. Directories are
// independent: one that hangs does not delay the others. Tick may be called while Run runs.
func (s *Service) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, feeds := range s.byDirectory {
		all.Go(func() {
			core.Repeat(ctx, func() time.Duration {
				for _, f := range feeds {
					if s.begin(f) {
						s.apply(ctx, s.fetch(ctx, f))
					}
				}
				return s.wait(feeds)
			})
		})
	}
	all.Wait()
}

// begin marks a feed as busy and reports true if it is due and not being fetched already.
func (s *Service) begin(f *feed) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.busy || s.clock().Before(f.due) {
		return false
	}
	f.busy = true
	return true
}

// wait returns the time until the next list is due, at most maxSleep.
func (s *Service) wait(feeds []*feed) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait, now := maxSleep, s.clock()
	for _, f := range feeds {
		wait = min(wait, f.due.Sub(now))
	}
	return max(wait, time.Millisecond)
}

// fetch requests a list. An empty list is an error.
func (s *Service) fetch(ctx context.Context, f *feed) *fetched {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	banks, err := f.directory.Banks(ctx, f.country)
	if err == nil && len(banks) == 0 {
		err = core.Errorf(core.Unavailable, "The list of banks is empty")
	}
	return &fetched{f, banks, err}
}

// apply merges and publishes fetched lists, schedules the next requests and reports the states.
func (s *Service) apply(ctx context.Context, responses ...*fetched) {
	states := s.record(ctx, responses)
	if s.report == nil {
		return
	}
	for _, state := range states {
		s.report(state)
	}
}

// record merges and publishes fetched lists and schedules the next requests. It returns the states to
// report.
func (s *Service) record(ctx context.Context, responses []*fetched) []State {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock()
	changed, held := s.mergeAll(responses)
	if changed {
		s.publish()
	}
	states := make([]State, 0, len(responses))
	for _, r := range responses {
		f, loss := r.feed, held[r.feed]
		f.busy = false
		switch {
		case r.err != nil && ctx.Err() != nil: // cancelled by the caller: not a failure of the directory
			f.due = now.Add(firstRetry)
			continue
		case r.err != nil:
			f.state.Failed++
			f.failed(r.err)
		case loss != nil:
			loss.At = now
			f.held, f.state.HeldBack = r.banks, loss
			f.state.Held++
			f.failed(core.Errorf(core.Unavailable, "The list is held back: too many institutions are missing"))
		default:
			f.succeeded(now)
		}
		f.due = now.Add(s.pause(f))
		states = append(states, f.state)
	}
	return states
}

// succeeded records that a list was merged and published.
func (f *feed) succeeded(now time.Time) {
	f.delivered.Store(true)
	f.held, f.state.HeldBack = nil, nil
	f.state.LastSuccess, f.state.LastError, f.state.Failures = now, nil, 0
	f.state.Succeeded++
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
