package core

// AddressQuery asks whether an address can be paid. Codes are upper case.
type AddressQuery struct {
	Currency string
	Network  string // code or other name; empty: the currency's default network
	Address  Private
	Memo     *string // nil: none was sent
	MemoType string  // "", "text", "id", "hash", "return"
}

// Environment says which of a chain's networks an address belongs to.
type Environment string

// The environments. AnyEnvironment is for formats that do not differ.
const (
	Mainnet        Environment = "mainnet"
	Testnet        Environment = "testnet"
	AnyEnvironment Environment = "any"
)

// Verdict is the answer to an AddressQuery.
type Verdict struct {
	Address  Private // as sent; already masked where the string is a secret key
	Currency string
	Network  string  // our code
	Memo     *string // as sent

	Valid            bool
	Reason           string   // why not: a code of package core/addresses; empty when valid
	Message          string   // a sentence a person can act on; empty when valid
	Warnings         []string // codes of package core/addresses
	Format           string   // for example "p2wpkh", "eip55"
	Environment      Environment
	Checksum         bool   // the string carries a checksum
	Normalized       string // the canonical spelling, when valid
	PossibleNetworks []string
}

// MemoRule says what a network does with a memo.
type MemoRule struct {
	Supported   bool
	Recommended bool     // exchanges need one: its absence is a warning
	Kinds       []string // for example "text", "id", "hash", "return"
	Rule        string   // a sentence for people
}

// NetworkFormat is one format of a network's addresses, with an example.
type NetworkFormat struct {
	Name    string
	Example string
}

// Network describes a network for people and clients. The rules themselves are code, in core/addresses.
type Network struct {
	Code       string
	Name       string
	OtherNames []string
	Memo       MemoRule
	Formats    []NetworkFormat
	Checksum   bool
}
