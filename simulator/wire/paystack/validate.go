package paystack

import (
	"net/http"
	"slices"
	"strings"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/provider"
)

// verifiable returns the banks of a country that support validation, among them the magic one.
func (p *paystack) verifiable(country string) []row {
	if !countries[country].validates {
		return nil
	}
	rows := slices.DeleteFunc(slices.Clone(p.lists().listed[country]), func(r row) bool { return !supported(r.Code) })
	return append(rows, p.lists().magic[country]...)
}

// supported reports whether a bank supports validation. For real banks this is not known.
func supported(code string) bool { return !strings.HasSuffix(code, "000") }

// claim is the body of a request.
type claim struct {
	Bank           string `json:"bank_code"`
	Country        string `json:"country_code"`
	Number         string `json:"account_number"`
	Name           string `json:"account_name"`
	AccountType    string `json:"account_type"`
	DocumentType   string `json:"document_type"`
	DocumentNumber string `json:"document_number"`
}

// documents are the numbers of all holders of simulated accounts, by type. Every other number is
// another holder's.
var documents = map[string]string{
	"identityNumber": "8001015009087", "passportNumber": "M00123456", "businessRegistrationNumber": "2015/123456/07",
}

// missing returns the first required member that is absent or not accepted.
func (c claim) missing() string {
	for _, field := range []struct {
		name string
		ok   bool
	}{
		{"bank_code", c.Bank != ""},
		{"country_code", c.Country == "ZA"},
		{"account_number", c.Number != ""},
		{"account_name", c.Name != ""},
		{"account_type", c.AccountType == "personal" || c.AccountType == "business"},
		{"document_type", documents[c.DocumentType] != ""},
		{"document_number", c.DocumentNumber != ""},
	} {
		if !field.ok {
			return field.name
		}
	}
	return ""
}

// validate compares an account with a document.
func (p *paystack) validate(r *http.Request, home string) provider.Reply {
	var c claim
	if !provider.ReadJSON(r, &c) || c.missing() != "" {
		return required(c.missing())
	}
	bank, known := p.known().Find(c.Country, c.Bank)
	if home != "" && home != c.Country || !known || !supported(c.Bank) {
		return invalid("Bank is not supported", "Use a bank that is enabled for verification")
	}
	account := p.world.AccountAt(r.Context(), Name, core.BankTransfer, bank, c.Number)
	kind := "Personal"
	if c.AccountType == "business" {
		kind = "Business"
	}
	text := kind + " Account Verification attempted"
	found := success(text, c.compare(account))
	switch account.Outcome {
	case accounts.Unknown:
		found = provider.Answer(http.StatusBadRequest, map[string]any{
			"status": false, "message": text, "data": flags("The provided bank account number is invalid", nil),
		})
	case accounts.Throttled, accounts.Failed, accounts.Down:
		found = failures[account.Outcome]
	default:
	}
	found.Outcome = account.Outcome
	return found
}

// flags are the data of a response: those that are set, and false for the others.
func flags(message string, set map[string]bool) map[string]any {
	out := map[string]any{
		"verificationMessage": message, "verified": false, "accountHolderMatch": false, "accountAcceptsDebits": false,
		"accountAcceptsCredits": false, "accountOpenForMoreThanThreeMonths": false,
	}
	for name, value := range set {
		out[name] = value
	}
	return out
}

// compare compares an account with the document of a claim. As recorded, a document of another
// holder leaves an open account unverified without accountOpen.
func (c claim) compare(account accounts.Account) map[string]any {
	const verified = "Account is verified successfully"
	match := strings.EqualFold(c.DocumentNumber, documents[c.DocumentType])
	switch {
	case account.Outcome == accounts.Closed || account.Outcome == accounts.Dormant:
		return flags(verified, map[string]bool{"verified": true, "accountHolderMatch": match, "accountOpen": false})
	case account.Name == "":
		return flags("Account could not be verified", map[string]bool{"accountOpen": false})
	case !match:
		return flags("We got account verification result as refuted", map[string]bool{
			"accountAcceptsDebits": true, "accountOpenForMoreThanThreeMonths": true,
		})
	default:
		return flags(verified, map[string]bool{
			"verified": true, "accountAcceptsDebits": true, "accountAcceptsCredits": true,
			"accountOpenForMoreThanThreeMonths": true, "accountHolderMatch": true, "accountOpen": true,
		})
	}
}
