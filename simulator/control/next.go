package control

import (
	"net/http"
	"strings"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/catalog"
	"causeway/simulator/publicapi"
)

// mostOutcomes are as many as one call puts in line.
const mostOutcomes = 1_000

func aboutNext() []operation {
	const tag = "Outcomes"
	return []operation{
		{
			id: "queue-outcomes", method: http.MethodPost, path: "/worlds/{id}/next", tag: tag, summary: "Say what happens to the next requests", said: "Outcomes queued",
			takes: accounts.Queued{Operation: publicapi.ResolveAccount, Outcomes: []string{"unknown", "all_down"}},
			gives: []accounts.Queued{{Operation: publicapi.ResolveAccount, Outcomes: []string{"unknown", "all_down"}}}, records: true,
			doc: "Each outcome befalls one request for the operation, once, in order, behind those that wait already; a request that is refused before it comes about, such as one with a bad body, leaves it for the next one. A request with the header `Sim-Scenario` takes none. The catalog lists operations and " +
				"outcomes. The answer lists all that wait.",
			handle: func(c *call) (any, error) {
				q, err := read[accounts.Queued](c.body)
				if err != nil {
					return nil, err
				}
				if err := c.onlyProviders("operation", "what befalls the next requests", "accounts, markets, and faults of the plane upstream"); err != nil {
					return nil, err
				}
				if len(q.Outcomes) > mostOutcomes {
					return nil, core.InvalidField("outcomes", "are %d; accepted: up to %d in one call", len(q.Outcomes), mostOutcomes)
				}
				err = c.world.QueueNext(q.Operation, q.Outcomes...)
				return c.world.Pending(), err
			},
		},
		{
			id: "list-outcomes", method: http.MethodGet, path: "/worlds/{id}/next", tag: tag, summary: "List what waits for the next requests", said: "Outcomes",
			doc: "By operation, in order.", gives: []accounts.Queued{{Operation: publicapi.ResolveAccount, Outcomes: []string{"unknown"}}},
			handle: func(c *call) (any, error) { return c.world.Pending(), nil },
		},
		{
			id: "clear-outcomes", method: http.MethodDelete, path: "/worlds/{id}/next", tag: tag, summary: "Forget what waits for the next requests", said: "Outcomes forgotten", records: true,
			doc: "Of one operation, or of all.", query: []parameter{{name: "operation", doc: "Only of this operation", example: publicapi.ResolveAccount}},
			gives: []accounts.Queued{}, handle: clearNext,
		},
	}
}

func clearNext(c *call) (any, error) {
	operation := c.query["operation"]
	if operation != "" && !known(operation) {
		return nil, core.InvalidField("operation", "%s is no operation; accepted: %s", core.Quoted(operation), strings.Join(catalog.New().Operations, ", "))
	}
	c.world.ForgetNext(operation)
	return c.world.Pending(), nil
}

func known(operation string) bool {
	for _, o := range publicapi.Operations() {
		if o.Name == operation {
			return true
		}
	}
	return false
}
