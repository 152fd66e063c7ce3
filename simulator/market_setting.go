package simulator

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"causeway/core"
)

// State says how a venue deals with a pair.
type State string

// The states. VenueUp is what a venue does by itself.
const (
	VenueUp     State = "up"
	VenueDown   State = "down"   // the venue answers nobody: what tells all its pairs in one answer is down for all of them
	VenuePaused State = "paused" // it repeats what it told last, as of now
	VenueAbsent State = "absent" // the pair is not in its answers: it is not traded there any more
)

// Setting is what is done to the market of a pair. The zero Setting does nothing.
//
// A price is moved by moving one of the pair's two currencies, so that all other pairs of that currency move along, at all venues,
// and no money can be made by going round: a coin rather than a stablecoin, a stablecoin rather than its peg, a fiat currency
// rather than the dollar's coins. A newer setting that moves the same currency takes the place of the older one for good. Official
// rates are not made at venues and stay what they are.
type Setting struct {
	Pin        string `json:"pin,omitempty" doc:"Price of one base currency in the counter currency, a decimal" example:"1400.50"`
	JumpBPS    int64  `json:"jump_bps,omitempty" doc:"Moves the price once by this many basis points"`
	Drift      *int64 `json:"drift,omitempty" doc:"Basis points per minute, compounded, from the present price"`
	Volatility *int64 `json:"volatility,omitempty" doc:"Percent per year instead of the usual volatility; 0: the price stands still"`
	SpreadBPS  int64  `json:"spread_bps,omitempty" doc:"Spread between bid and ask in basis points at all venues; 0: the usual spread of each" example:"20"`

	Venues map[string]VenueSetting `json:"venues,omitempty" doc:"What changes at each venue, by its name"`
}

// VenueSetting is what is done to a pair at one venue.
type VenueSetting struct {
	OffsetBPS int64  `json:"offset_bps,omitempty" doc:"How far the price of the venue is off, in basis points" example:"-150"`
	LagMS     *int64 `json:"lag_ms,omitempty" doc:"How far the venue is behind, in milliseconds, instead of its usual lag" example:"2000"`
	State     State  `json:"state,omitempty" doc:"up, down (the venue does not respond), paused (it repeats its last prices) or absent (it does not list the pair)" example:"up"`
}

// Limits of a setting.
const (
	most       = 10_000 // times the price that the world began with, or that part of it: no price goes further
	mostDrift  = 100_000
	mostSwing  = 1_000 // volatility, per cent a year
	deepest    = -9_900
	mostJump   = 1_000_000
	mostOffset = 100_000
	mostSpread = 5_000
	mostLag    = 3_600_000 // an hour
)

// moves reports whether the setting does something to the price itself.
func (s Setting) moves() bool {
	return s.Pin != "" || s.JumpBPS != 0 || s.Drift != nil || s.Volatility != nil
}

// check returns everything that is wrong with a setting of a pair that has a book.
func (s Setting) check(m *Market, pair core.Pair) error {
	var c checker
	need := c.need
	within := func(field string, value, low, high int64) {
		need(value >= low && value <= high, field, value, fmt.Sprintf("%d to %d", low, high))
	}
	if s.Pin != "" {
		low, high := m.bounds(pair)
		pin, err := parseNumber(s.Pin)
		need(err == nil && !pin.less(low) && !high.less(pin), "pin", s.Pin, fmt.Sprintf("a decimal from %s to %s", low.amount(3).Trimmed(), high.amount(3).Trimmed()))
	}
	need(s.Pin == "" || s.JumpBPS == 0, "jump_bps", s.JumpBPS, "either a pin or a jump")
	within("jump_bps", s.JumpBPS, deepest, mostJump)
	if s.Drift != nil {
		within("drift", *s.Drift, -mostDrift, mostDrift)
	}
	if s.Volatility != nil {
		within("volatility", *s.Volatility, 0, mostSwing)
	}
	within("spread_bps", s.SpreadBPS, 0, mostSpread)
	for _, name := range slices.Sorted(maps.Keys(s.Venues)) {
		v, at := s.Venues[name], "venues."+name+"."
		listing := m.venuesOf(pair)
		need(slices.Contains(listing, name), "venues."+name, "it has no book of "+pair.String(), strings.Join(listing, ", "))
		within(at+"offset_bps", v.OffsetBPS, deepest, mostOffset)
		if v.LagMS != nil {
			within(at+"lag_ms", *v.LagMS, 0, mostLag)
		}
		need(slices.Contains([]State{"", VenueUp, VenueDown, VenuePaused, VenueAbsent}, v.State), at+"state", v.State, "up, down, paused, absent")
	}
	return c.err()
}

// bounds are the lowest and the highest price that a pair may be given.
func (m *Market) bounds(pair core.Pair) (low, high number) {
	par := m.assets[pair.Base].par.over(m.assets[pair.Counter].par)
	return par.over(normal(most, 0)), par.times(normal(most, 0))
}

// venuesOf names the venues that have a book of a pair, sorted.
func (m *Market) venuesOf(pair core.Pair) []string {
	var out []string
	for name, v := range m.venues {
		if v.books[pair] != nil {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Pair finds a pair that some venue has a book of by its id ("BTCUSDT") or with a slash. The error names what is accepted.
func (m *Market) Pair(id string) (core.Pair, error) {
	books := map[string]bool{}
	like := map[string]bool{} // those of a base that the id begins with
	for _, v := range m.venues {
		for _, pair := range v.pairs {
			if pair.ID() == id || pair.String() == id {
				return pair, nil
			}
			books[pair.Base] = true
			if strings.HasPrefix(id, pair.Base) {
				like[pair.String()] = true
			}
		}
	}
	if len(like) > 0 {
		return core.Pair{}, core.InvalidField("pair", "%q has no book at any venue; accepted: %s", id, strings.Join(slices.Sorted(maps.Keys(like)), ", "))
	}
	return core.Pair{}, core.InvalidField("pair", "%q has no book at any venue; accepted: pairs of %s", id, strings.Join(slices.Sorted(maps.Keys(books)), ", "))
}
