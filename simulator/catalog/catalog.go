// Package catalog lists everything that can be requested of a simulated world, each with a request that is ready to
// be sent. The documentation, the console and tests are made from it.
package catalog

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"causeway/adapters/web/apierror"
	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/faults"
	"causeway/simulator/incidents"
	"causeway/simulator/market"
	"causeway/simulator/world"
)

// Catalog is everything that can be requested of a world.
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

// Sample is a request and its response. {world} stands for the ID of a world, percent-encoded in paths: a new world if
// there are requests to send first.
type Sample struct {
	Setup   []Request `json:"setup,omitempty" doc:"Requests to send first"`
	Request Request   `json:"request" doc:"The request"`
	Want    Want      `json:"want" doc:"The expected response"`
}

// Request is a request to the operator listener if its path begins with /_sim/, otherwise to the public one.
type Request struct {
	Method  string            `json:"method" doc:"HTTP method" example:"GET"`
	Path    string            `json:"path" doc:"Path with its query; below /_sim/ it is for the operator listener" example:"/v1/pairs"`
	Headers map[string]string `json:"headers,omitempty" doc:"Headers, by name"`
	Body    string            `json:"body,omitempty" doc:"Body; absent: none"`
}

// Want is the expected response. Empty fields may be anything.
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

	Try Sample `json:"try" doc:"A request and its response"`
}

// PairEntry is a magic pair.
type PairEntry struct {
	market.MagicPair

	Try Sample `json:"try" doc:"A request and its response"`
}

// OutcomeEntry is an outcome for Sim-Scenario and the queue.
type OutcomeEntry struct {
	accounts.Scripted

	Try Sample `json:"try" doc:"A request and its response"`
}

// ErrorEntry is an error of the public API, caused by a request or, if none causes it, requested.
type ErrorEntry struct {
	Name   string `json:"name" doc:"Name of the error" example:"not_found"`
	Status int    `json:"status" doc:"HTTP status" example:"404"`

	Try Sample `json:"try" doc:"A request and its response"`
}

// AddressEntry is a reason why an address is invalid, or a warning about a valid one.
type AddressEntry struct {
	Code    string `json:"code" doc:"Code of the reason or warning" example:"bad_checksum"`
	Warning bool   `json:"warning" doc:"Whether the code is a warning about a valid address" example:"false"`
	Try     Sample `json:"try" doc:"A request and its response"`
}

// FaultEntry is a kind of fault.
type FaultEntry struct {
	Kind    faults.Kind    `json:"kind" doc:"Kind of effect" example:"inverted"`
	Title   string         `json:"title" doc:"What goes wrong"`
	Planes  []faults.Plane `json:"planes" doc:"Planes that the effect fits" example:"upstream"`
	Takes   []string       `json:"takes,omitempty" doc:"Parameters of the effect"`
	Try     Sample         `json:"try" doc:"A request and its response, on the plane upstream if the effect fits it"`
	TryEdge *Sample        `json:"try_edge,omitempty" doc:"A request and its response, on the plane edge"`
}

// PresetEntry is a named list of fault rules.
type PresetEntry struct {
	faults.PresetInfo

	Try Sample `json:"try" doc:"A request and its response"`
}

// ScenarioEntry is an incident of the library.
type ScenarioEntry struct {
	incidents.Info

	Try Sample `json:"try" doc:"A request and its response"`
}

// New returns the catalog. It has no dataset: see world.Registry.
var New = sync.OnceValue(func() Catalog {
	c := Catalog{Operations: core.OperationIDs()}
	for _, n := range accounts.MagicNumbers() {
		c.Accounts = append(c.Accounts, AccountEntry{Suffix: n.Suffix, Outcome: n.Name, Title: n.Title, Try: Sample{
			Request: resolve(accounts.MagicBank, "0000000"+n.Suffix),
			Want:    Want{Status: apierror.Name(n.Error).Status(), Error: n.Error, Applied: accounts.MagicPrefix + n.Suffix},
		}})
	}
	for _, p := range market.MagicPairs() {
		c.Pairs = append(c.Pairs, PairEntry{p, Sample{
			Setup:   []Request{create(world.Options{ID: placeholder, MagicPairs: true})},
			Request: get("/v1/pairs/" + p.ID), Want: Want{Status: http.StatusOK, PairStatus: []string{p.Status}},
		}})
	}
	for _, s := range accounts.Outcomes() {
		c.Outcomes = append(c.Outcomes, OutcomeEntry{s, force(s.Name, s.Plane, s.Status, s.Error)})
	}
	causes := causes()
	for _, known := range apierror.Names() {
		name, status := string(known), known.Status()
		try, ok := causes[name]
		if !ok {
			try = force("error:"+name, faults.Edge, status, name)
		}
		try.Want.Status, try.Want.Error = status, name
		c.Errors = append(c.Errors, ErrorEntry{name, status, try})
	}
	c.Addresses = addresses()
	for _, kind := range faults.Kinds() {
		c.Faults = append(c.Faults, faultEntry(faults.Kind(kind)))
	}
	for _, p := range faults.Presets() {
		entry := PresetEntry{p, btcusdt()}
		for _, rule := range p.Rules {
			rule.Match.Provider = market.OKX
			entry.Try.Setup = append(entry.Try.Setup, control("/faults", rule))
		}
		c.Presets = append(c.Presets, entry)
	}
	for _, name := range incidents.Names() {
		if s, err := incidents.Get(name); err == nil { // tests parse the library
			c.Scenarios = append(c.Scenarios, scenarioEntry(s))
		}
	}
	return c
})

// For returns the catalog with the dataset of a registry.
func For(r *world.Registry) Catalog {
	c := New()
	c.Dataset = r.Dataset()
	return c
}

// btcusdt is a pair of four venues: it stays fresh if one of them fails.
func btcusdt() Sample {
	return Sample{
		Setup:   []Request{create(world.Options{ID: placeholder})},
		Request: get("/v1/pairs/BTCUSDT"), Want: Want{Status: http.StatusOK, PairStatus: []string{"fresh"}},
	}
}

// chainBackend is a back end that shows a blockchain.
const chainBackend = "evm-bsc"

func faultEntry(k faults.Kind) FaultEntry {
	e := faults.Effect{Kind: k}
	switch k {
	case faults.Status:
		e.Status = http.StatusServiceUnavailable
	case faults.Latency, faults.SlowHeaders, faults.Dribble:
		e.MS = 300
	case faults.Times:
		e.Factor = 1000
	default:
	}
	out := FaultEntry{Kind: k, Title: k.Title(), Planes: k.Planes(), Takes: k.Takes(), Try: btcusdt()}
	if !slices.Contains(out.Planes, faults.Upstream) { // no response shows a webhook
		rule := faults.Rule{Match: faults.Match{Plane: faults.Webhook}, Effect: e}
		out.Try = Sample{
			Setup:   []Request{create(world.Options{ID: placeholder}), control("/faults", rule)},
			Request: get("/v1/events"), Want: Want{Status: http.StatusOK},
		}
		return out
	}
	upstream := faults.Rule{Match: faults.Match{Plane: faults.Upstream, Provider: market.OKX}, Effect: e}
	if k.Chain() {
		upstream.Match.Provider = chainBackend
	}
	out.Try.Setup = append(out.Try.Setup, control("/faults", upstream))
	if !slices.Contains(out.Planes, faults.Edge) {
		return out
	}
	want := Want{Status: http.StatusOK, Applied: "fault:f1"}
	switch k {
	case faults.Status:
		want.Status, want.Error = http.StatusServiceUnavailable, "service_unavailable"
	case faults.Hang, faults.Reset:
		want = Want{Broken: true}
	case faults.Redirect:
		want.Status, want.Broken = http.StatusFound, true
	case faults.HTML, faults.Empty, faults.Truncate, faults.Malformed, faults.Duplicate:
		want.Broken = true
	default:
	}
	edge := faults.Rule{Match: faults.Match{Plane: faults.Edge, Operation: "list-currencies"}, Effect: e}
	out.TryEdge = &Sample{
		Setup:   []Request{create(world.Options{ID: placeholder}), control("/faults", edge)},
		Request: get("/v1/currencies"), Want: want,
	}
	return out
}

// scenarioStart is a Monday, when official rates are new.
var scenarioStart = time.Date(2026, time.November, 16, 12, 0, 0, 0, time.UTC)

// scenarioEntry looks at an incident in the middle of its first verdict.
func scenarioEntry(s incidents.Scenario) ScenarioEntry {
	v := s.Verdicts[0]
	middle := v.From + (v.Until-v.From)/2
	advance := func(by string) Request { return control("/clock/advance", map[string]string{"by": by}) }
	return ScenarioEntry{s.Info, Sample{
		Setup: []Request{
			create(world.Options{ID: placeholder, Clock: world.ClockSetting{Now: &scenarioStart, Frozen: new(true)}}),
			get("/v1/pairs/" + v.Pair), // prices before the incident
			advance("20s"),
			control("/market/play", map[string]any{"scenario": s.Name}),
			advance(time.Duration(middle).String()),
		},
		Request: get("/v1/pairs/" + v.Pair), Want: Want{Status: http.StatusOK, PairStatus: slices.Clone(v.Status)},
	}}
}

// addressesCSV has an address for every reason and warning of address validation, in the order of their documentation.
// They are published test vectors of BIPs, CIPs, SEPs, HIPs, XRPL, Solana, Tezos and Zcash, or made from them.
//
//go:embed addresses.csv
var addressesCSV []byte

func addresses() (out []AddressEntry) {
	rows, err := csv.NewReader(bytes.NewReader(addressesCSV)).ReadAll()
	if err != nil {
		panic(err) // the table is part of the program
	}
	for _, row := range rows[1:] {
		code, valid := row[0], row[1] != ""
		body := map[string]string{"type": "address", "currency": row[2], "network": row[3], "address": row[4]}
		if row[5] != "" {
			body["memo"] = row[5]
		}
		if row[6] != "" {
			body["memo_type"] = row[6]
		}
		s := Sample{Request: post("/v1/validate", body), Want: Want{Status: http.StatusOK, Valid: &valid, Reason: code}}
		if valid {
			s.Want.Reason, s.Want.Warning = "", code
		}
		if row[7] != "" {
			s.Setup = []Request{create(world.Options{ID: placeholder, MainnetOnly: true})}
		}
		out = append(out, AddressEntry{Code: code, Warning: valid, Try: s})
	}
	return out
}

// placeholder stands for the ID of a world.
const placeholder = "{world}"

func get(path string) Request {
	return Request{Method: http.MethodGet, Path: path, Headers: map[string]string{"Sim-World": placeholder}}
}

func post(path string, body any) Request {
	text, _ := json.Marshal(body) // texts and numbers
	return Request{
		Method: http.MethodPost, Path: path, Body: string(text),
		Headers: map[string]string{"Sim-World": placeholder, "Content-Type": "application/json"},
	}
}

// resolve resolves an account in Nigeria.
func resolve(bank, number string) Request {
	return post("/v1/recipients/resolve-bank-account", map[string]string{
		"country_id": "NG", "currency_id": "NGN", "channel": string(core.BankTransfer), "bank_code": bank,
		"account_number": number,
	})
}

// control calls the control API of the world.
func control(path string, body any) Request {
	r := post("/_sim/v1/worlds/"+placeholder+path, body)
	delete(r.Headers, "Sim-World")
	return r
}

func create(o world.Options) Request {
	r := control("", o)
	r.Path = "/_sim/v1/worlds"
	return r
}

// force requests an outcome.
func force(scenario string, plane faults.Plane, status int, name string) Sample {
	r := get("/v1/currencies")
	if plane == faults.Upstream {
		r = resolve("000013", "0123456789")
	}
	r.Headers["Sim-Scenario"] = scenario
	return Sample{Request: r, Want: Want{Status: status, Error: name, Applied: "scenario:" + scenario}}
}

// causes returns requests that cause errors, by the names of the errors.
func causes() map[string]Sample {
	broken := post("/v1/validate", nil)
	broken.Body = `{"type": "address", `
	packed := post("/v1/validate", map[string]string{"type": "address"})
	packed.Headers["Content-Encoding"] = "br"
	wrong := get("/v1/banks")
	wrong.Method = http.MethodDelete
	remove := Request{Method: http.MethodDelete, Path: "/_sim/v1/worlds/" + placeholder}
	return map[string]Sample{
		"bad_request":            {Request: broken},
		"request_validation":     {Request: get("/v1/pairs?type=bonds")},
		"not_found":              {Request: get("/v1/pairs/NOPE")},
		"method_not_allowed":     {Request: wrong},
		"unsupported_media_type": {Request: packed},
		"service_unavailable":    {Request: resolve(accounts.MagicBank, "0000000503")},
		"world_expired": {
			Setup: []Request{create(world.Options{ID: placeholder}), remove}, Request: get("/v1/currencies"),
		},
	}
}
