package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
	"causeway/core"
	"causeway/core/transactions"
)

// Transactions detects deposits. Chain returns what is known about a network. Detects reports whether deposits of a
// currency on a network are detected. List names the field cursor in its errors, and Get returns core.NotFound for a
// transaction of another user. Balances returns the balances of the currencies with transactions. Delayed returns the
// networks whose deposits arrive late. Events names the field after in its errors, or returns core.CursorExpired, and
// Event adds to an event what is known about its network.
//
//nolint:interfacebloat // one service
type Transactions interface {
	Chain(network string) (core.Chain, bool)
	Detects(currency, network string) bool
	List(ctx context.Context, q transactions.Query) (transactions.Page, error)
	Get(ctx context.Context, user core.DepositUser, id string) (transactions.Item, error)
	Balances(ctx context.Context, user core.DepositUser) ([]core.Balance, error)
	Delayed(ctx context.Context) ([]string, error)
	Events(ctx context.Context, q transactions.EventQuery) (transactions.EventPage, error)
	Event(e core.Event) transactions.EventItem
}

// unread is Transactions of an installation that reads no network.
type unread struct{}

func (unread) Chain(string) (core.Chain, bool) { return core.Chain{}, false }

func (unread) Detects(string, string) bool { return false }

func (unread) List(context.Context, transactions.Query) (transactions.Page, error) {
	return transactions.Page{}, nil
}

func (unread) Get(context.Context, core.DepositUser, string) (transactions.Item, error) {
	return transactions.Item{}, core.Errorf(core.NotFound, "There is no such transaction; no network is read here")
}

func (unread) Balances(context.Context, core.DepositUser) ([]core.Balance, error) { return nil, nil }

func (unread) Delayed(context.Context) ([]string, error) { return nil, nil }

func (unread) Events(context.Context, transactions.EventQuery) (transactions.EventPage, error) {
	return transactions.EventPage{}, nil
}

func (unread) Event(e core.Event) transactions.EventItem { return transactions.EventItem{Event: e} }

type listTransactionsInput struct {
	DepositUser

	Currency string `query:"currency" maxLength:"64" doc:"Transactions in this cryptocurrency" example:"BTC"`
	Network  string `query:"network" maxLength:"64" doc:"Transactions on this network, by its code or another usual name" example:"BTC"`
	Status   string `query:"status" enum:"pending,completed,failed" doc:"Transactions with this status" example:"completed"`
	Sort     string `query:"sort" enum:"asc,desc" doc:"By time of creation: desc, the default, begins with the newest, asc with the oldest" example:"desc"`
	Limit    int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Most transactions of the page" example:"20"`
	Cursor   string `query:"cursor" maxLength:"512" doc:"next_cursor or previous_cursor of a response to the same query. Without it, the first page"`
}

// Resolve checks the filters together with the header.
func (in *listTransactionsInput) Resolve(ctx huma.Context) []error {
	errs := append(checkQuery(ctx), in.read(ctx)...)
	errs = append(errs, rejectSecrets(namedValue{"currency", &in.Currency}, namedValue{"network", &in.Network},
		namedValue{"cursor", &in.Cursor})...)
	normalizeCodes(&in.Currency)
	var err error
	in.Network, err = instanceFrom(ctx.Context()).networkFilter(in.Currency, in.Network)
	return appendError(errs, err)
}

// networkFilter returns the code of the network that a filter names, or an error that names the wrong
// filter. An unsupported currency is an error: an empty list would look like "nothing was received".
func (i *Instance) networkFilter(currency, network string) (string, error) {
	if currency != "" {
		verdict, err := i.services.Addresses.Validate(core.AddressQuery{Currency: currency, Network: network})
		if network == "" {
			return "", err
		}
		return verdict.Network, err
	}
	if network == "" {
		return "", nil
	}
	for code := range i.currencies.Load().byCode { // any that is on the network
		verdict, err := i.services.Addresses.Validate(core.AddressQuery{Currency: code, Network: network})
		if err == nil {
			return verdict.Network, nil
		}
	}
	return "", core.InvalidField("network", "%s carries no currency that is supported; see GET /v1/currencies",
		quoted(network))
}

type getTransactionInput struct {
	DepositUser

	ID string `path:"id" maxLength:"64" doc:"ID of a transaction"`
}

// Resolve reads the user.
func (in *getTransactionInput) Resolve(ctx huma.Context) []error {
	return append(checkQuery(ctx), in.read(ctx)...)
}

type transactionBody struct {
	ID                    string              `json:"id" doc:"ID of the transaction: the same however often the network undoes and repeats it" example:"tx_0c2a4b7f9e1d3c5a7b9d0c2a4b7f9e1d"`
	Object                string              `json:"object" enum:"transaction" doc:"Always transaction" example:"transaction"`
	Type                  string              `json:"type" enum:"receives" doc:"Always receives: a transfer to a deposit address" example:"receives"`
	Status                string              `json:"status" enum:"pending,completed,failed" doc:"pending: seen, not confirmed. completed: confirmed; the amount is available. failed: the network undid it. Each may become another one if the network undoes blocks" example:"completed"`
	StatusDescription     string              `json:"status_description" doc:"The status for people" example:"Received and confirmed."`
	Reason                string              `json:"reason,omitempty" enum:"reorganized,dropped" doc:"reorganized: the network undid the block that had the transaction. dropped: the blocks that came instead do not have it" example:"reorganized"`
	Revision              int64               `json:"revision" minimum:"1" doc:"Grows with each change of the status. Of several states of a transaction, the one with the highest revision is current" example:"2"`
	CreatedAt             string              `json:"created_at" format:"date-time" doc:"When it was first seen" example:"2026-11-21T12:00:00.000Z"`
	UpdatedAt             string              `json:"updated_at" format:"date-time" doc:"Time of the revision" example:"2026-11-21T12:01:00.000Z"`
	CompletedAt           string              `json:"completed_at,omitempty" format:"date-time" doc:"When it was completed. Absent while it is not" example:"2026-11-21T12:01:00.000Z"`
	Reference             string              `json:"reference" doc:"The same as id" example:"tx_0c2a4b7f9e1d3c5a7b9d0c2a4b7f9e1d"`
	UserID                string              `json:"user_id" doc:"Account of the API key" example:"k3v9x0a2bc"`
	ProfileID             string              `json:"profile_id" doc:"The user, as X-BU-PROFILE-ID named it; empty: the default user of the key" example:"user-4711"`
	Description           string              `json:"description" doc:"What happened, for people" example:"Received Tether"`
	SubDescription        string              `json:"sub_description" doc:"Where it happened, for people" example:"On BNB Smart Chain"`
	Amount                string              `json:"amount" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"A plain decimal with all decimals that the asset has on its network, which may be more than the decimals of the currency" example:"25.000000000000000001"`
	Currency              string              `json:"currency" doc:"Code of the currency" example:"USDT"`
	Network               string              `json:"network" doc:"Code of the network" example:"BSC"`
	IsFiat                bool                `json:"is_fiat" doc:"Always false" example:"false"`
	IsCredit              bool                `json:"is_credit" doc:"Always true" example:"true"`
	ConfirmationsRequired int64               `json:"confirmations_required" doc:"Confirmations that complete the transaction; 0: it completes when its block is final" example:"15"`
	Finality              bool                `json:"finality,omitempty" doc:"The transaction also completes, perhaps earlier, when the network calls its block final" example:"true"`
	Meta                  transactionMetaBody `json:"meta" doc:"More about the transaction"`
}

type transactionMetaBody struct {
	Source transactionSourceBody `json:"source" doc:"The transfer on the network"`
}

type transactionSourceBody struct {
	Type            string  `json:"type" enum:"wallet" doc:"Always wallet" example:"wallet"`
	NetworkName     string  `json:"network_name" doc:"Name of the network" example:"BNB Smart Chain"`
	NetworkCurrency string  `json:"network_currency" doc:"Code of the network's own coin" example:"BNB"`
	Address         string  `json:"address" doc:"The deposit address that received the transfer, never the sender's address" example:"0x00000000219ab540356cBB839Cbe05303d7705Fa"`
	DestinationTag  *string `json:"destination_tag,omitempty" doc:"On the XRP Ledger, the same as memo" example:"12345"`
	Memo            *string `json:"memo,omitempty" doc:"Memo or tag that identifies the user. Absent if the address alone does" example:"12345"`
	Hash            string  `json:"hash" doc:"Hash of the transaction on the network" example:"0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b"`
	Confirmations   int64   `json:"confirmations" doc:"Blocks that confirm the transaction now, its own included; at most confirmations_required" example:"15"`
	BlockchainURL   string  `json:"blockchain_url,omitempty" doc:"The transaction in a block explorer" example:"https://bscscan.com/tx/0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b"`
	AddressURL      string  `json:"address_url,omitempty" doc:"The address in a block explorer" example:"https://bscscan.com/address/0x00000000219ab540356cBB839Cbe05303d7705Fa"`
}

// tagNetwork is the network whose memo is called a destination tag.
const tagNetwork = "XRP"

func (l *currencyList) newTransactionBody(t *transactions.Item) transactionBody {
	network := l.networkName(t.Network)
	native, _ := t.Chain.Asset("")
	body := transactionBody{
		ID: t.ID, Object: "transaction", Type: "receives", Status: string(t.Status),
		StatusDescription: describeStatus(t, network), Reason: t.Reason, Revision: t.Revision,
		CreatedAt: instant(t.Created), UpdatedAt: instant(t.Updated), Reference: t.ID,
		UserID: t.User.Account, ProfileID: t.User.Profile.Reveal(),
		Description:    "Received " + cmp.Or(l.currencies[t.Currency].Name, t.Currency),
		SubDescription: "On " + network,
		Amount:         t.Amount().String(), Currency: t.Currency, Network: t.Network, IsCredit: true,
		ConfirmationsRequired: t.Chain.Confirmations, Finality: t.Chain.Finality,
		Meta: transactionMetaBody{transactionSourceBody{
			Type: "wallet", NetworkName: network, NetworkCurrency: cmp.Or(native.Currency, t.Network),
			Address: t.Address.Address.Reveal(), Hash: t.Hash, Confirmations: t.Confirmations,
			BlockchainURL: explorerLink(t.Chain.TransactionLink, "{hash}", t.Hash),
			AddressURL:    explorerLink(t.Chain.AddressLink, "{address}", t.Address.Address.Reveal()),
		}},
	}
	if !t.Completed.IsZero() {
		body.CompletedAt = instant(t.Completed)
	}
	if memo := t.Address.Memo.Reveal(); memo != "" {
		body.Meta.Source.Memo = &memo
		if t.Network == tagNetwork {
			body.Meta.Source.DestinationTag = &memo
		}
	}
	return body
}

func explorerLink(link, placeholder, value string) string {
	return strings.ReplaceAll(link, placeholder, url.PathEscape(value))
}

// describeStatus returns the status of a transaction for people.
func describeStatus(t *transactions.Item, network string) string {
	switch {
	case t.Status == core.Completed:
		return "Received and confirmed."
	case t.Status == core.Failed:
		return fmt.Sprintf("%s undid the transaction, and its later blocks do not have it. Nothing was received.", network)
	case t.Block.Hash == "":
		return fmt.Sprintf("%s undid the block of the transaction. It counts again when a later block has it.", network)
	case t.Chain.Confirmations == 0:
		return fmt.Sprintf("In a block of %s that is not final yet.", network)
	}
	return fmt.Sprintf("In a block of %s: %d of %d confirmations.", network, t.Confirmations, t.Chain.Confirmations)
}

type paginationBody struct {
	NextCursor         string `json:"next_cursor,omitempty" doc:"cursor of the next page. Absent: this is the last one" example:"MjAyNi0xMS0yMVQxMjowMDowMFo"`
	PreviousCursor     string `json:"previous_cursor,omitempty" doc:"cursor of the previous page. Absent: this is the first one" example:"MjAyNi0xMS0yMVQxMTowMDowMFo"`
	CurrentEntriesSize int    `json:"current_entries_size" doc:"Transactions of this page, as a number" example:"20"`
}

// depositsDelayed is the warning about a network whose deposits arrive late.
const depositsDelayed = "deposits_delayed"

type networkWarningBody struct {
	Code    string `json:"code" enum:"deposits_delayed" doc:"What is wrong; /errors/<code> explains it" example:"deposits_delayed"`
	Network string `json:"network" doc:"Code of the network" example:"BSC"`
	Message string `json:"message" doc:"A sentence for people" example:"Deposits on BNB Smart Chain arrive late at the moment."`
}

// warned is an envelope with warnings about networks.
type warned[T any] struct {
	envelope.Success[T]

	Warnings []networkWarningBody `json:"warnings,omitempty"`
}

// Schema describes the envelope in place.
func (w warned[T]) Schema(r huma.Registry) *huma.Schema {
	schema := w.Success.Schema(r)
	schema.Properties["warnings"] = &huma.Schema{
		Type: huma.TypeArray, Items: r.Schema(reflect.TypeFor[networkWarningBody](), true, ""),
		Description: "Networks whose deposits arrive late, so that the response may lack some. Absent: none",
	}
	return schema
}

// transactionPage is a page of transactions in its envelope.
type transactionPage struct {
	warned[[]transactionBody]

	Pagination paginationBody `json:"pagination"`
}

// Schema describes the envelope in place.
func (p transactionPage) Schema(r huma.Registry) *huma.Schema {
	return paginated[paginationBody](r, p.warned.Schema(r))
}

// paginated adds the member pagination to the schema of an envelope.
func paginated[T any](r huma.Registry, schema *huma.Schema) *huma.Schema {
	pagination := r.Schema(reflect.TypeFor[T](), true, "")
	pagination.Description = "Where the page is in the list"
	schema.Properties["pagination"] = pagination
	schema.Required = append(schema.Required, "pagination")
	return schema
}

// warnDelayed returns the warnings about the delayed networks that a response is about: those with a
// code, if it is not empty, on which deposits of a currency are detected, if it is not empty.
func (i *Instance) warnDelayed(delayed []string, currency, network string) (warnings []networkWarningBody) {
	for _, code := range delayed {
		if network != "" && code != network || currency != "" && !i.services.Transactions.Detects(currency, code) {
			continue
		}
		warnings = append(warnings, networkWarningBody{
			depositsDelayed, code,
			fmt.Sprintf("Deposits on %s arrive late at the moment.", i.currencies.Load().networkName(code)),
		})
	}
	return warnings
}

// respondWarned returns the response with a body that must not be stored.
func respondWarned(body any) *huma.StreamResponse {
	return newEncoded("application/json", apierror.Encode(body), false).respond(cacheNever)
}

func (a *API) registerTransactions() {
	register(a, huma.Operation{
		OperationID: core.OpListTransactions, Tags: []string{"Deposits"}, Summary: "List transactions",
		Security:  openOperation,
		Responses: bodyResponses[transactionPage](a, "A page of transactions"), Errors: []int{http.StatusBadRequest},
	}, func(ctx context.Context, in *listTransactionsInput) (*huma.StreamResponse, error) {
		i := instanceFrom(ctx)
		page, err := i.services.Transactions.List(ctx, transactions.Query{
			User: in.user, Currency: in.Currency, Network: in.Network, Status: core.TransactionStatus(in.Status),
			Oldest: in.Sort == "asc", Limit: in.Limit, Cursor: in.Cursor,
		})
		if err != nil {
			return nil, err
		}
		bodies, list := make([]transactionBody, 0, len(page.Items)), i.currencies.Load()
		for _, item := range page.Items {
			bodies = append(bodies, list.newTransactionBody(&item))
		}
		return respondWarned(transactionPage{
			warned: warned[[]transactionBody]{
				envelope.NewSuccess("Transactions found", bodies), i.warnDelayed(page.Delayed, in.Currency, in.Network),
			},
			Pagination: paginationBody{page.Next, page.Previous, len(bodies)},
		}), nil
	})
	register(a, huma.Operation{
		OperationID: core.OpGetTransaction, Tags: []string{"Deposits"}, Summary: "Get a transaction",
		Security:           openOperation,
		Responses:          encodedResponses[transactionBody](a, "The transaction"),
		Errors:             []int{http.StatusBadRequest, http.StatusNotFound},
		SkipValidateParams: true, // an overlong ID is an unknown one
	}, func(ctx context.Context, in *getTransactionInput) (*huma.StreamResponse, error) {
		i := instanceFrom(ctx)
		item, err := i.services.Transactions.Get(ctx, in.user, in.ID)
		if err != nil {
			return nil, err
		}
		return respondOnce("Transaction found", i.currencies.Load().newTransactionBody(&item), cacheNever), nil
	})
}
