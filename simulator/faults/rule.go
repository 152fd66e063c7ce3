// Package faults decides what goes wrong in a simulated world: rules that select requests, and the effect that
// each has on their responses. Package inject applies the effects.
//
// The rules are reproducible: whether a rule hits a request depends on the seed of the world, the rule and how
// many requests matched it before.
package faults

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/input"
)

// Plane is the connection on which a fault occurs.
type Plane string

// The planes. The default is Upstream.
const (
	Upstream Plane = "upstream" // between Causeway and a provider
	Edge     Plane = "edge"     // between a client and Causeway
	Webhook  Plane = "webhook"  // between Causeway and a receiver of events
)

// or returns the plane, or the default.
func (p Plane) or() Plane { return cmp.Or(p, Upstream) }

// Phase says whether the request is processed before the fault replaces its response.
type Phase string

// The phases. The default is Before. Effects that alter a response always come after.
const (
	Before Phase = "before"
	After  Phase = "after"
)

// Rule applies an effect to the matching requests that When selects. The control API validates the tags; Set.Add
// checks what they cannot express.
type Rule struct {
	Match  Match  `json:"match,omitzero" doc:"The requests that the rule applies to"`
	Effect Effect `json:"effect,omitzero" doc:"What goes wrong"`
	When   When   `json:"when,omitzero" doc:"Which of the matching requests fail; all of them if it is absent"`
	Phase  Phase  `json:"phase,omitempty" enum:"before,after" doc:"Whether the fault occurs before or after the request was processed; before if it is absent" example:"before"`
}

// Match selects requests. Empty fields match everything that the effect fits.
type Match struct {
	Plane     Plane             `json:"plane,omitempty" enum:"upstream,edge,webhook" doc:"upstream: requests of Causeway to a provider; edge: responses of Causeway to its clients; webhook: what Causeway sends to receivers of events" example:"upstream"`
	Provider  string            `json:"provider,omitempty" doc:"Name of the provider; absent: every provider that the effect fits. Always absent on the planes edge and webhook" example:"kraken"`
	Operation string            `json:"operation,omitempty" doc:"Operation of the provider, such as ticker, or of the public API on the plane edge, or type of the event on the plane webhook"`
	Header    map[string]string `json:"header,omitempty" doc:"Values of request headers, by name"`
	Nth       int64             `json:"nth,omitempty" minimum:"0" doc:"Only the nth matching request, counted from 1"`
}

// When selects some of the matching requests. Counts are per provider, or per operation on the other planes, so
// that they do not depend on the order of concurrent requests.
type When struct {
	Probability string         `json:"probability,omitempty" pattern:"^(0(\\.[0-9]{1,9})?|1(\\.0{1,9})?)$" patternDescription:"a decimal from 0 to 1, of at most 9 places" doc:"Share of the matching requests, a decimal from 0 to 1; 1 if it is absent"`
	After       int64          `json:"after,omitempty" minimum:"0" doc:"Number of matching requests that pass first"`
	Every       int64          `json:"every,omitempty" minimum:"0" doc:"Every nth of the remaining requests, starting with the first"`
	MaxHits     int64          `json:"max_hits,omitempty" minimum:"0" doc:"Number of hits after which the rule does nothing; 0: unlimited" example:"2"`
	TTL         input.Duration `json:"ttl,omitempty" doc:"How long the rule stays, by the clock of the world; absent: until it is deleted"`
}

// normalized returns the rule with the short form times_1000 as times with a factor.
func (r Rule) normalized() Rule {
	if digits, ok := strings.CutPrefix(string(r.Effect.Kind), string(Times)+"_"); ok {
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			r.Effect.Kind, r.Effect.Factor = Times, n
		}
	}
	return r
}

const billion = 1_000_000_000

// chance returns the probability in parts of a billion.
func (w When) chance() uint64 {
	p, err := decimal.NewFromString(cmp.Or(w.Probability, "1"))
	if err != nil {
		return 0
	}
	return p.Shift(9).BigInt().Uint64()
}

// PresetInfo is a named list of rules.
type PresetInfo struct {
	Name  string `json:"name" doc:"Name; provider_down:<provider> needs a provider, others accept one" example:"slow_tail"`
	Title string `json:"title" doc:"What goes wrong"`
	Rules []Rule `json:"rules" doc:"The rules"`
}

var presets = []PresetInfo{
	{"provider_down:<provider>", "the provider refuses connections", []Rule{{Effect: Effect{Kind: Refuse}}}},
	{"slow_tail", "one response in ten is late: 1.5 seconds in the median, at most 8", []Rule{{
		Effect: Effect{Kind: Latency, Distribution: Lognormal, MS: 1500, MaxMS: 8000}, When: When{Probability: "0.1"},
	}}},
	{"quota_exhausted", "every response is 429 with Retry-After: 60", []Rule{{
		Effect: Effect{Kind: Status, Status: 429, Code: "quota_exceeded", RetryAfter: input.Duration(time.Minute)},
	}}},
	{
		"bad_deploy", "a broken release: a third of the responses are 500, others are HTML, lack a field or have new ones",
		[]Rule{
			{Effect: Effect{Kind: Status, Status: 500}, When: When{Probability: "0.33"}},
			{Effect: Effect{Kind: HTML}, When: When{Probability: "0.1"}},
			{Effect: Effect{Kind: MissingField}, When: When{Probability: "0.2"}},
			{Effect: Effect{Kind: UnknownFields}, When: When{Probability: "0.5"}},
		},
	},
	{"partial_outage_30", "30 % of the responses are 503", []Rule{{
		Effect: Effect{Kind: Status, Status: 503}, When: When{Probability: "0.3"},
	}}},
}

// Presets returns all presets.
func Presets() []PresetInfo { return slices.Clone(presets) }

// Preset returns the rules of a preset: of "slow_tail" for all providers, of "slow_tail:kraken" for one.
func Preset(name string) ([]Rule, error) {
	name, provider, narrowed := strings.Cut(name, ":")
	var names []string
	for _, p := range presets {
		names = append(names, p.Name)
		own, _, needed := strings.Cut(p.Name, ":")
		if own != name {
			continue
		}
		if needed && !narrowed || narrowed && provider == "" {
			return nil, core.InvalidField("preset", "%s names no provider; accepted: such as %s:kraken", name, name)
		}
		rules := slices.Clone(p.Rules)
		for i := range rules {
			rules[i].Match.Provider = provider
		}
		return rules, nil
	}
	return nil, core.InvalidField("preset", "%s; accepted: %s, each also for one provider, as in slow_tail:kraken",
		input.Quoted(name), strings.Join(names, ", "))
}
