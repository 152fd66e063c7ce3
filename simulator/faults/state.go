package faults

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/input"
)

// SetState is the rules of a world with their counts, as an exported world has them.
type SetState struct {
	Made  uint64      `json:"made" doc:"Number of rules so far" example:"1"`
	Rules []RuleState `json:"rules" doc:"The rules"`
}

// RuleState is a rule with its counts, by provider, or by operation on the plane Edge.
type RuleState struct {
	ID      string            `json:"id" doc:"ID of the fault" example:"f1"`
	Rule    Rule              `json:"rule" doc:"The rule"`
	From    time.Time         `json:"from" doc:"When the rule started" example:"2026-11-16T12:00:00Z"`
	Until   time.Time         `json:"until,omitzero" doc:"When the rule ends; absent: never"`
	Matched map[string]uint64 `json:"matched" doc:"Requests that matched, by provider or operation"`
	Hits    map[string]uint64 `json:"hits" doc:"Requests that failed, by provider or operation"`
}

// Export returns the rules with their counts.
func (s *Set) Export() SetState {
	s.changing.Lock()
	defer s.changing.Unlock()
	out := SetState{Made: s.made, Rules: []RuleState{}}
	for _, a := range *s.rules.Load() {
		a.counting.Lock()
		out.Rules = append(out.Rules, RuleState{
			ID: a.id, Rule: a.rule.normalized(), From: a.from, Until: a.until, Matched: maps.Clone(a.matched), Hits: maps.Clone(a.hits),
		})
		a.counting.Unlock()
	}
	return out
}

// Import gives a new set the rules of another one.
func (s *Set) Import(state SetState) error {
	const maxMade = 1 << 40
	if len(state.Rules) > maxRules || state.Made > maxMade {
		return core.InvalidField("faults", "has %d rules of %d; accepted: up to %d of %d", len(state.Rules), state.Made, maxRules, maxMade)
	}
	rules := []*active{}
	last := uint64(0)
	for i, r := range state.Rules {
		number, err := strconv.ParseUint(strings.TrimPrefix(r.ID, "f"), 10, 64)
		if err != nil || r.ID != "f"+strconv.FormatUint(number, 10) || number <= last || number > state.Made {
			return core.InvalidField(fmt.Sprintf("faults.rules.%d.id", i), "%s; accepted: f1 to f%d, each once, in their order",
				core.Quoted(r.ID), state.Made)
		}
		if err := s.check(r.Rule); err != nil {
			return input.Within(fmt.Sprintf("faults.rules.%d.rule.", i), err)
		}
		var e input.Errors
		e.Require(input.ValidTime(r.From), "from", r.From, input.AcceptedTimes)
		e.Require(r.Until.IsZero() || r.Until.After(r.From) && input.ValidTime(r.Until), "until", r.Until, "a time after from")
		if err := e.Err(); err != nil {
			return input.Within(fmt.Sprintf("faults.rules.%d.", i), err)
		}
		a := s.activate(r.ID, r.Rule, r.From)
		a.until = r.Until
		maps.Copy(a.matched, r.Matched)
		maps.Copy(a.hits, r.Hits)
		last = number
		rules = append(rules, a)
	}
	s.made = state.Made
	s.rules.Store(&rules)
	return nil
}
