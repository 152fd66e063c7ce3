package simulator

import (
	"fmt"
	"maps"
	"slices"

	"causeway/core"
)

// Chaos lets something go wrong with a share of the answers to clients, whatever they ask for, so that whoever builds against a sandbox meets failures
// before his customers do. A world has it where its options say so: nobody who tests finds it in a world that he did not ask for it.

// newChaos is the chaos of a world; nil where it has none. The share is one that checkChaos accepts.
func newChaos(seed uint64, share string) *armed {
	chance, _ := parts(share)
	if share == "" || chance == 0 {
		return nil
	}
	return &armed{key: subKey(seed, "chaos"), chance: chance, matched: map[string]uint64{}, hits: map[string]uint64{}}
}

// checkChaos looks at the share of answers that something goes wrong with.
func checkChaos(c *checker, share string) {
	_, fine := parts(share)
	c.need(fine, "edge_chaos", shown(share), shares)
}

// shares are those that there may be of chaos.
const shares = "a decimal from 0 to 1, of at most 9 places, such as 0.01; empty: none"

// chaosOf is what a draw lets befall the answer to an operation.
func chaosOf(operation string, draw uint64) Hit {
	fitting := slices.DeleteFunc(slices.Clone(chaotic), func(h Hit) bool { return !h.Effect.Kind.OnEdge(operation) })
	hit := fitting[draw%uint64(len(fitting))]
	hit.draw = mix(draw)
	return hit
}

// chaosState is how many requests there were for each operation; nil where there is no chaos.
func (f *Faults) chaosState() map[string]uint64 {
	if f.chaos == nil {
		return nil
	}
	f.chaos.counting.Lock()
	defer f.chaos.counting.Unlock()
	return maps.Clone(f.chaos.matched)
}

// restoreChaos goes on where a document ends. Nobody has seen the faults yet.
func (f *Faults) restoreChaos(requests map[string]uint64) error {
	if len(requests) == 0 {
		return nil
	}
	if f.chaos == nil {
		return core.InvalidField("faults.chaos", "is there, and the world has no edge_chaos; accepted: both or none")
	}
	for operation := range requests {
		if !slices.Contains(operationNames(), operation) {
			return core.InvalidField("faults.chaos", "%s; accepted: %s", shown(operation), fmt.Sprint(operationNames()))
		}
	}
	maps.Copy(f.chaos.matched, requests)
	return nil
}
