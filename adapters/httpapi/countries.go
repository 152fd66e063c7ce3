package httpapi

import (
	"net/http"
	"sync/atomic"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
)

type countryBody struct {
	Code       string        `json:"code" doc:"ISO 3166-1 alpha-2" example:"NG"`
	Name       string        `json:"name" doc:"Name of the country in English" example:"Nigeria"`
	Currencies []string      `json:"currencies" doc:"Currencies that are paid out there, the usual one first" example:"NGN"`
	Channels   []channelBody `json:"channels" doc:"Ways of paying out there"`
}

type channelBody struct {
	Channel       string          `json:"channel" enum:"bank_transfer,mobile_money,pay_bill,till" doc:"The channel" example:"bank_transfer"`
	Currencies    []string        `json:"currencies" doc:"Currencies that are paid out through it" example:"NGN"`
	AccountNumber accountRuleBody `json:"account_number" doc:"What an account number looks like"`
	NeedsBankCode bool            `json:"needs_bank_code" doc:"Whether every request needs a bank_code. Where it is false, a phone number that does not tell its operator needs one still: the answer says so" example:"true"`
	Resolvable    bool            `json:"resolvable" doc:"Whether some account can be resolved on it today" example:"true"`
}

type accountRuleBody struct {
	Rule    string `json:"rule" doc:"The rule, for people" example:"exactly 10 digits (NUBAN)"`
	Pattern string `json:"pattern" doc:"Regular expression of the normalised number: no spaces, no hyphens; phone numbers in E.164" example:"^[0-9]{10}$"`
	Example string `json:"example" doc:"A number of this form" example:"0123456789"`
}

const countriesFound = "Countries found"

func newCountryBody(c core.Country, covers func(string, core.Channel) bool) countryBody {
	body := countryBody{Code: c.Code, Name: c.Name, Currencies: c.Currencies}
	for _, r := range c.Channels {
		channel := channelBody{
			Channel: string(r.Channel), Currencies: r.Currencies, NeedsBankCode: r.NeedsBankCode, Resolvable: covers(c.Code, r.Channel),
			AccountNumber: accountRuleBody{Rule: r.Account.Rule, Example: r.Account.Example},
		}
		if r.Account.Pattern != nil {
			channel.AccountNumber.Pattern = r.Account.Pattern.String()
		}
		body.Channels = append(body.Channels, channel)
	}
	return body
}

// countryPage is the list of countries, encoded. What can be resolved there changes with the list of banks.
type countryPage struct {
	realm   *Realm
	current atomic.Pointer[document]
}

func (p *countryPage) publish() {
	list := listing{head: success(countriesFound)}
	for _, c := range p.realm.services.Countries {
		list.items = append(list.items, encode(newCountryBody(c, p.realm.services.Recipients.Covers)))
	}
	p.current.Store(newDocument(p.realm.api.packer, typeJSON, list.join(places(len(list.items)))))
}

func (a *API) registerCountries() {
	example := []countryBody{{
		Code: "NG", Name: "Nigeria", Currencies: []string{"NGN"}, Channels: []channelBody{{
			Channel: string(core.BankTransfer), Currencies: []string{"NGN"}, NeedsBankCode: true, Resolvable: true,
			AccountNumber: accountRuleBody{Rule: "exactly 10 digits (NUBAN)", Pattern: "^[0-9]{10}$", Example: "0123456789"},
		}},
	}}
	a.register(huma.Operation{
		OperationID: "list-countries", Method: http.MethodGet, Path: "/countries", Tags: []string{"Reference"},
		Summary:     "List countries and the ways of paying out there",
		Description: "The supported countries, with their currencies, channels and the form of account numbers on each channel.",
		Responses:   a.responses("The countries", countriesFound, example, true),
	}, func(x *exchange) error {
		x.serve(x.in.countries.current.Load(), anHour)
		return nil
	})
}
