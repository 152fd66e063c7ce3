package monnify

import (
	"context"
	"net/url"
	"regexp"
	"strings"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/holder"
	"causeway/adapters/upstream/institution"
	"causeway/core"
)

// Resolves reports whether Monnify is on and knows the bank, which must be Nigerian. Wallets of
// Nigeria are accounts of institutions, so that both channels are the same. The codes of the central
// bank are no substitute for Monnify's own, which are of several schemes.
func (p *Provider) Resolves(country string, channel core.Channel, bank core.Bank) bool {
	return p.session != nil && country == nigeria && bank.Country == nigeria &&
		(channel == core.BankTransfer || channel == core.MobileMoney) && bank.Codes[Name] != ""
}

// Resolve returns the holder of an account.
func (p *Provider) Resolve(ctx context.Context, q core.AccountQuery) (core.Private, error) {
	if !p.Resolves(q.Country, q.Channel, q.Bank) {
		return "", core.Errorf(core.Unsupported, "Accounts of this bank cannot be looked up here")
	}
	number, code := q.Number.Reveal(), q.Bank.Codes[Name]
	request := upstream.Request{
		Path:  "/api/v1/disbursements/account/validate",
		Query: url.Values{"accountNumber": {number}, "bankCode": {code}}, Scope: code,
	}
	return provider.Lookup(ctx, p.session, request, func(a upstream.Response) (core.Private, error) {
		return holder.Judge(a, read(a, q.Bank, number, code), texts, number)
	})
}

// resolution is the body of a response.
type resolution struct {
	Number *string `json:"accountNumber"`
	Name   *string `json:"accountName"`
	Bank   string  `json:"bankCode"`
}

// read decodes a response about an account.
func read(a upstream.Response, bank core.Bank, number, code string) holder.Response {
	var body envelope
	if err := a.JSON(&body); err != nil {
		return holder.Response{Broken: err}
	}
	if body.Successful != nil && !*body.Successful {
		return holder.Response{Refused: true, Message: reason(body.Message, number, code)}
	}
	var found resolution
	if body.Successful == nil || body.Code != succeeded || upstream.Decode(body.Body, &found) != nil {
		return holder.Response{Broken: upstream.Fail(upstream.Malformed, "no account in the response")}
	}
	if !institution.Agrees(bank, code, found.Bank) {
		return holder.Response{Broken: upstream.Fail(upstream.Undecided, "the response is about another institution")}
	}
	return holder.Response{Number: found.Number, Name: found.Name}
}

var inquiry = regexp.MustCompile(`^(?:.*\. )?Name inquiry failed\. Account ([0-9]+) Bank ([0-9A-Za-z]+)\. (.+)$`)

// reason is why an inquiry about an account failed: what the message ends with, and "" where it is
// about another account. A message of another form is its own reason.
func reason(message, number, code string) string {
	message = strings.Join(strings.Fields(message), " ")
	match := inquiry.FindStringSubmatch(message)
	switch {
	case match == nil:
		return message
	case match[1] != number || match[2] != code:
		return ""
	default:
		return match[3]
	}
}
