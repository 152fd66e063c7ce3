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
	Dataset    string          `json:"dataset,omitempty"` // see Worlds.Dataset
	Operations []string        `json:"operations"`
	Accounts   []AccountEntry  `json:"accounts"`
	Pairs      []PairEntry     `json:"pairs"`
	Outcomes   []OutcomeEntry  `json:"outcomes"`
	Errors     []ErrorEntry    `json:"errors"`
	Addresses  []AddressEntry  `json:"addresses"`
	Faults     []FaultEntry    `json:"faults"`
	Presets    []PresetEntry   `json:"presets"`
	Scenarios  []ScenarioEntry `json:"scenarios"`
}

// Sample is something to try: what has to be done first, the request, and what comes of it. Wherever {world} stands, the id of a world goes, percent-encoded
// in paths: a new one, where something is done first.
type Sample struct {
	Setup   []Request `json:"setup,omitempty"`
	Request Request   `json:"request"`
	Want    Want      `json:"want"`
}

// Request is a request that is ready to be sent: to the operator's listener where its path begins with /_sim/, else to the public one.
type Request struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
}

// Want is what an answer has to say. What is empty may be anything.
type Want struct {
	Status     int      `json:"status"`
	Error      string   `json:"error,omitempty"`       // name of the error
	Applied    string   `json:"applied,omitempty"`     // Sim-Applied
	Valid      *bool    `json:"valid,omitempty"`       // data.valid
	Reason     string   `json:"reason,omitempty"`      // data.reason
	Warning    string   `json:"warning,omitempty"`     // among data.warnings
	PairStatus []string `json:"pair_status,omitempty"` // data.status is one of these
	Broken     bool     `json:"broken,omitempty"`      // what comes is no JSON document, or not a whole one; nothing at all where the status is 0
}

// AccountEntry is a magic account number.
type AccountEntry struct {
	Suffix  string `json:"suffix"`
	Outcome string `json:"outcome"` // its name in Sim-Scenario
	Title   string `json:"title"`
	Try     Sample `json:"try"`
}

// PairEntry is a magic pair.
type PairEntry struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	Try    Sample `json:"try"`
}

// OutcomeEntry is an outcome for Sim-Scenario and the queue.
type OutcomeEntry struct {
	Name       string   `json:"name"`
	Title      string   `json:"title"`
	Plane      Plane    `json:"plane"`
	Operations []string `json:"operations"`
	Try        Sample   `json:"try"`
}

// ErrorEntry is an error of the wire contract. Where it can come about by itself that is tried, else it is asked for.
type ErrorEntry struct {
	Name   string `json:"name"`
	Status int    `json:"status"`
	Try    Sample `json:"try"`
}

// AddressEntry is a reason why an address cannot be paid, or a warning about one that can.
type AddressEntry struct {
	Code    string `json:"code"`
	Warning bool   `json:"warning"`
	Try     Sample `json:"try"`
}

// FaultEntry is a kind of fault.
type FaultEntry struct {
	Kind    Kind     `json:"kind"`
	Title   string   `json:"title"`
	Planes  []Plane  `json:"planes"`             // that it fits
	Takes   []string `json:"takes,omitempty"`    // fields of the effect
	Try     Sample   `json:"try"`                // on the plane Upstream
	TryEdge *Sample  `json:"try_edge,omitempty"` // on the plane Edge, where it fits that
}

// PresetEntry is a list of faults with a name. One that ends in ":<provider>" needs one; each other may have one.
type PresetEntry struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Rules []Rule `json:"rules"`
	Try   Sample `json:"try"`
}

// ScenarioEntry is an incident of the library.
type ScenarioEntry struct {
	Name   string   `json:"name"`
	Title  string   `json:"title"`
	Source string   `json:"source"`
	What   string   `json:"what"`
	Here   string   `json:"here"`
	Lasts  Duration `json:"lasts"`
	Try    Sample   `json:"try"`
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
