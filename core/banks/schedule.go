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
	interval   = time.Hour        // between two lists of a directory, a tenth more or less
	firstRetry = 5 * time.Second  // after a question that failed, where there has been no list yet; doubled each time
	retry      = time.Minute      // likewise, where there has been one
	maxRetry   = 15 * time.Minute // the longest of either
	patience   = time.Minute      // for one list, all its pages together
	pace       = 5 * time.Second  // how long Run sleeps at most, so that it notices within that time when a virtual clock jumps
)

// schedule is when a feed is asked again.
type schedule struct {
	due  time.Time // zero: at once
	busy bool
}

// answer is what a directory said of a country.
type answer struct {
	feed  *feed
	banks []core.Bank
	err   error
}

// Tick asks every directory for each of its countries whose time has come at the clock's present, the directories at the same time
// and the countries of one after each other, waits for them, and takes over what they say together, in one publication. What a
// jumping clock skipped is not made up for.
func (s *Service) Tick(ctx context.Context) {
	var all sync.WaitGroup
	answers := make([][]*answer, len(s.lanes))
	for i, lane := range s.lanes {
		all.Go(func() {
			for _, f := range lane {
				if s.begin(f) {
					answers[i] = append(answers[i], s.ask(ctx, f))
				}
			}
		})
	}
	all.Wait()
	s.apply(ctx, slices.Concat(answers...)...)
}

// Run keeps the lists fresh until ctx is done: each is asked for hourly, and again soon where that failed. Every directory has a
// schedule of its own: one that hangs delays nobody. It may run beside Tick.
func (s *Service) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, lane := range s.lanes {
		all.Go(func() { s.follow(ctx, lane) })
	}
	all.Wait()
}

// follow keeps the lists of one directory fresh.
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
				s.apply(ctx, s.ask(ctx, f))
			}
		}
		timer.Reset(s.wait(feeds))
	}
}

// begin reports whether it is time to ask for a list that nobody is asking for, and notes that somebody does.
func (s *Service) begin(f *feed) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.schedule.busy || s.clock().Before(f.schedule.due) {
		return false
	}
	f.schedule.busy = true
	return true
}

// wait is how long to wait for the next list that is due, at most the pace.
func (s *Service) wait(feeds []*feed) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait, now := pace, s.clock()
	for _, f := range feeds {
		wait = min(wait, f.schedule.due.Sub(now))
	}
	return max(wait, time.Millisecond)
}

func (s *Service) ask(ctx context.Context, f *feed) *answer {
	ctx, done := context.WithTimeout(ctx, patience)
	defer done()
	a := &answer{feed: f}
	a.banks, a.err = f.directory.Banks(ctx, f.country)
	if a.err == nil && len(a.banks) == 0 {
		a.err = core.Errorf(core.Unavailable, "The list of banks is empty")
	}
	return a
}

// apply takes over what directories said, publishes what came of it once, says when they are asked again, and reports.
func (s *Service) apply(ctx context.Context, answers ...*answer) {
	states := s.settle(ctx, answers)
	if s.report == nil {
		return
	}
	for _, state := range states {
		s.report(state)
	}
}

// settle is apply but for the reports, which it returns.
func (s *Service) settle(ctx context.Context, answers []*answer) []State {
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
		if a.err != nil && ctx.Err() != nil { // whoever asked has left: that says nothing about the directory
			f.schedule.due = now.Add(firstRetry)
			continue
		}
		s.note(a, held[f], now)
		f.schedule.due = now.Add(s.pause(f))
		states = append(states, f.state)
	}
	return states
}

// note notes what came of an answer.
func (s *Service) note(a *answer, held *HeldBack, now time.Time) {
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
		f.answered(now)
		s.awaited.Delete(f.source)
	}
}

// answered notes that a list was taken over.
func (f *feed) answered(now time.Time) {
	f.held, f.state.HeldBack = nil, nil
	f.state.LastSuccess, f.state.LastError, f.state.Failures = now, nil, 0
	f.state.Answered++
}

func (f *feed) failed(err error) {
	f.state.LastError = err
	f.state.Failures++
}

// pause is how long to wait before a directory is asked again: an hour, or less while it fails, but what it asks for itself; a
// tenth more or less, so that the processes of a fleet do not ask all at once.
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
