// Package api holds the types and the operations of Causeway's HTTP API, generated from its OpenAPI
// document. Package causeway/clients/go calls them.
package api

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../../../adapters/httpapi/testdata/openapi.json
