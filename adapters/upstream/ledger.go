package upstream

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"causeway/core"
)

// Month is the longest one: whoever keeps a limit in any 31 days keeps it in every calendar month.
const Month = 31 * 24 * time.Hour

const longestWindow = 366 * 24 * time.Hour

// Limit is how much a provider answers in any span of a length. Several may hold at once: ten a second and ten thousand a month.
type Limit struct {
	Calls int           // or what else the provider counts: see Question.Cost
	Per   time.Duration // a second to 366 days
}

// usable is what polling may use of a limit: all but a fifth, which is kept for the questions of clients (Question.Urgent). It is one call at least,
// so that a limit of one is not none.
func (l Limit) usable() int { return max(1, l.Calls/5*4+l.Calls%5*4/5) }

// checkLimits returns every fault of a provider's limits.
func checkLimits(provider string, limits []Limit) error {
	var faults []error
	for i, l := range limits {
		if l.Calls < 1 || l.Per < time.Second || l.Per > longestWindow {
			faults = append(faults, fmt.Errorf("%s: a limit of %d calls in %s; accepted: 1 or more in 1s to %s", provider, l.Calls, l.Per, longestWindow))
		}
		if slices.ContainsFunc(limits[:i], func(other Limit) bool { return other.Per == l.Per }) {
			faults = append(faults, fmt.Errorf("%s: two limits for %s", provider, l.Per))
		}
	}
	return errors.Join(faults...)
}

// Fits checks that a schedule keeps within a provider's limits: so many calls of such a cost (0: 1) at every interval. Calls that cannot
// all be made at once are spread over the interval only where a limit is about so short a span that questions wait for it.
func Fits(provider string, limits []Limit, interval time.Duration, calls, cost int) error {
	var faults []error
	cost = max(1, cost)
	for _, l := range limits {
		used, usable := polled(l, interval, calls*cost), l.usable()
		if used <= usable {
			continue
		}
		if calls*cost > usable && span(l.Per) > longestTurn {
			faults = append(faults, fmt.Errorf("%s: one poll would use %d calls of %d in %s; 80 %% may be used", provider, calls*cost, l.Calls, l.Per))
			continue
		}
		faults = append(faults, fmt.Errorf("%s: polled every %s it would use %d calls of %d in %s; 80 %% may be used: poll every %s or less often",
			provider, interval, used, l.Calls, l.Per, least(l, calls*cost)))
	}
	return errors.Join(faults...)
}

// polled is how much of a limit a schedule uses at most. In a span longer than the interval it is whole polls.
func polled(l Limit, interval time.Duration, poll int) int {
	if interval <= 0 {
		return l.Calls + 1
	}
	if span(l.Per) > longestTurn {
		return poll * int((l.Per+interval-1)/interval)
	}
	return int((time.Duration(poll)*l.Per + interval - 1) / interval)
}

// least is the shortest interval that keeps the limit, rounded up to seconds, or to minutes from ten on.
func least(l Limit, poll int) time.Duration {
	var interval time.Duration
	if span(l.Per) > longestTurn {
		interval = l.Per / time.Duration(l.usable()/poll)
	} else {
		interval = time.Duration(poll) * l.Per / time.Duration(l.usable())
	}
	unit := time.Second
	if interval > 10*time.Minute {
		unit = time.Minute
	}
	return (interval + unit - 1) / unit * unit
}

// ledger counts what a provider was asked against its limits, by the world's clock. It is deterministic: clock and costs in, waits out. A nil ledger
// has no limits. It is kept in memory alone: a new process begins with nothing used.
type ledger struct {
	clock core.Clock

	mu       sync.Mutex
	windows  []*window
	spent    time.Duration // for how long everything is used, by the provider's word
	spending time.Time     // since when
}

// newLedger makes a ledger of at least one limit, and shows how much of each is used.
func newLedger(provider string, limits []Limit, clock core.Clock, reg prometheus.Registerer) *ledger {
	l := &ledger{clock: clock}
	for _, limit := range limits {
		w := &window{limit: limit}
		l.windows = append(l.windows, w)
		promauto.With(reg).NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "causeway_upstream_quota_used_ratio",
			Help:        "The part of a provider's limit that is used now; 0.8 is what polling may use.",
			ConstLabels: prometheus.Labels{"provider": provider, "window": limit.Per.String()},
		}, func() float64 { return l.ratio(w) })
	}
	return l
}

func (l *ledger) ratio(w *window) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock()
	w.turn(now)
	if l.quiet(now) > 0 {
		return 1
	}
	return float64(w.sum()) / float64(w.limit.Calls)
}

// take books a call, or says after which wait there is room for it.
func (l *ledger) take(cost int, urgent bool) time.Duration {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now, cost := l.clock(), max(1, cost)
	wait := l.quiet(now)
	for _, w := range l.windows {
		most := w.limit.usable()
		if urgent {
			most = w.limit.Calls
		}
		w.turn(now)
		wait = max(wait, w.room(now, most-cost))
	}
	if wait == 0 {
		for _, w := range l.windows {
			*w.at(w.newest) += cost
		}
	}
	return wait
}

// spend takes the provider's word that its limits are used up: for as long as it told, and at least for the shortest of them.
func (l *ledger) spend(told time.Duration) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	shortest := quietTime
	for _, w := range l.windows {
		shortest = min(shortest, w.limit.Per)
	}
	l.spent, l.spending = max(told, shortest), l.clock()
}

// quiet is how long everything is still used by the provider's word; never longer than it told, also where the clock was set back since.
func (l *ledger) quiet(now time.Time) time.Duration {
	if now.Before(l.spending) {
		l.spending = now
	}
	return max(0, l.spent-now.Sub(l.spending))
}

// pieces of a window. What was used in one is forgotten when all of it is older than the window: a hundredth of the window too late, never
// too early.
const pieces = 100

// span is how long what was used at the beginning of a piece is counted.
func span(per time.Duration) time.Duration { return per / pieces * (pieces + 1) }

// window counts against one limit.
type window struct {
	limit  Limit
	newest int64 // piece of time since 1970
	used   [pieces + 1]int
}

func (w *window) piece() time.Duration { return w.limit.Per / pieces }

// at is what was used in a piece.
func (w *window) at(piece int64) *int { return &w.used[((piece%(pieces+1))+pieces+1)%(pieces+1)] }

// turn forgets what is older than the window. If the clock was set back time stands still until it has caught up; if by more than a
// window, the count starts over.
func (w *window) turn(now time.Time) {
	piece := now.UnixNano() / int64(w.piece())
	switch ahead := piece - w.newest; {
	case ahead > pieces, ahead < -pieces:
		w.used, w.newest = [pieces + 1]int{}, piece
	case ahead > 0:
		for ; w.newest < piece; w.newest++ {
			*w.at(w.newest + 1) = 0
		}
	}
}

func (w *window) sum() (used int) {
	for _, n := range w.used {
		used += n
	}
	return used
}

// room says after which wait no more than most is used. Where that is never, it is a whole window.
func (w *window) room(now time.Time, most int) time.Duration {
	if most < 0 {
		return w.limit.Per
	}
	over := w.sum() - most
	if over <= 0 {
		return 0
	}
	piece := w.newest - pieces
	for ; ; piece++ {
		if over -= *w.at(piece); over <= 0 {
			break
		}
	}
	return time.Duration((piece+pieces+1)*int64(w.piece()) - now.UnixNano())
}
