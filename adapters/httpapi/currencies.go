package httpapi

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
)

type currencyParams struct {
	Code string `path:"code" maxLength:"32" doc:"Code of a currency" example:"USDT"`
}

type currencyBody struct {
	Code           string        `json:"code" doc:"ISO 4217 code, or the usual ticker" example:"USDT"`
	Name           string        `json:"name" doc:"Name of the currency" example:"Tether"`
	Type           string        `json:"type" enum:"fiat,crypto,stablecoin" doc:"Class of the currency" example:"stablecoin"`
	Decimals       string        `json:"decimals" pattern:"^[0-9]+$" doc:"Digits after the point of an amount" example:"6"`
	DefaultNetwork string        `json:"default_network,omitempty" doc:"The network that is meant when none is named" example:"TRX"`
	Networks       []networkBody `json:"networks,omitempty" doc:"The networks that carry it, where it is a cryptocurrency"`
}

type networkBody struct {
	Code       string       `json:"code" doc:"Our code of the network" example:"TRX"`
	Name       string       `json:"name" doc:"Name of the network" example:"TRON"`
	OtherNames []string     `json:"other_names" doc:"Other names that are accepted for it" example:"TRC20,TRON"`
	Memo       memoRuleBody `json:"memo" doc:"What the network does with a memo"`
	Formats    []formatBody `json:"formats" doc:"The formats of its addresses"`
	Checksum   bool         `json:"checksum" doc:"Whether its addresses carry a checksum" example:"true"`
}

type memoRuleBody struct {
	Supported   bool     `json:"supported" doc:"The network has memos" example:"false"`
	Recommended bool     `json:"recommended" doc:"Exchanges need one: its absence is a warning" example:"false"`
	Kinds       []string `json:"kinds" doc:"Kinds of memo, as memo_type takes them" example:"text,id"`
	Rule        string   `json:"rule" doc:"The rule, for people" example:"This network has no memo; one that is sent is ignored."`
}

type formatBody struct {
	Name    string `json:"name" doc:"Name of the format" example:"base58check"`
	Example string `json:"example" doc:"An address of this format" example:"TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"`
}

const (
	currenciesFound = "Currencies found"
	currencyFound   = "Currency found"
)

func newCurrencyBody(c core.Currency, networks map[string]networkBody) currencyBody {
	body := currencyBody{Code: c.Code, Name: c.Name, Type: string(c.Type), Decimals: strconv.Itoa(int(c.Decimals)), DefaultNetwork: c.DefaultNetwork}
	for _, code := range c.Networks {
		if n, ok := networks[code]; ok {
			body.Networks = append(body.Networks, n)
		}
	}
	return body
}

func newNetworkBody(n core.Network) networkBody {
	body := networkBody{
		Code: n.Code, Name: n.Name, OtherNames: n.OtherNames, Checksum: n.Checksum,
		Memo: memoRuleBody{Supported: n.Memo.Supported, Recommended: n.Memo.Recommended, Kinds: n.Memo.Kinds, Rule: n.Memo.Rule},
	}
	for _, f := range n.Formats {
		body.Formats = append(body.Formats, formatBody(f))
	}
	return body
}

// currencyPage is the list of a realm's currencies, and each of them, encoded.
type currencyPage struct {
	all    *document
	byCode map[string]*document
}

func newCurrencyPage(p *packer, s Services) *currencyPage {
	networks := map[string]networkBody{}
	for _, n := range s.Addresses.Networks() {
		networks[n.Code] = newNetworkBody(n)
	}
	list := listing{head: success(currenciesFound)}
	page := &currencyPage{byCode: map[string]*document{}}
	for _, c := range s.Currencies {
		item := encode(newCurrencyBody(c, networks))
		list.items = append(list.items, item)
		page.byCode[c.Code] = newDocument(p, typeJSON, one(success(currencyFound), item))
	}
	page.all = newDocument(p, typeJSON, list.join(places(len(list.items))))
	return page
}

// Relist shows other currencies from now on to whoever asks the API itself. Other realms keep their list, as they do their prices and rules.
func (a *API) Relist(currencies []core.Currency) {
	a.relisted.Store(newCurrencyPage(a.packer, Services{Addresses: a.home.services.Addresses, Currencies: currencies}))
}

// present is the list of the moment: the last one of Relist, or else the first one.
func (a *API) present() *currencyPage {
	if page := a.relisted.Load(); page != nil {
		return page
	}
	return a.listed()
}

func (a *API) registerCurrencies() {
	example := currencyBody{Code: "NGN", Name: "Nigerian Naira", Type: string(core.Fiat), Decimals: "2"}
	described, _ := parametersOf[currencyParams](a)
	a.home.currencies() // here, so that no reader waits for it

	a.register(huma.Operation{
		OperationID: "list-currencies", Method: http.MethodGet, Path: "/currencies", Tags: []string{"Reference"},
		Summary:     "List currencies and the networks that carry them",
		Description: "What currency and network may be in the other operations, with each network's rule for memos and an example of every format of its addresses.",
		Responses:   a.responses("The currencies", currenciesFound, []currencyBody{example}, true),
	}, func(x *exchange) error {
		x.serve(x.in.currencies().all, anHour)
		return nil
	})
	a.register(huma.Operation{
		OperationID: "get-currency", Method: http.MethodGet, Path: "/currencies/{code}", Tags: []string{"Reference"},
		Summary:     "Get one currency",
		Description: "The same object as in the list of currencies.",
		Parameters:  described,
		Responses:   a.responses("The currency", currencyFound, example, true, notFound),
	}, func(x *exchange) error {
		d, ok := x.in.currencies().byCode[code(x.r.PathValue("code"))]
		if !ok {
			return fail(notFound, "%s is not a supported currency; see GET /v1/currencies", given(x.r.PathValue("code")))
		}
		x.serve(d, anHour)
		return nil
	})
}
