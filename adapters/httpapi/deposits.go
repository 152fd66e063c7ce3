package httpapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/core/deposits"
)

// Deposits assigns deposit addresses. Errors name the fields currency and network.
type Deposits interface {
	Check(currency, network string) error
	Get(ctx context.Context, q deposits.Query) (deposits.Result, error)
	List(ctx context.Context, user core.DepositUser, previous bool) (deposits.Result, error)
	Regenerate(
		ctx context.Context, user core.DepositUser, currency, network string, key core.Private,
	) (deposits.Item, error)
	Owner(ctx context.Context, account, network string, address core.DepositAddress) (deposits.Item, error)
}

const (
	idempotencyHeader = "Idempotency-Key"
	longestKey        = 128 // of Idempotency-Key, in characters
)

// DepositUser is the user of a request: the profile of the header within the account of the caller.
type DepositUser struct {
	Profile string `header:"X-BU-PROFILE-ID" doc:"The user: an ID of 1 to 64 characters that you choose. Without it, the default user of the key" example:"user-4711"`

	user core.DepositUser
}

func (u *DepositUser) read(ctx huma.Context) []error {
	r, _ := humago.Unwrap(ctx)
	u.user = core.DepositUser{Account: requestFrom(ctx.Context()).account(r), Profile: core.Private(u.Profile)}
	switch len(r.Header.Values(deposits.ProfileField)) {
	case 0:
		return nil
	case 1:
		return appendError(nil, deposits.CheckProfile(u.Profile))
	}
	return []error{core.InvalidField(deposits.ProfileField, "is sent more than once; send it once")}
}

// account returns the account of the caller's key. In a sandbox, which needs no key, any token is an
// account of its own.
func (q *request) account(r *http.Request) string {
	const shown = 16
	if c := q.callerOf(r); c.key != nil {
		return cmp.Or(c.key.Account, c.key.ID)
	}
	if token, sent := bearer(r); sent {
		sum := sha256.Sum256([]byte(token.Reveal()))
		return "token_" + hex.EncodeToString(sum[:])[:shown]
	}
	return PublicAccount
}

// PublicAccount is the account of requests without a key.
const PublicAccount = "public"

type listAddressesInput struct {
	DepositUser

	Include string `query:"include" enum:"previous" doc:"previous: also the 100 newest replaced addresses of each network" example:"previous"`
}

// Resolve reads the user.
func (in *listAddressesInput) Resolve(ctx huma.Context) []error {
	return append(checkQuery(ctx), in.read(ctx)...)
}

type getAddressesInput struct {
	DepositUser

	Include  string `query:"include" enum:"previous" doc:"previous: also the 100 newest replaced addresses of each network" example:"previous"`
	Currency string `path:"currency" maxLength:"64" doc:"Code of a cryptocurrency" example:"BTC"`
	Network  string `query:"network" maxLength:"64" doc:"A network that carries the currency, by its code or another usual name; by default all that have a deposit wallet" example:"BTC"`
	Amount   string `query:"amount" maxLength:"64" doc:"An amount of the currency for payment_uri" example:"0.001"`

	readOnly bool // the caller may not assign addresses
}

// Resolve checks the currency, the network and the amount together with the header.
func (in *getAddressesInput) Resolve(ctx huma.Context) []error {
	errs := append(checkQuery(ctx), in.read(ctx)...)
	errs = append(errs, rejectSecrets(namedValue{"currency", &in.Currency}, namedValue{"network", &in.Network},
		namedValue{"amount", &in.Amount})...)
	normalizeCodes(&in.Currency)
	in.readOnly = readOnly(ctx)
	if in.Amount != "" {
		_, err := addresses.ParseAmount(in.Amount)
		errs = appendError(errs, err)
	}
	return appendError(errs, instanceFrom(ctx.Context()).services.Deposits.Check(in.Currency, in.Network))
}

// readOnly reports whether the caller may not assign addresses.
func readOnly(ctx huma.Context) bool {
	r, _ := humago.Unwrap(ctx)
	q := requestFrom(ctx.Context())
	if !q.operation.keyed {
		return false
	}
	key := q.callerOf(r).key
	return !key.Allows(core.ScopeAddressesWrite) && !key.Allows(core.OpRegenerateAddress)
}

type regenerateInput struct {
	DepositUser

	Key  string `header:"Idempotency-Key" doc:"A text of at most 128 characters: requests of a user with the same one get the same address" example:"8e03978e-40d5"`
	Body struct {
		_        struct{} `additionalProperties:"true"`
		Currency string   `json:"currency" maxLength:"64" doc:"Code of a cryptocurrency" example:"BTC"`
		Network  string   `json:"network,omitempty" maxLength:"64" doc:"A network that carries the currency; by default the currency's default network" example:"BTC"`
	}
}

// Resolve checks the headers and normalizes the body.
func (in *regenerateInput) Resolve(ctx huma.Context) []error {
	errs := append(in.read(ctx),
		rejectSecrets(namedValue{"currency", &in.Body.Currency}, namedValue{"network", &in.Body.Network})...)
	if utf8.RuneCountInString(in.Key) > longestKey || !utf8.ValidString(in.Key) {
		errs = append(errs, core.InvalidField(idempotencyHeader,
			"is too long or not text; at most 128 characters are accepted"))
	}
	if r, _ := humago.Unwrap(ctx); len(r.Header[idempotencyHeader]) > 1 {
		errs = append(errs, core.InvalidField(idempotencyHeader, "is sent more than once; send it once"))
	}
	normalizeCodes(&in.Body.Currency)
	in.Body.Network = strings.TrimSpace(in.Body.Network)
	return errs
}

type addressOwnerInput struct {
	Network string `query:"network" required:"true" maxLength:"64" doc:"The network of the deposit, by its code or another usual name" example:"BTC"`
	Address string `query:"address" required:"true" maxLength:"512" doc:"The address that received the deposit, in any spelling"`
	Memo    string `query:"memo" maxLength:"512" doc:"Memo or tag of the deposit"`

	account string // of the caller; empty: all accounts
}

// Resolve limits a caller without the scope of the operation to its own users.
func (in *addressOwnerInput) Resolve(ctx huma.Context) []error {
	r, _ := humago.Unwrap(ctx)
	q := requestFrom(ctx.Context())
	if key := q.callerOf(r).key; q.operation.keyed && !slices.Contains(key.Scopes, core.ScopeAddressesOwner) {
		in.account = q.account(r)
	}
	return append(checkQuery(ctx), rejectSecrets(namedValue{"network", &in.Network})...)
}

type depositBody struct {
	ID         string    `json:"id" doc:"ID of the address for this currency and network" example:"da_0c2a4b7f9e1d3c5a7b9d_btc_btc"`
	Currency   string    `json:"currency" doc:"Code of the currency" example:"BTC"`
	CurrencyID string    `json:"currency_id" doc:"The same as currency" example:"BTC"`
	Network    string    `json:"network" doc:"Code of the network" example:"BTC"`
	Chain      string    `json:"chain" doc:"The same as network" example:"BTC"`
	Address    string    `json:"address" doc:"Where the user receives transfers" example:"tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"`
	Memo       *string   `json:"memo" doc:"Memo or tag that every transfer must carry; null if the address alone identifies the user" example:"12345"`
	Label      string    `json:"label" doc:"Currency and network for people" example:"Bitcoin on Bitcoin"`
	PaymentURI string    `json:"payment_uri,omitempty" doc:"Payment link with the address, its memo, and the amount of the request, for a wallet or a code to scan. Absent: wallets agree on no link for the currency and network; show the address and the memo" example:"bitcoin:tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx?amount=0.001"`
	Current    bool      `json:"current" doc:"Whether it is the user's current address; replaced ones stay assigned to the user" example:"true"`
	CreatedAt  time.Time `json:"created_at" doc:"Time of the assignment" example:"2026-11-21T12:00:00Z"`
	Warnings   []string  `json:"warnings,omitempty" enum:"memo_required,simulated_address,deposits_not_detected" doc:"What the sender must know; /errors/<warning> explains each" example:"simulated_address"`
}

const (
	memoRequired        = "memo_required"
	simulatedAddress    = "simulated_address"
	depositsNotDetected = "deposits_not_detected"
)

// newDepositBody describes an address. detected is whether the transfers that it receives are read.
func newDepositBody(i *deposits.Item, detected bool) depositBody {
	body := depositBody{
		ID:       strings.ToLower(i.ID + "_" + i.Currency + "_" + i.Network),
		Currency: i.Currency, CurrencyID: i.Currency, Network: i.Network, Chain: i.Network,
		Address: i.Address.Reveal(), Label: i.Label, PaymentURI: paymentURI(i, nil),
		Current: i.Replaced.IsZero(), CreatedAt: i.Created,
	}
	if i.Memo != "" {
		memo := i.Memo.Reveal()
		body.Memo, body.Warnings = &memo, []string{memoRequired}
	}
	if i.Simulated {
		body.Warnings = append(body.Warnings, simulatedAddress)
	}
	if !detected {
		body.Warnings = append(body.Warnings, depositsNotDetected)
	}
	return body
}

type addressOwnerBody struct {
	ID        string    `json:"id" doc:"The IDs of the address for its currencies begin with it" example:"da_0c2a4b7f9e1d3c5a7b9d"`
	Account   string    `json:"account" doc:"Account of the API key whose user it is; see causeway keys list" example:"k3v9x0a2bc"`
	ProfileID string    `json:"profile_id" doc:"The user, as X-BU-PROFILE-ID named it; empty: the default user of the key" example:"user-4711"`
	Network   string    `json:"network" doc:"Code of the network" example:"BTC"`
	Address   string    `json:"address" doc:"The address in its canonical spelling" example:"tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"`
	Memo      *string   `json:"memo" doc:"Memo or tag of the user; null if the address alone identifies the user" example:"12345"`
	Current   bool      `json:"current" doc:"Whether it is the user's current address" example:"true"`
	CreatedAt time.Time `json:"created_at" doc:"Time of the assignment" example:"2026-11-21T12:00:00Z"`
}

func newAddressOwnerBody(i *deposits.Item) addressOwnerBody {
	shown := newDepositBody(i, true)
	return addressOwnerBody{
		ID: i.ID, Account: i.User.Account, ProfileID: i.User.Profile.Reveal(), Network: i.Network,
		Address: shown.Address, Memo: shown.Memo, Current: shown.Current, CreatedAt: shown.CreatedAt,
	}
}

// depositList is a list of addresses in its envelope.
type depositList struct {
	envelope.Success[[]depositBody]

	Unavailable []unavailableNetworkBody `json:"unavailable,omitempty"`
}

// Schema describes the envelope in place.
func (l depositList) Schema(r huma.Registry) *huma.Schema {
	schema := l.Success.Schema(r)
	schema.Properties["unavailable"] = &huma.Schema{
		Type: huma.TypeArray, Items: r.Schema(reflect.TypeFor[unavailableNetworkBody](), true, ""),
		Description: "Networks whose addresses cannot be shown or assigned at the moment. Absent: none",
	}
	return schema
}

type unavailableNetworkBody struct {
	Currency string `json:"currency" doc:"Code of the currency" example:"BTC"`
	Network  string `json:"network" doc:"Code of the network" example:"BTC"`
	Message  string `json:"message" doc:"A sentence for people" example:"Deposit addresses of BTC on BTC are temporarily unavailable. Retry later."`
}

// respondAddresses returns the response with a list of addresses. The payment links ask for the
// amount; empty: for none.
func respondAddresses(result deposits.Result, t Transactions, amount string) (*huma.StreamResponse, error) {
	bodies := make([]depositBody, 0, len(result.Items))
	for _, item := range result.Items {
		body := newDepositBody(&item, t.Detects(item.Currency, item.Network))
		if amount != "" && body.PaymentURI != "" {
			units, err := addresses.LinkAmount(item.Network, item.Currency, amount)
			if err != nil {
				return nil, err
			}
			body.PaymentURI = paymentURI(&item, &units)
		}
		bodies = append(bodies, body)
	}
	list := depositList{Success: envelope.NewSuccess("Addresses found", bodies)}
	for _, m := range result.Unavailable {
		list.Unavailable = append(list.Unavailable, unavailableNetworkBody{m.Currency, m.Network, fmt.Sprintf(
			"Deposit addresses of %s on %s are temporarily unavailable. Retry later.", m.Currency, m.Network)})
	}
	return newEncoded("application/json", apierror.Encode(list), false).respond(cacheNever), nil
}

func (a *API) registerDeposits() {
	register(a, huma.Operation{
		OperationID: core.OpListAddresses, Tags: []string{"Deposits"},
		Summary:   "List deposit addresses",
		Security:  openOperation,
		Responses: bodyResponses[depositList](a, "The addresses"), Errors: []int{http.StatusBadRequest},
	}, func(ctx context.Context, in *listAddressesInput) (*huma.StreamResponse, error) {
		services := &instanceFrom(ctx).services
		result, err := services.Deposits.List(ctx, in.user, in.Include != "")
		if err != nil {
			return nil, err
		}
		return respondAddresses(result, services.Transactions, "")
	})
	register(a, huma.Operation{
		OperationID: core.OpGetAddresses, Tags: []string{"Deposits"}, Summary: "Get a deposit address",
		Security:  openOperation,
		Responses: bodyResponses[depositList](a, "The addresses"),
		Errors:    []int{http.StatusBadRequest, http.StatusNotFound},
	}, func(ctx context.Context, in *getAddressesInput) (*huma.StreamResponse, error) {
		services := &instanceFrom(ctx).services
		result, err := services.Deposits.Get(ctx, deposits.Query{
			User: in.user, Currency: in.Currency, Network: in.Network, Previous: in.Include != "", ReadOnly: in.readOnly,
		})
		if err != nil {
			return nil, err
		}
		return respondAddresses(result, services.Transactions, in.Amount)
	})
	a.registerAddressQR()
	a.registerRegenerate()
	register(a, huma.Operation{
		OperationID: core.OpFindAddressOwner, Tags: []string{"Deposits"}, Summary: "Find the owner of a deposit address",
		Security: openOperation, Responses: encodedResponses[addressOwnerBody](a, "The user"),
		Errors: []int{http.StatusBadRequest, http.StatusNotFound},
	}, func(ctx context.Context, in *addressOwnerInput) (*huma.StreamResponse, error) {
		item, err := instanceFrom(ctx).services.Deposits.Owner(ctx, in.account, in.Network,
			core.DepositAddress{Address: core.Private(in.Address), Memo: core.Private(in.Memo)})
		if err != nil {
			return nil, err
		}
		return respondOnce("Owner found", newAddressOwnerBody(&item), cacheNever), nil
	})
}

func (a *API) registerRegenerate() {
	registerPost(a, huma.Operation{
		OperationID: core.OpRegenerateAddress, Tags: []string{"Deposits"},
		Summary: "Regenerate a deposit address", MaxBodyBytes: bodyLimit, Security: openOperation,
	}, "The new address", map[string]*huma.Example{"bitcoin": {
		Summary: "A new Bitcoin address", Value: map[string]string{"currency": "BTC", "network": "BTC"},
	}}, func(ctx context.Context, in *regenerateInput) (*jsonOutput[depositBody], error) {
		services := &instanceFrom(ctx).services
		item, err := services.Deposits.Regenerate(ctx, in.user, in.Body.Currency, in.Body.Network, core.Private(in.Key))
		if err != nil {
			return nil, err
		}
		detected := services.Transactions.Detects(item.Currency, item.Network)
		return newJSONOutput("Address regenerated", newDepositBody(&item, detected)), nil
	})
}
