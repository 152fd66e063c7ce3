package simulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"causeway/core"
)

// Scenario is an incident as a timeline: what is done to the market and to the wire, and what must come of it. It is data alone, and works
// out the same at any instant that is asked about, in any order.
type Scenario struct {
	Name   string   `json:"name"`
	Title  string   `json:"title"`
	Source string   `json:"source"` // where it is known from
	What   string   `json:"what"`   // happened
	Here   string   `json:"here"`   // how it is played
	Lasts  Duration `json:"lasts"`

	Market   []MarketStep `json:"market,omitempty"`
	Faults   []FaultStep  `json:"faults,omitempty"`
	Verdicts []Verdict    `json:"verdicts"`
}

// MarketStep sets the market of pairs at an instant after the beginning, until the next step of a pair or the end.
type MarketStep struct {
	At    Duration `json:"at"`
	Pairs []string `json:"pairs"` // such as BTC/USDT

	Setting
}

// FaultStep puts a rule to work at an instant after the beginning, until the end, or for the time of its rule.
type FaultStep struct {
	At Duration `json:"at"`

	Rule
}

// Verdict is what a listed pair must look like from one instant after the beginning to another, both included.
type Verdict struct {
	Pair   string   `json:"pair" doc:"ID of the listed pair" example:"DAIUSD"`
	From   Duration `json:"from" doc:"Start, counted from the start of the scenario"`
	Until  Duration `json:"until" doc:"End, counted from the start of the scenario"`
	Status []string `json:"status" doc:"Expected status: one of these" example:"halted"`
	Reason []string `json:"reason" doc:"Expected reason: one of these; an empty one means no reason" example:"depegged"`

	// The middle price lies between these parts of the one before the beginning. Empty: anywhere.
	Low  string `json:"low,omitempty" doc:"Minimum of the price as a multiple of the price before"`
	High string `json:"high,omitempty" doc:"Maximum of the price as a multiple of the price before"`

	Used     int                 `json:"used,omitempty" doc:"Number of votes used; 0: any"`
	Excluded map[string][]string `json:"excluded,omitempty" doc:"Sources without a vote, each with the expected reasons"`
	Jumped   bool                `json:"jumped,omitempty" doc:"Whether the price was a confirmed jump at some time"`
}

// Scenarios lists the incident library, sorted.
func Scenarios() []string {
	entries, _ := incidents.ReadDir("incidents") // embedded: it is there
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return out
}

// ScenarioOf returns an incident of the library. The error names what there is.
func ScenarioOf(name string) (Scenario, error) {
	if !slices.Contains(Scenarios(), name) {
		return Scenario{}, core.InvalidField("scenario", "%q; accepted: %s", name, strings.Join(Scenarios(), ", "))
	}
	text, err := incidents.ReadFile("incidents/" + name + ".yaml")
	if err != nil {
		return Scenario{}, err
	}
	s, err := ParseScenario(text)
	s.Name = name
	return s, err
}

// ParseScenario reads a scenario in YAML. It is strict: numbers are decimals in quotes or integers, unknown members are refused.
func ParseScenario(text []byte) (Scenario, error) {
	var document any
	if err := yaml.Unmarshal(text, &document); err != nil {
		return Scenario{}, fmt.Errorf("scenario: %w", err)
	}
	plain, err := json.Marshal(document)
	if err != nil {
		return Scenario{}, fmt.Errorf("scenario: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(plain))
	decoder.DisallowUnknownFields()
	var s Scenario
	if err := decoder.Decode(&s); err != nil {
		return Scenario{}, fmt.Errorf("scenario: %w", err)
	}
	return s, s.check()
}

// check looks at the times; settings and rules are checked when they are put to work.
func (s Scenario) check() error {
	var c checker
	c.need(s.Title != "" && s.Source != "" && s.What != "" && s.Here != "", "title", s.Title, "a title, a source, what happened, and how it is played here")
	c.need(s.Lasts > 0, "lasts", time.Duration(s.Lasts), "more than 0s")
	c.need(len(s.Verdicts) > 0, "verdicts", "none", "one at least")
	last := Duration(0)
	for i, step := range s.Market {
		c.need(step.At >= last && step.At < s.Lasts, fmt.Sprintf("market.%d.at", i), time.Duration(step.At), "not before the step before it, and within the scenario")
		last = step.At
	}
	for i, step := range s.Faults {
		c.need(step.At >= 0 && step.At < s.Lasts, fmt.Sprintf("faults.%d.at", i), time.Duration(step.At), "within the scenario")
	}
	for i, v := range s.Verdicts {
		v.check(&c, fmt.Sprintf("verdicts.%d.", i), s.Lasts)
	}
	return c.err()
}

func (v Verdict) check(c *checker, at string, lasts Duration) {
	c.need(v.From >= 0 && v.From <= v.Until && v.Until < lasts, at+"until", time.Duration(v.Until), "not before its from, and within the scenario")
	for _, bound := range []struct{ field, text string }{{"low", v.Low}, {"high", v.High}} {
		_, err := parseNumber(bound.text)
		c.need(bound.text == "" || err == nil, at+bound.field, bound.text, "a decimal above zero")
	}
}

// Play puts a scenario to work from an instant on, usually the world's now. What is set for its pairs gives way, and is not there again
// when it is over. The error names what is not accepted, and then the world is as it was.
func (w *World) Play(s Scenario, at time.Time) error {
	end := at.Add(time.Duration(s.Lasts))
	var changes []change
	for _, step := range s.Market {
		for _, name := range step.Pairs {
			pair, err := w.market.Pair(name)
			if err != nil {
				return err
			}
			changes = append(changes, change{pair: pair, setting: step.Setting, from: at.Add(time.Duration(step.At)), until: end})
		}
	}
	var made []string
	undo := func(err error) error {
		for _, id := range made {
			_ = w.faults.Remove(id) // it is there
		}
		return err
	}
	for _, step := range s.Faults {
		rule, from := step.Rule, at.Add(time.Duration(step.At))
		if left := Duration(end.Sub(from)); rule.When.TTL == 0 || rule.When.TTL > left {
			rule.When.TTL = left
		}
		id, err := w.faults.Add(rule, from)
		if err != nil {
			return undo(err)
		}
		made = append(made, id)
	}
	if err := w.market.apply(changes); err != nil {
		return undo(err)
	}
	w.playing.add(Playing{Scenario: s.Name, Title: s.Title, From: at, Until: end})
	return nil
}

// Playing is a scenario that was started.
type Playing struct {
	Scenario string    `json:"scenario"`
	Title    string    `json:"title"`
	From     time.Time `json:"from"`
	Until    time.Time `json:"until"`
}

type playing struct {
	mu  sync.Mutex
	all []Playing
}

func (p *playing) add(one Playing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = slices.DeleteFunc(p.all, func(old Playing) bool { return !old.Until.After(one.From) })
	p.all = append(p.all, one)
}

// Playing returns the scenarios that have not ended.
func (w *World) Playing() []Playing {
	now := w.Now()
	w.playing.mu.Lock()
	defer w.playing.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.playing.all), func(p Playing) bool { return !p.Until.After(now) })
}

// Stop ends every fault, market setting and scenario, and drops queued outcomes. The clock, the accounts and the journal
// stay as they are.
func (w *World) Stop() {
	w.faults.Reset()
	w.ForgetNext("")
	now := w.Now()
	for _, pair := range w.market.Changed(now) {
		_ = w.market.Lift(pair, now) // another call may have lifted it
	}
	w.playing.mu.Lock()
	defer w.playing.mu.Unlock()
	w.playing.all = nil
}
