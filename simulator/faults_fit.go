package simulator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Offer is what a provider can be asked, and what its answers have.
type Offer struct {
	Operations []string // in the words of its adapter's metrics
	Prices     []string // operations whose answers have prices
	Members    []string // operations whose answers have something else that matters most: the holder of an account, a token
	Times      bool     // of its prices
	Counted    bool     // these times are counts of seconds or milliseconds
}

// fitting lists the operations whose answers an effect can befall; all says that it can befall any.
func (o Offer) fitting(k Kind) (operations []string, all bool) {
	switch needs := kinds[k].needs; {
	case needs == needNothing:
		return o.Operations, true
	case needs == needMember:
		return slices.Concat(o.Prices, o.Members), false
	case needs == needTimes && !o.Times, needs == needCounts && !o.Counted:
		return nil, false
	}
	return o.Prices, false
}

// Fits reports whether an effect applies to the provider's responses to an operation; to any, if it is empty.
func (o Offer) Fits(k Kind, operation string) bool {
	operations, all := o.fitting(k)
	return all || operation == "" && len(operations) > 0 || slices.Contains(operations, operation)
}

// fit refuses a rule that can befall nobody. What is on the plane Edge is the same in all worlds: see Check.
func (f *Faults) fit(r Rule) error {
	m, kind, offers := r.Match, r.Effect.Kind, f.offered()
	if m.Plane == Edge {
		return nil
	}
	providers, known, fitting := choices(m, kind, offers)
	var c checker
	_, there := offers[m.Provider]
	switch {
	case m.Provider != "" && !there:
		c.need(false, "match.provider", fmt.Sprintf("%q", m.Provider), strings.Join(slices.Sorted(maps.Keys(offers)), ", "))
	case m.Provider != "" && !slices.Contains(providers, m.Provider):
		c.need(false, "effect.kind", fmt.Sprintf("%s, which the answers of %s have nothing for", kind, m.Provider), "providers "+inOrder(providers))
	case m.Operation != "" && !slices.Contains(known, m.Operation):
		c.need(false, "match.operation", fmt.Sprintf("%q", m.Operation), inOrder(known))
	case m.Operation != "" && !slices.Contains(fitting, m.Operation):
		c.need(false, "effect.kind", fmt.Sprintf("%s, which the answers to %s have nothing for", kind, m.Operation), "operations "+inOrder(fitting))
	}
	return c.err()
}

// choices are the providers that an effect can befall, the operations that a match may name, and those of them that the effect can befall.
func choices(m Match, kind Kind, offers map[string]Offer) (providers, known, fitting []string) {
	for name, o := range offers {
		if o.Fits(kind, "") {
			providers = append(providers, name)
		}
		if m.Provider == "" || m.Provider == name {
			of, _ := o.fitting(kind)
			known, fitting = append(known, o.Operations...), append(fitting, of...)
		}
	}
	return providers, known, fitting
}

// inOrder are names in their order, each once.
func inOrder(names []string) string {
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}
