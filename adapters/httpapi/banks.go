package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
	"causeway/core"
	"causeway/core/banks"
)

// BankList publishes the list of institutions. Subscribe calls back with the current list at once.
type BankList interface {
	Subscribe(func(*banks.List))
}

type listBanksInput struct {
	Country       string `query:"country" maxLength:"64" doc:"Two-letter code of a country (ISO 3166-1)" example:"NG"`
	Currency      string `query:"currency" maxLength:"200" doc:"Code of a currency, or several, comma-separated: any of them" example:"NGN,GHS"`
	Channel       string `query:"channel" enum:"bank_transfer,mobile_money,pay_bill,till" doc:"A payout channel that the institution supports" example:"bank_transfer"`
	Q             string `query:"q" maxLength:"100" doc:"Part of the name, in any case, with or without accents" example:"guaranty"`
	AccountNumber string `query:"account_number" maxLength:"64" doc:"A Nigerian account number (NUBAN): the banks for which its check digit holds, likeliest first; then, if it may be a phone number, the wallets. A hint for people, not a proof" example:"0123456785"`
}

// Resolve joins the lists of currencies and checks the filter as a whole.
func (in *listBanksInput) Resolve(ctx huma.Context) []error {
	errs := append(checkQuery(ctx, "currency"), rejectSecrets(namedValue{"country", &in.Country})...)
	in.Currency = strings.Join(requestFrom(ctx.Context()).query["currency"], ",")
	for _, code := range splitList(in.Currency) {
		errs = append(errs, rejectSecrets(namedValue{"currency", &code})...)
	}
	normalizeCodes(&in.Country, &in.Currency)
	return appendError(errs, instanceFrom(ctx.Context()).banks.Load().list.Check(in.filter()))
}

func (in *listBanksInput) filter() banks.Filter {
	return banks.Filter{
		Country: in.Country, Currencies: splitList(in.Currency), Channel: core.Channel(in.Channel), Q: in.Q,
		AccountNumber: core.Private(in.AccountNumber),
	}
}

type bankBody struct {
	Code       string         `json:"code" doc:"The one code of the institution in its country, as account resolution takes it" example:"000013"`
	Name       string         `json:"name" doc:"Name of the institution" example:"Guaranty Trust Bank"`
	Country    string         `json:"country" doc:"ISO 3166-1 alpha-2" example:"NG"`
	Currency   string         `json:"currency" doc:"ISO 4217" example:"NGN"`
	Type       core.BankType  `json:"type" enum:"bank,microfinance_bank,mortgage_bank,payment_service_bank,mobile_money,other" doc:"Kind of institution" example:"bank"`
	Channels   []core.Channel `json:"channels" enum:"bank_transfer,mobile_money,pay_bill,till" doc:"Payout channels" example:"bank_transfer"`
	Aliases    []string       `json:"aliases" doc:"Other codes in use for it; account resolution accepts any of them" example:"058,GTBINGLA"`
	Resolvable bool           `json:"resolvable" doc:"Whether account resolution supports it now. Where needs_document in list-countries is true, only with a document of the holder" example:"true"`
}

func newBankBody(e banks.Entry) bankBody {
	return bankBody{
		Code: e.Code, Name: e.Name, Country: e.Country, Currency: e.Currency, Type: e.Type,
		Channels: orEmpty(e.Channels), Aliases: orEmpty(e.Aliases), Resolvable: e.Resolvable,
	}
}

func (a *API) registerBanks() {
	register(a, huma.Operation{
		OperationID: core.OpListBanks, Tags: []string{"Banks"},
		Summary:   "List banks",
		Responses: encodedResponses[[]bankBody](a, "The institutions"),
		Errors:    []int{http.StatusBadRequest},
	}, func(ctx context.Context, in *listBanksInput) (*huma.StreamResponse, error) {
		page := instanceFrom(ctx).banks.Load()
		if in.AccountNumber != "" { // such a URL is about one person
			list, _, err := page.find(in.filter())
			if err != nil {
				return nil, err
			}
			return list.respond(cacheNever), nil
		}
		list, err := cached(&page.lists, *in, func() (*encoded, bool, error) { return page.find(in.filter()) })
		if err != nil {
			return nil, err
		}
		return list.respond(cacheHour), nil
	})
}

// bankPage is one publication of the list of institutions, encoded.
type bankPage struct {
	list  *banks.List
	items []json.RawMessage
	lists encodedCache[listBanksInput, *encoded] // by filter
}

func newBankPage(list *banks.List) *bankPage {
	page := &bankPage{list: list}
	for _, e := range list.Entries() {
		page.items = append(page.items, apierror.Encode(newBankBody(e)))
	}
	return page
}

// find returns the response with the institutions that a filter selects, and whether there are any.
func (p *bankPage) find(f banks.Filter) (list *encoded, found bool, err error) {
	at, err := p.list.Positions(f)
	if err != nil {
		return nil, false, err
	}
	message := "Banks found"
	if reason := p.list.Unsupported(f); reason != "" {
		message = "No banks found: " + reason
	}
	body := apierror.Encode(envelope.NewSuccess(message, pick(p.items, at)))
	return newEncoded("application/json", body, true), len(at) > 0, nil
}
