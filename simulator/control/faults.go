package control

import (
	"net/http"
	"reflect"

	"causeway/core"
	"causeway/simulator/faults"
)

// ordered is a fault to be made, or the name of several.
type ordered struct {
	Preset string         `json:"preset,omitempty"`
	Match  faults.Match   `json:"match,omitzero"`
	Effect *faults.Effect `json:"effect,omitempty"`
	When   faults.When    `json:"when,omitzero"`
	Phase  faults.Phase   `json:"phase,omitempty"`
}

func aboutFaults() []operation {
	const tag = "Faults"
	return []operation{
		{
			id: "add-faults", method: http.MethodPost, path: "/worlds/{id}/faults", tag: tag, summary: "Let something go wrong", said: "Faults added", status: http.StatusCreated,
			takes: exampleFault(), more: []example{
				{"a preset", map[string]any{"preset": "provider_down:kraken"}},
				{"an answer to the client that is lost", map[string]any{
					"match": map[string]any{"plane": "edge", "operation": "resolve-account"}, "effect": map[string]any{"kind": "reset"}, "when": map[string]any{"probability": "0.1"}, "phase": "after",
				}},
			},
			gives: []faults.Fault{exampleFaultView()}, records: true, ready: true,
			doc: "A rule, or the rules of a preset: the answer lists those that were made. What a rule does not match on, it matches all of; an effect never befalls what it does not fit. The catalog " +
				"lists kinds and presets. Each provider's questions are counted by themselves, and so are the requests for each operation on the plane `edge`; draws depend on the seed, the rule and the " +
				"count alone. On the plane `edge` our own answers go wrong: what a client gets still says `Sim-World`, `Sim-Time` and `Sim-Applied`, where it gets a header at all.",
			handle: addFaults,
		},
		{
			id: "list-faults", method: http.MethodGet, path: "/worlds/{id}/faults", tag: tag, summary: "List the faults, with their hits", said: "Faults",
			doc: "In the order in which they were made: where several fit, the first one decides.", gives: []faults.Fault{exampleFaultView()},
			handle: func(c *call) (any, error) { return c.world.Faults().List(), nil },
		},
		{
			id: "clear-faults", method: http.MethodDelete, path: "/worlds/{id}/faults", tag: tag, summary: "End all faults", said: "Faults ended", records: true,
			doc: "The list that comes back is empty.", gives: []faults.Fault{},
			handle: func(c *call) (any, error) {
				c.world.Faults().Reset()
				return c.world.Faults().List(), nil
			},
		},
		{
			id: "remove-fault", method: http.MethodDelete, path: "/worlds/{id}/faults/{fault}", tag: tag, summary: "End a fault", said: "Fault ended", records: true,
			doc: "The list that comes back is of those that are left.", gives: []faults.Fault{exampleFaultView()}, handle: removeFault,
		},
	}
}

func addFaults(c *call) (any, error) {
	o, err := read[ordered](c.body)
	if err != nil {
		return nil, err
	}
	rules, err := o.rules()
	if err != nil {
		return nil, err
	}
	for _, r := range rules {
		if r.Match.Plane != faults.Edge {
			continue
		}
		if err := c.onlyProviders("match.plane", string(faults.Edge), string(faults.Upstream)); err != nil {
			return nil, err
		}
	}
	return c.world.Faults().AddAll(rules, c.world.Now())
}

// rules are those that were ordered.
func (o ordered) rules() ([]faults.Rule, error) {
	switch {
	case o.Preset != "" && !reflect.DeepEqual(o, ordered{Preset: o.Preset}):
		return nil, core.InvalidField("preset", "is there beside the members of a rule; accepted: one of them; a preset for one provider is such as slow_tail:okx")
	case o.Preset != "":
		return faults.Preset(o.Preset)
	case o.Effect == nil:
		return nil, core.InvalidField("effect", "is missing; accepted: {\"match\":…,\"effect\":{\"kind\":…}}, or {\"preset\":…}")
	}
	return []faults.Rule{{Match: o.Match, Effect: *o.Effect, When: o.When, Phase: o.Phase}}, nil
}

func removeFault(c *call) (any, error) {
	faults := c.world.Faults()
	if err := faults.Remove(c.r.PathValue("fault")); err != nil {
		return nil, err
	}
	return faults.List(), nil
}
