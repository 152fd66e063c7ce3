package daraja

import (
	"context"
	"slices"
	"strings"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/holder"
	"causeway/core"
)

// Resolves reports whether Daraja is on and the account is a pay bill or a till of Kenya. These
// have no bank; a Kenyan bank is ignored.
func (p *Provider) Resolves(country string, channel core.Channel, bank core.Bank) bool {
	_, ok := identifierTypes[channel]
	return p.session != nil && country == kenya && ok && (bank.Country == kenya || bank.Country == "" && bank.Code == "")
}

// Resolve returns the business behind a number.
func (p *Provider) Resolve(ctx context.Context, q core.AccountQuery) (core.Private, error) {
	if !p.Resolves(q.Country, q.Channel, q.Bank) {
		return "", core.Errorf(core.Unsupported, "Accounts of this kind cannot be looked up here")
	}
	number := q.Number.Reveal()
	body := map[string]string{"IdentifierType": identifierTypes[q.Channel], "Identifier": number}
	request := upstream.Request{Path: "/sfcverify/v1/query/info"}
	return provider.LookupBy(ctx, p.session, request, body, func(a upstream.Response) (core.Private, error) {
		return holder.Judge(a, read(a, q.Channel), texts, number)
	})
}

// organization is an answer.
type organization struct {
	Code    string  `json:"ResponseCode"`
	Message string  `json:"ResponseMessage"`
	Number  *string `json:"OrganizationShortCode"`
	Till    *string `json:"TillNumber"` // of a till; Number is then its parent's
	Name    *string `json:"OrganizationName"`
}

// read reads a response about a pay bill or a till. A failure with a name contradicts itself.
func read(a upstream.Response, channel core.Channel) holder.Response {
	var body organization
	if err := a.JSON(&body); err != nil {
		return holder.Response{Broken: err}
	}
	if channel == core.Till && body.Till != nil {
		body.Number = body.Till
	}
	named := body.Name != nil && strings.TrimSpace(*body.Name) != ""
	switch {
	case body.Message == "":
		return holder.Response{Broken: upstream.Fail(upstream.Malformed, "it does not say whether it is well")}
	case strings.EqualFold(body.Message, succeeded) && slices.Contains(successes, body.Code):
		return holder.Response{Number: body.Number, Name: body.Name}
	case named:
		return holder.Response{Broken: upstream.Fail(upstream.Undecided, "a name together with a failure")}
	default:
		return holder.Response{Refused: true, Message: body.Message}
	}
}
