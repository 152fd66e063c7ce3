package upstream

import (
	"sync"
	"time"

	"causeway/core"
)

const (
	// maxScopes bounds the stored scopes of a provider. Nigeria has about 600 institutions.
	maxScopes = 1000
	// spreadScopes is the number of failing scopes that make the failure one of the provider.
	spreadScopes = 3
)

// scopes are the parts of a provider that may be down alone, such as banks. Each has its own
// breaker.
type scopes struct {
	cfg   BreakerConfig
	clock core.Clock

	mu    sync.Mutex
	named map[string]*scope
}

// scope is one part. scopes.mu guards its times.
type scope struct {
	breaker *breaker
	used    time.Time
	failed  time.Time
}

func newScopes(cfg BreakerConfig, clock core.Clock) *scopes {
	return &scopes{cfg: cfg, clock: clock, named: map[string]*scope{}}
}

// get returns a scope. If there are too many, the least recently used one is dropped together with
// the state of its breaker.
func (s *scopes) get(name string) *scope {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.named[name]
	if !ok {
		s.evict()
		known = &scope{breaker: newBreaker(s.cfg, s.clock, func(state, time.Time) {})}
		s.named[name] = known
	}
	known.used = s.clock()
	return known
}

func (s *scopes) evict() {
	if len(s.named) < maxScopes {
		return
	}
	var idlest string
	for name, known := range s.named {
		if idlest == "" || known.used.Before(s.named[idlest].used) {
			idlest = name
		}
	}
	delete(s.named, idlest)
}

// fail records a failed call of a scope and reports whether so many scopes failed recently that the
// provider is at fault.
func (s *scopes) fail(failed *scope) (spread bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock()
	failed.failed = now
	lately := 0
	for _, known := range s.named {
		if age := now.Sub(known.failed); age >= 0 && age < s.cfg.Window {
			lately++
		}
	}
	return lately >= spreadScopes
}

// open returns the number of scopes whose breaker was open after the last call.
func (s *scopes) open() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.named {
		if known.breaker.is(open) {
			n++
		}
	}
	return n
}
