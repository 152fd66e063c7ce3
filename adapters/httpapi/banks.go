package httpapi

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
	"causeway/core/banks"
)

// BankList publishes the list of institutions. Subscribe calls back with the present one at once.
type BankList interface {
	Subscribe(func(*banks.List))
}

type bankParams struct {
	Country       string `query:"country" maxLength:"2" minLength:"2" code:"true" see:"/v1/countries" doc:"Two-letter code of a country (ISO 3166-1)" example:"NG"`
	Currency      string `query:"currency" maxLength:"200" list:"true" code:"true" see:"/v1/currencies" doc:"Code of a currency, or several, comma-separated: any of them" example:"NGN,GHS"`
	Channel       string `query:"channel" maxLength:"32" enum:"bank_transfer,mobile_money,pay_bill,till" doc:"A way of paying out that the institution takes" example:"bank_transfer"`
	Q             string `query:"q" maxLength:"100" free:"true" doc:"Part of the name, whatever the case and the accents" example:"guaranty"`
	AccountNumber string `query:"account_number" maxLength:"64" free:"true" doc:"A Nigerian account number (NUBAN): the banks for which its check digit holds, likeliest first; then, where it may be a phone number, the wallets. A hint for people, not a proof" example:"0123456789"`
}

// The places of the parameters.
const (
	bankCountry = iota
	bankCurrency
	bankChannel
	bankQ
	bankAccountNumber
	bankParamCount
)

type bankBody struct {
	Code       string   `json:"code" doc:"The one code per institution and country, as account resolution takes it" example:"000013"`
	Name       string   `json:"name" doc:"Name of the institution" example:"Guaranty Trust Bank"`
	Country    string   `json:"country" doc:"ISO 3166-1 alpha-2" example:"NG"`
	Currency   string   `json:"currency" doc:"ISO 4217" example:"NGN"`
	Type       string   `json:"type" enum:"bank,microfinance_bank,mortgage_bank,payment_service_bank,mobile_money,other" doc:"Kind of institution" example:"bank"`
	Channels   []string `json:"channels" enum:"bank_transfer,mobile_money,pay_bill,till" doc:"Ways of paying out to it" example:"bank_transfer"`
	Aliases    []string `json:"aliases" doc:"Other codes in use for it; account resolution takes any of them" example:"058,GTBINGLA"`
	Resolvable bool     `json:"resolvable" doc:"Whether account resolution can be asked for it" example:"true"`
}

func newBankBody(e banks.Entry) bankBody {
	channels := make([]string, 0, len(e.Channels))
	for _, c := range e.Channels {
		channels = append(channels, string(c))
	}
	return bankBody{
		Code: e.Code, Name: e.Name, Country: e.Country, Currency: e.Currency, Type: string(e.Type),
		Channels: channels, Aliases: e.Aliases, Resolvable: e.Resolvable,
	}
}

const banksFound = "Banks found"

func (a *API) registerBanks() {
	described, params := parametersOf[bankParams](a)
	example := []bankBody{{
		Code: "000013", Name: "Guaranty Trust Bank", Country: "NG", Currency: "NGN", Type: string(core.CommercialBank),
		Channels: []string{string(core.BankTransfer)}, Aliases: []string{"058", "GTBINGLA"}, Resolvable: true,
	}}
	a.register(huma.Operation{
		OperationID: "list-banks", Method: http.MethodGet, Path: "/banks", Tags: []string{"Banks"},
		Summary:     "List banks and other institutions",
		Description: "All banks and other financial institutions of the supported countries, mobile-money operators included, in one answer: by country, then name. Filters combine; a country or currency that is not supported gives an empty list.",
		Parameters:  described,
		Responses:   a.responses("The institutions", banksFound, example, true, requestValidation),
	}, func(x *exchange) error { return x.in.banks.list(x, params) })
}

// bankPages answers for the bank list of the moment.
type bankPages struct {
	packer  *packer
	current atomic.Pointer[bankPage]
}

// bankPage is one publication of the bank list, encoded.
type bankPage struct {
	*banks.List
	listing
	all     *document
	single  map[bankFilter]*later // documents of the usual filters
	unusual shelf[[bankParamCount]string]
}

// bankFilter is a filter by one parameter.
type bankFilter struct {
	param int
	value string
}

func (p *bankPages) publish(list *banks.List) {
	entries := list.Entries()
	page := &bankPage{List: list, listing: listing{head: success(banksFound)}, single: map[bankFilter]*later{}}
	for _, e := range entries {
		page.items = append(page.items, encode(newBankBody(e)))
		page.single[bankFilter{bankCountry, e.Country}] = new(later)
		page.single[bankFilter{bankCurrency, e.Currency}] = new(later)
		for _, c := range e.Channels {
			page.single[bankFilter{bankChannel, string(c)}] = new(later)
		}
	}
	page.all = newDocument(p.packer, typeJSON, page.join(places(len(entries))))
	p.current.Store(page)
}

func (p *bankPages) list(x *exchange, params []param) error {
	page := p.current.Load()
	if x.r.URL.RawQuery == "" {
		x.serve(page.all, anHour)
		return nil
	}
	var values [bankParamCount]string
	faults := readQuery(x.r.URL.RawQuery, params, values[:])
	if len(faults) == 0 {
		filter, set := onlyOne(values[:])
		if set == 0 {
			x.serve(page.all, anHour)
			return nil
		}
		if l := page.single[bankFilter{filter, values[max(filter, 0)]}]; set == 1 && l != nil {
			x.serve(l.get(func() *document { return page.selected(p.packer, values[:]) }), anHour)
			return nil
		}
		if d := page.unusual.find(values); d != nil {
			x.serve(d, anHour)
			return nil
		}
	}
	at, err := page.Positions(newBankFilter(values[:]))
	if err := mergeFaults(faults, err); err != nil {
		return err
	}
	if values[bankAccountNumber] != "" {
		x.serve(newDocument(nil, typeJSON, page.join(at)), personal)
		return nil
	}
	x.serve(page.unusual.keep(p.packer, values, page.join(at)), anHour)
	return nil
}

// selected is the document of a filter that is known to be valid.
func (p *bankPage) selected(packer *packer, values []string) *document {
	at, err := p.Positions(newBankFilter(values))
	if err != nil {
		panic(err)
	}
	return newDocument(packer, typeJSON, p.join(at))
}

func newBankFilter(values []string) banks.Filter {
	return banks.Filter{
		Country: values[bankCountry], Currencies: splitList(values[bankCurrency]), Channel: core.Channel(values[bankChannel]),
		Q: values[bankQ], AccountNumber: core.Private(values[bankAccountNumber]),
	}
}

// splitList splits a list of codes at its commas.
func splitList(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// onlyOne counts the parameters that are set and names the last one, or -1.
func onlyOne(values []string) (last, count int) {
	last = -1
	for i, v := range values {
		if v != "" {
			last = i
			count++
		}
	}
	return last, count
}

// mergeFaults adds the faults that a core found to those of the reading. An error that is none of fields wins.
func mergeFaults(faults []core.FieldError, err error) error {
	var e *core.Error
	if !errors.As(err, &e) || e.Code != core.Invalid {
		if err != nil {
			return err
		}
		return invalid(faults)
	}
	for _, f := range e.Fields {
		if !atFault(faults, f.Field) {
			faults = append(faults, f)
		}
	}
	return invalid(faults)
}
