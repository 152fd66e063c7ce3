// Package publicapi lists the operations and errors of Causeway's public API, for faults, outcomes and the
// catalog. A test of cmd/causeway/app compares it with the API's OpenAPI document.
package publicapi

import (
	"maps"
	"net/http"
	"slices"

	"causeway/adapters/httpapi/apierror"
)

// Operations that other packages name.
const (
	ResolveAccount = "resolve-account"
	StreamPairs    = "stream-pairs"
)

// members maps each operation to the path of the main member of its responses, in which * is any
// element. The path is empty if the response is a stream.
var members = map[string]string{
	"explain-price":      "data.mid",
	"find-address-owner": "data.account",
	"get-addresses":      "data.*.address",
	"get-currency":       "data.code",
	"get-pair":           "data.buy_price",
	"get-price-history":  "data.points",
	"list-addresses":     "data.*.address",
	"list-banks":         "data.*.code",
	"list-countries":     "data.*.code",
	"list-currencies":    "data.*.code",
	"list-pairs":         "data.*.buy_price",
	"regenerate-address": "data.address",
	ResolveAccount:       "data.account_name",
	StreamPairs:          "",
	"validate-address":   "data.valid",
	"validate-addresses": "data.*.valid",
}

// Names returns the names of all operations, sorted.
func Names() []string { return slices.Sorted(maps.Keys(members)) }

// Known reports whether there is an operation of this name.
func Known(name string) bool {
	_, ok := members[name]
	return ok
}

// Member returns the path of the main member of an operation's responses; "" for a stream.
func Member(name string) string { return members[name] }

// Error is an error of the public API.
type Error struct {
	Name   string `json:"name" doc:"Name of the error" example:"not_found"`
	Status int    `json:"status" doc:"HTTP status" example:"404"`
}

// Errors returns all errors, by status and then by name.
func Errors() []Error {
	var out []Error
	for _, name := range apierror.Names() {
		out = append(out, Error{string(name), Status(string(name))})
	}
	return out
}

// Status returns the status of the named error; 200 if there is none.
func Status(name string) int {
	if kind, ok := apierror.Name(name).Kind(); ok {
		return kind.Status
	}
	return http.StatusOK
}
