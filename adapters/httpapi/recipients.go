package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
	"causeway/core/recipients"
)

// Resolver names the holder of an account, and says where that can be done. Check says how Resolve would refuse a
// question, and asks nobody. Their errors name the fields currency_id,
// country_id, channel, bank_code and account_number.
type Resolver interface {
	Resolve(context.Context, recipients.Request) (core.Account, error)
	Check(recipients.Request) error
	Covers(country string, channel core.Channel) bool
	// CallerHash is what the audit calls a caller.
	CallerHash(id string) string
}

type resolveRequest struct {
	_             struct{} `additionalProperties:"true"`
	CurrencyID    string   `json:"currency_id,omitempty" maxLength:"64" see:"/v1/countries" doc:"A currency that the country pays out in" example:"NGN"`
	Currency      string   `json:"currency,omitempty" maxLength:"64" see:"/v1/countries" doc:"Another spelling of currency_id" example:"NGN"`
	CountryID     string   `json:"country_id,omitempty" maxLength:"64" see:"/v1/countries" doc:"Two-letter code of a supported country" example:"NG"`
	Country       string   `json:"country,omitempty" maxLength:"64" see:"/v1/countries" doc:"Another spelling of country_id" example:"NG"`
	CountryCode   string   `json:"country_code,omitempty" maxLength:"64" see:"/v1/countries" doc:"Another spelling of country_id" example:"NG"`
	Channel       string   `json:"channel" maxLength:"64" enum:"bank_transfer,mobile_money,pay_bill,till" doc:"A channel of the country; in NG mobile_money with a bank code looks up a wallet or bank" example:"bank_transfer"`
	BankCode      string   `json:"bank_code,omitempty" maxLength:"64" see:"/v1/banks" doc:"Code or alias of an institution of the country, see list-banks. Needed where needs_bank_code in list-countries is true, and for a phone number that should tell its operator and does not" example:"000013"`
	AccountNumber string   `json:"account_number" maxLength:"64" free:"true" doc:"Account or phone number; spaces and hyphens are dropped" example:"0123456789"`
	AccountName   string   `json:"account_name,omitempty" maxLength:"200" free:"true" doc:"Whom you believe to be the holder: the answer then carries name_match. Required where names are only confirmed, as in ZA" example:"Adaeze Okafor"`
}

// TransformSchema says that a currency and a country are needed, in any of their spellings.
func (*resolveRequest) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	anyOf := func(names ...string) *huma.Schema {
		out := &huma.Schema{}
		for _, name := range names {
			out.AnyOf = append(out.AnyOf, &huma.Schema{Required: []string{name}})
		}
		return out
	}
	s.AllOf = []*huma.Schema{anyOf(currencySpellings...), anyOf(countrySpellings...)}
	return s
}

// The places of the members.
const (
	resolveCurrencyID = iota
	resolveCurrency
	resolveCountryID
	resolveCountry
	resolveCountryCode
	resolveChannel
	resolveBankCode
	resolveAccountNumber
	resolveAccountName
	resolveMemberCount
)

type accountBody struct {
	CountryID     string `json:"country_id" doc:"ISO 3166-1 alpha-2" example:"NG"`
	CurrencyID    string `json:"currency_id" doc:"ISO 4217" example:"NGN"`
	Channel       string `json:"channel" enum:"bank_transfer,mobile_money,pay_bill,till" doc:"The channel asked for" example:"bank_transfer"`
	BankCode      string `json:"bank_code" doc:"Our code of the institution, whichever was sent; empty where the account has none: pay bills, tills, wallets that are found without an operator" example:"000013"`
	AccountNumber string `json:"account_number" doc:"The number, normalised; a phone number in E.164" example:"0123456789"`
	AccountName   string `json:"account_name,omitempty" doc:"Name of the holder, as the institution keeps it. Absent where names are only confirmed" example:"ADAEZE OKAFOR"`
	BankName      string `json:"bank_name" doc:"Name of the institution; empty as bank_code is" example:"Guaranty Trust Bank"`
	NameMatch     string `json:"name_match,omitempty" enum:"match,close_match,no_match" doc:"Whether the account_name that was sent is the holder's: match only for the same name, whatever its order, case, accents and titles; close_match: a person should look. Absent where none was sent" example:"match"`

	Warnings []string `json:"warnings,omitempty" enum:"check_digit,operator_prefix,account_length" doc:"What is odd about the number, and refuses nothing: its check digit does not fit the bank, its prefix is another operator's, the bank's numbers have another length" example:"check_digit"`
}

func newAccountBody(account core.Account) accountBody {
	body := accountBody{
		CountryID: account.Country, CurrencyID: account.Currency, Channel: string(account.Channel),
		BankCode: account.Bank.Code, AccountNumber: account.Number.Reveal(), AccountName: account.Holder.Reveal(), BankName: account.Bank.Name,
		NameMatch: string(account.Match),
	}
	for _, w := range account.Warnings {
		body.Warnings = append(body.Warnings, string(w))
	}
	return body
}

const accountResolved = "Account resolved"

func (a *API) registerRecipients() {
	example := map[string]string{"currency_id": "NGN", "country_id": "NG", "channel": "bank_transfer", "bank_code": "000013", "account_number": "0123456789"}
	body, members := bodyOf[resolveRequest](a, map[string]*huma.Example{"nigeria": {Summary: "A Nigerian bank account", Value: example}})
	for i := range members {
		members[i].missing = true // the core says what is needed, and what is accepted
	}
	h := resolveHandler{api: a, members: members, head: success(accountResolved)}
	answer := accountBody{
		CountryID: "NG", CurrencyID: "NGN", Channel: "bank_transfer", BankCode: "000013", AccountNumber: "0123456789",
		AccountName: "ADAEZE OKAFOR", BankName: "Guaranty Trust Bank",
	}
	a.register(huma.Operation{
		OperationID: "resolve-account", Method: http.MethodPost, Path: "/recipients/resolve-bank-account", Tags: []string{"Recipients"},
		Summary:     "Name the holder of an account",
		Description: "Asks the bank or operator whose account that is, so that a payer can check the name before paying. Never answered from a guess: an account that surely does not exist is 404, and whatever cannot be told now is 503.",
		RequestBody: body, Security: []map[string][]string{{}, {"bearer": {}}}, // where it needs none
		Responses: a.responses("The account, as asked for and normalised, with its holder", accountResolved, answer, false,
			badRequest, requestValidation, unauthorized, forbidden, notFound, payloadTooLarge, unsupportedMediaType, tooManyRequests, serviceUnavailable),
	}, h.resolve)
}

type resolveHandler struct {
	api     *API
	members []member
	head    string
}

func (h resolveHandler) resolve(x *exchange) error {
	var values [resolveMemberCount]text
	faults, err := x.members(h.members, values[:])
	if err != nil {
		return err
	}
	currency, currencyField := spelled(&faults, values[resolveCurrencyID:resolveCountryID], currencySpellings)
	country, countryField := spelled(&faults, values[resolveCountryID:resolveChannel], countrySpellings)
	request := recipients.Request{
		Currency: currency, Country: country, Channel: values[resolveChannel].value,
		BankCode: values[resolveBankCode].value, AccountNumber: core.Private(values[resolveAccountNumber].value),
		Claimed: core.Private(values[resolveAccountName].value), Caller: x.who().id, Key: x.who().key.ID, Apart: x.apart(), Rate: x.who().key.Limit,
	}
	if len(faults) > 0 {
		err := x.in.services.Recipients.Check(request) // for what is wrong with the rest
		return mergeFaults(faults, respell(err, currencyField, countryField))
	}
	account, err := x.in.services.Recipients.Resolve(x.r.Context(), request)
	if err != nil {
		return respell(err, currencyField, countryField)
	}
	body := newAccountBody(account)
	x.reply(h.head, &body)
	return nil
}

// spelled takes a value that has several spellings. The first one with a value gives the field its name, or the first one that
// was sent at all; one that contradicts it is a fault.
func spelled(faults *[]core.FieldError, values []text, spellings []string) (value, field string) {
	for i := range values {
		sent := strings.TrimSpace(values[i].value)
		switch {
		case value == "" && sent != "":
			value, field = sent, spellings[i]
		case sent != "" && !strings.EqualFold(sent, value):
			*faults = append(*faults, core.FieldError{
				Field: spellings[i], Reason: "is " + given(sent) + ", but " + field + " is " + given(value) + "; they mean the same field, send one of them",
			})
		case field == "" && (values[i].sent || atFault(*faults, spellings[i])):
			field = spellings[i]
		}
	}
	if field == "" {
		field = spellings[0]
	}
	return value, field
}

// respell names the faults of a core as the client spelled the fields.
func respell(err error, currency, country string) error {
	e, ok := errors.AsType[*core.Error](err)
	if !ok || len(e.Fields) == 0 || currency == currencySpellings[0] && country == countrySpellings[0] {
		return err
	}
	fields := slices.Clone(e.Fields)
	for i := range fields {
		switch fields[i].Field {
		case currencySpellings[0]:
			fields[i].Field = currency
		case countrySpellings[0]:
			fields[i].Field = country
		}
	}
	return core.InvalidFields(fields...)
}
