package core

// AccountQuery asks for the holder of one account. Everything in it is checked and normalised.
type AccountQuery struct {
	Country  string // ISO 3166-1 alpha-2
	Currency string // ISO 4217
	Channel  Channel
	Bank     Bank    // the zero Bank where the channel needs none
	Number   Private // no spaces or hyphens; a phone number is E.164 with its "+"
}

// Account is an account whose holder is known.
type Account struct {
	AccountQuery
	// the holder's name: trimmed, inner spaces collapsed, case as the bank keeps it; empty where it
	// may only be confirmed
	Holder   Private
	Match    NameMatch // of the name that was claimed; empty if none was, or it was not compared
	Document NameMatch // of the document that was sent: Match, NoMatch, or empty if it was not compared
	Warnings []AccountWarning
}

// HolderClaim is what a caller claims about the holder of an account.
type HolderClaim struct {
	Name     Private
	Document Document
}

// Document identifies a person or a company.
type Document struct {
	Type   DocumentType
	Number Private
}

// DocumentType is the kind of a Document.
type DocumentType string

// The document types.
const (
	IdentityNumber             DocumentType = "identity_number"
	PassportNumber             DocumentType = "passport_number"
	BusinessRegistrationNumber DocumentType = "business_registration_number"
)

// NameMatch says whether a claimed name is the holder's.
type NameMatch string

// The verdicts. Match is said only where the names are the same but for order, case, accents,
// titles, company suffixes and the like: two different people never match.
const (
	Match NameMatch = "match"
	// a person should look: an initial for one of two names, a name missing, a typing error
	CloseMatch NameMatch = "close_match"
	NoMatch    NameMatch = "no_match"
)

// AccountWarning is something odd about an account number that refuses nothing.
type AccountWarning string

// The warnings.
const (
	// CheckDigit: the Nigerian check digit does not fit the bank. Wallets and vendors' own samples break it.
	CheckDigit AccountWarning = "check_digit"
	// OperatorPrefix: the phone number's prefix is another operator's. Numbers are ported between operators.
	OperatorPrefix AccountWarning = "operator_prefix"
	// AccountLength: the number has not as many digits as the bank's usually have. What is usual is not verified.
	AccountLength AccountWarning = "account_length"
)
