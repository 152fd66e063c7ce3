package recipients

import (
	"slices"
	"sync"
	"time"
)

const (
	remembered     = 200 // latencies of a provider
	leastLatencies = 20  // that prove anything
	leastPatience  = 100 * time.Millisecond
)

// latencies are how long providers took lately: for what they answered, and for what they had not answered when nobody waited any
// more. Without the latter the slow answers that a quicker provider made superfluous would be missing, and patience would dwindle.
type latencies struct {
	mu sync.Mutex
	of map[string]*window
}

// window is the latest latencies, in a ring.
type window struct {
	samples [remembered]time.Duration
	count   int
}

func (l *latencies) note(provider string, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.of[provider]
	if w == nil {
		w = &window{}
		l.of[provider] = w
	}
	w.samples[w.count%remembered] = took
	w.count++
}

// patience is how long to wait for a provider before another one is asked too: what 19 of 20 of its answers took, or false where
// too few are known.
func (l *latencies) patience(provider string) (time.Duration, bool) {
	l.mu.Lock()
	w := l.of[provider]
	if w == nil || w.count < leastLatencies {
		l.mu.Unlock()
		return 0, false
	}
	sorted := slices.Clone(w.samples[:min(w.count, remembered)])
	l.mu.Unlock()
	slices.Sort(sorted)
	return max(sorted[(len(sorted)*95+99)/100-1], leastPatience), true
}
