package paystack

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"causeway/adapters/upstream"
	"causeway/adapters/upstream/holder"
	"causeway/core"
)

// Confirms reports whether Paystack can be asked: it has a key for South Africa, and the bank is one that takes part, or may be one before Paystack
// has told which do.
func (p *Provider) Confirms(country string, channel core.Channel, bank core.Bank) bool {
	if country != southAfrica || p.clients[southAfrica] == nil || channel != core.BankTransfer ||
		bank.Country != southAfrica || !slices.Contains(bank.Channels, channel) {
		return false
	}
	code := codeOf(southAfrica, bank)
	taking := p.validates.Load()
	if taking == nil {
		return code != ""
	}
	_, ok := (*taking)[code]
	return ok
}

// claim is a question whether somebody holds an account.
type claim struct {
	Bank     string `json:"bank_code"`
	Country  string `json:"country_code"`
	Number   string `json:"account_number"`
	Name     string `json:"account_name"`
	Kind     string `json:"account_type"`
	Document string `json:"document_type"`
}

// Confirm asks whether somebody of that name holds an account.
func (p *Provider) Confirm(ctx context.Context, q core.AccountQuery, claimed core.Private) (core.NameMatch, error) {
	if !p.Confirms(q.Country, q.Channel, q.Bank) {
		return "", core.Errorf(core.Unsupported, "Accounts of this bank cannot be confirmed here")
	}
	about := claim{
		Bank: codeOf(southAfrica, q.Bank), Country: southAfrica, Number: q.Number.Reveal(), Name: claimed.Reveal(),
		Kind: "personal", Document: "identityNumber",
	}
	if business(about.Name) {
		about.Kind, about.Document = "business", "businessRegistrationNumber"
	}
	body, err := json.Marshal(about)
	if err != nil {
		return "", core.Errorf(core.Internal, "Internal error").With(err)
	}
	var match core.NameMatch
	question := upstream.Question{
		Op: "validate", Method: http.MethodPost, Path: "/bank/validate", Body: body, Scope: southAfrica + " " + about.Bank, Urgent: true,
	}
	err = p.clients[southAfrica].Do(ctx, question, func(a upstream.Answer) error {
		var err error
		match, err = verdict(a)
		return err
	})
	if err != nil {
		return "", err
	}
	return match, nil
}

// business reports whether a name is a company's, by its last word.
func business(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	return len(words) > 1 && slices.Contains(businesses, words[len(words)-1])
}

// validation is the data of an answer.
type validation struct {
	Verified *bool `json:"verified"`
	Open     *bool `json:"accountOpen"`
	Match    *bool `json:"accountHolderMatch"`
}

// verdict concludes from an answer to bank/validate: core.Match, core.NoMatch, a core.NotFound error, or an *upstream.Failure: cannot tell.
func verdict(a upstream.Answer) (core.NameMatch, error) {
	var body envelope
	broken := a.JSON(&body)
	if broken == nil && !body.Status {
		if err := holder.Understand(body.table(), a.Status, body.reason()).Err(); err != nil {
			return "", err
		}
	}
	if err := a.Fault(); err != nil {
		return "", err
	}
	var flags validation
	switch {
	case broken != nil:
		return "", broken
	case !body.Status:
		return "", upstream.Fail(upstream.Undecided, "a text that is not in the table")
	case upstream.Decode(body.Data, &flags) != nil:
		return "", upstream.Fail(upstream.Malformed, "no flags in the answer")
	default:
		return flags.verdict()
	}
}

func (v validation) verdict() (core.NameMatch, error) {
	switch {
	case v.Verified == nil || v.Open == nil || v.Match == nil:
		return "", upstream.Fail(upstream.Undecided, "not all flags are in the answer")
	case !*v.Verified:
		return "", upstream.Fail(upstream.Undecided, "the account was not verified")
	case !*v.Open:
		return "", holder.ClosedOne.Err()
	case *v.Match:
		return core.Match, nil
	default:
		return core.NoMatch, nil
	}
}
