package paystack

import (
	"net/http"
	"strings"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/format"
)

// validates reports whether a South African bank supports validation. For real banks this is not
// known.
func validates(code string) bool { return !strings.HasSuffix(code, "000") }

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
	switch {
	case c.Bank == "":
		return "bank_code"
	case c.Country != "ZA":
		return "country_code"
	case c.Number == "":
		return "account_number"
	case c.Name == "":
		return "account_name"
	case c.AccountType != "personal" && c.AccountType != "business":
		return "account_type"
	case documents[c.DocumentType] == "":
		return "document_type"
	case c.DocumentNumber == "":
		return "document_number"
	}
	return ""
}

// verification is the data of a response.
type verification struct {
	Credits bool   `json:"accountAcceptsCredits"`
	Debits  bool   `json:"accountAcceptsDebits"`
	Match   bool   `json:"accountHolderMatch"`
	Open    *bool  `json:"accountOpen,omitempty"`
	Old     bool   `json:"accountOpenForMoreThanThreeMonths"`
	Message string `json:"verificationMessage"`
	Done    bool   `json:"verified"`
}

// validate compares an account with a document.
func validate(r *format.Request, home string) format.Reply {
	var c claim
	if !r.ReadJSON(&c) || c.missing() != "" {
		return required(c.missing())
	}
	bank, known := r.Institution(c.Country, c.Bank, codeOf)
	if home != c.Country || !known || !validates(c.Bank) {
		return invalid("Bank is not supported", "Use a bank that is enabled for verification")
	}
	text := "Personal Account Verification attempted"
	if c.AccountType == "business" {
		text = "Business Account Verification attempted"
	}
	account := r.Account(core.BankTransfer, bank, c.Number)
	reply := success(text, c.compare(account))
	switch account.Outcome {
	case accounts.Unknown:
		reply = format.Answer(http.StatusBadRequest, map[string]any{
			"status": false, "message": text, "data": verification{Message: "The provided bank account number is invalid"},
		})
	case accounts.Throttled, accounts.Failed, accounts.Down:
		reply = failures[account.Outcome]
	default:
	}
	reply.Outcome = account.Outcome
	return reply
}

// compare compares an account with the document of a claim. As recorded, a document of another
// holder leaves an open account unverified without accountOpen.
func (c claim) compare(account accounts.Account) verification {
	const verified = "Account is verified successfully"
	match := strings.EqualFold(c.DocumentNumber, documents[c.DocumentType])
	switch {
	case account.Outcome == accounts.Closed || account.Outcome == accounts.Dormant:
		return verification{Message: verified, Done: true, Match: match, Open: new(false)}
	case account.Name == "":
		return verification{Message: "Account could not be verified", Open: new(false)}
	case !match:
		return verification{Message: "We got account verification result as refuted", Debits: true, Old: true}
	default:
		return verification{
			Message: verified, Done: true, Match: true, Open: new(true), Old: true, Debits: true, Credits: true,
		}
	}
}
