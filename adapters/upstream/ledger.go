package upstream

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"causeway/core"
)

// Month is the longest month: a limit that holds in any 31 days holds in every calendar month.
const Month = 31 * 24 * time.Hour

const longestWindow = 366 * 24 * time.Hour

// Limit is the number of calls that a provider allows in any period of a length. Several may apply
// at once: ten per second and ten thousand per month.
type Limit struct {
	Calls int           // or another unit of the provider; see Question.Cost
	Per   time.Duration // 1 s to 366 days
}

// usable returns the part of a limit that polling may use: all but the fifth reserved for urgent
// calls, and at least one call.
func (l Limit) usable() int { return max(1, l.Calls/5*4+l.Calls%5*4/5) }

// checkLimits returns every invalid limit of a provider.
func checkLimits(provider string, limits []Limit) error {
	var faults []error
	for i, l := range limits {
		if l.Calls < 1 || l.Per < time.Second || l.Per > longestWindow {
			faults = append(faults, fmt.Errorf("%s: a limit of %d calls in %s; accepted: 1 or more in 1s to %s",
				provider, l.Calls, l.Per, longestWindow))
		}
		if slices.ContainsFunc(limits[:i], func(other Limit) bool { return other.Per == l.Per }) {
			faults = append(faults, fmt.Errorf("%s: two limits for %s", provider, l.Per))
		}
	}
	return errors.Join(faults...)
}

// Fits checks that polling keeps within the limits of a provider: a number of calls of a cost (0:
// 1) per interval. Calls that exceed a limit at once are spread over the interval only if the limit
// is short enough that calls wait for it.
func Fits(provider string, limits []Limit, interval time.Duration, calls, cost int) error {
	var faults []error
	cost = max(1, cost)
	for _, l := range limits {
		used, usable := polled(l, interval, calls*cost), l.usable()
		if used <= usable {
			continue
		}
		if calls*cost > usable && span(l.Per) > longestTurn {
			faults = append(faults, fmt.Errorf("%s: one poll would use %d calls of %d in %s; 80 %% may be used",
				provider, calls*cost, l.Calls, l.Per))
			continue
		}
		faults = append(faults, fmt.Errorf("%s: polled every %s it would use %d calls of %d in %s; 80 %% may be used: "+
			"poll every %s or less often",
			provider, interval, used, l.Calls, l.Per, least(l, calls*cost)))
	}
	return errors.Join(faults...)
}

// polled returns the largest share of a limit that polling uses. A period longer than the interval
// contains whole polls.
func polled(l Limit, interval time.Duration, poll int) int {
	if interval <= 0 {
		return l.Calls + 1
	}
	if span(l.Per) > longestTurn {
		return poll * int((l.Per+interval-1)/interval)
	}
	return int((time.Duration(poll)*l.Per + interval - 1) / interval)
}

// least returns the shortest interval that keeps the limit, rounded up to seconds, or to minutes
// from ten minutes on.
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

// ledger counts calls against the limits of a provider by the injected clock. It is deterministic
// and lives in memory. A nil ledger has no limits.
type ledger struct {
	clock core.Clock

	mu       sync.Mutex
	windows  []*window
	spent    time.Duration // how long everything counts as used up after a throttled response
	spending time.Time     // since then
}

// newLedger creates a ledger of at least one limit.
func newLedger(limits []Limit, clock core.Clock) *ledger {
	l := &ledger{clock: clock}
	for _, limit := range limits {
		l.windows = append(l.windows, &window{limit: limit})
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

// take counts a call, or returns the time until there is room for it.
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

// spend marks all limits as used up: for the time that the provider stated, and at least for the
// period of the shortest limit.
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

// quiet returns how long all limits still count as used up: never longer than stated, also if the
// clock went back.
func (l *ledger) quiet(now time.Time) time.Duration {
	if now.Before(l.spending) {
		l.spending = now
	}
	return max(0, l.spent-now.Sub(l.spending))
}

// pieces is the number of slices of a window. Calls of a slice are forgotten when all of it is
// older than the window: up to a hundredth of the window late, never early.
const pieces = 100

// span returns how long a call at the beginning of a slice counts.
func span(per time.Duration) time.Duration { return per / pieces * (pieces + 1) }

// window counts calls against one limit.
type window struct {
	limit  Limit
	newest int64 // slice of time since 1970
	used   [pieces + 1]int
}

func (w *window) piece() time.Duration { return w.limit.Per / pieces }

// at returns the count of a slice.
func (w *window) at(piece int64) *int { return &w.used[((piece%(pieces+1))+pieces+1)%(pieces+1)] }

// turn forgets slices that are older than the window. If the clock goes back, time stands still
// until it has caught up; if it goes back by more than a window, the count starts over.
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

// room returns the time until no more than most is used. If that never happens, it returns the
// length of the window.
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
