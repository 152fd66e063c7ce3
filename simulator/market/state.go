package market

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/input"
)

// SettingState is a setting of a market with its time, as an exported world has it.
type SettingState struct {
	Pair   string               `json:"pair" doc:"The pair" example:"USDT/NGN"`
	From   time.Time            `json:"from" doc:"When the setting started" example:"2026-11-16T12:00:00Z"`
	Until  time.Time            `json:"until,omitzero" doc:"When the setting ends; absent: never"`
	Paused map[string]time.Time `json:"paused,omitempty" doc:"Since when each venue is paused"`
	Level  string               `json:"level,omitempty" doc:"Price when the setting was made, as coefficient and power of ten"`

	Setting
}

// Export returns all settings, past ones included, in the order of their beginnings.
func (m *Market) Export() []SettingState {
	out := []SettingState{}
	for _, s := range m.timeline.Load().settings {
		state := SettingState{
			Pair: s.pair.String(), From: s.from, Until: s.until, Paused: maps.Clone(s.paused), Setting: s.clone(),
		}
		if s.move != nil && s.Pin == "" {
			state.Level = strconv.FormatUint(s.move.start.coef, 10) + "e" + strconv.Itoa(s.move.start.exp)
		}
		out = append(out, state)
	}
	return out
}

// Import gives a new market the settings of another one and the time at which it begins.
func (m *Market) Import(settings []SettingState, began time.Time) error {
	m.began = began
	if len(settings) > maxSettings {
		return core.InvalidField("market", "has %d settings; accepted: up to %d", len(settings), maxSettings)
	}
	var all []*applied
	last := map[core.Pair]*applied{}
	for i, state := range settings {
		s, err := m.restored(state)
		if err != nil {
			return input.Within(fmt.Sprintf("market.%d.", i), err)
		}
		if before := last[s.pair]; before != nil && !before.over(s.from) {
			return core.InvalidField(fmt.Sprintf("market.%d.from", i),
				"%s is before the end of the previous setting of %s; accepted: one setting of a pair at a time, in their order",
				s.from.Format(time.RFC3339Nano), state.Pair)
		}
		s.made = i + 1
		last[s.pair] = s
		all = append(all, s)
	}
	m.timeline.Store(newTimeline(all))
	return nil
}

func (m *Market) restored(state SettingState) (*applied, error) {
	pair, err := m.Pair(state.Pair)
	if err != nil {
		return nil, err
	}
	if err := state.check(m, pair); err != nil {
		return nil, err
	}
	var e input.Errors
	e.Require(input.ValidTime(state.From), "from", state.From, input.AcceptedTimes)
	e.Require(state.Until.IsZero() || state.Until.After(state.From) && input.ValidTime(state.Until), "until", state.Until, "a time after from")
	for name, v := range state.Venues {
		since, paused := state.Paused[name]
		e.Require(paused == (v.State == Paused) && !since.After(state.From), "paused."+name, since,
			"a time up to from, for paused venues only")
	}
	s := &applied{
		Setting: state.clone(), pair: pair, from: state.From.UTC(), until: state.Until, paused: maps.Clone(state.Paused),
	}
	hasLevel := s.moves() && s.Pin == ""
	if s.moves() {
		s.move, _, _ = m.frame(pair, s.Setting, s.from)
	}
	if hasLevel {
		coef, exp, _ := strings.Cut(state.Level, "e")
		c, err := strconv.ParseUint(coef, 10, 64)
		x, wrong := strconv.Atoi(exp)
		const furthest = 60 // exceeds the ratio of any two prices
		e.Require(err == nil && wrong == nil && c >= e17 && c < e18 && x >= -furthest && x <= furthest, "level", state.Level,
			"a coefficient of 18 digits and a power of ten, such as 123456789012345678e-14")
		s.move.start = number{coef: c, exp: x}
	} else {
		e.Require(state.Level == "", "level", state.Level, "none, because the setting has a pin or moves nothing")
	}
	return s, e.Err()
}
