package paystack

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"causeway/adapters/upstream"
	"causeway/adapters/upstream/holder"
	"causeway/core"
)

// Confirms reports whether there is a key for South Africa and the bank takes part in the
// validation, or may do so while it is unknown which banks do.
func (p *Provider) Confirms(country string, channel core.Channel, bank core.Bank) bool {
	if country != southAfrica || p.clients[southAfrica] == nil || channel != core.BankTransfer ||
		bank.Country != southAfrica || !slices.Contains(bank.Channels, channel) {
		return false
	}
	code := codeOf(southAfrica, bank)
	participants := p.validates.Load()
	if participants == nil {
		return code != ""
	}
	_, ok := (*participants)[code]
	return ok
}

// claim is the body of a request to bank/validate. All members are required in practice.
type claim struct {
	Bank           string `json:"bank_code"`
	Country        string `json:"country_code"`
	Number         string `json:"account_number"`
	Name           string `json:"account_name"`
	AccountType    string `json:"account_type"`
	DocumentType   string `json:"document_type"`
	DocumentNumber string `json:"document_number"`
}

// documentTypes are Paystack's document types, each with the type of its holder's account.
var documentTypes = map[core.DocumentType]struct{ name, account string }{
	core.IdentityNumber:             {"identityNumber", "personal"},
	core.PassportNumber:             {"passportNumber", "personal"},
	core.BusinessRegistrationNumber: {"businessRegistrationNumber", "business"},
}

// Confirm returns whether a document identifies the holder of an account.
func (p *Provider) Confirm(ctx context.Context, q core.AccountQuery, c core.HolderClaim) (core.NameMatch, error) {
	document, ok := documentTypes[c.Document.Type]
	if !ok || c.Name == "" || c.Document.Number == "" || !p.Confirms(q.Country, q.Channel, q.Bank) {
		return "", core.Errorf(core.Unsupported, "Accounts of this bank cannot be confirmed here")
	}
	about := claim{
		Bank: codeOf(southAfrica, q.Bank), Country: southAfrica, Number: q.Number.Reveal(), Name: c.Name.Reveal(),
		AccountType: document.account, DocumentType: document.name, DocumentNumber: c.Document.Number.Reveal(),
	}
	body, err := json.Marshal(about)
	if err != nil {
		return "", core.Errorf(core.Internal, "Internal error").With(err)
	}
	var match core.NameMatch
	request := upstream.Request{
		Op: "validate", Method: http.MethodPost, Path: "/bank/validate", Body: body,
		Scope: southAfrica + " " + about.Bank, Urgent: true,
	}
	err = p.clients[southAfrica].Do(ctx, request, func(a upstream.Response) error {
		var err error
		match, err = validated(a)
		return err
	})
	if err != nil {
		return "", err
	}
	return match, nil
}

// validation is the data of a response.
type validation struct {
	Verified *bool  `json:"verified"`
	Message  string `json:"verificationMessage"`
	Open     *bool  `json:"accountOpen"`
	Match    *bool  `json:"accountHolderMatch"`
}

// validated reads a response of bank/validate: core.Match, core.NoMatch, a core.NotFound error, or
// an *upstream.Failure if it decides nothing.
func validated(a upstream.Response) (core.NameMatch, error) {
	var body envelope
	var flags validation
	broken := a.JSON(&body)
	undecodable := upstream.Decode(body.Data, &flags) != nil
	if broken == nil && (!body.Status || a.Status == http.StatusBadRequest) {
		for _, text := range []string{body.reason(), flags.Message} {
			if err := holder.Classify(body.table(), a.Status, text).Err(); err != nil {
				return "", err
			}
		}
	}
	if err := a.Err(); err != nil {
		return "", err
	}
	switch {
	case broken != nil:
		return "", broken
	case !body.Status:
		return "", upstream.Fail(upstream.Undecided, "an unknown error text")
	case undecodable:
		return "", upstream.Fail(upstream.Malformed, "no flags in the response")
	default:
		return flags.result()
	}
}

// result decides by the flags. A document of another person is recorded as "verified" false without
// accountOpen; with all flags false the account was not verified.
func (v validation) result() (core.NameMatch, error) {
	switch {
	case v.Verified == nil || v.Match == nil:
		return "", upstream.Fail(upstream.Undecided, "not all flags are in the response")
	case !*v.Verified && !*v.Match && v.Open == nil:
		return core.NoMatch, nil
	case !*v.Verified || v.Open == nil:
		return "", upstream.Fail(upstream.Undecided, "the account was not verified")
	case !*v.Open:
		return "", holder.Closed.Err()
	case *v.Match:
		return core.Match, nil
	default:
		return core.NoMatch, nil
	}
}
