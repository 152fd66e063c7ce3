package market

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
	"time"

	"causeway/core"
)

// timeline holds all settings of a market with their times: past, present and future ones. It never changes;
// a change makes a new one.
type timeline struct {
	settings []*applied               // in the order of their beginnings
	byPair   map[core.Pair][]*applied // likewise; of a pair, no two overlap
	moves    map[string][]*move       // by asset, likewise
	edges    []instant                // at which a price may jump, sorted
}

// applied is a setting with its time.
type applied struct {
	Setting

	pair        core.Pair
	made        int       // order of settings that begin at the same time
	from, until time.Time // until: zero is never
	move        *move     // nil: the setting does not change the reference price
	paused      map[string]time.Time
}

func (s *applied) over(at time.Time) bool { return !s.until.IsZero() && !s.until.After(at) }

func (s *applied) endedAt(at time.Time) *applied {
	ended := *s
	ended.until = at
	return &ended
}

// newTimeline returns a timeline of settings of which no two of a pair overlap. The moves of an asset may: a
// later one ends the one before.
func newTimeline(settings []*applied) *timeline {
	l := &timeline{settings: settings, byPair: map[core.Pair][]*applied{}, moves: map[string][]*move{}}
	slices.SortFunc(settings, func(a, b *applied) int { return cmp.Or(a.from.Compare(b.from), cmp.Compare(a.made, b.made)) })
	for _, s := range settings {
		l.byPair[s.pair] = append(l.byPair[s.pair], s)
		if s.move == nil {
			continue
		}
		v := *s.move
		if v.until = 0; !s.until.IsZero() {
			v.until = instantOf(s.until)
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
	return l
}

// with returns the timeline with one more setting. It ends the setting of its pair that is in force then and
// replaces those that would begin during its time.
func (l *timeline) with(add *applied) *timeline {
	all := []*applied{add}
	for _, s := range l.settings {
		add.made = max(add.made, s.made+1)
		switch {
		case s.pair != add.pair || s.over(add.from):
			all = append(all, s)
		case s.from.Before(add.from):
			all = append(all, s.endedAt(add.from))
		case !add.until.IsZero() && !s.from.Before(add.until):
			all = append(all, s)
		}
	}
	return newTimeline(all)
}

// at returns the setting of a pair in force at an instant, or nil.
func (l *timeline) at(pair core.Pair, at time.Time) *applied {
	for _, s := range slices.Backward(l.byPair[pair]) {
		if !s.from.After(at) {
			if s.over(at) {
				return nil
			}
			return s
		}
	}
	return nil
}

func (l *timeline) state(venue string, pair core.Pair, at time.Time) State {
	if s := l.at(pair, at); s != nil {
		return cmp.Or(s.Venues[venue].State, Up)
	}
	return Up
}

// move returns the move of an asset in force at an instant, or nil.
func (l *timeline) move(code string, t instant) *move {
	for _, v := range slices.Backward(l.moves[code]) {
		if v.from <= t {
			if v.until == 0 || v.until > t {
				return v
			}
			return nil
		}
	}
	return nil
}

// pinned returns the exact price to which a pair is pinned at an instant.
func (l *timeline) pinned(base, counter *asset, t instant) (number, bool) {
	if len(l.moves) == 0 {
		return number{}, false
	}
	for _, side := range [...][2]*asset{{base, counter}, {counter, base}} {
		v := l.move(side[0].code, t)
		if v != nil && v.pin != (number{}) && v.drift == 0 && v.volatility == 0 && v.anchor == side[1] && v.base == base {
			return v.pin, true
		}
	}
	return number{}, false
}

// edge returns the last instant up to t at which a price may have jumped, or 0.
func (l *timeline) edge(t instant) instant {
	i := sort.Search(len(l.edges), func(i int) bool { return l.edges[i] > t })
	if i == 0 {
		return 0
	}
	return l.edges[i-1]
}

// paused returns since when a pair is paused at the venues that a setting pauses. A venue that is paused
// already stays at its time.
func (l *timeline) paused(pair core.Pair, s Setting, from time.Time) map[string]time.Time {
	out := map[string]time.Time{}
	before := l.at(pair, from)
	for name, v := range s.Venues {
		if v.State != Paused {
			continue
		}
		out[name] = from
		if before != nil && !before.paused[name].IsZero() {
			out[name] = before.paused[name]
		}
	}
	return out
}

// move is the effect of a setting on the price of one asset from an instant on. It holds the price at which it
// begins, so every instant can be computed by itself.
type move struct {
	asset       *asset
	from, until instant // until: 0 is never
	drift       int64   // of the asset, in basis points per minute

	// The price is start times the price of the anchor, or without an anchor start times the natural price.
	anchor     *asset
	start      number
	volatility int64 // around the anchor, in percent per year

	base *asset // of the pair that was set
	pin  number // price of the pair as it was written; the zero number: none
}

// price returns the price of the asset in USD.
func (v *move) price(m *Market, line *timeline, t instant) number {
	x := v.drifted(t)
	if v.anchor == nil {
		return v.limited(m.natural(line, v.asset, t).times(v.start).grown(x))
	}
	if v.volatility != 0 {
		path := m.path(v.asset)
		x += (path.walk(t, allLayers) - path.walk(v.from, allLayers)) * v.volatility / 100
	}
	return v.limited(m.price(line, v.anchor, t).times(v.start).grown(x))
}

// limited limits a price to maxFactor times the reference price, either way.
func (v *move) limited(p number) number {
	limit := normal(maxFactor, 0)
	if low := v.asset.par.over(limit); p.less(low) {
		return low
	}
	if high := v.asset.par.times(limit); high.less(p) {
		return high
	}
	return p
}

// drifted returns the sum of the drift since the beginning: a logarithm in 2^-noiseBits, limited to what
// limited allows.
func (v *move) drifted(t instant) int64 {
	const (
		coarse  = 10 // binary digits of an instant that do not matter
		second  = uint64(time.Second/shortest) << (layerShift - coarse)
		longest = 30 * 24 * 3600 * second
		limit   = 20 << noiseBits // e^20 exceeds the ratio of any two prices
	)
	rate := uint64(max(v.drift, -v.drift)) //nolint:gosec // not negative
	hi, lo := bits.Mul64(rate*min(uint64(t-v.from)>>coarse, longest), 1<<noiseBits)
	quotient, _ := bits.Div64(hi, lo, 60*second*10_000) // hi is small: a month at the largest drift
	x := int64(min(quotient, limit))
	if v.drift < 0 {
		return -x
	}
	return x
}
