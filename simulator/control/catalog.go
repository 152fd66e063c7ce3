package control

import (
	"net/http"

	"causeway/simulator/wire"
)

func aboutCatalog() []operation {
	const tag = "Catalog"
	return []operation{
		{
			id: "get-catalog", method: http.MethodGet, path: "/catalog", tag: tag, summary: "List everything that can be made to happen", said: "Catalog", gives: later(exampleCatalog),
			doc: "Magic accounts and pairs, outcomes, errors, addresses for every verdict, kinds and presets of faults, incidents: each with a request that is ready to be sent, and what comes of it. " +
				"`{world}` stands for the id of a world, percent-encoded in paths.",
			handle: func(c *call) (any, error) { return c.api.worlds.Catalog(), nil },
		},
		{
			id: "list-divergences", method: http.MethodGet, path: "/divergences", tag: tag, summary: "List where simulated providers differ from the real ones", said: "Divergences",
			doc:   "On purpose or for want of knowledge, as far as that is known; each with the test that shows it.",
			gives: wire.Divergences()[:1], handle: func(*call) (any, error) { return wire.Divergences(), nil },
		},
	}
}
