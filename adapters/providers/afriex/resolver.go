package afriex

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"causeway/adapters/upstream"
	"causeway/adapters/upstream/holder"
	"causeway/core"
)

const nigeria = "NG"

// Resolves reports whether Afriex can be asked: it is on, answers for accounts of that kind and country, and the bank has a code there; a
// wallet needs none, and no operator either. Wallets are institutions with account numbers in Nigeria, so that both channels are one
// question; elsewhere a bank that is asked for as a wallet, or the reverse, would come back as "no such account".
func (p *Provider) Resolves(country string, channel core.Channel, bank core.Bank) bool {
	switch {
	case p.client == nil:
		return false
	case countries[country].channel == wallets:
		none := bank.Country == "" && bank.Code == ""
		return channel == core.MobileMoney && (none || bank.Country == country && slices.Contains(bank.Channels, channel))
	default:
		return bank.Country == country && resolvesAt(channel, bank)
	}
}

// resolvesAt reports whether accounts at a bank are told.
func resolvesAt(channel core.Channel, bank core.Bank) bool {
	if codeAt(bank) == "" {
		return false
	}
	if bank.Country == nigeria {
		return channel == core.BankTransfer || channel == core.MobileMoney
	}
	return countries[bank.Country].channel == banks && channel == core.BankTransfer && slices.Contains(bank.Channels, channel)
}

// codeAt is the code by which Afriex is asked about an institution: the one that it told, else in Nigeria the NIP code or the central bank's.
func codeAt(bank core.Bank) string {
	if code := bank.Codes[Name]; code != "" || bank.Country != nigeria {
		return code
	}
	if code := bank.Codes[core.NIP]; code != "" {
		return code
	}
	return bank.Codes[core.CBN]
}

// Resolve asks for the holder of an account.
func (p *Provider) Resolve(ctx context.Context, q core.AccountQuery) (core.Private, error) {
	if !p.Resolves(q.Country, q.Channel, q.Bank) {
		return "", core.Errorf(core.Unsupported, "Accounts of this bank cannot be looked up here")
	}
	number := q.Number.Reveal()
	query := url.Values{"channel": {countries[q.Country].channel}, "countryCode": {q.Country}, "accountNumber": {number}}
	code := codeAt(q.Bank)
	if code != "" {
		query.Set("institutionCode", code)
	}
	var name core.Private
	question := upstream.Question{
		Op: "resolve", Path: "/api/v1/payment-method/resolve", Query: query, Scope: q.Country + " " + code, Urgent: true,
	}
	err := p.client.Do(ctx, question, func(a upstream.Answer) error {
		var err error
		name, err = holder.Judge(a, read(a, q.Bank, number), texts, number)
		return err
	})
	if err != nil {
		return "", err
	}
	return name, nil
}

// resolution is who holds an account, and where it is.
type resolution struct {
	Name        *string `json:"recipientName"`
	Institution *string `json:"institutionCode"`
}

// answer is a resolution, in its old form or in its new one, or a failure.
type answer struct {
	resolution

	Data    *resolution `json:"data"`
	Code    string      `json:"code"`
	Details struct {
		Message string `json:"errorMessage"`
	} `json:"details"`
}

const notFound = "PAYMENT_METHOD_NOT_FOUND"

// read takes an answer about an account apart. The account is the one that was asked for: the answer has another institution, or says nothing.
func read(a upstream.Answer, bank core.Bank, number string) holder.Said {
	var body answer
	if err := a.JSON(&body); err != nil {
		return holder.Said{Broken: err}
	}
	if body.Code == notFound {
		return holder.Said{Refused: true, Message: body.Code}
	}
	if body.Code != "" {
		return holder.Said{Refused: true, Message: body.Details.Message}
	}
	found := body.resolution
	if body.Data != nil {
		if found != (resolution{}) {
			return holder.Said{Broken: upstream.Fail(upstream.Malformed, "an account in two forms")}
		}
		found = *body.Data
	}
	if found.Institution != nil && !same(bank, *found.Institution) {
		return holder.Said{Broken: upstream.Fail(upstream.Undecided, "the answer is about another institution")}
	}
	return holder.Said{Number: &number, Name: found.Name}
}

// same reports whether a code in an answer may be the asked institution's: it is one of its codes, or it cannot be compared, because neither
// Afriex's code of the institution nor its NIP code is known.
func same(bank core.Bank, said string) bool {
	said = strings.TrimSpace(said)
	return said == "" || bank.Known(said) || bank.Codes[Name] == "" && bank.Codes[core.NIP] == ""
}
