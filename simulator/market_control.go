package simulator

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"causeway/core"
)

// control is what is done to a book at an instant.
type control struct {
	at     time.Time // as of which the venue tells: the instant, or the one at which it paused
	half   int64     // half the spread, in parts per billion
	offset int64     // in parts per billion
	lag    *int64    // in milliseconds; nil: the venue's own
}

func (l *timeline) control(venue string, pair core.Pair, b *book, at time.Time) control {
	c := control{at: at, half: b.half}
	e := l.at(pair, at)
	if e == nil {
		return c
	}
	if since, paused := e.paused[venue]; paused {
		c.at = since
		if e = l.at(pair, since); e == nil {
			return c
		}
	}
	if e.SpreadBPS > 0 {
		c.half = e.SpreadBPS * bp / 2
	}
	c.offset, c.lag = e.Venues[venue].OffsetBPS*bp, e.Venues[venue].LagMS
	return c
}

// seen is the instant whose true price the venue shows. Its own lag does not reach back behind a jump: what is done to the market
// is done to all venues at once.
func (c control) seen(line *timeline, b *book, key uint64) instant {
	if c.lag != nil {
		return instantOf(c.at.Add(-time.Duration(*c.lag) * time.Millisecond))
	}
	t := instantOf(c.at)
	if b.steady {
		return t
	}
	behind := (noise{mix(key + 2)}.layer(t, lagLayer) + halfRange) * int64(maxLag) / (2 * halfRange)
	return max(instantOf(c.at.Add(-time.Duration(behind))), line.edge(t))
}

// freedom says how freely an asset moves: of two, the freer one does. Rates fixed by treaty do not move, and no venue quotes them.
func (a asset) freedom() int {
	switch {
	case a.code == "USD":
		return 0
	case a.kind == stable && a.peg == "USD":
		return 1
	case a.kind == fiat || a.kind == pegged:
		return 2
	case a.kind == stable:
		return 3
	default:
		return 4
	}
}

// change is a setting that is to be made.
type change struct {
	pair        core.Pair
	setting     Setting
	from, until time.Time
}

// Set does something to the market of a pair, from an instant until another; the zero time is never. It takes the place of what was
// set for the pair. The error names everything that is not accepted, and then nothing is changed.
func (m *Market) Set(pair core.Pair, s Setting, from, until time.Time) error {
	return m.apply([]change{{pair: pair, setting: s, from: from, until: until}})
}

// apply makes all of the changes, one after the other, or none.
func (m *Market) apply(changes []change) error {
	for _, c := range changes {
		if len(m.venuesOf(c.pair)) == 0 {
			_, err := m.Pair(c.pair.String())
			return err
		}
		if err := c.setting.check(m, c.pair); err != nil {
			return err
		}
	}
	m.changing.Lock()
	defer m.changing.Unlock()
	line := m.line.Load()
	for _, c := range changes {
		var room bool
		if line, room = line.forget(c.from); !room {
			return core.InvalidField("pair", "%s: %d settings are in force or to come; accepted: no more before some are lifted", c.pair, mostEntries)
		}
		c.setting.Venues = maps.Clone(c.setting.Venues)
		e := &entry{Setting: c.setting, pair: c.pair, from: c.from, until: c.until, paused: line.pauses(c.pair, c.setting, c.from)}
		if c.setting.moves() {
			e.move = m.begin(line, c.pair, c.setting, c.from)
		}
		line = line.with(e)
	}
	m.line.Store(line)
	return nil
}

// pauses says since when a pair is paused at the venues that a setting pauses: those that are paused already stay where they are.
func (l *timeline) pauses(pair core.Pair, s Setting, from time.Time) map[string]time.Time {
	out := map[string]time.Time{}
	before := l.at(pair, from)
	for name, v := range s.Venues {
		if v.State != VenuePaused {
			continue
		}
		out[name] = from
		if before != nil && !before.paused[name].IsZero() {
			out[name] = before.paused[name]
		}
	}
	return out
}

// frame makes the move of a setting, all but how high the price is then, which a pin alone tells. It returns the currency that does not move too, and
// the sign of the one that does: 1 for the base, -1 for the counter.
func (m *Market) frame(pair core.Pair, s Setting, from time.Time) (v *move, other *quoted, sign int64) {
	base, counter := m.assets[pair.Base], m.assets[pair.Counter]
	v = &move{asset: base, from: instantOf(from), base: base}
	other, sign = counter, 1
	if counter.free > base.free {
		v.asset, other, sign = counter, base, -1
	}
	if s.Drift != nil {
		v.drift = sign * *s.Drift
	}
	if s.Volatility != nil {
		v.volatility = *s.Volatility
	}
	if s.Pin != "" {
		v.ref, v.base = other, base
		v.pin, _ = parseNumber(s.Pin) // it was checked
		if v.worth = v.pin; sign < 0 {
			v.worth = one.over(v.pin)
		}
	} else if s.Volatility != nil {
		v.ref = other
	}
	return v, other, sign
}

// begin makes the move of a setting, from the price as it is then.
func (m *Market) begin(line *timeline, pair core.Pair, s Setting, from time.Time) *move {
	v, other, sign := m.frame(pair, s, from)
	if s.Pin != "" {
		return v
	}
	now := m.price(line, v.asset, v.from)
	if factor := normal(uint64(10_000+s.JumpBPS), -4); s.JumpBPS != 0 { //nolint:gosec // it was checked
		if sign < 0 {
			factor = one.over(factor)
		}
		now = now.times(factor)
	}
	if s.Volatility != nil {
		v.worth = now.over(m.price(line, other, v.from))
		return v
	}
	v.height = now.over(m.natural(line, v.asset, v.from))
	return v
}

// Lift ends what is done to the market of a pair, and what was going to be. It is core.NotFound where there is nothing to end.
func (m *Market) Lift(pair core.Pair, at time.Time) error {
	m.changing.Lock()
	defer m.changing.Unlock()
	line, found := m.line.Load().without(pair, at)
	if !found {
		return core.Errorf(core.NotFound, "Nothing is set for %s", pair)
	}
	m.line.Store(line)
	return nil
}

// Changed returns the pairs with a setting that is in force at an instant or begins later, sorted.
func (m *Market) Changed(at time.Time) (pairs []core.Pair) {
	m.line.Load().each(func(e *entry) {
		if e.until.IsZero() || e.until.After(at) {
			pairs = append(pairs, e.pair)
		}
	})
	return slices.Compact(pairs)
}

// Reset makes the market what it was before anything was set, in the past too.
func (m *Market) Reset() {
	m.changing.Lock()
	defer m.changing.Unlock()
	m.line.Store(nil)
}

// Settings returns what is done to which pair at an instant. The caller owns it.
func (m *Market) Settings(at time.Time) map[core.Pair]Setting {
	out := map[core.Pair]Setting{}
	if line := m.line.Load(); line != nil {
		for pair := range line.entries {
			if e := line.at(pair, at); e != nil {
				s := e.Setting
				s.Venues = maps.Clone(s.Venues)
				out[pair] = s
			}
		}
	}
	return out
}

// Traded returns the pairs that a venue lists at an instant, sorted: Listed, less the absent ones.
func (m *Market) Traded(venue string, at time.Time) []core.Pair {
	line := m.line.Load()
	return slices.DeleteFunc(m.Listed(venue), func(pair core.Pair) bool { return line.state(venue, pair, at) == VenueAbsent })
}

// Down reports whether a venue answers nobody at an instant.
func (m *Market) Down(venue string, at time.Time) bool {
	line := m.line.Load()
	if line == nil || m.venues[venue] == nil {
		return false
	}
	return slices.ContainsFunc(m.venues[venue].pairs, func(pair core.Pair) bool { return line.state(venue, pair, at) == VenueDown })
}

// State is how a venue deals with a pair at an instant.
func (m *Market) State(venue string, pair core.Pair, at time.Time) State {
	return cmp.Or(m.line.Load().state(venue, pair, at), VenueUp)
}

func (l *timeline) state(venue string, pair core.Pair, at time.Time) State {
	if e := l.at(pair, at); e != nil {
		return e.Venues[venue].State
	}
	return VenueUp
}
