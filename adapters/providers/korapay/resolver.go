package korapay

import (
	"context"
	"slices"
	"strings"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/holder"
	"causeway/adapters/upstream/institution"
	"causeway/core"
)

// Resolves reports whether Kora is on, names accounts of the channel and country, and knows the
// institution. In Nigeria wallets are accounts of institutions, so that both channels are the same;
// elsewhere a bank on the wrong channel would be reported as an unknown account. The codes of the
// central bank are no substitute for Kora's own: Paga, for example, is 327 there and 916 at Kora.
func (p *Provider) Resolves(country string, channel core.Channel, bank core.Bank) bool {
	return p.Client != nil && bank.Country == country && slices.Contains(countries[country].resolves, channel) &&
		(country == "NG" || slices.Contains(bank.Channels, channel)) && bank.Codes[Name] != ""
}

// Resolve returns the holder of an account.
func (p *Provider) Resolve(ctx context.Context, q core.AccountQuery) (core.Private, error) {
	if !p.Resolves(q.Country, q.Channel, q.Bank) {
		return "", core.Errorf(core.Unsupported, "Accounts of this bank cannot be looked up here")
	}
	number, path, asked := q.Number.Reveal(), banks, map[string]string{"currency": countries[q.Country].currency}
	code := q.Bank.Codes[Name]
	if q.Country != "NG" && q.Channel == core.MobileMoney {
		path, number = wallets, strings.TrimPrefix(number, "+")
		asked["mobileMoneyCode"], asked["phoneNumber"] = code, number
	} else {
		asked["bank"], asked["account"] = code, number
	}
	request := upstream.Request{Path: path + "/resolve", Scope: q.Country + " " + code}
	return provider.LookupBy(ctx, p.Client, request, asked, func(a upstream.Response) (core.Private, error) {
		return holder.Judge(a, read(a, q.Bank, code), texts, number)
	})
}

// resolution is the data of a response about an account or a wallet.
type resolution struct {
	Number   *string `json:"account_number"`
	Phone    *string `json:"phone_number"`
	Name     *string `json:"account_name"`
	Bank     string  `json:"bank_code"`
	Operator string  `json:"mobile_money_code"`
}

// read decodes a response about an account at a bank.
func read(a upstream.Response, bank core.Bank, code string) holder.Response {
	var body envelope
	if err := a.JSON(&body); err != nil {
		return holder.Response{Broken: err}
	}
	if body.Status != nil && !*body.Status {
		return holder.Response{Refused: true, Message: body.Message}
	}
	var found resolution
	if body.Status == nil || upstream.Decode(body.Data, &found) != nil || found.Number != nil && found.Phone != nil {
		return holder.Response{Broken: upstream.Fail(upstream.Malformed, "no account in the response")}
	}
	if !institution.Agrees(bank, code, found.Bank) || !institution.Agrees(bank, code, found.Operator) {
		return holder.Response{Broken: upstream.Fail(upstream.Undecided, "the response is about another institution")}
	}
	if found.Number == nil {
		found.Number = found.Phone
	}
	return holder.Response{Number: found.Number, Name: found.Name}
}
