package httpapi

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
)

// Add registers an operation that is not in the OpenAPI document and returns no content.
func (a *API) Add(id, method, path string) {
	register(a, huma.Operation{OperationID: id, Method: method, Path: path, Hidden: true},
		func(context.Context, *struct{}) (*struct{}, error) { return nil, nil })
}
