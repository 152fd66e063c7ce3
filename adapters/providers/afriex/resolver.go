package afriex

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/holder"
	"causeway/core"
)

const nigeria = "NG"

// Resolves reports whether Afriex resolves accounts of that kind at a bank or wallet operator: the
// institution needs a code there, because without one Afriex picks an operator itself and names the
// holder of another wallet. In Nigeria wallets are institutions with account numbers, so that both
// channels are the same request; elsewhere a bank on the wallet channel, or the reverse, would be
// reported as an unknown account.
func (p *Provider) Resolves(country string, channel core.Channel, bank core.Bank) bool {
	if p.Client == nil || bank.Country != country || codeAt(bank) == "" {
		return false
	}
	if country == nigeria {
		return channel == core.BankTransfer || channel == core.MobileMoney
	}
	supported := core.BankTransfer
	if countries[country].channel == wallets {
		supported = core.MobileMoney
	}
	_, known := countries[country]
	return known && channel == supported && slices.Contains(bank.Channels, channel)
}

// codeAt returns the code of an institution at Afriex: its own, or in Nigeria the NIP code or the
// central bank's.
func codeAt(bank core.Bank) string {
	if code := bank.Codes[Name]; code != "" || bank.Country != nigeria {
		return code
	}
	if code := bank.Codes[core.NIP]; code != "" {
		return code
	}
	return bank.Codes[core.CBN]
}

// Resolve returns the holder of an account.
func (p *Provider) Resolve(ctx context.Context, q core.AccountQuery) (core.Private, error) {
	if !p.Resolves(q.Country, q.Channel, q.Bank) {
		return "", core.Errorf(core.Unsupported, "Accounts of this bank cannot be looked up here")
	}
	number := q.Number.Reveal()
	code := codeAt(q.Bank)
	query := url.Values{
		"channel": {countries[q.Country].channel}, "countryCode": {q.Country}, "institutionCode": {code},
		"accountNumber": {strings.TrimPrefix(number, "+")}, // Afriex refuses a leading +
	}
	request := upstream.Request{
		Path: "/api/v1/payment-method/resolve", Query: query, Scope: q.Country + " " + code,
	}
	return provider.Lookup(ctx, p.Client, request, func(a upstream.Response) (core.Private, error) {
		return holder.Judge(a, read(a, q.Bank, number), texts, number)
	})
}

// resolution is the holder of an account and the institution.
type resolution struct {
	Name        *string `json:"recipientName"`
	Institution *string `json:"institutionCode"`
}

// answer is a resolution, in its old or its new form, or a failure.
type answer struct {
	resolution

	Data    *resolution `json:"data"`
	Code    string      `json:"code"`
	Details struct {
		Message string `json:"errorMessage"`
	} `json:"details"`
}

const notFound = "PAYMENT_METHOD_NOT_FOUND"

// read decodes a response about an account. The response does not repeat the account number.
func read(a upstream.Response, bank core.Bank, number string) holder.Response {
	var body answer
	if err := a.JSON(&body); err != nil {
		return holder.Response{Broken: err}
	}
	if body.Code == notFound {
		return holder.Response{Refused: true, Message: body.Code}
	}
	if body.Code != "" {
		return holder.Response{Refused: true, Message: body.Details.Message}
	}
	found := body.resolution
	if body.Data != nil {
		if found != (resolution{}) {
			return holder.Response{Broken: upstream.Fail(upstream.Malformed, "an account in two forms")}
		}
		found = *body.Data
	}
	if found.Institution != nil && !same(bank, *found.Institution) {
		return holder.Response{Broken: upstream.Fail(upstream.Undecided, "the response is about another institution")}
	}
	return holder.Response{Number: &number, Name: found.Name}
}

// same reports whether a code in a response may be the institution's: it is one of its codes, or it
// cannot be compared, because neither Afriex's code of the institution nor its NIP code is known.
func same(bank core.Bank, said string) bool {
	said = strings.TrimSpace(said)
	return said == "" || bank.Known(said) || bank.Codes[Name] == "" && bank.Codes[core.NIP] == ""
}
