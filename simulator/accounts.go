package simulator

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"causeway/core"
)

// Delay is how long a Slow answer takes.
const Delay = 2500 * time.Millisecond

// Account is what the world knows of an account number.
type Account struct {
	Outcome Outcome
	Name    string // of the holder, as the bank keeps it; for outcomes in which somebody is found
}

// Account tells about an account number at an institution: the same for every provider, whichever code it
// calls the institution by, and whichever way it writes a phone number.
func (w *World) Account(bank core.Bank, number string) Account {
	if Magic(bank) {
		return w.magic(bank, number)
	}
	draw := w.account(bank, number)
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

// AccountAt tells what a provider does when it is asked about an account on a channel. What befalls the first provider alone leaves
// the others as if nothing were the matter; the name that the second one would give is somebody else's.
func (w *World) AccountAt(provider string, channel core.Channel, bank core.Bank, number string) Account {
	a := w.Account(bank, number)
	first := true
	if w.order != nil {
		order := w.order(bank.Country, channel)
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
			a.Name = name(bank.Country, mix(w.account(bank, number)))
		}
	case Found, Unknown, Closed, Dormant, Slow, Down, Hanging:
	}
	return a
}

// Magic reports whether a bank is one of the institutions of Banks, where account numbers decide what happens. The
// name is looked at too, because 001 is a code that a country may have given to a real bank.
func Magic(bank core.Bank) bool {
	return bank.Code == MagicBank && bank.Name == magicBankName || bank.Code == MagicWallet
}

func (w *World) magic(bank core.Bank, number string) Account {
	a := Account{Outcome: Found, Name: name(bank.Country, w.account(bank, number))}
	for _, row := range magicAccounts {
		if !strings.HasSuffix(number, row.Suffix) {
			continue
		}
		a.Outcome = row.Outcome
		if row.Named {
			a.Name = row.Name
		}
	}
	return a
}

// MagicAccounts returns the table of magic account numbers, in the order of their suffixes.
func MagicAccounts() []MagicAccount { return slices.Clone(magicAccounts) }

// account draws what is particular to one account of one institution.
func (w *World) account(bank core.Bank, number string) uint64 {
	if bank.Type == core.MobileMoneyBank {
		number = national(bank.Country, number)
	}
	return subKey(w.seed, "account", bank.Country, bank.Code, number)
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
