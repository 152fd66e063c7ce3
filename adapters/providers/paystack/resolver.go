package paystack

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/holder"
	"causeway/core"
)

// Resolves reports whether Paystack has a key for the country, names accounts there, and knows the
// bank.
func (p *Provider) Resolves(country string, channel core.Channel, bank core.Bank) bool {
	_, ok := p.ask(country, channel, bank)
	return ok
}

// Resolve returns the holder of an account.
func (p *Provider) Resolve(ctx context.Context, q core.AccountQuery) (core.Private, error) {
	bank, ok := p.ask(q.Country, q.Channel, q.Bank)
	if !ok {
		return "", core.Errorf(core.Unsupported, "Accounts of this bank cannot be looked up here")
	}
	number := dialled(q.Country, q.Number.Reveal())
	request := upstream.Request{
		Path: "/bank/resolve", Query: url.Values{"account_number": {number}, "bank_code": {bank}},
		Scope: q.Country + " " + bank,
	}
	return provider.Lookup(ctx, p.clients[q.Country], request, func(a upstream.Response) (core.Private, error) {
		said, table := read(a, number)
		return holder.Judge(a, said, table, number)
	})
}

// ask returns the code of a bank for a request. In Nigeria wallets are accounts of institutions,
// and both channels are the same; elsewhere a bank on the wrong channel would be reported as an
// unknown account.
func (p *Provider) ask(country string, channel core.Channel, bank core.Bank) (string, bool) {
	if p.clients[country] == nil || !countries[country].resolves || bank.Country != "" && bank.Country != country {
		return "", false
	}
	if channel != core.BankTransfer && channel != core.MobileMoney {
		return "", false
	}
	if country != "NG" && !slices.Contains(bank.Channels, channel) {
		return "", false
	}
	code := codeOf(country, bank)
	return code, code != ""
}

// codeOf returns a bank's code at Paystack, or "" if it is unknown. A NIP code is not one. Without a code
// of Paystack's list it is a national code, which Paystack may not know: then the caller must not take
// "not found" for a result.
func codeOf(country string, bank core.Bank) string {
	if code := bank.Codes[Name]; code != "" {
		return code
	}
	if country != "NG" {
		return bank.Code
	}
	if code := bank.Codes["cbn"]; code != "" {
		return code
	}
	if nipCode.MatchString(bank.Code) {
		return ""
	}
	return bank.Code // without a NIP code, the bank's code is the CBN's
}

// dialled returns a phone number in national form; other numbers are unchanged.
func dialled(country, number string) string {
	trunk, phones := trunks[country]
	if national, ok := strings.CutPrefix(number, trunk.calling); ok && phones {
		return trunk.digit + national
	}
	return number
}

// resolution is the data of a response.
type resolution struct {
	Number *string `json:"account_number"`
	Name   *string `json:"account_name"`
}

// reason returns the message of a failure, or "" if its type or code shows that it says nothing
// about the account.
func (e envelope) reason() string {
	if slices.Contains(doubtful, e.Type) || slices.Contains(doubtful, e.Code) {
		return ""
	}
	return e.Message
}

// table is what the message of a failure means.
func (e envelope) table() []holder.Text {
	if e.Type == validationError {
		return blaming
	}
	return texts
}

// read decodes a response about an account number and returns the table of texts for a failure.
func read(a upstream.Response, number string) (holder.Response, []holder.Text) {
	var body envelope
	if err := a.JSON(&body); err != nil {
		return holder.Response{Broken: err}, texts
	}
	if !body.Status {
		return holder.Response{Refused: true, Message: body.reason()}, body.table()
	}
	var found resolution
	if upstream.Decode(body.Data, &found) != nil {
		return holder.Response{Broken: upstream.Fail(upstream.Malformed, "no account in the response")}, texts
	}
	if found.Number != nil && same(*found.Number, number) {
		found.Number = &number
	}
	return holder.Response{Number: found.Number, Name: found.Name}, texts
}

var nonDigits = regexp.MustCompile(`[^0-9]`)

// same reports whether two account numbers are one: equal, or one phone number of Ghana in two
// notations.
func same(got, asked string) bool {
	if got == asked {
		return true
	}
	got = strings.TrimPrefix(nonDigits.ReplaceAllString(got, ""), "00")
	return len(asked) == 10 && strings.HasPrefix(asked, "0") && got == "233"+asked[1:]
}
