// Package accounts simulates bank and mobile money accounts: who holds them, and what providers respond when
// they are asked for the holder's name.
//
// Names derive from the seed of the world. They are always visibly fake, so that no one takes them for a person.
package accounts

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"

	"causeway/core"
	"causeway/simulator/seed"
)

// The magic institutions of every country: a bank and a wallet operator. The last three digits of an account
// number there decide the outcome.
const (
	MagicBank   = "001"
	MagicWallet = "SIM"

	magicBankName   = "Simulated Bank"
	magicWalletName = "Simulated Wallet"
)

//go:embed surnames.csv
var surnamesCSV []byte

// records returns the rows of an embedded table without its header.
func records(table []byte) [][]string {
	rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil {
		panic(err) // the table is part of the program
	}
	return rows[1:]
}

// country is what names and phone numbers need to know of a country.
type country struct {
	callingCode string
	surnames    []string
}

// countries are the rows of surnames.csv. The row "" serves all other countries.
var countries = func() map[string]country {
	out := map[string]country{}
	for _, r := range records(surnamesCSV) {
		out[r[0]] = country{callingCode: r[1], surnames: strings.Split(r[2], ";")}
	}
	return out
}()

// Fingerprint returns the tables that names and outcomes depend on besides the seed.
func Fingerprint() []byte { return slices.Concat(magicCSV, surnamesCSV) }

// IsMagic reports whether a bank is a magic institution. The name counts too, because a country may have given
// the code 001 to a real bank.
func IsMagic(bank core.Bank) bool {
	return bank.Code == MagicBank && bank.Name == magicBankName || bank.Code == MagicWallet
}

// Of 100 accounts at real banks, so many are unknown and dormant.
const (
	unknownPercent = 5
	dormantPercent = 3
)

// published is an account that the documentation uses: it is found in every world.
var published = key{"NG", "000013", "0123456789"}

// key identifies an account.
type key struct{ country, bank, number string }

func keyOf(bank core.Bank, number string) key {
	if bank.Type == core.MobileMoneyBank {
		number = national(bank.Country, number)
	}
	return key{bank.Country, bank.Code, number}
}

// national strips a phone number of signs, the calling code of the country and leading zeros.
func national(code, number string) string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, number)
	const longestNational = 10
	if calling := countries[code].callingCode; len(digits) > longestNational && calling != "" {
		digits = strings.TrimPrefix(strings.TrimPrefix(digits, "00"), calling)
	}
	return strings.TrimLeft(digits, "0")
}

// fakeName returns the name of a holder.
func fakeName(code string, draw uint64) string {
	c, ok := countries[code]
	if !ok {
		c = countries[""]
	}
	draw = seed.Mix(draw)
	return fmt.Sprintf("TEST %s %04d", c.surnames[draw%uint64(len(c.surnames))], draw>>32%10_000)
}

// Organization returns the institution of pay bills and tills, whose holders have no bank. As at the magic
// institutions, the last three digits of their numbers decide the outcome.
func Organization(country string) core.Bank {
	return core.Bank{Country: country, Code: MagicWallet, Type: core.OtherBank}
}

// OrganizationNumber returns the account number of a pay bill or a till, which may have the same digits.
func OrganizationNumber(channel core.Channel, number string) string {
	return string(channel) + " " + number
}

// codedProviders are the providers that name institutions by codes.
var codedProviders = []string{"afriex", "busha", "flutterwave", "korapay", "monnify", "paystack"}

// MagicBanks returns the magic institutions of countries: MagicBank, and MagicWallet if the country has mobile
// money.
func MagicBanks(countries []core.Country) []core.Bank {
	var out []core.Bank
	for _, c := range countries {
		out = append(out, magicInstitution(c, MagicBank, magicBankName, core.CommercialBank, core.BankTransfer))
		if _, ok := c.Channel(core.MobileMoney); !ok {
			continue
		}
		channels := []core.Channel{core.MobileMoney}
		if c.Code == "NG" { // its wallets have a bank code and an account number
			channels = []core.Channel{core.BankTransfer, core.MobileMoney}
		}
		out = append(out, magicInstitution(c, MagicWallet, magicWalletName, core.MobileMoneyBank, channels...))
	}
	return out
}

func magicInstitution(c core.Country, code, name string, kind core.BankType, channels ...core.Channel) core.Bank {
	bank := core.Bank{
		Code: code, Name: name, Country: c.Code, Type: kind, Channels: channels, Codes: map[string]string{}, Hidden: true,
	}
	if len(c.Currencies) > 0 {
		bank.Currency = c.Currencies[0]
	}
	for _, provider := range codedProviders {
		bank.Codes[provider] = code
	}
	return bank
}
