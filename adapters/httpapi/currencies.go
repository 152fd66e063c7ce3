package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
	"causeway/core"
)

type getCurrencyInput struct {
	Code string `path:"code" maxLength:"32" doc:"Code of a currency" example:"USDT"`
}

type currencyBody struct {
	Code           string        `json:"code" doc:"ISO 4217 code, or the usual ticker" example:"USDT"`
	Name           string        `json:"name" doc:"Name of the currency" example:"Tether"`
	Type           string        `json:"type" enum:"fiat,crypto,stablecoin" doc:"Class of the currency" example:"stablecoin"`
	Decimals       string        `json:"decimals" pattern:"^[0-9]+$" doc:"Decimal places of an amount" example:"6"`
	DefaultNetwork string        `json:"default_network,omitempty" doc:"The network of a request that names none" example:"TRX"`
	Networks       []networkBody `json:"networks,omitempty" doc:"The networks that carry a cryptocurrency"`
}

type networkBody struct {
	Code       string       `json:"code" doc:"Code of the network" example:"TRX"`
	Name       string       `json:"name" doc:"Name of the network" example:"TRON"`
	OtherNames []string     `json:"other_names" doc:"Other names that are accepted for it" example:"TRC20,TRON"`
	Memo       memoRuleBody `json:"memo" doc:"What the network does with a memo"`
	Formats    []formatBody `json:"formats" doc:"The formats of its addresses"`
	Checksum   bool         `json:"checksum" doc:"Whether its addresses carry a checksum" example:"true"`

	Deposit               bool   `json:"deposit" doc:"Whether deposits of the currency on this network are detected here" example:"true"`
	ConfirmationsRequired *int64 `json:"confirmations_required,omitempty" doc:"Blocks that complete a deposit, the block with the deposit included; 0: it completes when its block is final. Absent: not known" example:"20"`
	Finality              bool   `json:"finality,omitempty" doc:"A deposit also completes, perhaps earlier, when the network calls its block final" example:"true"`
	ContractAddress       string `json:"contract_address,omitempty" doc:"Contract or issuer of the token whose deposits are detected. Absent for the network's own coin" example:"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"`
	TransactionLink       string `json:"transaction_link,omitempty" doc:"Page of a block explorer, with {hash} in place of the hash of a transaction" example:"https://tronscan.org/#/transaction/{hash}"`
	AddressLink           string `json:"address_link,omitempty" doc:"Page of a block explorer, with {address} in place of an address" example:"https://tronscan.org/#/address/{address}"`
}

type memoRuleBody struct {
	Supported   bool     `json:"supported" doc:"The network has memos" example:"false"`
	Recommended bool     `json:"recommended" doc:"Exchanges need a memo; a missing one is a warning" example:"false"`
	Kinds       []string `json:"kinds" doc:"Kinds of memo, as memo_type accepts them" example:"text,id"`
	Rule        string   `json:"rule" doc:"The rule, for people" example:"This network has no memo; one that is sent is ignored."`
}

type formatBody struct {
	Name    string `json:"name" doc:"Name of the format" example:"base58check"`
	Example string `json:"example" doc:"An address of this format" example:"TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"`
}

func newCurrencyBody(c core.Currency, networks map[string]networkBody, t Transactions) currencyBody {
	body := currencyBody{
		Code: c.Code, Name: c.Name, Type: string(c.Type), Decimals: strconv.Itoa(int(c.Decimals)),
		DefaultNetwork: c.DefaultNetwork,
	}
	for _, code := range c.Networks {
		if n, ok := networks[code]; ok {
			n.describeDeposits(c.Code, t)
			body.Networks = append(body.Networks, n)
		}
	}
	return body
}

func newNetworkBody(n core.Network) networkBody {
	body := networkBody{
		Code: n.Code, Name: n.Name, OtherNames: orEmpty(n.OtherNames), Checksum: n.Checksum, Formats: []formatBody{},
		Memo: memoRuleBody(n.Memo),
	}
	body.Memo.Kinds = orEmpty(n.Memo.Kinds)
	for _, f := range n.Formats {
		body.Formats = append(body.Formats, formatBody(f))
	}
	return body
}

// describeDeposits adds how deposits of a currency are detected on the network.
func (b *networkBody) describeDeposits(currency string, t Transactions) {
	b.Deposit = t.Detects(currency, b.Code)
	chain, ok := t.Chain(b.Code)
	if !ok {
		return
	}
	b.ConfirmationsRequired, b.Finality = &chain.Confirmations, chain.Finality
	b.TransactionLink, b.AddressLink = chain.TransactionLink, chain.AddressLink
	if asset, ok := chain.AssetOf(currency); ok {
		b.ContractAddress = asset.Contract
	}
}

// currencyList is the list of currencies, encoded, and each of them.
type currencyList struct {
	all        *encoded
	byCode     map[string]currencyBody
	currencies map[string]core.Currency // by code
	networks   map[string]networkBody   // by code
}

func newCurrencyList(currencies []core.Currency, networks []core.Network, t Transactions) *currencyList {
	list := &currencyList{
		byCode: make(map[string]currencyBody, len(currencies)), currencies: make(map[string]core.Currency, len(currencies)),
		networks: make(map[string]networkBody, len(networks)),
	}
	for _, n := range networks {
		list.networks[n.Code] = newNetworkBody(n)
	}
	all := make([]currencyBody, 0, len(currencies))
	for _, c := range currencies {
		list.currencies[c.Code], list.byCode[c.Code] = c, newCurrencyBody(c, list.networks, t)
		all = append(all, list.byCode[c.Code])
	}
	list.all = newEncoded("application/json", apierror.Encode(envelope.NewSuccess("Currencies found", all)), true)
	return list
}

// networkName returns the name of a network for people.
func (l *currencyList) networkName(code string) string { return cmp.Or(l.networks[code].Name, code) }

func (a *API) registerCurrencies() {
	register(a, huma.Operation{
		OperationID: core.OpListCurrencies, Tags: []string{"Reference"},
		Summary:   "List currencies",
		Responses: encodedResponses[[]currencyBody](a, "The currencies"),
	}, func(ctx context.Context, _ *struct{}) (*huma.StreamResponse, error) {
		return instanceFrom(ctx).currencies.Load().all.respond(cacheHour), nil
	})
	register(a, huma.Operation{
		OperationID: core.OpGetCurrency, Tags: []string{"Reference"},
		Summary:            "Get a currency",
		Responses:          encodedResponses[currencyBody](a, "The currency"),
		Errors:             []int{http.StatusNotFound},
		SkipValidateParams: true, // an overlong code is an unknown one
	}, func(ctx context.Context, in *getCurrencyInput) (*huma.StreamResponse, error) {
		currency, ok := instanceFrom(ctx).currencies.Load().byCode[normalizeCode(in.Code)]
		if !ok {
			return nil, apierror.New(apierror.NotFound, "%s is not a supported currency; see GET /v1/currencies",
				quoted(in.Code))
		}
		return respondOnce("Currency found", currency, cacheHour), nil
	})
}
