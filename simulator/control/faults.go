package control

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
	"causeway/simulator/faults"
	"causeway/simulator/world"
)

// faultBody is a rule, or the name of a preset.
type faultBody struct {
	Preset string `json:"preset,omitempty" doc:"Name of a preset instead of a rule, such as slow_tail or provider_down:kraken"`

	faults.Rule
}

type addFaultsInput struct {
	WorldPath

	Body faultBody
}

type removeFaultInput struct {
	WorldPath

	Fault string `path:"fault" doc:"ID of the fault" example:"f1"`
}

func (a *api) registerFaults() {
	tags := []string{"Faults"}
	registerChange(a, huma.Operation{
		OperationID: "add-faults", Method: http.MethodPost, Path: "/faults", Tags: tags, Summary: "Add a fault",
		Description: "Adds a rule, or the rules of a preset, and returns them. A rule without a condition matches all " +
			"requests that its effect fits. Requests are counted per provider, and per operation on the plane `edge`; " +
			"draws depend only on the seed, the rule and the count.",
		DefaultStatus: http.StatusCreated,
	}, "Faults added", a.addFaults)
	registerInWorld(a, huma.Operation{
		OperationID: "list-faults", Method: http.MethodGet, Path: "/faults", Tags: tags, Summary: "List the faults",
		Description: "Returns the faults and their hits. If several faults match a request, the first one applies.",
	}, "Faults", func(_ context.Context, w *world.World, _ *WorldPath) ([]faults.Fault, error) {
		return w.Faults().List(), nil
	})
	registerChange(a, huma.Operation{
		OperationID: "clear-faults", Method: http.MethodDelete, Path: "/faults", Tags: tags,
		Summary: "Remove all faults", Description: "The returned list is empty.",
	}, "Faults removed", func(_ context.Context, w *world.World, _ *WorldPath) ([]faults.Fault, error) {
		w.Faults().Reset()
		return w.Faults().List(), nil
	})
	registerChange(a, huma.Operation{
		OperationID: "remove-fault", Method: http.MethodDelete, Path: "/faults/{fault}", Tags: tags,
		Summary: "Remove a fault", Description: "Returns the remaining faults.",
	}, "Fault removed", func(_ context.Context, w *world.World, in *removeFaultInput) ([]faults.Fault, error) {
		if err := w.Faults().Remove(in.Fault); err != nil {
			return nil, err
		}
		return w.Faults().List(), nil
	})
}

func (a *api) addFaults(_ context.Context, w *world.World, in *addFaultsInput) ([]faults.Fault, error) {
	rules, err := in.Body.rules()
	if err != nil {
		return nil, err
	}
	for _, r := range rules {
		if r.Match.Plane == faults.Edge {
			if err := a.rejectWithoutAPI("match.plane", string(faults.Upstream)); err != nil {
				return nil, err
			}
		}
	}
	return w.Faults().AddAll(rules, w.Now())
}

// rules returns the rule, or the rules of the preset.
func (b faultBody) rules() ([]faults.Rule, error) {
	switch {
	case b.Preset != "" && !reflect.DeepEqual(b.Rule, faults.Rule{}):
		return nil, core.InvalidField("preset", "has a rule beside it; accepted: one of them. A preset for one provider is "+
			"such as slow_tail:okx")
	case b.Preset != "":
		return faults.Preset(b.Preset)
	case b.Effect == faults.Effect{}:
		return nil, core.InvalidField("effect",
			"is required; accepted: {\"match\":…,\"effect\":{\"kind\":…}}, or {\"preset\":…}")
	}
	return []faults.Rule{b.Rule}, nil
}
