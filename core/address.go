package core

import "github.com/shopspring/decimal"

// AddressQuery is a request to validate an address. Codes are upper case.
type AddressQuery struct {
	Currency string
	Network  string // code or alias; empty means the default network of the currency
	Address  Private
	Memo     *string // nil if absent
	MemoType string  // "", "text", "id", "hash", "return"
}

// NetworkKind says whether an address belongs to the main network of a chain or to a test network.
type NetworkKind string

// The kinds. AnyNetworkKind means that the format is the same on all networks.
const (
	Mainnet        NetworkKind = "mainnet"
	Testnet        NetworkKind = "testnet"
	AnyNetworkKind NetworkKind = "any"
)

// Verdict is the result of an AddressQuery.
type Verdict struct {
	Address  Private // as sent, or masked if the text is a secret key
	Currency string
	Network  string  // code of the network
	Memo     *string // as sent

	Valid            bool
	Reason           string   // a code of package core/addresses; empty if valid
	Message          string   // for people: what is wrong and what to do; empty if valid
	Warnings         []string // codes of package core/addresses
	Format           string   // for example "p2wpkh", "eip55"
	Environment      NetworkKind
	Checksum         bool   // the format has a checksum
	Normalized       string // canonical spelling, if valid
	PossibleNetworks []string
	Payment          *Payment // what a payment link in place of the address asks for; nil: it was no such link
}

// Payment is what a payment link asks for.
type Payment struct {
	Address  Private
	Network  string           // code
	Currency string           // code
	Amount   *decimal.Decimal // nil: the payer chooses
	Memo     Private          // empty: none
	Label    Private          // name of the recipient, for people; empty: none
}

// MemoRule describes how a network uses memos.
type MemoRule struct {
	Supported   bool
	Recommended bool     // most exchanges need one, so that its absence is a warning
	Kinds       []string // for example "text", "id", "hash", "return"
	Rule        string   // for people
}

// NetworkFormat is one format of a network's addresses, with an example.
type NetworkFormat struct {
	Name    string
	Example string
}

// Network describes a network. The rules for its addresses are in core/addresses.
type Network struct {
	Code       string
	Name       string
	OtherNames []string
	Memo       MemoRule
	Formats    []NetworkFormat
	Checksum   bool
}
