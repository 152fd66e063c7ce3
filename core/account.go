package core

// AccountQuery identifies one account. Its fields are validated and normalised.
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
	Match    NameMatch // of the claimed name; empty if it was not compared
	Document NameMatch // of the claimed document: Match, NoMatch, or empty if it was not compared
	Warnings []AccountWarning
}

// HolderClaim is the name and the document that a caller expects the holder of an account to have.
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

// NameMatch is the result of comparing a claimed name with the holder's.
type NameMatch string

// The results. Match means that the names differ at most in order, case, accents, titles, company
// suffixes and the like: two different people never match.
const (
	Match NameMatch = "match"
	// needs a human decision: an initial for one of two names, a missing name, a typing error
	CloseMatch NameMatch = "close_match"
	NoMatch    NameMatch = "no_match"
)

// AccountWarning reports an unusual account number. It never causes a rejection.
type AccountWarning string

// The warnings.
const (
	// CheckDigit: the NUBAN check digit does not match the bank, as in wallets and vendors' samples.
	CheckDigit AccountWarning = "check_digit"
	// OperatorPrefix: the phone number's prefix belongs to another operator. Numbers can be ported.
	OperatorPrefix AccountWarning = "operator_prefix"
	// AccountLength: the bank's numbers usually have another length. The usual lengths are not verified.
	AccountLength AccountWarning = "account_length"
)
