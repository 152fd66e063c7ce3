package simulator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"causeway/core"
)

// Plane says between whom a fault is.
type Plane string

// The planes. Upstream is where none is named.
const (
	Upstream Plane = "upstream" // between our service and a provider
	Edge     Plane = "edge"     // between the client and our service
)

// Phase says whether the one who is asked has done the work by the time that the fault befalls the answer.
type Phase string

// The phases. Before is the one where none is named; effects that change an answer come after in any case, and a stream, whose answer has no end, is
// never done.
const (
	Before Phase = "before"
	After  Phase = "after"
)

// Duration is a time.Duration that is written "1m30s" in JSON and YAML.
type Duration time.Duration

// UnmarshalText reads what MarshalText writes.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no duration; accepted: such as 30s, 1h30m", text)
	}
	*d = Duration(parsed)
	return nil
}

// MarshalText writes the duration.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// Rule makes something go wrong: Effect befalls the questions of Match, those of them that When picks.
type Rule struct {
	Match  Match  `json:"match" doc:"The requests that the rule applies to"`
	Effect Effect `json:"effect" doc:"What goes wrong"`
	When   When   `json:"when,omitzero" doc:"Which of the matching requests fail; all of them if it is absent"`
	Phase  Phase  `json:"phase,omitempty" doc:"Whether the fault occurs before or after the request was processed; before if it is absent" example:"before"`
}

// Match says which questions are meant. What is empty matches everything; an effect that does not fit a provider never befalls it.
type Match struct {
	Plane     Plane             `json:"plane,omitempty" doc:"upstream: requests of Causeway to a provider; edge: responses of Causeway to its clients" example:"upstream"`
	Provider  string            `json:"provider,omitempty" doc:"Name of the provider; absent: every provider that the effect fits. Always absent on the plane edge" example:"kraken"`
	Operation string            `json:"operation,omitempty" doc:"Operation of the provider, such as ticker, or of the public API on the plane edge"`
	Header    map[string]string `json:"header,omitempty" doc:"Values of request headers, by name"`
	Nth       int64             `json:"nth,omitempty" doc:"Only the nth matching request, counted from 1"`
}

// When picks among the questions that match. Each provider's are counted by themselves, and so are those for each of our operations, so that it does
// not matter who asks first.
type When struct {
	Probability string   `json:"probability,omitempty" doc:"Share of the matching requests, a decimal from 0 to 1; 1 if it is absent"`
	After       int64    `json:"after,omitempty" doc:"Number of matching requests that pass first"`
	Every       int64    `json:"every,omitempty" doc:"Every nth of the remaining requests, starting with the first"`
	MaxHits     int64    `json:"max_hits,omitempty" doc:"Number of hits after which the rule does nothing; 0: unlimited" example:"2"`
	TTL         Duration `json:"ttl,omitempty" doc:"How long the rule stays, by the clock of the world; absent: until it is deleted"`
}

// Effect is what goes wrong. A field that its kind does not read is refused.
type Effect struct {
	Kind         Kind         `json:"kind" doc:"Kind of effect; the catalog describes them" example:"inverted"`
	Status       int          `json:"status,omitempty" doc:"For the kind status: HTTP status, 400 to 599. On the plane edge, a status of the public API"`
	Code         string       `json:"code,omitempty" doc:"For the kind status: error code in the body. On the plane edge, the name of an error with that status"`
	RetryAfter   Duration     `json:"retry_after,omitempty" doc:"For the kind status: value of Retry-After, in whole seconds, such as 30s"`
	MS           int64        `json:"ms,omitempty" doc:"For delays: milliseconds of the machine; the minimum or the median if the delay is not fixed"`
	MaxMS        int64        `json:"max_ms,omitempty" doc:"For delays that are not fixed: the maximum in milliseconds"`
	Distribution Distribution `json:"distribution,omitempty" doc:"For delays: fixed, uniform or lognormal; fixed if it is absent"`
	By           Duration     `json:"by,omitempty" doc:"For stale and future timestamps: the difference; an hour if it is absent"`
	Bytes        int64        `json:"bytes,omitempty" doc:"For huge bodies: bytes of padding; 5 MiB if it is absent"`
}

// Distribution says how a latency is drawn.
type Distribution string

// The distributions. A lognormal one has two thirds of its values between 0.6 and 1.6 times its median.
const (
	Fixed     Distribution = "fixed"
	Uniform   Distribution = "uniform"
	Lognormal Distribution = "lognormal"
)

// Limits of a rule.
const (
	mostLatency = 600_000 // milliseconds
	mostBytes   = 16 << 20
	mostShift   = Duration(400 * 24 * time.Hour)
)

// checker gathers what is wrong with something that was sent.
type checker struct{ faults []core.FieldError }

func (c *checker) need(ok bool, field string, value any, accepted string) {
	if !ok {
		c.faults = append(c.faults, core.FieldError{Field: field, Reason: fmt.Sprintf("%v; accepted: %s", value, accepted)})
	}
}

func (c *checker) err() error {
	if len(c.faults) == 0 {
		return nil
	}
	return core.InvalidFields(c.faults...)
}

// Check returns everything that is wrong with a rule, each with what is accepted. Whether there is such a provider, and whether the effect fits
// it, only a world knows: see Faults.Add.
func (r Rule) Check() error {
	var c checker
	c.need(slices.Contains([]Plane{"", Upstream, Edge}, r.Match.Plane), "match.plane", r.Match.Plane, "upstream, edge")
	c.need(r.Match.Nth >= 0, "match.nth", r.Match.Nth, "1 or more; 0: every one")
	_, known := kinds[r.Effect.Kind]
	c.need(known, "effect.kind", fmt.Sprintf("%q", r.Effect.Kind), strings.Join(Kinds(), ", "))
	r.Effect.check(&c)
	if r.Match.Plane == Edge {
		r.checkEdge(&c)
	}
	_, fine := parts(r.When.Probability)
	c.need(fine, "when.probability", r.When.Probability, "a decimal from 0 to 1, of at most 9 places")
	c.need(r.When.After >= 0, "when.after", r.When.After, "0 or more")
	c.need(r.When.Every >= 0, "when.every", r.When.Every, "1 or more; 0: every one")
	c.need(r.When.MaxHits >= 0, "when.max_hits", r.When.MaxHits, "1 or more; 0: any number")
	c.need(r.When.TTL >= 0, "when.ttl", time.Duration(r.When.TTL), "0s or more")
	c.need(slices.Contains([]Phase{"", Before, After}, r.Phase), "phase", r.Phase, "before, after")
	c.need(r.Effect.Kind != FaultRefuse || r.Phase != After, "phase", r.Phase, "before: who is never connected to does no work")
	return c.err()
}

// member is a field of an effect: whether it was given, whether its value will do, and what will.
type member struct {
	name         string
	given, sound bool
	value        any
	accepted     string
}

// members are the fields of an effect beside its kind.
func (e Effect) members() []member {
	return append([]member{
		{"status", e.Status != 0, e.Status >= 400 && e.Status <= 599, e.Status, "400 to 599"},
		{"code", e.Code != "", len(e.Code) <= 100, e.Code, "at most 100 bytes"},
		{"retry_after", e.RetryAfter != 0, e.RetryAfter >= 0 && time.Duration(e.RetryAfter)%time.Second == 0, time.Duration(e.RetryAfter), "whole seconds"},
		{"by", e.By != 0, e.By >= 0 && e.By <= mostShift, time.Duration(e.By), "up to " + time.Duration(mostShift).String()},
		{"bytes", e.Bytes != 0, e.Bytes >= 0 && e.Bytes <= mostBytes, e.Bytes, fmt.Sprintf("up to %d", mostBytes)},
	}, e.latency()...)
}

// latency are the fields of what takes long.
func (e Effect) latency() []member {
	least, accepted := int64(0), "nothing where the latency is fixed"
	greatest := int64(0)
	drawn := e.Distribution == Uniform || e.Distribution == Lognormal
	if drawn {
		least, greatest, accepted = e.MS, mostLatency, fmt.Sprintf("from ms to %d where the latency is %s", mostLatency, e.Distribution)
	}
	return []member{
		{"ms", e.MS != 0, e.MS >= 1 && e.MS <= mostLatency, e.MS, fmt.Sprintf("1 to %d", mostLatency)},
		{"max_ms", e.MaxMS != 0, e.MaxMS >= least && e.MaxMS <= greatest, e.MaxMS, accepted},
		{"distribution", e.Distribution != "", drawn || e.Distribution == "" || e.Distribution == Fixed, e.Distribution, "fixed, uniform, lognormal"},
	}
}

// check looks at the fields of an effect: each belongs to a kind.
func (e Effect) check(c *checker) {
	of := kinds[e.Kind].takes
	for _, m := range e.members() {
		switch taken := slices.Contains(of, m.name); {
		case taken:
			c.need(m.sound, "effect."+m.name, m.value, m.accepted)
		case m.given:
			c.need(false, "effect."+m.name, m.value, fmt.Sprintf("nothing: %s does not take it", e.Kind))
		}
	}
}

// Kinds lists all kinds of effects, sorted.
func Kinds() []string {
	var out []string
	for kind := range kinds {
		out = append(out, string(kind))
	}
	slices.Sort(out)
	return out
}

// parts reads a probability in parts of a billion.
func parts(text string) (uint64, bool) {
	if text == "" || strings.Trim(text, "0.") == "" && strings.Contains(text, "0") {
		return map[bool]uint64{true: e9}[text == ""], strings.Count(text, ".") <= 1
	}
	p, err := parseNumber(text)
	if err != nil || one.less(p) || p.exp < -9-17 {
		return 0, false
	}
	return p.units(9, false), true
}

// clone has nothing in common with the rule.
func (r Rule) clone() Rule {
	r.Match.Header = maps.Clone(r.Match.Header)
	return r
}

// Spoils reports whether an effect changes an answer that was made; other effects take the place of one, or hold it up. A WebSocket's
// handshake has nothing to spoil.
func (k Kind) Spoils() bool { return kinds[k].spoils }

// Slows reports whether an effect lets an answer come slowly once it has begun to come. It does not befall the handshake of a WebSocket.
func (k Kind) Slows() bool { return kinds[k].slows }

// Power is the n of an effect that multiplies by 10ⁿ; false for any other effect.
func (k Kind) Power() (n int32, ok bool) {
	zeros, ok := strings.CutPrefix(string(k), "times_1")
	return int32(len(zeros)), ok && strings.Trim(zeros, "0") == "" //nolint:gosec // a few zeros
}
