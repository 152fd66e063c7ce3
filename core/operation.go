package core

import (
	"slices"
	"strings"
	"time"
)

// Operation describes an operation of the public HTTP API for the parts that serve, limit, protect, configure and
// simulate it. Its OpenAPI description is in adapters/httpapi.
type Operation struct {
	ID     string // its name in settings, scopes of keys, metrics and logs
	Method string
	Path   string    // a pattern of net/http.ServeMux
	Scope  string    // of keys that may call all operations with this scope; empty: none
	Limit  RateLimit // default rate limit; zero: limits.default
	Keyed  bool      // production requires a key by default
	Writes bool      // it can change what later requests find
	Stream bool      // the response does not end
	Member string    // path of the main member of the response, in which * is any element; empty: it is no JSON
}

// The IDs of the operations.
const (
	OpListBanks         = "list-banks"
	OpListCountries     = "list-countries"
	OpListCurrencies    = "list-currencies"
	OpGetCurrency       = "get-currency"
	OpResolveAccount    = "resolve-account"
	OpValidateAddress   = "validate-address"
	OpValidateAddresses = "validate-addresses"
	OpListPairs         = "list-pairs"
	OpGetPair           = "get-pair"
	OpExplainPrice      = "explain-price"
	OpGetPriceHistory   = "get-price-history"
	OpStreamPairs       = "stream-pairs"
	OpListAddresses     = "list-addresses"
	OpGetAddresses      = "get-addresses"
	OpGetAddressQR      = "get-address-qr"
	OpRegenerateAddress = "regenerate-address"
	OpFindAddressOwner  = "find-address-owner"
	OpListTransactions  = "list-transactions"
	OpGetTransaction    = "get-transaction"
	OpListBalances      = "list-balances"
	OpGetBalance        = "get-balance"
	OpListEvents        = "list-events"
)

// The scopes of several operations. Every ID of an operation is a scope too.
const (
	ScopeAddressesRead    = "addresses:read"
	ScopeAddressesWrite   = "addresses:write"
	ScopeAddressesOwner   = "addresses:owner" // finds the users of all keys
	ScopeTransactionsRead = "transactions:read"
	ScopeBalancesRead     = "balances:read"
	ScopeEventsRead       = "events:read" // of all users of the account
)

const get, post = "GET", "POST"

// operations are all operations. A test of adapters/httpapi compares them with the OpenAPI document.
var operations = []Operation{
	{ID: OpListBanks, Method: get, Path: "/v1/banks", Member: "data.*.code"},
	{ID: OpListCountries, Method: get, Path: "/v1/countries", Member: "data.*.code"},
	{ID: OpListCurrencies, Method: get, Path: "/v1/currencies", Member: "data.*.code"},
	{ID: OpGetCurrency, Method: get, Path: "/v1/currencies/{code}", Member: "data.code"},
	{
		ID: OpResolveAccount, Method: post, Path: "/v1/recipients/resolve-bank-account", Member: "data.account_name",
		Keyed: true, Limit: perMinute(600), // a payroll resolves ten accounts a second
	},
	{ID: OpValidateAddress, Method: post, Path: "/v1/validate", Member: "data.valid"},
	{
		ID: OpValidateAddresses, Method: post, Path: "/v1/validate/batch", Member: "data.*.valid",
		Limit: perMinute(120),
	},
	{ID: OpListPairs, Method: get, Path: "/v1/pairs", Member: "data.*.buy_price"},
	{ID: OpGetPair, Method: get, Path: "/v1/pairs/{id}", Member: "data.buy_price"},
	{ID: OpExplainPrice, Method: get, Path: "/v1/pairs/{id}/price", Member: "data.mid"},
	{ID: OpGetPriceHistory, Method: get, Path: "/v1/pairs/{id}/history", Member: "data.points"},
	{ID: OpStreamPairs, Method: get, Path: "/v1/pairs/stream", Stream: true, Limit: perMinute(60)},
	{
		ID: OpListAddresses, Method: get, Path: "/v1/addresses", Member: "data.*.address",
		Keyed: true, Scope: ScopeAddressesRead,
	},
	{
		ID: OpGetAddresses, Method: get, Path: "/v1/addresses/{currency}", Member: "data.*.address",
		Keyed: true, Writes: true, Scope: ScopeAddressesRead, Limit: perMinute(600), // it assigns addresses
	},
	{
		ID: OpGetAddressQR, Method: get, Path: "/v1/addresses/{currency}/qr",
		Keyed: true, Writes: true, Scope: ScopeAddressesRead, Limit: perMinute(600), // as get-addresses
	},
	{
		ID: OpRegenerateAddress, Method: post, Path: "/v1/addresses/regenerate", Member: "data.address",
		Keyed: true, Writes: true, Scope: ScopeAddressesWrite, Limit: perMinute(60), // every new address is watched
	},
	{
		ID: OpFindAddressOwner, Method: get, Path: "/v1/addresses/owner", Member: "data.account",
		Keyed: true, Scope: ScopeAddressesOwner,
	},
	{
		ID: OpListTransactions, Method: get, Path: "/v1/transactions", Member: "data.*.amount",
		Keyed: true, Scope: ScopeTransactionsRead,
	},
	{
		ID: OpGetTransaction, Method: get, Path: "/v1/transactions/{id}", Member: "data.amount",
		Keyed: true, Scope: ScopeTransactionsRead,
	},
	{
		ID: OpListBalances, Method: get, Path: "/v1/balances", Member: "data.*.total",
		Keyed: true, Scope: ScopeBalancesRead,
	},
	{
		ID: OpGetBalance, Method: get, Path: "/v1/balances/{currency}", Member: "data.total",
		Keyed: true, Scope: ScopeBalancesRead,
	},
	{
		ID: OpListEvents, Method: get, Path: "/v1/events", Member: "data.*.type",
		Keyed: true, Scope: ScopeEventsRead,
	},
}

func perMinute(calls int) RateLimit { return RateLimit{Calls: calls, Per: time.Minute} }

// Operations returns all operations.
func Operations() []Operation { return slices.Clone(operations) }

// OperationIDs returns the IDs of all operations, sorted.
func OperationIDs() []string {
	var out []string
	for _, op := range operations {
		out = append(out, op.ID)
	}
	slices.Sort(out)
	return out
}

// FindOperation returns the operation with an ID, and false if there is none.
func FindOperation(id string) (Operation, bool) {
	for _, op := range operations {
		if op.ID == id {
			return op, true
		}
	}
	return Operation{}, false
}

// Group returns the word after /v1/ in the path, which stands for all operations below it in settings.
func (o Operation) Group() string {
	name, _, _ := strings.Cut(strings.TrimPrefix(o.Path, "/v1/"), "/")
	return name
}

// OperationGroups returns the sorted IDs of the operations of each group.
func OperationGroups() map[string][]string {
	out := map[string][]string{}
	for _, id := range OperationIDs() {
		op, _ := FindOperation(id)
		out[op.Group()] = append(out[op.Group()], id)
	}
	return out
}
