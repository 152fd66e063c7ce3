package httpapi

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"causeway/core"
	"causeway/core/recipients"
)

// Resolver names the holders of accounts. Check returns the error with which Resolve would refuse a
// request, without calling a provider. Errors name the fields currency_id, country_id, channel,
// bank_code, account_number, account_name, document_type and document_number.
type Resolver interface {
	Resolve(context.Context, recipients.Request) (core.Account, error)
	Check(recipients.Request) error
	Covers(country string, channel core.Channel) bool
	NeedsDocument(country string, channel core.Channel) bool
	// CallerHash returns what the audit log calls a caller.
	CallerHash(id string) string
}

type resolveInput struct {
	Body resolveRequest

	request recipients.Request
	fields  spellings
}

type resolveRequest struct {
	_              struct{} `additionalProperties:"true"`
	CurrencyID     string   `json:"currency_id,omitempty" maxLength:"64" doc:"A payout currency of the country. Also accepted as currency" example:"NGN"`
	Currency       string   `json:"currency,omitempty" maxLength:"64" hidden:"true"`
	CountryID      string   `json:"country_id,omitempty" maxLength:"64" doc:"Two-letter code of a supported country. Also accepted as country or country_code" example:"NG"`
	Country        string   `json:"country,omitempty" maxLength:"64" hidden:"true"`
	CountryCode    string   `json:"country_code,omitempty" maxLength:"64" hidden:"true"`
	Channel        string   `json:"channel" enum:"bank_transfer,mobile_money,pay_bill,till" doc:"A channel of the country; in NG mobile_money with a bank code looks up a wallet or bank" example:"bank_transfer"`
	BankCode       string   `json:"bank_code,omitempty" maxLength:"64" doc:"Code or alias of an institution of the country, see list-banks. Required if needs_bank_code in list-countries is true, and for a phone number that does not identify its operator" example:"000013"`
	AccountNumber  string   `json:"account_number" maxLength:"64" doc:"Account or phone number; spaces and hyphens are dropped" example:"0123456789"`
	AccountName    string   `json:"account_name,omitempty" maxLength:"200" doc:"The expected holder: the response then has name_match. Required where holders are only confirmed" example:"Adaeze Okafor"`
	DocumentType   string   `json:"document_type,omitempty" enum:"identity_number,passport_number,business_registration_number" doc:"Kind of document_number. Required if needs_document in list-countries is true" example:"identity_number"`
	DocumentNumber string   `json:"document_number,omitempty" maxLength:"64" doc:"Number of a document of the expected holder: the response then has document_match. Required if needs_document in list-countries is true, ignored elsewhere" example:"8001015009087"`
}

// The spellings of fields that have several, the service's own first.
var (
	currencyFields = []string{"currency_id", "currency"}
	countryFields  = []string{"country_id", "country", "country_code"}
)

// TransformSchema documents that a currency and a country are required. They may be sent in another
// spelling, which is not documented field by field, so that huma must not require them.
func (*resolveRequest) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Extensions = map[string]any{"required": append(s.Required, currencyFields[0], countryFields[0])}
	documentOnly(s, "channel", "document_type")
	return s
}

// spellings maps the service's field names to the names that the client sent.
type spellings map[string]string

// Resolve unites the spellings of fields and checks the request as a whole, so that all field
// errors come at once.
func (in *resolveInput) Resolve(ctx huma.Context) []error {
	b := &in.Body
	errs := rejectSecrets(
		namedValue{"currency_id", &b.CurrencyID}, namedValue{"currency", &b.Currency},
		namedValue{"country_id", &b.CountryID}, namedValue{"country", &b.Country},
		namedValue{"country_code", &b.CountryCode}, namedValue{"channel", &b.Channel},
		namedValue{"bank_code", &b.BankCode}, namedValue{"document_type", &b.DocumentType})
	r, _ := humago.Unwrap(ctx)
	caller := requestFrom(ctx.Context()).callerOf(r)
	in.request = recipients.Request{
		Channel: b.Channel, BankCode: b.BankCode, AccountNumber: core.Private(b.AccountNumber),
		Claimed:      core.Private(b.AccountName),
		DocumentType: b.DocumentType, Document: core.Private(b.DocumentNumber),
		Caller: caller.id, Network: caller.network,
	}
	if caller.key != nil {
		in.request.Key = caller.key.ID
	}
	in.fields = spellings{}
	in.request.Currency = in.fields.unite(&errs, currencyFields, b.CurrencyID, b.Currency)
	in.request.Country = in.fields.unite(&errs, countryFields, b.CountryID, b.Country, b.CountryCode)
	err := instanceFrom(ctx.Context()).services.Recipients.Check(in.request)
	return appendError(errs, in.fields.rename(err))
}

// unite returns the value of a field that has several spellings. Errors name the first spelling
// with a value; one that contradicts it is an error itself.
func (s spellings) unite(errs *[]error, names []string, sent ...string) (value string) {
	for i, v := range sent {
		if v != "" && s[names[0]] == "" {
			s[names[0]] = names[i] // it was sent, although it may be blank
		}
		v = strings.TrimSpace(v)
		switch {
		case v == "":
		case value == "":
			value, s[names[0]] = v, names[i]
		case !strings.EqualFold(v, value):
			*errs = append(*errs, core.InvalidField(names[i], "is %s, but %s is %s; they mean the same field, send "+
				"one of them", quoted(v), s[names[0]], quoted(value)))
		}
	}
	return value
}

// rename replaces the service's field names in an error by the names that the client sent.
func (s spellings) rename(err error) error {
	e, ok := errors.AsType[*core.Error](err)
	if !ok || len(e.Fields) == 0 {
		return err
	}
	fields := make([]core.FieldError, 0, len(e.Fields))
	for _, f := range e.Fields {
		if name, sent := s[f.Field]; sent {
			f.Field = name
		}
		fields = append(fields, f)
	}
	return core.InvalidFields(fields...)
}

type accountBody struct {
	CountryID     string         `json:"country_id" doc:"ISO 3166-1 alpha-2" example:"NG"`
	CurrencyID    string         `json:"currency_id" doc:"ISO 4217" example:"NGN"`
	Channel       core.Channel   `json:"channel" enum:"bank_transfer,mobile_money,pay_bill,till" doc:"The channel of the request" example:"bank_transfer"`
	BankCode      string         `json:"bank_code" doc:"Causeway's code of the institution, whichever was sent; empty if the account has none: pay bills, tills, and wallets that are found without an operator" example:"000013"`
	AccountNumber string         `json:"account_number" doc:"The number, normalised; a phone number in E.164" example:"0123456789"`
	AccountName   string         `json:"account_name,omitempty" doc:"Name of the holder, as the institution has it. Absent where holders are only confirmed" example:"ADAEZE OKAFOR"`
	BankName      string         `json:"bank_name" doc:"Name of the institution; empty if bank_code is" example:"Guaranty Trust Bank"`
	NameMatch     core.NameMatch `json:"name_match,omitempty" enum:"match,close_match,no_match" doc:"Whether the account_name that was sent is the holder's: match only for the same name, whatever its order, case, accents and titles; close_match: a person should compare. Absent if none was sent, and where needs_document in list-countries is true" example:"match"`
	DocumentMatch core.NameMatch `json:"document_match,omitempty" enum:"match,no_match" doc:"Whether the document identifies the holder. It says nothing about the name. Only where needs_document in list-countries is true" example:"match"`

	Warnings []core.AccountWarning `json:"warnings,omitempty" enum:"check_digit,operator_prefix,account_length" doc:"What is odd about the number without making it wrong: its check digit does not fit the bank, its prefix is another operator's, the bank's numbers have another length" example:"check_digit"`
}

func newAccountBody(account core.Account) accountBody {
	return accountBody{
		CountryID: account.Country, CurrencyID: account.Currency, Channel: account.Channel,
		BankCode: account.Bank.Code, AccountNumber: account.Number.Reveal(), AccountName: account.Holder.Reveal(),
		BankName: account.Bank.Name, NameMatch: account.Match, DocumentMatch: account.Document,
		Warnings: account.Warnings,
	}
}

func (a *API) registerRecipients() {
	request := map[string]string{
		"currency_id": "NGN", "country_id": "NG", "channel": "bank_transfer", "bank_code": "000013",
		"account_number": "0123456789",
	}
	examples := map[string]*huma.Example{"nigeria": {Summary: "A Nigerian bank account", Value: request}}
	for _, account := range a.config.Headers.Accounts {
		body := maps.Clone(request)
		body["bank_code"], body["account_number"] = account.Bank, account.Number
		examples["account_"+account.Number] = &huma.Example{Summary: "Sandbox: " + account.Outcome, Value: body}
	}
	registerPost(a, huma.Operation{
		OperationID: core.OpResolveAccount, Tags: []string{"Recipients"},
		Summary: "Resolve a bank account", MaxBodyBytes: bodyLimit, Security: openOperation,
		Errors: []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound},
	}, "The account as requested and normalised, with its holder", examples, func(
		ctx context.Context, in *resolveInput,
	) (*jsonOutput[accountBody], error) {
		account, err := instanceFrom(ctx).services.Recipients.Resolve(ctx, in.request)
		if err != nil {
			return nil, in.fields.rename(err)
		}
		return newJSONOutput("Account resolved", newAccountBody(account)), nil
	})
}
