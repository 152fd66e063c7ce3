package core

import "regexp"

// Channel is a payout channel.
type Channel string

// The channels.
const (
	BankTransfer Channel = "bank_transfer"
	MobileMoney  Channel = "mobile_money"
	PayBill      Channel = "pay_bill"
	Till         Channel = "till"
)

// Country is a supported country.
type Country struct {
	Code       string   // ISO 3166-1 alpha-2
	Name       string   // common English name
	Currencies []string // ISO 4217, the usual one first
	Channels   []ChannelRule
}

// Channel returns the country's rule for a channel.
func (c Country) Channel(channel Channel) (ChannelRule, bool) {
	for _, r := range c.Channels {
		if r.Channel == channel {
			return r, true
		}
	}
	return ChannelRule{}, false
}

// ChannelRule describes a payout channel of a country.
type ChannelRule struct {
	Channel       Channel
	Currencies    []string
	Account       AccountRule
	NeedsBankCode bool // always; if false, a phone number whose prefix does not identify the operator may still need one
}

// AccountRule describes the account numbers of a channel.
type AccountRule struct {
	Rule    string         // for people, for example "exactly 10 digits (NUBAN)"
	Pattern *regexp.Regexp // of the normalised number: no spaces, no hyphens; phones in E.164 with "+"
	Example string         // matches Pattern
	Phone   bool           // the number is a phone number, normalised to E.164
}
