package control

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"causeway/simulator/catalog"
	"causeway/simulator/wire"
)

func (a *api) registerCatalog() {
	tags := []string{"Catalog"}
	register(a, huma.Operation{
		OperationID: "get-catalog", Method: http.MethodGet, Path: "/catalog", Tags: tags,
		Summary: "List everything that can be simulated",
		Description: "Magic accounts and pairs, outcomes, errors, an address for every verdict, faults, presets and " +
			"scenarios, each with a request and its response. `{world}` stands for the name of a world.",
	}, "Catalog", func(context.Context, *struct{}) (catalog.Catalog, error) { return catalog.For(a.worlds), nil })
	register(a, huma.Operation{
		OperationID: "list-divergences", Method: http.MethodGet, Path: "/divergences", Tags: tags,
		Summary:     "List known differences from the real providers",
		Description: "Each has the test that shows it.",
	}, "Divergences", func(context.Context, *struct{}) ([]wire.Divergence, error) { return wire.Divergences(), nil })
}
