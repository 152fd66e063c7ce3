package upstream

import (
	"sync"
	"time"

	"causeway/core"
)

const (
	// maxScopes is how many scopes of a provider are remembered; Nigeria has some 600 institutions.
	maxScopes = 1000
	// spreadScopes is how many scopes must have failed for their failures to be the provider's.
	spreadScopes = 3
)

// scopes are the parts of a provider that may be down alone, such as the banks behind it: each has a breaker of its own.
type scopes struct {
	cfg   BreakerConfig
	clock core.Clock

	mu    sync.Mutex
	named map[string]*scope
}

// scope is one part. Its times are guarded by the scopes' lock.
type scope struct {
	breaker *breaker
	used    time.Time
	failed  time.Time
}

func newScopes(cfg BreakerConfig, clock core.Clock) *scopes {
	return &scopes{cfg: cfg, clock: clock, named: map[string]*scope{}}
}

// get returns a scope by its name. Where there are too many, the one that was asked for least lately is forgotten, with what it
// is known for: whoever comes back to it begins with a closed breaker.
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

// fail notes that a question about a scope failed, and reports whether so many did lately that it is the provider's failure.
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

// open counts the scopes whose breakers were open when they were last asked.
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
