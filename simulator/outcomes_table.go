package simulator

import (
	"net/http"
	"sync"
)

// Operation is something that clients ask the service for.
type Operation struct {
	Name   string // as in its OpenAPI document
	Method string
	Path   string
	Member string // what matters most in its answer: a place in the JSON document, where * is any element; empty: its answer is a stream
}

const (
	// ResolveAccount is the operation that asks providers about an account.
	ResolveAccount = "resolve-account"

	streamPairs = "stream-pairs"
)

// operations are those of the wire contract.
var operations = []Operation{
	{"explain-price", http.MethodGet, "/v1/pairs/{id}/price", "data.mid"},
	{"find-address-owner", http.MethodGet, "/v1/addresses/owner", "data.account"},
	{"get-addresses", http.MethodGet, "/v1/addresses/{currency}", "data.*.address"},
	{"get-currency", http.MethodGet, "/v1/currencies/{code}", "data.code"},
	{"get-pair", http.MethodGet, "/v1/pairs/{id}", "data.buy_price"},
	{"get-price-history", http.MethodGet, "/v1/pairs/{id}/history", "data.points"},
	{"list-addresses", http.MethodGet, "/v1/addresses", "data.*.address"},
	{"list-banks", http.MethodGet, "/v1/banks", "data.*.code"},
	{"list-countries", http.MethodGet, "/v1/countries", "data.*.code"},
	{"list-currencies", http.MethodGet, "/v1/currencies", "data.*.code"},
	{"list-pairs", http.MethodGet, "/v1/pairs", "data.*.buy_price"},
	{"regenerate-address", http.MethodPost, "/v1/addresses/regenerate", "data.address"},
	{ResolveAccount, http.MethodPost, "/v1/recipients/resolve-bank-account", "data.account_name"},
	{streamPairs, http.MethodGet, "/v1/pairs/stream", ""},
	{"validate-address", http.MethodPost, "/v1/validate", "data.valid"},
	{"validate-addresses", http.MethodPost, "/v1/validate/batch", "data.*.valid"},
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
