// Package incidents is a library of market incidents and outages that a simulated world can play. An incident is
// data: settings of the market and fault rules with their times, and the verdicts that Causeway must reach.
package incidents

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"causeway/core"
	"causeway/simulator/faults"
	"causeway/simulator/input"
	"causeway/simulator/market"
)

//go:embed *.yaml
var library embed.FS

// Info describes an incident.
type Info struct {
	Name   string         `json:"name" doc:"Name of the scenario" example:"dai-2020"`
	Title  string         `json:"title" doc:"What it is about"`
	Source string         `json:"source" doc:"Public reference"`
	What   string         `json:"what" doc:"What happened"`
	Here   string         `json:"here" doc:"How it is simulated"`
	Lasts  input.Duration `json:"lasts" doc:"Duration" example:"1h0m0s"`
}

// Scenario is an incident.
type Scenario struct {
	Info

	Market   []MarketStep `json:"market,omitempty"`
	Faults   []FaultStep  `json:"faults,omitempty"`
	Verdicts []Verdict    `json:"verdicts"`
}

// MarketStep sets the market of pairs, until the next step of a pair or the end.
type MarketStep struct {
	At    input.Duration `json:"at"` // after the beginning
	Pairs []string       `json:"pairs"`

	market.Setting
}

// FaultStep adds a fault rule, until the end or the end of its TTL.
type FaultStep struct {
	At input.Duration `json:"at"` // after the beginning

	faults.Rule
}

// Verdict is the expected price of a listed pair during a part of the incident.
type Verdict struct {
	Pair   string         `json:"pair" doc:"ID of the listed pair" example:"DAIUSD"`
	From   input.Duration `json:"from" doc:"Start, counted from the start of the scenario"`
	Until  input.Duration `json:"until" doc:"End, counted from the start of the scenario"`
	Status []string       `json:"status" doc:"Expected status: one of these" example:"halted"`
	Reason []string       `json:"reason" doc:"Expected reason: one of these; an empty one means no reason" example:"depegged"`

	Low  string `json:"low,omitempty" doc:"Minimum of the price as a multiple of the price before"`
	High string `json:"high,omitempty" doc:"Maximum of the price as a multiple of the price before"`

	Used     int                 `json:"used,omitempty" doc:"Number of votes used; 0: any"`
	Excluded map[string][]string `json:"excluded,omitempty" doc:"Sources without a vote, each with the expected reasons"`
	Jumped   bool                `json:"jumped,omitempty" doc:"Whether the price was a confirmed jump at some time"`
}

// Names returns the names of the incidents, sorted.
func Names() []string {
	entries, _ := library.ReadDir(".") // embedded
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return out
}

// Get returns an incident.
func Get(name string) (Scenario, error) {
	if !slices.Contains(Names(), name) {
		return Scenario{}, core.InvalidField("scenario", "%q; accepted: %s", name, strings.Join(Names(), ", "))
	}
	text, err := library.ReadFile(name + ".yaml")
	if err != nil {
		return Scenario{}, err
	}
	s, err := Parse(text)
	s.Name = name
	return s, err
}

// Parse parses an incident in YAML. Decimals must be quoted, and unknown members are errors. World.Play checks the
// settings and rules.
func Parse(text []byte) (Scenario, error) {
	var document any
	if err := yaml.Unmarshal(text, &document); err != nil {
		return Scenario{}, fmt.Errorf("scenario: %w", err)
	}
	plain, err := json.Marshal(document) // JSON has the field names and the strictness of the control API
	if err != nil {
		return Scenario{}, fmt.Errorf("scenario: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(plain))
	decoder.DisallowUnknownFields()
	var s Scenario
	if err := decoder.Decode(&s); err != nil {
		return Scenario{}, fmt.Errorf("scenario: %w", err)
	}
	return s, nil
}
