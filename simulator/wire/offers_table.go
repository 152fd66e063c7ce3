package wire

import (
	"sync"

	"causeway/simulator/faults"
	"causeway/simulator/wire/all"
)

// offers computes the result of Offers once.
var offers = sync.OnceValue(func() map[string]faults.Capabilities {
	out := map[string]faults.Capabilities{}
	for _, d := range all.Descriptors {
		out[d.Name] = d.FaultPoints.Offer()
	}
	return out
})
