package core

// CurrencyType is the class of a currency.
type CurrencyType string

// The currency types.
const (
	Fiat       CurrencyType = "fiat"
	Crypto     CurrencyType = "crypto"
	Stablecoin CurrencyType = "stablecoin"
)

// Currency is a fiat currency or a cryptocurrency.
type Currency struct {
	Code string // ISO 4217, or the usual ticker
	Name string
	Type CurrencyType
	// digits after the point of an amount: ISO 4217 minor units; for crypto what is offered, at most
	// the chain's own
	Decimals       int32
	Rank           int      // by market capitalisation, 1 is the largest; 0 for fiat
	DefaultNetwork string   // code of a network, for cryptocurrencies that have one here
	Networks       []string // codes of the networks that carry it
}
