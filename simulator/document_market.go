package simulator

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/core"
)

// SettingState is a setting of a market with its time, as a document has it.
type SettingState struct {
	Pair   string               `json:"pair" doc:"The pair" example:"USDT/NGN"`
	From   time.Time            `json:"from" doc:"When the setting started" example:"2026-11-16T12:00:00Z"`
	Until  time.Time            `json:"until,omitzero" doc:"When the setting ends; absent: never"`
	Paused map[string]time.Time `json:"paused,omitempty" doc:"Since when each venue is paused"`
	Level  string               `json:"level,omitempty" doc:"Price when the setting was made, as coefficient and power of ten"`

	Setting
}

// state returns all settings, past ones too, in the order in which they count.
func (m *Market) state() []SettingState {
	out := []SettingState{}
	line := m.line.Load()
	var entries []*entry
	line.each(func(e *entry) { entries = append(entries, e) })
	slices.SortFunc(entries, func(a, b *entry) int { return cmp.Or(a.from.Compare(b.from), cmp.Compare(a.made, b.made)) })
	for _, e := range entries {
		s := SettingState{Pair: e.pair.String(), From: e.from, Until: e.until, Paused: maps.Clone(e.paused), Setting: e.Setting}
		s.Venues = maps.Clone(s.Venues)
		if e.move != nil && e.Pin == "" {
			level := e.move.height
			if e.move.ref != nil {
				level = e.move.worth
			}
			s.Level = strconv.FormatUint(level.coef, 10) + "e" + strconv.Itoa(level.exp)
		}
		out = append(out, s)
	}
	return out
}

// restore does to the market what another one says was done to it. Nobody has seen the market yet.
func (m *Market) restore(settings []SettingState) error {
	if len(settings) > mostEntries {
		return core.InvalidField("market", "has %d settings; accepted: up to %d", len(settings), mostEntries)
	}
	if len(settings) == 0 {
		return nil
	}
	var entries []*entry
	last := map[core.Pair]*entry{}
	for i, s := range settings {
		e, err := m.entry(s)
		if err != nil {
			return within(fmt.Sprintf("market.%d.", i), err)
		}
		if before := last[e.pair]; before != nil && (before.until.IsZero() || before.until.After(e.from)) {
			return core.InvalidField(fmt.Sprintf("market.%d.from", i), "%s is before the end of the setting of %s before it; accepted: one setting of a pair at a time, in their order",
				e.from.Format(time.RFC3339Nano), s.Pair)
		}
		e.made = uint64(i) + 1
		last[e.pair] = e
		entries = append(entries, e)
	}
	m.line.Store(lineUp(entries))
	return nil
}

// entry reads one setting.
func (m *Market) entry(s SettingState) (*entry, error) {
	pair, err := m.Pair(s.Pair)
	if err != nil {
		return nil, err
	}
	if err := s.check(m, pair); err != nil {
		return nil, err
	}
	var c checker
	s.checkTimes(&c)
	e := &entry{Setting: s.Setting, pair: pair, from: s.From.UTC(), until: s.Until, paused: maps.Clone(s.Paused)}
	e.Venues = maps.Clone(s.Venues)
	if !s.moves() {
		c.need(s.Level == "", "level", s.Level, "none, since the setting moves nothing")
		return e, c.err()
	}
	e.move, _, _ = m.frame(pair, s.Setting, e.from)
	if s.Pin != "" {
		c.need(s.Level == "", "level", s.Level, "none beside a pin")
		return e, c.err()
	}
	level, fine := readLevel(s.Level)
	c.need(fine, "level", s.Level, "a coefficient of 18 digits and a power of ten, such as 123456789012345678e-14")
	if e.move.ref != nil {
		e.move.worth = level
	} else {
		e.move.height = level
	}
	return e, c.err()
}

func (s SettingState) checkTimes(c *checker) {
	c.need(inTime(s.From), "from", s.From, times())
	c.need(s.Until.IsZero() || s.Until.After(s.From) && inTime(s.Until), "until", s.Until, "a time after from")
	for _, name := range slices.Sorted(maps.Keys(s.Paused)) {
		c.need(s.Venues[name].State == VenuePaused && inTime(s.Paused[name]) && !s.Paused[name].After(s.From), "paused."+name, s.Paused[name], "a time up to from, of a venue that is paused")
	}
	for name, v := range s.Venues {
		c.need(v.State != VenuePaused || inTime(s.Paused[name]), "paused."+name, "missing", "since when the venue is paused")
	}
}

// readLevel reads a number as state writes it. It is false for one that no price leads to.
func readLevel(text string) (number, bool) {
	coef, exp, _ := strings.Cut(text, "e")
	c, err := strconv.ParseUint(coef, 10, 64)
	x, wrong := strconv.Atoi(exp)
	const furthest = 60 // powers of ten: beyond any two prices
	return number{coef: c, exp: x}, err == nil && wrong == nil && c >= e17 && c < e18 && x >= -furthest && x <= furthest
}
