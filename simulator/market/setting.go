package market

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/input"
)

// State is the state of a pair at a venue.
type State string

// The states of a pair at a venue.
const (
	Up     State = "up"
	Down   State = "down"   // the venue does not respond at all
	Paused State = "paused" // the venue repeats its last prices as current ones
	Absent State = "absent" // the venue does not list the pair
)

// Setting changes the market of a pair. The zero Setting changes nothing.
//
// A price moves by moving one of the two currencies of the pair, together with all other pairs of that
// currency at all venues, so that no arbitrage arises: a coin rather than a stablecoin, a stablecoin rather
// than its peg, a fiat currency rather than a stablecoin of the dollar. A newer setting that moves the same
// currency replaces the older one. Official rates do not change.
type Setting struct {
	Pin        string `json:"pin,omitempty" doc:"Price of one base currency in the counter currency, a decimal" example:"1400.50"`
	JumpBPS    int64  `json:"jump_bps,omitempty" doc:"Moves the price once by this many basis points"`
	Drift      *int64 `json:"drift,omitempty" doc:"Basis points per minute, compounded, from the present price"`
	Volatility *int64 `json:"volatility,omitempty" doc:"Percent per year instead of the usual volatility; 0: the price stands still"`
	SpreadBPS  int64  `json:"spread_bps,omitempty" doc:"Spread between bid and ask in basis points at all venues; 0: the usual spread of each" example:"20"`

	Venues map[string]VenueSetting `json:"venues,omitempty" doc:"What changes at each venue, by its name"`
}

// VenueSetting changes a pair at one venue.
type VenueSetting struct {
	OffsetBPS int64  `json:"offset_bps,omitempty" doc:"How far the price of the venue is off, in basis points" example:"-150"`
	LagMS     *int64 `json:"lag_ms,omitempty" doc:"How far the venue is behind, in milliseconds, instead of its usual lag" example:"2000"`
	State     State  `json:"state,omitempty" doc:"up, down (the venue does not respond), paused (it repeats its last prices) or absent (it does not list the pair)" example:"up"`
}

// Limits of settings.
const (
	maxFactor     = 10_000 // a price stays within this factor of the reference price of its pair
	maxDrift      = 100_000
	maxVolatility = 1_000
	minOffset     = -9_900
	maxJump       = 1_000_000
	maxOffset     = 100_000
	maxSpread     = 5_000
	maxLagMS      = 3_600_000
	maxSettings   = 500 // of a market, past ones included
)

// moves reports whether the setting changes the reference price.
func (s Setting) moves() bool {
	return s.Pin != "" || s.JumpBPS != 0 || s.Drift != nil || s.Volatility != nil
}

func (s Setting) clone() Setting {
	s.Venues = maps.Clone(s.Venues)
	return s
}

// check returns all errors of a setting of a listed pair.
func (s Setting) check(m *Market, pair core.Pair) error {
	var e input.Errors
	if s.Pin != "" {
		par := m.assets[pair.Base].par.over(m.assets[pair.Counter].par)
		low, high := par.over(normal(maxFactor, 0)), par.times(normal(maxFactor, 0))
		pin, err := parseNumber(s.Pin)
		e.Require(err == nil && !pin.less(low) && !high.less(pin), "pin", s.Pin,
			fmt.Sprintf("a decimal from %s to %s", low.amount(3).String(), high.amount(3).String()))
	}
	e.Require(s.Pin == "" || s.JumpBPS == 0, "jump_bps", s.JumpBPS, "either a pin or a jump")
	e.Range("jump_bps", s.JumpBPS, minOffset, maxJump)
	if s.Drift != nil {
		e.Range("drift", *s.Drift, -maxDrift, maxDrift)
	}
	if s.Volatility != nil {
		e.Range("volatility", *s.Volatility, 0, maxVolatility)
	}
	e.Range("spread_bps", s.SpreadBPS, 0, maxSpread)
	for _, name := range slices.Sorted(maps.Keys(s.Venues)) {
		v, at, listing := s.Venues[name], "venues."+name, m.venuesOf(pair)
		e.Require(slices.Contains(listing, name), at, "it has no book of "+pair.String(), strings.Join(listing, ", "))
		e.Range(at+".offset_bps", v.OffsetBPS, minOffset, maxOffset)
		if v.LagMS != nil {
			e.Range(at+".lag_ms", *v.LagMS, 0, maxLagMS)
		}
		e.Require(slices.Contains([]State{"", Up, Down, Paused, Absent}, v.State), at+".state", v.State,
			"up, down, paused, absent")
	}
	return e.Err()
}

// venuesOf returns the venues that have a book of a pair, sorted.
func (m *Market) venuesOf(pair core.Pair) []string {
	var out []string
	for name, books := range m.books {
		if books[pair] != nil {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Pair finds a pair with a book at any venue, by its ID ("BTCUSDT") or with a slash.
func (m *Market) Pair(id string) (core.Pair, error) {
	bases, similar := map[string]bool{}, map[string]bool{}
	for _, pairs := range m.pairs {
		for _, pair := range pairs {
			if pair.ID() == id || pair.String() == id {
				return pair, nil
			}
			bases[pair.Base] = true
			if strings.HasPrefix(id, pair.Base) {
				similar[pair.String()] = true
			}
		}
	}
	accepted := "pairs of " + strings.Join(slices.Sorted(maps.Keys(bases)), ", ")
	if len(similar) > 0 {
		accepted = strings.Join(slices.Sorted(maps.Keys(similar)), ", ")
	}
	return core.Pair{}, core.InvalidField("pair", "%q has no book at any venue; accepted: %s", id, accepted)
}

// Change is a setting to apply from one time until another; the zero time is never.
type Change struct {
	Pair        core.Pair
	Setting     Setting
	From, Until time.Time
}

// Set changes the market of a pair from one time until another; the zero time is never. It replaces the
// previous setting of the pair.
func (m *Market) Set(pair core.Pair, s Setting, from, until time.Time) error {
	return m.Apply([]Change{{Pair: pair, Setting: s, From: from, Until: until}})
}

// Apply makes all of the changes in their order, or none if one is invalid.
func (m *Market) Apply(changes []Change) error {
	for _, c := range changes {
		if len(m.venuesOf(c.Pair)) == 0 {
			_, err := m.Pair(c.Pair.String())
			return err
		}
		if err := c.Setting.check(m, c.Pair); err != nil {
			return err
		}
	}
	m.changing.Lock()
	defer m.changing.Unlock()
	line := m.timeline.Load()
	for _, c := range changes {
		if len(line.settings) >= maxSettings {
			line = &timeline{slices.DeleteFunc(slices.Clone(line.settings), func(s *applied) bool { return s.over(c.From) })}
		}
		if len(line.settings) >= maxSettings {
			return core.InvalidField("pair",
				"%s: %d settings are in force or to come; accepted: no more before some are removed",
				c.Pair, maxSettings)
		}
		s := &applied{Setting: c.Setting.clone(), pair: c.Pair, from: c.From, until: c.Until}
		s.paused = line.paused(c.Pair, c.Setting, c.From)
		if c.Setting.moves() {
			s.move = m.begin(line, c.Pair, c.Setting, c.From)
		}
		line = line.with(s)
	}
	m.timeline.Store(line)
	return nil
}

// begin returns the move of a setting. Without a pin it starts at the present price.
func (m *Market) begin(line *timeline, pair core.Pair, s Setting, from time.Time) *move {
	base, counter := m.assets[pair.Base], m.assets[pair.Counter]
	v, other, inverse := &move{asset: base, from: instantOf(from), base: base}, counter, false
	if counter.rank > base.rank { // the counter moves the other way
		v.asset, other, inverse = counter, base, true
	}
	if s.Drift != nil {
		if v.drift = *s.Drift; inverse {
			v.drift = -v.drift
		}
	}
	if s.Volatility != nil {
		v.volatility, v.anchor = *s.Volatility, other
	}
	if s.Pin != "" {
		v.anchor = other
		v.pin, _ = parseNumber(s.Pin) // checked
		if v.start = v.pin; inverse {
			v.start = one.over(v.pin)
		}
		return v
	}
	factor := normal(uint64(10_000+s.JumpBPS), -4) //nolint:gosec // checked
	if inverse {
		factor = one.over(factor)
	}
	before := m.natural(line, v.asset, v.from)
	if v.anchor != nil {
		before = m.price(line, other, v.from)
	}
	v.start = m.price(line, v.asset, v.from).times(factor).over(before)
	return v
}

// Lift ends the setting of a pair and removes those to come. It returns core.NotFound if there is none.
func (m *Market) Lift(pair core.Pair, at time.Time) error {
	m.changing.Lock()
	defer m.changing.Unlock()
	var kept []*applied
	found := false
	for _, s := range m.timeline.Load().settings {
		switch {
		case s.pair != pair || s.over(at):
			kept = append(kept, s)
		default:
			found = true
			if s.from.Before(at) {
				kept = append(kept, s.endedAt(at))
			}
		}
	}
	if !found {
		return core.Errorf(core.NotFound, "Nothing is set for %s", pair)
	}
	m.timeline.Store(&timeline{kept})
	return nil
}

// Changed returns the pairs with a setting that is in force or to come, sorted.
func (m *Market) Changed(at time.Time) (pairs []core.Pair) {
	for _, s := range m.timeline.Load().settings {
		if !s.over(at) && !slices.Contains(pairs, s.pair) {
			pairs = append(pairs, s.pair)
		}
	}
	slices.SortFunc(pairs, func(a, b core.Pair) int { return strings.Compare(a.String(), b.String()) })
	return pairs
}

// Settings returns the settings in force at an instant, by pair.
func (m *Market) Settings(at time.Time) map[core.Pair]Setting {
	out := map[core.Pair]Setting{}
	for _, s := range m.timeline.Load().settings {
		if !s.from.After(at) && !s.over(at) {
			out[s.pair] = s.clone()
		}
	}
	return out
}

// Changes returns the times at which settings begin or end, and the next one at which a magic pair
// jumps; zero times are none.
func (m *Market) Changes(now time.Time) (all []time.Time) {
	for _, s := range m.timeline.Load().settings {
		all = append(all, s.from, s.until)
	}
	if m.magic {
		all = append(all, now.Truncate(jumpEvery).Add(jumpEvery))
	}
	return all
}
