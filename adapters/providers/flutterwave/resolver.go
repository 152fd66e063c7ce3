package flutterwave

import (
	"context"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/holder"
	"causeway/core"
)

// Resolves reports whether Flutterwave is on and knows the bank, which must be Nigerian. Wallets of
// Nigeria are accounts of institutions, so that both channels are the same. The codes of the central
// bank are no substitute for Flutterwave's own: by 302 and 303 it lists other institutions.
func (p *Provider) Resolves(country string, channel core.Channel, bank core.Bank) bool {
	return p.Client != nil && countries[country].resolves && bank.Country == country &&
		(channel == core.BankTransfer || channel == core.MobileMoney) && bank.Codes[Name] != ""
}

// resolution is the data of a response.
type resolution struct {
	Number *string `json:"account_number"`
	Name   *string `json:"account_name"`
}

// Resolve returns the holder of an account.
func (p *Provider) Resolve(ctx context.Context, q core.AccountQuery) (core.Private, error) {
	if !p.Resolves(q.Country, q.Channel, q.Bank) {
		return "", core.Errorf(core.Unsupported, "Accounts of this bank cannot be looked up here")
	}
	number, code := q.Number.Reveal(), q.Bank.Codes[Name]
	request := upstream.Request{Path: "/accounts/resolve", Scope: code}
	body := map[string]string{"account_number": number, "account_bank": code}
	return provider.LookupBy(ctx, p.Client, request, body, func(a upstream.Response) (core.Private, error) {
		return holder.Judge(a, read(a), texts, number)
	})
}

// read decodes a response.
func read(a upstream.Response) holder.Response {
	var body envelope
	if err := a.JSON(&body); err != nil {
		return holder.Response{Broken: err}
	}
	if body.Status == failed {
		return holder.Response{Refused: true, Message: body.Message}
	}
	var found resolution
	if body.Status != succeeded || upstream.Decode(body.Data, &found) != nil {
		return holder.Response{Broken: upstream.Fail(upstream.Malformed, "no account in the response")}
	}
	return holder.Response{Number: found.Number, Name: found.Name}
}
