package market

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"causeway/core"
)

// timeline holds all settings of a market with their times: past, present and future ones. Of a pair, no two
// overlap. A newer setting that moves an asset ends the move before. A timeline never changes; a change makes a
// new one.
type timeline struct {
	settings []*applied // in the order of their beginnings
}

// applied is a setting with its time.
type applied struct {
	Setting

	pair        core.Pair
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

// with returns the timeline with one more setting. It ends the setting of its pair that is in force then and
// replaces settings that would begin during its time.
func (l *timeline) with(add *applied) *timeline {
	var all []*applied
	for _, s := range l.settings {
		switch {
		case s.pair != add.pair || s.over(add.from):
			all = append(all, s)
		case s.from.Before(add.from):
			all = append(all, s.endedAt(add.from))
		case !add.until.IsZero() && !s.from.Before(add.until):
			all = append(all, s)
		}
	}
	place := slices.IndexFunc(all, func(s *applied) bool { return s.from.After(add.from) })
	if place < 0 {
		place = len(all)
	}
	return &timeline{slices.Insert(all, place, add)}
}

// at returns the setting of a pair in force at an instant, or nil.
func (l *timeline) at(pair core.Pair, at time.Time) *applied {
	for _, s := range slices.Backward(l.settings) {
		if s.pair != pair || s.from.After(at) {
			continue
		}
		if s.over(at) {
			return nil
		}
		return s
	}
	return nil
}

func (l *timeline) state(venue string, pair core.Pair, at time.Time) State {
	if s := l.at(pair, at); s != nil {
		return cmp.Or(s.Venues[venue].State, Up)
	}
	return Up
}

// pairs returns the pairs that are in a state at a venue at an instant, Up excepted.
func (l *timeline) pairs(venue string, state State, at time.Time) (out []core.Pair) {
	for _, s := range l.settings {
		if s.Venues[venue].State == state && l.at(s.pair, at) == s {
			out = append(out, s.pair)
		}
	}
	return out
}

// move returns the move of an asset in force at an instant, or nil.
func (l *timeline) move(code string, t instant) *move {
	for _, s := range slices.Backward(l.settings) {
		if s.move == nil || s.move.asset.code != code || s.move.from > t {
			continue
		}
		if !s.until.IsZero() && instantOf(s.until) <= t {
			return nil
		}
		return s.move
	}
	return nil
}

// pinned returns the exact price to which a pair is pinned at an instant.
func (l *timeline) pinned(base, counter *asset, t instant) (number, bool) {
	for _, side := range [...][2]*asset{{base, counter}, {counter, base}} {
		v := l.move(side[0].code, t)
		if v != nil && v.pin != (number{}) && v.drift == 0 && v.volatility == 0 && v.anchor == side[1] && v.base == base {
			return v.pin, true
		}
	}
	return number{}, false
}

// edge returns the last instant up to t at which a price may have jumped, or 0.
func (l *timeline) edge(t instant) (edge instant) {
	for _, s := range l.settings {
		if s.move == nil || s.move.from > t {
			continue
		}
		edge = max(edge, s.move.from)
		if end := instantOf(s.until); !s.until.IsZero() && end <= t {
			edge = max(edge, end)
		}
	}
	return edge
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
	asset *asset
	from  instant
	drift int64 // of the asset, in basis points per minute

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
