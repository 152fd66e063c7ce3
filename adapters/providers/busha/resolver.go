package busha

import (
	"context"
	"slices"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/holder"
	"causeway/adapters/upstream/institution"
	"causeway/core"
)

// Resolves reports whether Busha has a key, names accounts of the channel and country, and knows
// the institution. Pay bills and tills have no institution. In Nigeria wallets are accounts of
// institutions; in Kenya a bank on the wrong channel would be reported as an unknown account.
func (p *Provider) Resolves(country string, channel core.Channel, bank core.Bank) bool {
	if p.accounts == nil || !slices.Contains(countries[country].resolves, channel) {
		return false
	}
	if !banked(channel) {
		return bank.Country == country || bank.Country == "" && bank.Code == ""
	}
	return bank.Country == country && codeAt(bank) != "" && (country == nigeria || slices.Contains(bank.Channels, channel))
}

// banked reports whether accounts of a channel are an institution's.
func banked(channel core.Channel) bool { return channel != core.PayBill && channel != core.Till }

// codeAt returns the code of an institution: Busha's own or, in Nigeria, the NIP code.
func codeAt(bank core.Bank) string {
	if code := bank.Codes[Name]; code != "" || bank.Country != nigeria {
		return code
	}
	return bank.Codes[core.NIP]
}

// asked is a request about an account.
type asked struct {
	Currency string `json:"currency_id"`
	Country  string `json:"country_id"`
	Channel  string `json:"channel"`
	Bank     string `json:"bank_code,omitempty"`
	Number   string `json:"account_number"`
}

// Resolve returns the holder of an account.
func (p *Provider) Resolve(ctx context.Context, q core.AccountQuery) (core.Private, error) {
	if !p.Resolves(q.Country, q.Channel, q.Bank) {
		return "", core.Errorf(core.Unsupported, "Accounts of this bank cannot be looked up here")
	}
	about := asked{
		Currency: countries[q.Country].currency, Country: q.Country, Channel: string(q.Channel), Number: q.Number.Reveal(),
	}
	if banked(q.Channel) {
		about.Bank = codeAt(q.Bank)
	}
	request := upstream.Request{
		Path: "/v1/recipients/resolve-bank-account", Scope: q.Country + " " + string(q.Channel) + " " + about.Bank,
	}
	return provider.LookupBy(ctx, p.accounts, request, about, func(a upstream.Response) (core.Private, error) {
		return holder.Judge(a, read(a, about, q.Bank), texts, about.Number)
	})
}

// resolveResponse is a response about an account, or a failure.
type resolveResponse struct {
	Status string      `json:"status"` // success
	Data   *resolution `json:"data"`
	Error  *struct {
		Name    string `json:"name"`
		Message string `json:"message"`
	} `json:"error"`
}

// resolution is the request in normal form, with the holder.
type resolution struct {
	Bank   string  `json:"bank_code"`
	Number *string `json:"account_number"`
	Name   *string `json:"account_name"`
}

const notFound = "not_found"

// read decodes a response about an account.
func read(a upstream.Response, about asked, bank core.Bank) holder.Response {
	var body resolveResponse
	if err := a.JSON(&body); err != nil {
		return holder.Response{Broken: err}
	}
	switch {
	case body.Error != nil && body.Data != nil:
		return holder.Response{Broken: upstream.Fail(upstream.Malformed, "an account together with a failure")}
	case body.Error != nil && body.Error.Name == notFound:
		return holder.Response{Refused: true, Message: body.Error.Message}
	case body.Error != nil:
		return holder.Response{Refused: true}
	case body.Status != succeeded || body.Data == nil:
		return holder.Response{Broken: upstream.Fail(upstream.Malformed, "no account in the response")}
	case !body.Data.at(bank, about.Bank):
		return holder.Response{Broken: upstream.Fail(upstream.Undecided, "the response is about another institution")}
	}
	if got := body.Data.Number; got != nil && "+"+*got == about.Number {
		body.Data.Number = &about.Number // a phone number without its sign
	}
	return holder.Response{Number: body.Data.Number, Name: body.Data.Name}
}

// at reports whether a response may be about the institution with a code.
func (r resolution) at(bank core.Bank, code string) bool {
	return code == "" || institution.Agrees(bank, code, r.Bank)
}
