package faults

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"causeway/core"
	"causeway/simulator/input"
	"causeway/simulator/seed"
)

// maxRules is how many rules a world has at once.
const maxRules = 1000

// Set is the set of fault rules of a world. It is safe for concurrent use.
type Set struct {
	seed      uint64
	providers map[string]Capabilities

	mu    sync.Mutex
	made  uint64 // rules so far
	rules []*active
}

// active is a rule of a set. Its counts are by provider, or by operation on the other planes.
type active struct {
	Fault // without counts

	seed          uint64
	chance        uint64 // parts of a billion
	matched, hits map[string]uint64
}

// Fault is a rule of a world with its counts.
type Fault struct {
	ID          string            `json:"id" doc:"ID of the fault" example:"f1"`
	Rule        Rule              `json:"rule" doc:"The rule"`
	From        time.Time         `json:"from" doc:"When the rule started, by the clock of the world" example:"2026-11-16T12:00:00Z"`
	Until       time.Time         `json:"until,omitzero" doc:"When the rule ends; absent: never"`
	Matched     uint64            `json:"matched" doc:"Number of requests that matched" example:"14"`
	Hits        uint64            `json:"hits" doc:"Number of requests that failed" example:"2"`
	HitProvider map[string]uint64 `json:"hits_by_provider,omitempty" doc:"Hits by provider, on the plane upstream"`

	HitOperation map[string]uint64 `json:"hits_by_operation,omitempty" doc:"Hits by operation, on the plane edge, or by type of the event, on the plane webhook"`
}

// NewSet returns an empty set for a world with the given seed and providers.
func NewSet(worldSeed uint64, providers map[string]Capabilities) *Set {
	return &Set{seed: worldSeed, providers: providers}
}

// Clone returns an independent set with the same rules and counts.
func (s *Set) Clone() *Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := &Set{seed: s.seed, providers: s.providers, made: s.made}
	for _, a := range s.rules {
		copied := *a
		copied.matched, copied.hits = maps.Clone(a.matched), maps.Clone(a.hits)
		out.rules = append(out.rules, &copied)
	}
	return out
}

// Providers returns the providers by name. The caller must not change the map.
func (s *Set) Providers() map[string]Capabilities { return s.providers }

// Add adds a rule from a time on and returns its ID.
func (s *Set) Add(r Rule, from time.Time) (string, error) {
	added, err := s.AddAll([]Rule{r}, from)
	if err != nil {
		return "", err
	}
	return added[0].ID, nil
}

// AddAll adds rules from a time on in their order: all of them, or none if one is invalid.
func (s *Set) AddAll(rules []Rule, from time.Time) ([]Fault, error) {
	rules = slices.Clone(rules)
	for i, r := range rules {
		rules[i] = r.normalized()
		if err := s.check(rules[i]); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = slices.DeleteFunc(s.rules, func(a *active) bool { return a.Over(from) })
	if len(s.rules)+len(rules) > maxRules {
		return nil, core.InvalidField("match", "%d rules are active; accepted: %d in all", len(s.rules), maxRules)
	}
	var added []Fault
	for _, r := range rules {
		s.made++
		a := &active{
			Fault:   Fault{ID: "f" + strconv.FormatUint(s.made, 10), Rule: r, From: from},
			matched: map[string]uint64{}, hits: map[string]uint64{},
		}
		a.seed = seed.Derive(s.seed, "fault", a.ID)
		a.chance = r.When.chance()
		if r.When.TTL > 0 {
			a.Until = from.Add(time.Duration(r.When.TTL))
		}
		s.rules, added = append(s.rules, a), append(added, a.report())
	}
	return added, nil
}

// targets returns what the rules of a plane can hit: the providers by name, or the public API or the events without a
// name.
func (s *Set) targets(p Plane) map[string]Capabilities {
	switch p {
	case Edge:
		return map[string]Capabilities{"": publicAPI}
	case Webhook:
		return map[string]Capabilities{"": events}
	case Upstream:
	}
	return s.providers
}

// Operations returns the operations of a plane and, if one is given, of a provider, sorted.
func (s *Set) Operations(p Plane, provider string) []string {
	var out []string
	for name, c := range s.targets(p) {
		if provider == "" || provider == name {
			out = append(out, c.Operations...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Kinds returns the kinds of effects that fit responses to some requests of a match, sorted.
func (s *Set) Kinds(m Match) []string {
	return slices.DeleteFunc(Kinds(), func(kind string) bool {
		for name, c := range s.targets(m.Plane) {
			if (m.Provider == "" || m.Provider == name) && c.fitsAny(Kind(kind), m.Operation) {
				return false
			}
		}
		return true
	})
}

// check returns the errors of a rule, including that it matches no request of the world.
func (s *Set) check(r Rule) error {
	var e input.Errors
	m, kind := r.Match, r.Effect.Kind
	targets, operations, fitting := s.targets(m.Plane), s.Operations(m.Plane, m.Provider), s.Kinds(m)
	_, exists := targets[m.Provider]
	switch {
	case kind.trait().kind == "":
		return core.InvalidField("effect.kind", "%q; accepted: %s", kind, strings.Join(Kinds(), ", "))
	case m.Provider != "" && m.Plane.or() != Upstream:
		e.Require(false, "match.provider", input.Quoted(m.Provider), "nothing: there is no provider on the plane "+
			string(m.Plane))
	case m.Provider != "" && !exists:
		e.Require(false, "match.provider", input.Quoted(m.Provider), strings.Join(slices.Sorted(maps.Keys(targets)), ", "))
	case m.Operation != "" && !slices.Contains(operations, m.Operation):
		e.Require(false, "match.operation", input.Quoted(m.Operation), strings.Join(operations, ", "))
	case !slices.Contains(fitting, string(kind)):
		e.Require(false, "effect.kind", fmt.Sprintf("%s, which fits no response that matches", kind),
			strings.Join(fitting, ", "))
	}
	r.Effect.check(&e)
	_, known := r.Effect.Error()
	e.Require(m.Plane != Edge || kind != Status || known, "effect.status",
		strings.TrimSpace(fmt.Sprint(r.Effect.Status, " ", r.Effect.Code)), "a status of the public API, with a name of "+
			"an error of that status as code, or none; the catalog lists them")
	e.Require(r.Phase != After || kind != Refuse && !isStream(m.Operation), "phase", r.Phase,
		"before: a refused connection carries no request, and a stream has no end")
	return e.Err()
}

// Over reports whether the rule has ended.
func (f Fault) Over(now time.Time) bool { return !f.Until.IsZero() && !f.Until.After(now) }

// Remove removes a rule. It returns core.NotFound if there is none of that ID.
func (s *Set) Remove(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.rules, func(a *active) bool { return a.ID == id })
	if i < 0 {
		return core.Errorf(core.NotFound, "There is no fault %s", id)
	}
	s.rules = slices.Delete(s.rules, i, i+1)
	return nil
}

// Reset removes all rules.
func (s *Set) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = nil
}

// List returns the rules in the order in which they were added.
func (s *Set) List() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []Fault{}
	for _, a := range s.rules {
		out = append(out, a.report())
	}
	return out
}

// report returns the rule with its counts.
func (a *active) report() Fault {
	out := a.Fault
	if a.Rule.Match.Plane.or() != Upstream {
		out.HitOperation = maps.Clone(a.hits)
	} else {
		out.HitProvider = maps.Clone(a.hits)
	}
	for by, n := range a.matched {
		out.Matched += n
		out.Hits += a.hits[by]
	}
	return out
}

// Changes returns the times at which rules begin or end; zero times are none.
func (s *Set) Changes() (all []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.rules {
		all = append(all, a.From, a.Until)
	}
	return all
}

// Request is a request to a provider, to Causeway, or to a receiver of events.
type Request struct {
	Plane     Plane
	Provider  string // of the plane Upstream
	Operation string
	Header    http.Header
}

// countedBy is the key by which the request is counted.
func (r Request) countedBy() string {
	if r.Plane.or() != Upstream {
		return r.Operation
	}
	return r.Provider
}

// Hit is an effect on a request.
type Hit struct {
	Fault  string // ID of the rule
	Effect Effect
	Phase  Phase

	draw uint64
}

// Next counts a request and returns the effect of the first rule that hits it.
func (s *Set) Next(r Request, now time.Time) (hit Hit, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.rules {
		if a.From.After(now) || a.Over(now) || !a.matches(r) || !s.fits(r, a.Rule.Effect.Kind) {
			continue
		}
		if draw, hits := a.count(r.countedBy(), ok); hits {
			hit, ok = Hit{Fault: a.ID, Effect: a.Rule.Effect, Phase: a.Rule.Phase, draw: draw}, true
		}
	}
	return hit, ok
}

// fits reports whether an effect fits the response to a request.
func (s *Set) fits(r Request, k Kind) bool {
	if r.Header.Get("Upgrade") != "" && (k.Alters() || k.Slows()) { // a WebSocket handshake has no body
		return false
	}
	return s.targets(r.Plane)[r.Provider].fits(k, r.Operation)
}

// matches reports whether a request matches the rule, apart from its effect.
func (a *active) matches(r Request) bool {
	m := a.Rule.Match
	if m.Plane.or() != r.Plane.or() || m.Provider != "" && m.Provider != r.Provider ||
		m.Operation != "" && m.Operation != r.Operation {
		return false
	}
	for name, value := range m.Header {
		if r.Header.Get(name) != value {
			return false
		}
	}
	return true
}

// count counts a matching request and reports whether the rule hits it. A request that an earlier rule hit is
// only counted.
func (a *active) count(by string, taken bool) (draw uint64, hits bool) {
	n := a.matched[by]
	a.matched[by] = n + 1
	w := a.Rule.When
	after, every, most := uint64(w.After), uint64(max(w.Every, 1)), uint64(w.MaxHits) //nolint:gosec // checked: not negative
	switch {
	case taken, n < after, (n-after)%every != 0, most > 0 && a.hits[by] >= most:
		return 0, false
	case a.Rule.Match.Nth > 0 && n+1 != uint64(a.Rule.Match.Nth):
		return 0, false
	}
	key := seed.Derive(a.seed, by, strconv.FormatUint(n, 10))
	if seed.Mix(key)%billion >= a.chance {
		return 0, false
	}
	a.hits[by]++
	return seed.Derive(key, string(a.Rule.Effect.Kind)), true
}

// Disturbs reports whether a rule may hit a request with these headers to a provider, whatever its operation.
// A WebSocket of such a provider closes, so that the rule applies to the requests that replace it. Nothing is
// counted.
func (s *Set) Disturbs(provider string, header http.Header, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.rules, func(a *active) bool {
		r := Request{Provider: provider, Operation: a.Rule.Match.Operation, Header: header}
		return a.matches(r) && !a.From.After(now) && !a.Over(now) && a.chance > 0 && !a.spent(provider) &&
			s.providers[provider].fitsAny(a.Rule.Effect.Kind, r.Operation)
	})
}

// spent reports whether the rule will hit no more requests to a provider.
func (a *active) spent(provider string) bool {
	most, nth := a.Rule.When.MaxHits, a.Rule.Match.Nth
	return most > 0 && a.hits[provider] >= uint64(most) || nth > 0 && a.matched[provider] >= uint64(nth)
}

// Delay returns how long the effect delays a response.
func (h Hit) Delay() time.Duration {
	e := h.Effect
	ms := e.MS
	switch e.Distribution {
	case Uniform:
		ms += int64(h.draw % uint64(e.MaxMS-e.MS+1)) //nolint:gosec // checked: the maximum is not below the minimum
	case Lognormal: // with a standard deviation of 0.5
		var sum int64 // of twelve uniform draws: nearly normal
		for i := range uint64(12) {
			sum += int64(seed.Mix(h.draw+i) >> 32)
		}
		normal := float64(sum)/(1<<32) - 6
		ms = min(int64(float64(ms)*math.Exp(normal/2)), e.MaxMS)
	case Fixed:
	}
	return time.Duration(ms) * time.Millisecond
}
