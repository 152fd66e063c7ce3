package core

import (
	"slices"
	"strings"
)

// BankType is the kind of an institution.
type BankType string

// The bank types.
const (
	CommercialBank     BankType = "bank"
	MicrofinanceBank   BankType = "microfinance_bank"
	MortgageBank       BankType = "mortgage_bank"
	PaymentServiceBank BankType = "payment_service_bank"
	MobileMoneyBank    BankType = "mobile_money"
	OtherBank          BankType = "other"
)

// Kinds of codes in Bank.Codes, whose other keys are the names of providers.
const (
	NIP      = "nip"      // Nigeria's inter-bank switch: 6 digits
	CBN      = "cbn"      // Central Bank of Nigeria: 3 digits, or 5 for institutions other than commercial banks
	GHIPSS   = "ghipss"   // Ghana's inter-bank switch: 6 digits
	KBA      = "kba"      // Kenya Bankers Association: 2 digits
	Clearing = "clearing" // the national clearing houses of Uganda (2 digits) and Tanzania (3)
	Branch   = "branch"   // South Africa's universal branch code: 6 digits
	SWIFT    = "swift"    // BIC8: the code without a branch
)

// Bank is an institution that holds accounts: a bank or a mobile-money operator.
type Bank struct {
	Code     string // the one code per institution and country
	Name     string
	Country  string // ISO 3166-1 alpha-2
	Currency string // ISO 4217
	Type     BankType
	Channels []Channel

	// Codes are the codes of the institution, including its own if its kind is known. Keys are the
	// kinds above, names of providers ("paystack"), or a label for a code from a merger.
	Codes map[string]string

	Names    []string          // current and former names in other lists
	Rank     int               // by number of account holders in the country: 1 is the largest; 0 is not ranked
	Expected map[string]string // codes by which providers are known to list the institution, by provider
	Hidden   bool              // providers know the institution and list it nowhere, for example one for tests
	Unlisted []string          // providers, sorted, whose list has arrived without the institution
}

// ExcludedBank describes rows of providers' lists that must not become institutions, whichever
// provider lists them.
type ExcludedBank struct {
	Country string
	Names   []string // a row with one of these names is excluded
	Codes   []string // so is a row with one of these codes and a similar name, or any name if Names is empty
	Closed  bool     // the institution no longer exists; otherwise it never had accounts of people
}

// UnlistedBy reports whether the list of a provider has arrived without the institution. Requests for
// it are not sent to such a provider, even if a code is known: what a provider says about an account
// at an institution that it does not know is no result.
func (b Bank) UnlistedBy(provider string) bool { return slices.Contains(b.Unlisted, provider) }

// Aliases returns the other codes of the institution, sorted, without duplicates. CBN codes are
// included in both lengths: 50547 is 950547 in the 6-digit form (NUBAN standard of 2020), and 00103
// is 103.
func (b Bank) Aliases() []string {
	out := make([]string, 0, len(b.Codes)+1)
	for kind, code := range b.Codes {
		out = append(out, code)
		if kind == CBN {
			out = append(out, otherLength(code))
		}
	}
	out = slices.DeleteFunc(out, func(code string) bool { return code == b.Code || code == "" })
	slices.Sort(out)
	return slices.Compact(out)
}

// otherLength returns the other spelling of a CBN code, or "" if there is only one.
func otherLength(cbn string) string {
	for i := range len(cbn) {
		if cbn[i] < '0' || cbn[i] > '9' {
			return ""
		}
	}
	switch {
	case len(cbn) == 5 && strings.HasPrefix(cbn, "00"):
		return cbn[2:]
	case len(cbn) == 5:
		return "9" + cbn
	case len(cbn) == 6 && cbn[0] == '9':
		return cbn[1:]
	default:
		return ""
	}
}

// Known reports whether code, upper case, is the institution's own code or an alias of it.
func (b Bank) Known(code string) bool {
	if strings.EqualFold(b.Code, code) {
		return true
	}
	for kind, other := range b.Codes {
		if code != "" && (strings.EqualFold(other, code) || kind == CBN && strings.EqualFold(otherLength(other), code)) {
			return true
		}
	}
	return false
}
