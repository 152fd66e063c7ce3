package core

import "regexp"

// Channel is a way of paying out to an account.
type Channel string

// The channels.
const (
	BankTransfer Channel = "bank_transfer"
	MobileMoney  Channel = "mobile_money"
	PayBill      Channel = "pay_bill"
	Till         Channel = "till"
)

// Country is a country that Causeway serves.
type Country struct {
	Code       string   // ISO 3166-1 alpha-2
	Name       string   // as people call it in English
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

// ChannelRule says how a country pays out through a channel.
type ChannelRule struct {
	Channel       Channel
	Currencies    []string
	Account       AccountRule
	NeedsBankCode bool // of every request; where it is false, a phone number that does not tell its operator may need one still
}

// AccountRule says what an account number looks like.
type AccountRule struct {
	Rule    string         // a sentence for people: "exactly 10 digits (NUBAN)"
	Pattern *regexp.Regexp // of the normalised number: no spaces, no hyphens; phones in E.164 with "+"
	Example string         // matches Pattern
	Phone   bool           // the number is a phone number, normalised to E.164
}
