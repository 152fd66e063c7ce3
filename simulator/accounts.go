package simulator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"causeway/core"
)

// Delay is how long a Slow answer takes.
const Delay = 2500 * time.Millisecond

// magicPrefix is what comes before the last digits of a number that decided.
const magicPrefix = "magic:"

// Account is what the world knows of an account number.
type Account struct {
	Outcome Outcome
	Name    string // of the holder, as the bank keeps it; for outcomes in which somebody is found
}

// Account tells about an account number at an institution: the same for every provider, whichever code it
// calls the institution by, and whichever way it writes a phone number.
func (w *World) Account(bank core.Bank, number string) Account {
	if o, set := w.accounts.find(accountOf(bank, number)); set {
		return w.befallen(o.row, Account{}, bank, number)
	}
	draw := w.draw(bank, number)
	if Magic(bank) {
		a := Account{Outcome: Found, Name: name(bank.Country, draw)}
		if row := magicRow(number); row != nil {
			if a.Outcome = row.Outcome; row.Named {
				a.Name = row.Name
			}
		}
		return a
	}
	for _, e := range examples {
		if e.country == bank.Country && e.code == bank.Code && e.number == number {
			return Account{Outcome: Found, Name: name(bank.Country, draw)}
		}
	}
	switch share := draw % 100; {
	case share < unknownPerCent:
		return Account{Outcome: Unknown}
	case share < unknownPerCent+dormantPerCent:
		return Account{Outcome: Dormant}
	}
	return Account{Outcome: Found, Name: name(bank.Country, draw)}
}

// AccountAt tells what a provider does when it is asked about an account on a channel, for the sake of the context's Call, and takes down there what decided
// that. What befalls the first provider alone leaves the others as if nothing were the matter; the name that the second one would give is
// somebody else's.
func (w *World) AccountAt(ctx context.Context, provider string, channel core.Channel, bank core.Bank, number string) Account {
	call, a := CallOf(ctx), w.Account(bank, number)
	if row, source, forced := call.account(); forced {
		a = w.befallen(row, a, bank, number)
		call.Decide(source)
	} else if row := magicRow(number); row != nil && Magic(bank) {
		call.Decide(magicPrefix + row.Suffix)
	}
	first := true
	if w.ground.order != nil {
		order := w.ground.order(bank.Country, channel)
		first = len(order) == 0 || order[0] == provider || !slices.Contains(order, provider)
	}
	switch a.Outcome {
	case Truncated, WrongPage, Throttled, Failed, Reset:
		if !first {
			a.Outcome = Found
		}
	case RenamedSecond:
		a.Outcome = Found
		if !first {
			a.Name = name(bank.Country, mix(w.draw(bank, number)))
		}
	case Found, Unknown, Closed, Dormant, Slow, Down, Hanging:
	}
	return a
}

// befallen is an account with an outcome that was asked for. Who is found is the holder that the account has anyway, unless the outcome has a
// name of its own.
func (w *World) befallen(row MagicAccount, a Account, bank core.Bank, number string) Account {
	out := Account{Outcome: row.Outcome, Name: a.Name}
	switch {
	case !row.Outcome.finds():
		out.Name = ""
	case row.Named:
		out.Name = row.Name
	case out.Name == "":
		out.Name = name(bank.Country, w.draw(bank, number))
	}
	return out
}

// Magic reports whether a bank is one of the institutions of Banks, where account numbers decide what happens. The
// name is looked at too, because 001 is a code that a country may have given to a real bank.
func Magic(bank core.Bank) bool {
	return bank.Code == MagicBank && bank.Name == magicBankName || bank.Code == MagicWallet
}

// magicRow is what the last digits of a number stand for at a magic institution; nil: nothing.
func magicRow(number string) *MagicAccount {
	for i := range magicAccounts {
		if strings.HasSuffix(number, magicAccounts[i].Suffix) {
			return &magicAccounts[i]
		}
	}
	return nil
}

// MagicAccounts returns the table of magic account numbers, in the order of their suffixes.
func MagicAccounts() []MagicAccount { return slices.Clone(magicAccounts) }

// draw draws what is particular to one account of one institution.
func (w *World) draw(bank core.Bank, number string) uint64 {
	a := accountOf(bank, number)
	return subKey(w.seed, "account", a.country, a.bank, a.number)
}

// accountKey tells an account from all others.
type accountKey struct{ country, bank, number string }

func accountOf(bank core.Bank, number string) accountKey {
	if bank.Type == core.MobileMoneyBank {
		number = national(bank.Country, number)
	}
	return accountKey{bank.Country, bank.Code, number}
}

// national strips from a phone number what only tells how it was dialled: signs, the country's calling code
// and zeros in front.
func national(country, number string) string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, number)
	const longestNational = 10
	if code := callingCodes[country]; len(digits) > longestNational && code != "" {
		digits = strings.TrimPrefix(strings.TrimPrefix(digits, "00"), code)
	}
	return strings.TrimLeft(digits, "0")
}

// name makes up a holder that nobody can take for a person.
func name(country string, draw uint64) string {
	list := surnames[country]
	if list == nil {
		list = anySurnames
	}
	draw = mix(draw)
	return fmt.Sprintf("TEST %s %04d", list[draw%uint64(len(list))], draw>>32%10_000)
}

// Organization is who holds pay bills and tills: they have no bank. The last three digits of their numbers say what happens, as at the magic
// institutions, so that every outcome can be had of them too.
func Organization(country string) core.Bank {
	return core.Bank{Country: country, Code: MagicWallet, Type: core.OtherBank}
}

// OrganizationNumber is a pay bill or a till as an account number: the same number may be both, and two businesses.
func OrganizationNumber(channel core.Channel, number string) string {
	return string(channel) + " " + number
}

const (
	magicBankName   = "Simulated Bank"
	magicWalletName = "Simulated Wallet"
)

// Banks returns the magic institutions of the given countries: MagicBank everywhere, and MagicWallet where the
// country pays out to mobile money. Every simulated provider knows them by these codes.
func Banks(countries []core.Country) []core.Bank {
	var out []core.Bank
	for _, c := range countries {
		out = append(out, institution(c, MagicBank, magicBankName, core.CommercialBank, []core.Channel{core.BankTransfer}))
		if _, ok := c.Channel(core.MobileMoney); ok {
			channels, ok := walletChannels[c.Code]
			if !ok {
				channels = []core.Channel{core.MobileMoney}
			}
			out = append(out, institution(c, MagicWallet, magicWalletName, core.MobileMoneyBank, channels))
		}
	}
	return out
}

func institution(c core.Country, code, name string, kind core.BankType, channels []core.Channel) core.Bank {
	currency := ""
	if len(c.Currencies) > 0 {
		currency = c.Currencies[0]
	}
	codes := map[string]string{}
	for _, provider := range accountProviders {
		codes[provider] = code
	}
	return core.Bank{
		Code: code, Name: name, Country: c.Code, Currency: currency, Type: kind,
		Channels: slices.Clone(channels), Codes: codes,
	}
}
