package simulator

import (
	"net/http"
	"sync"
)

// Edge is between the client and our service.
const Edge Plane = "edge"

// Operation is something that clients ask the service for.
type Operation struct {
	Name   string // as in its OpenAPI document
	Method string
	Path   string
}

// ResolveAccount is the operation that asks providers about an account.
const ResolveAccount = "resolve-account"

// operations are those of the wire contract.
var operations = []Operation{
	{"explain-price", http.MethodGet, "/v1/pairs/{id}/price"},
	{"get-currency", http.MethodGet, "/v1/currencies/{code}"},
	{"get-pair", http.MethodGet, "/v1/pairs/{id}"},
	{"get-price-history", http.MethodGet, "/v1/pairs/{id}/history"},
	{"list-banks", http.MethodGet, "/v1/banks"},
	{"list-countries", http.MethodGet, "/v1/countries"},
	{"list-currencies", http.MethodGet, "/v1/currencies"},
	{"list-pairs", http.MethodGet, "/v1/pairs"},
	{ResolveAccount, http.MethodPost, "/v1/recipients/resolve-bank-account"},
	{"stream-pairs", http.MethodGet, "/v1/pairs/stream"},
	{"validate-address", http.MethodPost, "/v1/validate"},
	{"validate-addresses", http.MethodPost, "/v1/validate/batch"},
}

// failure is an error that the service answers with.
type failure struct {
	name   string
	status int
}

// failures are the errors of the wire contract, section 1.
var failures = []failure{
	{"bad_request", http.StatusBadRequest},
	{"request_validation", http.StatusBadRequest},
	{"unauthorized", http.StatusUnauthorized},
	{"forbidden", http.StatusForbidden},
	{"not_found", http.StatusNotFound},
	{"method_not_allowed", http.StatusMethodNotAllowed},
	{"conflict", http.StatusConflict},
	{"world_expired", http.StatusGone},
	{"payload_too_large", http.StatusRequestEntityTooLarge},
	{"unsupported_media_type", http.StatusUnsupportedMediaType},
	{"too_many_requests", http.StatusTooManyRequests},
	{"internal_server_error", http.StatusInternalServerError},
	{"service_unavailable", http.StatusServiceUnavailable},
}

// dormantAccount is the one outcome of an account that no magic number has.
var dormantAccount = MagicAccount{Scenario: string(Dormant), Title: "the account takes no money", Outcome: Dormant, Error: "not_found"}

// scripted are the outcomes, made once.
var scripted = sync.OnceValue(Outcomes)
