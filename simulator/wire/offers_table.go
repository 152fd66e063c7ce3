package wire

import (
	"sync"

	"causeway/simulator"
	"causeway/simulator/wire/all"
)

// offers computes the result of Offers once.
var offers = sync.OnceValue(func() map[string]simulator.Offer {
	out := map[string]simulator.Offer{}
	for _, d := range all.Descriptors {
		out[d.Name] = d.FaultPoints.Offer()
	}
	return out
})
