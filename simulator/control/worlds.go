package control

import (
	"net/http"
	"time"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
	"causeway/simulator/journal"
	"causeway/simulator/world"
)

// worldView is a world as the API shows it.
type worldView struct {
	ID            string        `json:"id"`
	Seed          string        `json:"seed"`
	Clock         clockView     `json:"clock"`
	TTL           string        `json:"ttl,omitempty"`
	MagicPairs    bool          `json:"magic_pairs"`
	EnforceLimits bool          `json:"enforce_limits"`
	MainnetOnly   bool          `json:"mainnet_only"`
	EdgeChaos     string        `json:"edge_chaos,omitempty"`
	CreatedAt     time.Time     `json:"created_at"`
	UsedAt        time.Time     `json:"used_at"`
	Markets       int           `json:"markets"`
	Accounts      int           `json:"accounts"`
	Faults        int           `json:"faults"`
	Queued        int           `json:"queued"`
	Journal       journal.State `json:"journal"`
}

func viewOf(w *world.World) worldView {
	o := w.Options()
	out := worldView{
		ID: o.ID, Seed: o.Seed, Clock: clockOf(w), MagicPairs: o.MagicPairs, EnforceLimits: o.EnforceLimits, MainnetOnly: o.MainnetOnly, EdgeChaos: o.EdgeChaos,
		CreatedAt: w.Born().UTC(), UsedAt: w.Used(), Markets: len(w.Market().Settings(w.Now())), Accounts: len(w.Accounts()),
		Faults: len(w.Faults().List()), Journal: w.Journal().State(),
	}
	if o.TTL > 0 {
		out.TTL = time.Duration(o.TTL).String()
	}
	for _, line := range w.Pending() {
		out.Queued += len(line.Outcomes)
	}
	return out
}

// newID is what a fork is called.
type newID struct {
	ID string `json:"id"`
}

// ended says which world has ended.
type ended struct {
	ID string `json:"id"`
}

func aboutWorlds() []operation {
	const tag = "Worlds"
	return []operation{
		{
			id: "list-worlds", method: http.MethodGet, path: "/worlds", tag: tag, summary: "List the worlds that are alive", said: "Worlds",
			doc:   "By id. The world `default` is always among them.",
			gives: []worldView{exampleWorld()}, handle: listWorlds,
		},
		{
			id: "create-world", method: http.MethodPost, path: "/worlds", tag: tag, summary: "Create a world", said: "World created", status: http.StatusCreated,
			doc: "A world that a request names in the header `Sim-World` is made by that, with its id as its seed; create it here to choose its seed, its clock or its options. " +
				"An id that ended may be created again.",
			takes:  exampleOptions(),
			more:   []example{{"just a name", map[string]any{"id": "TestCheckout/pays"}}},
			gives:  exampleWorld(),
			errors: []apierror.Name{apierror.Conflict, apierror.TooManyRequests}, handle: createWorld,
		},
		{
			id: "get-world", method: http.MethodGet, path: "/worlds/{id}", tag: tag, summary: "Show a world", said: "World", gives: exampleWorld(),
			doc:    "With its clock, how much is set in it, and its journal's fingerprint. Looking at a world does not count as using it.",
			handle: func(c *call) (any, error) { return viewOf(c.world), nil },
		},
		{
			id: "delete-world", method: http.MethodDelete, path: "/worlds/{id}", tag: tag, summary: "End a world", said: "World ended", gives: ended{"TestCheckout/pays"},
			doc:    "Whoever names it from then on gets 410 `world_expired`, until it is created again. The world `default` does not end; reset it.",
			handle: deleteWorld,
		},
		{
			id: "reset-world", method: http.MethodPost, path: "/worlds/{id}/reset", tag: tag, summary: "Begin a world anew", said: "World reset", gives: exampleWorld(),
			doc: "As it was created: its clock too. Nothing is set, queued or recorded in it, and its caches, circuit breakers and limits are new. Whoever waits for its journal gets 410.",
			handle: func(c *call) (any, error) {
				w, err := c.api.worlds.Reset(c.world.ID())
				return shown(w, err)
			},
		},
		{
			id: "stop-all", method: http.MethodPost, path: "/worlds/{id}/stop", tag: tag, summary: "Stop everything in a world", said: "Everything stopped", gives: exampleWorld(), records: true, changes: true,
			doc: "Ends all faults, market settings and scenarios, and drops the queued outcomes. The clock, the accounts and the journal stay as they are.",
			handle: func(c *call) (any, error) {
				c.world.Stop()
				return viewOf(c.world), nil
			},
		},
		{
			id: "fork-world", method: http.MethodPost, path: "/worlds/{id}/fork", tag: tag, summary: "Make a world in the state of another one", said: "World forked",
			status: http.StatusCreated, takes: newID{"TestCheckout/fails"}, gives: exampleWorld(),
			doc:    "With its seed, its clock, and everything that is set, queued and goes wrong there, counts included. From then on the two have nothing to do with each other. Journals and caches are not copied.",
			errors: []apierror.Name{apierror.Conflict, apierror.TooManyRequests}, handle: forkWorld,
		},
	}
}

// shown is a world as data, unless there was an error.
func shown(w *world.World, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return viewOf(w), nil
}

func listWorlds(c *call) (any, error) {
	out := []worldView{}
	for _, w := range c.api.worlds.List() {
		out = append(out, viewOf(w))
	}
	return out, nil
}

func createWorld(c *call) (any, error) {
	o, err := read[world.Options](c.body)
	if err != nil {
		return nil, err
	}
	w, err := c.api.worlds.Create(o)
	return shown(w, err)
}

func deleteWorld(c *call) (any, error) {
	id := c.world.ID()
	return ended{id}, c.api.worlds.Delete(id)
}

func forkWorld(c *call) (any, error) {
	to, err := read[newID](c.body)
	if err != nil {
		return nil, err
	}
	if to.ID == c.world.ID() {
		return nil, core.InvalidField("id", "%s is the world itself; accepted: another id", core.Quoted(to.ID))
	}
	w, err := c.api.worlds.Fork(c.world.ID(), to.ID)
	if err != nil {
		return nil, err
	}
	if err := c.recordImport(w); err != nil {
		return nil, err
	}
	return viewOf(w), nil
}
