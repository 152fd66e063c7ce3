package paystack

import (
	"net/http"
	"slices"
	"strings"

	"causeway/core"
	"causeway/simulator"
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

// paystackClaim is a question whether somebody holds an account.
type paystackClaim struct {
	Bank     string `json:"bank_code"`
	Country  string `json:"country_code"`
	Number   string `json:"account_number"`
	Name     string `json:"account_name"`
	Kind     string `json:"account_type"`
	Document string `json:"document_type"`
}

// missing names the first required field that is not there, or not one of those that are accepted.
func (c paystackClaim) missing() string {
	for _, field := range []struct {
		name string
		ok   bool
	}{
		{"bank_code", c.Bank != ""},
		{"country_code", c.Country == "ZA"},
		{"account_number", c.Number != ""},
		{"account_name", c.Name != ""},
		{"account_type", c.Kind == "personal" || c.Kind == "business"},
		{"document_type", slices.Contains([]string{"identityNumber", "passportNumber", "businessRegistrationNumber"}, c.Document)},
	} {
		if !field.ok {
			return field.name
		}
	}
	return ""
}

// paystackFlags are an answer.
type paystackFlags struct {
	Verified bool   `json:"verified"`
	Message  string `json:"verificationMessage"`
	Debits   bool   `json:"accountAcceptsDebits"`
	Credits  bool   `json:"accountAcceptsCredits"`
	Old      bool   `json:"accountOpenForMoreThanThreeMonths"`
	Match    bool   `json:"accountHolderMatch"`
	Open     bool   `json:"accountOpen"`
}

func (p *paystack) validate(r *http.Request, home string) (simulator.Outcome, provider.Reply) {
	var c paystackClaim
	if !provider.ReadJSON(r, &c) || c.missing() != "" {
		return simulator.Unknown, refusal(http.StatusBadRequest, validationError, `"`+c.missing()+`" is required`, "Provide all required parameters")
	}
	bank, known := p.known().banks[c.Country][strings.ToUpper(c.Bank)]
	if home != "" && home != c.Country || !known || !takesPart(c.Bank) {
		return simulator.Unknown, refusal(http.StatusBadRequest, validationError, "Bank is not supported", "Use a bank that is enabled for verification")
	}
	account := p.world.AccountAt(r.Context(), Name, core.BankTransfer, *bank.Bank, c.Number)
	return account.Outcome, validated(account, c)
}

// validated is what Paystack says of a claim. How it answers about an account that does not exist is not known: here it refuses the number.
func validated(account simulator.Account, c paystackClaim) provider.Reply {
	flags := paystackFlags{Verified: true, Message: "Account is verified successfully", Debits: true, Credits: true, Old: true, Open: true}
	switch account.Outcome {
	case simulator.Unknown:
		return refusal(http.StatusBadRequest, validationError, "Invalid account number", "Ensure that the account number is right")
	case simulator.Closed, simulator.Dormant:
		flags.Open, flags.Credits, flags.Debits = false, false, false
	case simulator.Throttled, simulator.Failed, simulator.Down:
		return resolved(account, c.Number, 0)
	case simulator.Found, simulator.Slow, simulator.Truncated, simulator.WrongPage,
		simulator.Hanging, simulator.Reset, simulator.RenamedSecond:
		flags.Match = sameWords(c.Name, account.Name)
		if account.Name == "" {
			flags = paystackFlags{Message: "Account could not be verified"}
		}
	}
	kind := "Personal"
	if c.Kind == "business" {
		kind = "Business"
	}
	return provider.Answer(http.StatusOK, struct {
		Status  bool          `json:"status"`
		Message string        `json:"message"`
		Data    paystackFlags `json:"data"`
	}{true, kind + " Account Verification attempted", flags})
}

// sameWords reports whether two names have the same words, in any order and case.
func sameWords(a, b string) bool {
	words := func(name string) []string {
		w := strings.Fields(strings.ToUpper(name))
		slices.Sort(w)
		return w
	}
	return slices.Equal(words(a), words(b))
}
