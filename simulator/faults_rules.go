package simulator

import (
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"causeway/core"
)

// mostRules are the rules that a world has at once.
const mostRules = 1000

// Faults are the rules of a world by which things go wrong. It is safe for concurrent use.
type Faults struct {
	seed   uint64
	chaos  *armed                           // is about all operations; nil: there is none
	offers atomic.Pointer[map[string]Offer] // by provider

	changing sync.Mutex
	made     uint64 // rules so far
	armed    atomic.Pointer[[]*armed]
}

// armed is a rule at work. Its counts are by provider, or on the plane Edge by operation.
type armed struct {
	id          string
	key         uint64
	rule        Rule
	chance      uint64 // parts of a billion
	from, until time.Time

	counting      sync.Mutex
	matched, hits map[string]uint64
}

// Fault is a rule of a world with what came of it.
type Fault struct {
	ID          string            `json:"id" doc:"ID of the fault" example:"f1"`
	Rule        Rule              `json:"rule" doc:"The rule"`
	From        time.Time         `json:"from" doc:"When the rule started, by the clock of the world" example:"2026-11-16T12:00:00Z"`
	Until       time.Time         `json:"until,omitzero" doc:"When the rule ends; absent: never"`
	Matched     uint64            `json:"matched" doc:"Number of requests that matched" example:"14"`
	Hits        uint64            `json:"hits" doc:"Number of requests that failed" example:"2"`
	HitProvider map[string]uint64 `json:"hits_by_provider,omitempty" doc:"Hits by provider, on the plane upstream"`

	HitOperation map[string]uint64 `json:"hits_by_operation,omitempty" doc:"Hits by operation, on the plane edge"`
}

func newFaults(seed uint64, offers map[string]Offer, chaos string) *Faults {
	f := &Faults{seed: seed, chaos: newChaos(seed, chaos)}
	f.offers.Store(&offers)
	return f
}

// Offer tells which provider there is, where the registry of the world's does not know yet.
func (f *Faults) Offer(provider string, o Offer) { f.OfferAll(map[string]Offer{provider: o}) }

// OfferAll tells about providers that are not known yet, all at once. The map stays as it is: worlds share it.
func (f *Faults) OfferAll(all map[string]Offer) {
	f.changing.Lock()
	defer f.changing.Unlock()
	known := f.offered()
	if len(known) == 0 {
		f.offers.Store(&all)
		return
	}
	more := maps.Clone(all)
	maps.Copy(more, known)
	if len(more) > len(known) {
		f.offers.Store(&more)
	}
}

// offered are all providers. They are left as they are.
func (f *Faults) offered() map[string]Offer { return *f.offers.Load() }

// Offers returns all providers. The caller owns it.
func (f *Faults) Offers() map[string]Offer { return maps.Clone(f.offered()) }

// Add puts a rule to work from an instant on, and returns its id. The error names everything that is not accepted.
func (f *Faults) Add(r Rule, from time.Time) (string, error) {
	if err := r.Check(); err != nil {
		return "", err
	}
	if err := f.fit(r); err != nil {
		return "", err
	}
	f.changing.Lock()
	defer f.changing.Unlock()
	rules := slices.DeleteFunc(f.list(), func(a *armed) bool { return a.over(from) })
	if len(rules) >= mostRules {
		return "", core.InvalidField("match", "%d rules are at work; accepted: no more before some are deleted", len(rules))
	}
	f.made++
	a := &armed{id: "f" + strconv.FormatUint(f.made, 10), rule: r.clone(), from: from, matched: map[string]uint64{}, hits: map[string]uint64{}}
	a.key = subKey(f.seed, "fault", a.id)
	a.chance, _ = parts(r.When.Probability)
	if r.When.TTL > 0 {
		a.until = from.Add(time.Duration(r.When.TTL))
	}
	rules = append(rules, a)
	f.armed.Store(&rules)
	return a.id, nil
}

// list is a copy of the rules.
func (f *Faults) list() []*armed {
	if rules := f.armed.Load(); rules != nil {
		return slices.Clone(*rules)
	}
	return nil
}

// over reports whether a rule will never befall anything again.
func (a *armed) over(now time.Time) bool { return !a.until.IsZero() && !a.until.After(now) }

// Made is how many rules the world has had so far: their ids are f1 and so on.
func (f *Faults) Made() uint64 {
	f.changing.Lock()
	defer f.changing.Unlock()
	return f.made
}

// Remove ends a rule. It is core.NotFound where there is none of that id.
func (f *Faults) Remove(id string) error {
	f.changing.Lock()
	defer f.changing.Unlock()
	rules := f.list()
	i := slices.IndexFunc(rules, func(a *armed) bool { return a.id == id })
	if i < 0 {
		return core.Errorf(core.NotFound, "There is no fault %s", id)
	}
	rules = slices.Delete(rules, i, i+1)
	f.armed.Store(&rules)
	return nil
}

// Quiet reports whether there is neither a rule nor chaos.
func (f *Faults) Quiet() bool { return f.armed.Load() == nil && f.chaos == nil }

// Reset ends all rules.
func (f *Faults) Reset() {
	f.changing.Lock()
	defer f.changing.Unlock()
	f.armed.Store(nil)
}

// List returns the rules in the order in which they were made. The caller owns it.
func (f *Faults) List() []Fault {
	out := []Fault{}
	for _, a := range f.list() {
		out = append(out, a.report())
	}
	return out
}

func (a *armed) report() Fault {
	a.counting.Lock()
	defer a.counting.Unlock()
	out := Fault{ID: a.id, Rule: a.rule.clone(), From: a.from, Until: a.until}
	if hits := maps.Clone(a.hits); a.rule.Match.Plane == Edge {
		out.HitOperation = hits
	} else {
		out.HitProvider = hits
	}
	for by, n := range a.matched {
		out.Matched += n
		out.Hits += a.hits[by]
	}
	return out
}
