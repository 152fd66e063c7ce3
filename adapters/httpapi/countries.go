package httpapi

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
	"causeway/core"
)

type countryBody struct {
	Code       string        `json:"code" doc:"ISO 3166-1 alpha-2" example:"NG"`
	Name       string        `json:"name" doc:"Name of the country in English" example:"Nigeria"`
	Currencies []string      `json:"currencies" doc:"Payout currencies, the usual one first" example:"NGN"`
	Channels   []channelBody `json:"channels" doc:"Payout channels"`
}

type channelBody struct {
	Channel       string          `json:"channel" enum:"bank_transfer,mobile_money,pay_bill,till" doc:"The channel" example:"bank_transfer"`
	Currencies    []string        `json:"currencies" doc:"Payout currencies of the channel" example:"NGN"`
	AccountNumber accountRuleBody `json:"account_number" doc:"The form of account numbers"`
	NeedsBankCode bool            `json:"needs_bank_code" doc:"Whether every request needs a bank_code. Where it is false, a phone number that does not identify its operator still needs one; the error says so" example:"true"`
	Resolvable    bool            `json:"resolvable" doc:"Whether some account of the channel can be resolved now" example:"true"`
	NeedsDocument bool            `json:"needs_document" doc:"Whether banks disclose no names: a request needs account_name, document_type and document_number, and learns whether the document is the holder's" example:"false"`
}

type accountRuleBody struct {
	Rule    string `json:"rule" doc:"The rule, for people" example:"exactly 10 digits (NUBAN)"`
	Pattern string `json:"pattern" doc:"Regular expression of the normalised number: no spaces, no hyphens; phone numbers in E.164" example:"^[0-9]{10}$"`
	Example string `json:"example" doc:"A number of this form" example:"0123456789"`
}

func newCountryBody(c core.Country, accounts Resolver) countryBody {
	body := countryBody{Code: c.Code, Name: c.Name, Currencies: orEmpty(c.Currencies), Channels: []channelBody{}}
	for _, rule := range c.Channels {
		channel := channelBody{
			Channel: string(rule.Channel), Currencies: orEmpty(rule.Currencies), NeedsBankCode: rule.NeedsBankCode,
			Resolvable:    accounts.Covers(c.Code, rule.Channel),
			NeedsDocument: accounts.NeedsDocument(c.Code, rule.Channel),
			AccountNumber: accountRuleBody{Rule: rule.Account.Rule, Example: rule.Account.Example},
		}
		if rule.Account.Pattern != nil {
			channel.AccountNumber.Pattern = rule.Account.Pattern.String()
		}
		body.Channels = append(body.Channels, channel)
	}
	return body
}

// newCountryList encodes the list of countries. What can be resolved changes with the list of
// banks.
func newCountryList(s Services) *encoded {
	bodies := make([]countryBody, 0, len(s.Countries))
	for _, c := range s.Countries {
		bodies = append(bodies, newCountryBody(c, s.Recipients))
	}
	return newEncoded("application/json", apierror.Encode(envelope.NewSuccess("Countries found", bodies)), true)
}

func (a *API) registerCountries() {
	register(a, huma.Operation{
		OperationID: core.OpListCountries, Tags: []string{"Reference"},
		Summary:   "List countries",
		Responses: encodedResponses[[]countryBody](a, "The countries"),
	}, func(ctx context.Context, _ *struct{}) (*huma.StreamResponse, error) {
		return instanceFrom(ctx).countries.Load().respond(cacheHour), nil
	})
}
