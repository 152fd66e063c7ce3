package simulator

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// Catalog is everything that can be asked of a world, each with a request that is ready to be sent: documentation and tests are made from it. Whoever
// gets it leaves it as it is.
type Catalog struct {
	Dataset    string          `json:"dataset,omitempty" doc:"Version of the simulated data"`
	Operations []string        `json:"operations" doc:"Operations of the public API" example:"resolve-account"`
	Accounts   []AccountEntry  `json:"accounts" doc:"Magic account numbers at the simulated bank"`
	Pairs      []PairEntry     `json:"pairs" doc:"Magic pairs, in worlds with magic_pairs"`
	Outcomes   []OutcomeEntry  `json:"outcomes" doc:"Outcomes for the header Sim-Scenario and the queue"`
	Errors     []ErrorEntry    `json:"errors" doc:"Errors of the public API"`
	Addresses  []AddressEntry  `json:"addresses" doc:"An address for every verdict"`
	Faults     []FaultEntry    `json:"faults" doc:"Kinds of faults"`
	Presets    []PresetEntry   `json:"presets" doc:"Presets of faults"`
	Scenarios  []ScenarioEntry `json:"scenarios" doc:"The incident library"`
}

// Sample is something to try: what has to be done first, the request, and what comes of it. Wherever {world} stands, the id of a world goes, percent-encoded
// in paths: a new one, where something is done first.
type Sample struct {
	Setup   []Request `json:"setup,omitempty" doc:"Requests to send first"`
	Request Request   `json:"request" doc:"The request"`
	Want    Want      `json:"want" doc:"The expected response"`
}

// Request is a request that is ready to be sent: to the operator's listener where its path begins with /_sim/, else to the public one.
type Request struct {
	Method  string            `json:"method" doc:"HTTP method" example:"GET"`
	Path    string            `json:"path" doc:"Path with its query; below /_sim/ it is for the operator listener" example:"/v1/pairs"`
	Headers map[string]string `json:"headers,omitempty" doc:"Headers, by name"`
	Body    string            `json:"body,omitempty" doc:"Body; absent: none"`
}

// Want is what an answer has to say. What is empty may be anything.
type Want struct {
	Status     int      `json:"status" doc:"HTTP status; 0: the connection ends without a response" example:"404"`
	Error      string   `json:"error,omitempty" doc:"Name of the error" example:"not_found"`
	Applied    string   `json:"applied,omitempty" doc:"Value of Sim-Applied" example:"magic:404"`
	Valid      *bool    `json:"valid,omitempty" doc:"Value of data.valid"`
	Reason     string   `json:"reason,omitempty" doc:"Value of data.reason"`
	Warning    string   `json:"warning,omitempty" doc:"A value of data.warnings"`
	PairStatus []string `json:"pair_status,omitempty" doc:"Value of data.status: one of these"`
	Broken     bool     `json:"broken,omitempty" doc:"Whether the body is not a complete JSON document"`
}

// AccountEntry is a magic account number.
type AccountEntry struct {
	Suffix  string `json:"suffix" doc:"Last three digits of the account number" example:"404"`
	Outcome string `json:"outcome" doc:"Name of the outcome, as in Sim-Scenario" example:"unknown"`
	Title   string `json:"title" doc:"What happens"`
	Try     Sample `json:"try" doc:"A request and its response"`
}

// PairEntry is a magic pair.
type PairEntry struct {
	ID     string `json:"id" doc:"ID of the pair" example:"TFLATNGN"`
	Title  string `json:"title" doc:"What the pair does"`
	Status string `json:"status" doc:"Status of its price" example:"fresh"`
	Reason string `json:"reason,omitempty" doc:"Reason of the status"`
	Try    Sample `json:"try" doc:"A request and its response"`
}

// OutcomeEntry is an outcome for Sim-Scenario and the queue.
type OutcomeEntry struct {
	Name       string   `json:"name" doc:"Name, as in Sim-Scenario" example:"unknown"`
	Title      string   `json:"title" doc:"What happens"`
	Plane      Plane    `json:"plane" doc:"upstream: what providers do; edge: the response itself" example:"upstream"`
	Operations []string `json:"operations" doc:"Operations that have the outcome" example:"resolve-account"`
	Try        Sample   `json:"try" doc:"A request and its response"`
}

// ErrorEntry is an error of the wire contract. Where it can come about by itself that is tried, else it is asked for.
type ErrorEntry struct {
	Name   string `json:"name" doc:"Name of the error" example:"not_found"`
	Status int    `json:"status" doc:"HTTP status" example:"404"`
	Try    Sample `json:"try" doc:"A request and its response"`
}

// AddressEntry is a reason why an address cannot be paid, or a warning about one that can.
type AddressEntry struct {
	Code    string `json:"code" doc:"Code of the reason or warning" example:"bad_checksum"`
	Warning bool   `json:"warning" doc:"Whether the code is a warning about a valid address" example:"false"`
	Try     Sample `json:"try" doc:"A request and its response"`
}

// FaultEntry is a kind of fault.
type FaultEntry struct {
	Kind    Kind     `json:"kind" doc:"Kind of effect" example:"inverted"`
	Title   string   `json:"title" doc:"What goes wrong"`
	Planes  []Plane  `json:"planes" doc:"Planes that the effect fits" example:"upstream"`
	Takes   []string `json:"takes,omitempty" doc:"Parameters of the effect"`
	Try     Sample   `json:"try" doc:"A request and its response, on the plane upstream"`
	TryEdge *Sample  `json:"try_edge,omitempty" doc:"A request and its response, on the plane edge"`
}

// PresetEntry is a list of faults with a name. One that ends in ":<provider>" needs one; each other may have one.
type PresetEntry struct {
	Name  string `json:"name" doc:"Name; provider_down:<provider> needs a provider, others accept one" example:"slow_tail"`
	Title string `json:"title" doc:"What goes wrong"`
	Rules []Rule `json:"rules" doc:"The rules"`
	Try   Sample `json:"try" doc:"A request and its response"`
}

// ScenarioEntry is an incident of the library.
type ScenarioEntry struct {
	Name   string   `json:"name" doc:"Name of the scenario" example:"dai-2020"`
	Title  string   `json:"title" doc:"What it is about"`
	Source string   `json:"source" doc:"Public reference"`
	What   string   `json:"what" doc:"What happened"`
	Here   string   `json:"here" doc:"How it is simulated"`
	Lasts  Duration `json:"lasts" doc:"Duration"`
	Try    Sample   `json:"try" doc:"A request and its response"`
}

// Catalog returns what can be asked of the worlds.
func (ws *Worlds) Catalog() Catalog {
	c := NewCatalog()
	c.Dataset = ws.Dataset()
	return c
}

// NewCatalog returns the catalog of a build, whatever data its worlds are made of.
func NewCatalog() Catalog { return catalog() }

func makeCatalog() Catalog {
	c := Catalog{Operations: operationNames()}
	for _, row := range magicAccounts {
		c.Accounts = append(c.Accounts, AccountEntry{Suffix: row.Suffix, Outcome: row.Scenario, Title: row.Title, Try: Sample{
			Request: resolving(MagicBank, "0000000"+row.Suffix),
			Want:    Want{Status: statusOf(row.Error), Error: row.Error, Applied: "magic:" + row.Suffix},
		}})
	}
	for _, p := range MagicPairs() {
		c.Pairs = append(c.Pairs, PairEntry{ID: p.ID, Title: p.Title, Status: p.Status, Reason: p.Reason, Try: Sample{
			Setup:   []Request{creating(Options{ID: placeholder, MagicPairs: true})},
			Request: asking("/v1/pairs/" + p.ID),
			Want:    Want{Status: http.StatusOK, PairStatus: []string{p.Status}},
		}})
	}
	for _, s := range Outcomes() {
		c.Outcomes = append(c.Outcomes, OutcomeEntry{Name: s.Name, Title: s.Title, Plane: s.Plane, Operations: s.Operations, Try: forcing(s)})
	}
	for _, f := range failures {
		try, natural := mistakes()[f.name]
		if !natural {
			try = forcing(*outcomeOf(operations[0].Name, errorPrefix+f.name))
		}
		try.Want.Status, try.Want.Error = f.status, f.name
		c.Errors = append(c.Errors, ErrorEntry{Name: f.name, Status: f.status, Try: try})
	}
	for _, v := range vectors {
		c.Addresses = append(c.Addresses, AddressEntry{Code: v.code, Warning: v.valid, Try: v.sample()})
	}
	for _, kind := range Kinds() {
		c.Faults = append(c.Faults, Kind(kind).entry())
	}
	for _, p := range presets {
		c.Presets = append(c.Presets, p.entry())
	}
	for _, name := range Scenarios() {
		s, err := ScenarioOf(name)
		if err != nil {
			continue // the library is read by its own tests
		}
		c.Scenarios = append(c.Scenarios, s.entry())
	}
	return c
}

func (p preset) entry() PresetEntry {
	out := PresetEntry{Name: p.name, Title: p.title, Try: Sample{
		Setup:   []Request{creating(Options{ID: placeholder})},
		Request: asking("/v1/pairs/BTCUSDT"),
		Want:    Want{Status: http.StatusOK, PairStatus: []string{"fresh"}},
	}}
	if p.narrow {
		out.Name += ":<provider>"
	}
	for _, r := range p.rules {
		out.Rules = append(out.Rules, r.clone())
		r.Match.Provider = OKX
		out.Try.Setup = append(out.Try.Setup, arming(r))
	}
	return out
}

// entry is an incident, looked at in the middle of what its first verdict is about.
func (s Scenario) entry() ScenarioEntry {
	v := s.Verdicts[0]
	by := v.From + (v.Until-v.From)/2
	return ScenarioEntry{Name: s.Name, Title: s.Title, Source: s.Source, What: s.What, Here: s.Here, Lasts: s.Lasts, Try: Sample{
		Setup: []Request{
			creating(Options{ID: placeholder, Clock: StartOptions{Now: &scenarioStart, Frozen: true}}),
			asking("/v1/pairs/" + v.Pair), // prices before
			advancing("20s"),
			controlling("/market/play", map[string]any{"scenario": s.Name}),
			advancing(time.Duration(by).String()),
		},
		Request: asking("/v1/pairs/" + v.Pair),
		Want:    Want{Status: http.StatusOK, PairStatus: slices.Clone(v.Status)},
	}}
}

func (v vector) sample() Sample {
	question := map[string]string{"type": "address", "currency": v.currency, "network": v.network, "address": v.address}
	if v.memo != "" {
		question["memo"] = v.memo
	}
	if v.memoType != "" {
		question["memo_type"] = v.memoType
	}
	valid := v.valid
	s := Sample{Request: posting("/v1/validate", question), Want: Want{Status: http.StatusOK, Valid: &valid, Reason: v.code}}
	if valid {
		s.Want.Reason, s.Want.Warning = "", v.code
	}
	if v.mainnetOnly {
		s.Setup = []Request{creating(Options{ID: placeholder, MainnetOnly: true})}
	}
	return s
}

// text is a document as a body.
func text(document any) string {
	out, _ := json.Marshal(document) // of texts and numbers
	return string(out)
}
