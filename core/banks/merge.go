package banks

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"causeway/core"
)

// Reason says why an institution of a provider's list was left out.
type Reason string

// The reasons.
const (
	Malformed     Reason = "malformed"      // no code or name, another country, or a currency, type or channel that the country has not
	DifferentName Reason = "different_name" // its code is known, but for an institution with another name
	Ambiguous     Reason = "ambiguous"      // its codes are known for more than one institution
	SameName      Reason = "same_name"      // its codes are new, but its name is that of an institution with other codes
)

// LeftOut is an institution of a provider's list that could not be joined to the registry.
type LeftOut struct {
	Code, Name string // as the provider gave them
	Reason     Reason
}

// source is one directory's list of one country.
type source struct{ directory, country string }

// Outcome says how the last list that a directory gave of a country was merged.
type Outcome struct {
	Directory string
	Country   string
	Listed    int // institutions in the provider's list
	Joined    int // of these, joined to one that was known
	Added     int // of these, new and added
	LeftOut   []LeftOut
}

// merge joins one provider's list of one country to the registry. It copies before it changes anything.
type merge struct {
	country   core.Country
	directory string
	banks     []core.Bank
	holders   map[string][]int // positions in banks of the country's institutions that are known by a code
	names     map[string]bool  // folded, of the country's institutions
	learned   map[int][]core.Bank
	changed   bool
	outcome   Outcome
}

func newMerge(banks []core.Bank, country core.Country, directory string) *merge {
	m := &merge{
		country:   country,
		directory: directory,
		banks:     slices.Clone(banks),
		holders:   make(map[string][]int),
		names:     make(map[string]bool),
		learned:   make(map[int][]core.Bank),
		outcome:   Outcome{Directory: directory, Country: country.Code},
	}
	for i, b := range m.banks {
		if b.Country == country.Code {
			m.index(i)
		}
	}
	return m
}

// index notes the codes and the name of the institution at a position.
func (m *merge) index(i int) {
	m.names[fold(m.banks[i].Name)] = true
	for _, code := range append(others(m.banks[i]), normal(m.banks[i].Code)) {
		m.holders[code] = append(m.holders[code], i)
	}
}

// sorted returns a provider's list in an order that does not depend on the provider.
func sorted(listed []core.Bank, directory string) []core.Bank {
	return slices.SortedFunc(slices.Values(listed), func(a, b core.Bank) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Codes[directory], b.Codes[directory]), cmp.Compare(a.Name, b.Name))
	})
}

// take joins one institution of the provider's list, adds it, or leaves it out.
func (m *merge) take(b core.Bank) {
	m.outcome.Listed++
	if !m.wellFormed(b) {
		m.leaveOut(b, Malformed)
		return
	}
	at := m.known(b)
	switch {
	case len(at) > 1:
		m.leaveOut(b, Ambiguous)
	case len(at) == 1 && !m.same(m.banks[at[0]], b):
		m.leaveOut(b, DifferentName)
	case len(at) == 1:
		m.join(at[0], b)
	case m.names[fold(b.Name)]:
		m.leaveOut(b, SameName)
	default:
		m.add(b)
	}
}

func (m *merge) leaveOut(b core.Bank, why Reason) {
	m.outcome.LeftOut = append(m.outcome.LeftOut, LeftOut{Code: b.Code, Name: b.Name, Reason: why})
}

func (m *merge) wellFormed(b core.Bank) bool {
	if normal(b.Code) == "" || normal(b.Codes[m.directory]) == "" || strings.TrimSpace(b.Name) == "" {
		return false
	}
	switch b.Type {
	case core.CommercialBank, core.MicrofinanceBank, core.MortgageBank, core.PaymentServiceBank, core.MobileMoneyBank, core.OtherBank:
	default:
		return false
	}
	return b.Country == m.country.Code && slices.Contains(m.country.Currencies, b.Currency) && len(m.channels(b)) > 0
}

// channels returns those of a bank's channels that its country has.
func (m *merge) channels(b core.Bank) []core.Channel {
	return slices.DeleteFunc(slices.Clone(b.Channels), func(c core.Channel) bool {
		_, ok := m.country.Channel(c)
		return !ok
	})
}

// offered returns the channels of an institution that is added: its own or, in Nigeria, those of its type. Providers list
// every institution there as one with account numbers, wallets included.
func (m *merge) offered(b core.Bank) []core.Channel {
	if m.country.Code == nigeria {
		b.Channels = []core.Channel{core.BankTransfer}
		if b.Type == core.MobileMoneyBank || b.Type == core.PaymentServiceBank {
			b.Channels = append(b.Channels, core.MobileMoney)
		}
	}
	return m.channels(b)
}

// known returns the positions of the institutions that are known by one of a bank's codes, each once.
func (m *merge) known(b core.Bank) []int {
	at := slices.Clone(m.holders[normal(b.Code)])
	for _, code := range others(b) {
		at = append(at, m.holders[code]...)
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// same reports whether a listed institution, which shares a code with a known one and with no other, is that one.
// Nigeria's NIP code is given by one authority and decides alone; any other code wants a similar name too.
func (m *merge) same(known, listed core.Bank) bool {
	if m.nip(known.Code) && normal(known.Code) == normal(listed.Code) {
		return true
	}
	return alike(known.Name, listed.Name, m.country.Name)
}

// nip reports whether a code has the form of a Nigerian NIP institution code.
func (m *merge) nip(code string) bool {
	return m.country.Code == nigeria && len(normal(code)) == 6 && isDigits(normal(code))
}

// join notes that the institution at a position is the listed one. From here on the listed codes are its own: the
// same code for another institution of the list is ambiguous.
func (m *merge) join(i int, listed core.Bank) {
	m.outcome.Joined++
	m.learned[i] = append(m.learned[i], listed)
	for _, code := range []string{normal(listed.Code), normal(listed.Codes[m.directory])} {
		if !slices.Contains(m.holders[code], i) {
			m.holders[code] = append(m.holders[code], i)
		}
	}
}

func (m *merge) add(b core.Bank) {
	b.Code = normal(b.Code)
	b.Name = strings.Join(strings.Fields(b.Name), " ")
	b.Channels = m.offered(b)
	b.Codes = maps.Clone(b.Codes)
	m.banks = append(m.banks, b)
	m.index(len(m.banks) - 1)
	m.outcome.Added++
	m.changed = true
}

// learn gives every joined institution the code that the provider wants for it. The code it had stays while the provider
// still lists it; of several new ones, one that is known otherwise is preferred, then the first in order. Where the
// registry had no NIP code, it learns that too.
func (m *merge) learn() {
	for i, listed := range m.learned {
		b := detached(m.banks[i])
		if b.Codes == nil {
			b.Codes = make(map[string]string)
		}
		if code := m.choose(b, listed); b.Codes[m.directory] != code {
			b.Codes[m.directory] = code
			m.changed = true
		}
		if nip := normal(listed[0].Code); m.nip(nip) && !m.nip(b.Code) && b.Codes["nip"] == "" {
			b.Codes["nip"] = nip
			m.changed = true
		}
		m.banks[i] = b
	}
}

// choose returns the code that the provider wants for a known institution, of those under which it lists it.
func (m *merge) choose(known core.Bank, listed []core.Bank) string {
	has := func(test func(code string) bool) int {
		return slices.IndexFunc(listed, func(b core.Bank) bool { return test(b.Codes[m.directory]) })
	}
	if has(func(code string) bool { return code == known.Codes[m.directory] }) >= 0 {
		return known.Codes[m.directory]
	}
	return listed[max(0, has(known.Known))].Codes[m.directory]
}
