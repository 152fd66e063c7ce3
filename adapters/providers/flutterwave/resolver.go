package flutterwave

import (
	"context"
	"encoding/json"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/holder"
	"causeway/adapters/upstream/institution"
	"causeway/core"
)

// Resolves reports whether Flutterwave can be asked: it is on, the country is Nigeria, and the bank has a code there. Wallets are
// institutions with account numbers in Nigeria, so that both channels are one question.
func (p *Provider) Resolves(country string, channel core.Channel, bank core.Bank) bool {
	return p.client != nil && countries[country].resolves && bank.Country == country &&
		(channel == core.BankTransfer || channel == core.MobileMoney) && codeOf(bank) != ""
}

// codeOf is a bank's code at Flutterwave, or "" where none is known.
func codeOf(bank core.Bank) string {
	code := institution.CodeAt(Name, bank)
	if _, other := others[code]; other && bank.Codes[Name] == "" {
		return ""
	}
	return code
}

// resolution is the data of an answer.
type resolution struct {
	Number *string `json:"account_number"`
	Name   *string `json:"account_name"`
}

// Resolve asks for the holder of an account.
func (p *Provider) Resolve(ctx context.Context, q core.AccountQuery) (core.Private, error) {
	if !p.Resolves(q.Country, q.Channel, q.Bank) {
		return "", core.Errorf(core.Unsupported, "Accounts of this bank cannot be looked up here")
	}
	number, code := q.Number.Reveal(), codeOf(q.Bank)
	body, err := json.Marshal(map[string]string{"account_number": number, "account_bank": code})
	if err != nil {
		return "", core.Errorf(core.Internal, "Internal error").With(err)
	}
	request := upstream.Request{Path: "/accounts/resolve", Body: body, Scope: code}
	return provider.Lookup(ctx, p.client, request, func(a upstream.Response) (core.Private, error) {
		return holder.Judge(a, read(a), texts, number)
	})
}

// read takes an answer to accounts/resolve apart.
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
		return holder.Response{Broken: upstream.Fail(upstream.Malformed, "no account in the answer")}
	}
	return holder.Response{Number: found.Number, Name: found.Name}
}
