package paystack

import (
	"net/http"
	"slices"
	"strings"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/provider"
)

// verifiable are the banks of a country that take part in the validation, the magic one among them, so that it can be asked about. Which of the
// real ones do is not known: here those do not whose code ends in 000.
func (p *paystack) verifiable(country string) []paystackRow {
	if !paystackCountries[country].validates {
		return nil
	}
	rows := slices.DeleteFunc(slices.Clone(p.known().lists[country]), func(row paystackRow) bool { return !takesPart(row.Code) })
	return append(rows, p.known().magic[country]...)
}

func takesPart(code string) bool { return !strings.HasSuffix(code, "000") }

// paystackClaim is the body of a request.
type paystackClaim struct {
	Bank           string `json:"bank_code"`
	Country        string `json:"country_code"`
	Number         string `json:"account_number"`
	Name           string `json:"account_name"`
	AccountType    string `json:"account_type"`
	DocumentType   string `json:"document_type"`
	DocumentNumber string `json:"document_number"`
}

// documents are the numbers of all holders of simulated accounts, by type. Every other number is another holder's.
var documents = map[string]string{
	"identityNumber": "8001015009087", "passportNumber": "M00123456", "businessRegistrationNumber": "2015/123456/07",
}

// missing returns the first required member that is absent or not accepted.
func (c paystackClaim) missing() string {
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

// paystackFlags are the data of a response.
type paystackFlags struct {
	Verified bool   `json:"verified"`
	Message  string `json:"verificationMessage"`
	Debits   bool   `json:"accountAcceptsDebits"`
	Credits  bool   `json:"accountAcceptsCredits"`
	Old      bool   `json:"accountOpenForMoreThanThreeMonths"`
	Match    bool   `json:"accountHolderMatch"`
	Open     *bool  `json:"accountOpen,omitempty"`
}

// paystackValidation is a response.
type paystackValidation struct {
	Status  bool          `json:"status"`
	Message string        `json:"message"`
	Data    paystackFlags `json:"data"`
}

func (p *paystack) validate(r *http.Request, home string) (accounts.Outcome, provider.Reply) {
	var c paystackClaim
	if !provider.ReadJSON(r, &c) || c.missing() != "" {
		return accounts.Unknown, refusal(http.StatusBadRequest, validationError, `"`+c.missing()+`" is required`, "Provide all required parameters")
	}
	bank, known := p.known().banks[c.Country][strings.ToUpper(c.Bank)]
	if home != "" && home != c.Country || !known || !takesPart(c.Bank) {
		return accounts.Unknown, refusal(http.StatusBadRequest, validationError, "Bank is not supported", "Use a bank that is enabled for verification")
	}
	account := p.world.AccountAt(r.Context(), Name, core.BankTransfer, *bank.Bank, c.Number)
	return account.Outcome, validated(account, c)
}

// validated returns the response about an account. As recorded, a number that does not exist is 400, and a document of
// another holder leaves the account unverified without accountOpen.
func validated(account accounts.Account, c paystackClaim) provider.Reply {
	kind := "Personal"
	if c.AccountType == "business" {
		kind = "Business"
	}
	body := paystackValidation{Status: true, Message: kind + " Account Verification attempted"}
	open, closed := true, false
	match := strings.EqualFold(c.DocumentNumber, documents[c.DocumentType])
	switch account.Outcome {
	case accounts.Unknown:
		body.Status, body.Data.Message = false, "The provided bank account number is invalid"
		return provider.Answer(http.StatusBadRequest, body)
	case accounts.Closed, accounts.Dormant:
		body.Data = paystackFlags{Verified: true, Message: "Account is verified successfully", Match: match, Open: &closed}
	case accounts.Throttled, accounts.Failed, accounts.Down:
		return resolved(account, c.Number, 0)
	case accounts.Found, accounts.Slow, accounts.Truncated, accounts.WrongPage,
		accounts.Hanging, accounts.Reset, accounts.RenamedSecond:
		body.Data = paystackFlags{
			Verified: true, Message: "Account is verified successfully", Debits: true, Credits: true, Old: true, Match: true,
			Open: &open,
		}
		switch {
		case account.Name == "":
			body.Data = paystackFlags{Message: "Account could not be verified", Open: &closed}
		case !match:
			body.Data = paystackFlags{
				Message: "We got account verification result as refuted", Debits: true, Old: true,
			}
		}
	}
	return provider.Answer(http.StatusOK, body)
}
