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
	Holder Private // the holder's name: trimmed, inner spaces collapsed, case as the bank keeps it
}
