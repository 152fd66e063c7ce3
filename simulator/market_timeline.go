package simulator

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"causeway/core"
)

// mostEntries are the settings that a world remembers. Those that ended are forgotten first.
const mostEntries = 2000

// timeline is every setting of a market with its times: what was, is and will be done to it. It is never changed, so that whoever asks
// about an instant gets one answer; control makes a new one. A nil timeline is an empty one.
type timeline struct {
	entries map[core.Pair][]*entry // in the order of time, never two at once
	moves   map[string][]*move     // by asset, likewise
	edges   []instant              // at which a price may jump, sorted
	count   int
	made    uint64 // so far
}

// entry is a setting with its time.
type entry struct {
	Setting

	pair        core.Pair
	made        uint64    // of two that begin at the same instant the later one counts
	from, until time.Time // until: zero is never
	move        *move     // what it does to the price as it was made; nil: nothing
	paused      map[string]time.Time
}

// at is the last of a list that is in force at an instant.
func (l *timeline) at(pair core.Pair, at time.Time) *entry {
	if l == nil {
		return nil
	}
	for _, e := range slices.Backward(l.entries[pair]) {
		if !e.from.After(at) {
			if e.until.IsZero() || e.until.After(at) {
				return e
			}
			return nil
		}
	}
	return nil
}

// move is the one that is in force for an asset at an instant.
func (l *timeline) move(asset string, t instant) *move {
	if l == nil {
		return nil
	}
	for _, v := range slices.Backward(l.moves[asset]) {
		if v.from <= t {
			if v.until == 0 || v.until > t {
				return v
			}
			return nil
		}
	}
	return nil
}

// pinned is what a pair of currencies is pinned to at an instant, exactly as it was written.
func (l *timeline) pinned(base, counter *quoted, t instant) (number, bool) {
	if l == nil {
		return number{}, false
	}
	for _, side := range [...][2]*quoted{{base, counter}, {counter, base}} {
		if v := l.move(side[0].code, t); v != nil && v.still() && v.ref == side[1] && v.base == base {
			return v.pin, true
		}
	}
	return number{}, false
}

// edge is the latest instant up to t at which a price may have jumped; 0 where none did.
func (l *timeline) edge(t instant) instant {
	if l == nil {
		return 0
	}
	i := sort.Search(len(l.edges), func(i int) bool { return l.edges[i] > t })
	if i == 0 {
		return 0
	}
	return l.edges[i-1]
}

// with is the timeline with one more setting, which ends the ones of its pair that it meets and takes the place of those that would begin
// during its time.
func (l *timeline) with(add *entry) *timeline {
	if add.made = 1; l != nil {
		add.made += l.made
	}
	entries := []*entry{add}
	l.each(func(e *entry) {
		if e.pair != add.pair || !e.until.IsZero() && !e.until.After(add.from) {
			entries = append(entries, e)
			return
		}
		if e.from.Before(add.from) {
			entries = append(entries, e.ended(add.from))
		} else if !add.until.IsZero() && !e.from.Before(add.until) {
			entries = append(entries, e)
		}
	})
	return lineUp(entries)
}

// without is the timeline with everything of a pair ended at an instant. It is false where there is nothing to end.
func (l *timeline) without(pair core.Pair, at time.Time) (*timeline, bool) {
	var entries []*entry
	found := false
	l.each(func(e *entry) {
		switch over := !e.until.IsZero() && !e.until.After(at); {
		case e.pair != pair || over:
			entries = append(entries, e)
		default:
			found = true
			if e.from.Before(at) {
				entries = append(entries, e.ended(at))
			}
		}
	})
	return lineUp(entries), found
}

func (e *entry) ended(at time.Time) *entry {
	again := *e
	again.until = at
	return &again
}

func (l *timeline) each(f func(*entry)) {
	if l == nil {
		return
	}
	for _, pair := range slices.SortedFunc(maps.Keys(l.entries), comparePairs) {
		for _, e := range l.entries[pair] {
			f(e)
		}
	}
}

func comparePairs(a, b core.Pair) int {
	return cmp.Or(strings.Compare(a.Base, b.Base), strings.Compare(a.Counter, b.Counter))
}

// forget leaves out the settings that ended first, as many as it takes to have room. It is false where none ended.
func (l *timeline) forget(now time.Time) (*timeline, bool) {
	if l == nil || l.count < mostEntries {
		return l, true
	}
	var oldest *entry
	l.each(func(e *entry) {
		if !e.until.IsZero() && !e.until.After(now) && (oldest == nil || e.until.Before(oldest.until)) {
			oldest = e
		}
	})
	if oldest == nil {
		return l, false
	}
	var entries []*entry
	l.each(func(e *entry) {
		if e != oldest {
			entries = append(entries, e)
		}
	})
	return lineUp(entries), true
}

// lineUp makes a timeline of entries of which no two of a pair are in force at once.
func lineUp(entries []*entry) *timeline {
	l := &timeline{entries: map[core.Pair][]*entry{}, moves: map[string][]*move{}, count: len(entries)}
	slices.SortFunc(entries, func(a, b *entry) int { return cmp.Or(a.from.Compare(b.from), cmp.Compare(a.made, b.made)) })
	for _, e := range entries {
		l.made = max(l.made, e.made)
		l.entries[e.pair] = append(l.entries[e.pair], e)
		if e.move == nil {
			continue
		}
		v := *e.move
		if v.until = 0; !e.until.IsZero() {
			v.until = instantOf(e.until)
		}
		moves := l.moves[v.asset.code]
		if n := len(moves); n > 0 && (moves[n-1].until == 0 || moves[n-1].until > v.from) {
			moves[n-1].until = v.from
		}
		l.moves[v.asset.code] = append(moves, &v)
	}
	for _, moves := range l.moves {
		for _, v := range moves {
			l.edges = append(l.edges, v.from)
			if v.until != 0 {
				l.edges = append(l.edges, v.until)
			}
		}
	}
	slices.Sort(l.edges)
	l.edges = slices.Compact(l.edges)
	return l
}
