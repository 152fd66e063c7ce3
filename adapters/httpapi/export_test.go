package httpapi

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
)

// Add registers an operation that is not in the OpenAPI document and returns no content.
func (a *API) Add(id, method, path string) {
	registerOperation(a, core.Operation{ID: id, Method: method, Path: path}, huma.Operation{Hidden: true},
		func(context.Context, *struct{}) (*struct{}, error) { return &struct{}{}, nil })
}
