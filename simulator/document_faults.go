package simulator

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"causeway/core"
)

// FaultsState is the rules of a world with all their counts, as a document has them.
type FaultsState struct {
	Made  uint64      `json:"made" doc:"Number of rules so far" example:"1"`
	Rules []RuleState `json:"rules" doc:"The rules"`
	// Chaos is how many requests there were for each operation, in a world that has chaos.
	Chaos map[string]uint64 `json:"chaos,omitempty" doc:"Requests so far by operation, in a world with edge_chaos"`
}

// RuleState is a rule with its counts, by provider, or on the plane Edge by operation.
type RuleState struct {
	ID      string            `json:"id" doc:"ID of the fault" example:"f1"`
	Rule    Rule              `json:"rule" doc:"The rule"`
	From    time.Time         `json:"from" doc:"When the rule started" example:"2026-11-16T12:00:00Z"`
	Until   time.Time         `json:"until,omitzero" doc:"When the rule ends; absent: never"`
	Matched map[string]uint64 `json:"matched" doc:"Requests that matched, by provider or operation"`
	Hits    map[string]uint64 `json:"hits" doc:"Requests that failed, by provider or operation"`
}

// mostMade are the rules that a world may have had: a number that nobody gets to.
const mostMade = 1 << 40

func (f *Faults) state() FaultsState {
	f.changing.Lock()
	defer f.changing.Unlock()
	out := FaultsState{Made: f.made, Rules: []RuleState{}, Chaos: f.chaosState()}
	for _, a := range f.list() {
		a.counting.Lock()
		out.Rules = append(out.Rules, RuleState{
			ID: a.id, Rule: a.rule.clone(), From: a.from, Until: a.until, Matched: maps.Clone(a.matched), Hits: maps.Clone(a.hits),
		})
		a.counting.Unlock()
	}
	return out
}

// restore puts rules to work as they were elsewhere. Nobody has seen the faults yet.
func (f *Faults) restore(s FaultsState) error {
	if len(s.Rules) > mostRules {
		return core.InvalidField("faults.rules", "are %d; accepted: up to %d", len(s.Rules), mostRules)
	}
	if s.Made > mostMade {
		return core.InvalidField("faults.made", "%d; accepted: up to %d", s.Made, uint64(mostMade))
	}
	rules := make([]*armed, 0, len(s.Rules))
	last := uint64(0)
	for i, r := range s.Rules {
		a, n, err := f.rule(r)
		if err == nil && (n <= last || n > s.Made) {
			err = core.InvalidField("id", "%s; accepted: f1 to f%d, each once, in their order", core.Quoted(r.ID), s.Made)
		}
		if err != nil {
			return within(fmt.Sprintf("faults.rules.%d.", i), err)
		}
		last = n
		rules = append(rules, a)
	}
	f.made = s.Made
	if len(rules) > 0 {
		f.armed.Store(&rules)
	}
	return f.restoreChaos(s.Chaos)
}

// rule reads one rule, with its number.
func (f *Faults) rule(s RuleState) (*armed, uint64, error) {
	number, err := strconv.ParseUint(strings.TrimPrefix(s.ID, "f"), 10, 64)
	if err != nil || s.ID != "f"+strconv.FormatUint(number, 10) {
		return nil, 0, core.InvalidField("id", "%s; accepted: such as f3", core.Quoted(s.ID))
	}
	if err := s.Rule.Check(); err != nil {
		return nil, 0, within("rule.", err)
	}
	if err := f.fit(s.Rule); err != nil {
		return nil, 0, within("rule.", err)
	}
	var c checker
	c.need(inTime(s.From), "from", s.From, times())
	c.need(s.Until.IsZero() || s.Until.After(s.From) && inTime(s.Until), "until", s.Until, "a time after from")
	if err := c.err(); err != nil {
		return nil, 0, err
	}
	a := &armed{id: s.ID, rule: s.Rule.clone(), from: s.From, until: s.Until, matched: maps.Clone(s.Matched), hits: maps.Clone(s.Hits)}
	if a.matched == nil {
		a.matched = map[string]uint64{}
	}
	if a.hits == nil {
		a.hits = map[string]uint64{}
	}
	a.key = subKey(f.seed, "fault", a.id)
	a.chance, _ = parts(s.Rule.When.Probability)
	return a, number, nil
}
