package banks

import (
	"cmp"
	"slices"
	"strings"

	"causeway/core"
)

// addNew creates institutions from rows whose codes are all unknown. Rows that share a code are
// one institution if their names agree, whichever directories list them; if the names differ, all
// of them are left out. Rows with other codes are joined to a new institution by its whole name.
func (m *merge) addNew() {
	rows := slices.DeleteFunc(slices.Clone(m.items), func(it *item) bool { return it.done || it.why != "" })
	if len(rows) == 0 {
		return
	}
	taken := make(names)
	for _, b := range m.banks {
		taken.add(m, b)
	}
	rows = slices.DeleteFunc(rows, func(it *item) bool {
		if taken.has(m, it.Bank) {
			it.why = SameName
		}
		return it.why != ""
	})
	groups := m.grouped(rows)
	slices.SortFunc(groups, func(a, b []*item) int { return m.compareRows(a[0], b[0]) })
	for _, group := range groups {
		lead, why := group[0].Bank, m.disagreement(group)
		if why == "" && taken.has(m, lead) {
			why = SameName
		}
		if why == "" {
			taken.add(m, lead)
			m.banks = append(m.banks, m.newBank(lead))
			m.name(len(m.banks) - 1)
		}
		for _, it := range group {
			if it.why = why; why == "" {
				it.at = len(m.banks) - 1
			}
		}
	}
	m.byNames(SameName)
}

// names is a set of names in two forms: whole, and as the distinctive words with the type of
// institution.
type names map[string]bool

func (n names) add(m *merge, b core.Bank) {
	for _, b.Name = range append([]string{b.Name}, b.Names...) {
		for _, key := range n.keys(m, b) {
			n[key] = true
		}
	}
}

func (n names) has(m *merge, b core.Bank) bool {
	return slices.ContainsFunc(n.keys(m, b), func(key string) bool { return n[key] })
}

func (names) keys(m *merge, b core.Bank) []string {
	return []string{whole(b.Name, m.places), string(b.Type) + "\x00" + strings.Join(words(b.Name, m.places), " ")}
}

// grouped groups rows that share a code, directly or through other rows. The leading row of a group
// comes first.
func (m *merge) grouped(rows []*item) [][]*item {
	group := make(map[string]int) // by code
	var groups [][]*item
	for _, it := range rows {
		mine := len(groups)
		groups = append(groups, []*item{it})
		for _, code := range it.codes {
			other, known := group[code]
			if known && other != mine {
				for _, moved := range groups[other] {
					for _, c := range moved.codes {
						group[c] = mine
					}
				}
				groups[mine] = append(groups[mine], groups[other]...)
				groups[other] = nil
			}
			group[code] = mine
		}
	}
	groups = slices.DeleteFunc(groups, func(g []*item) bool { return len(g) == 0 })
	for _, g := range groups {
		slices.SortFunc(g, m.compareRows)
	}
	return groups
}

// compareRows orders rows by precedence in naming an institution: rows with a NIP code, then rows of
// current lists, by directory.
func (m *merge) compareRows(a, b *item) int {
	without := func(it *item) int {
		if m.nip(it.Bank) == "" {
			return 1
		}
		return 0
	}
	return cmp.Or(without(a)-without(b), cmp.Compare(a.missed, b.missed), cmp.Compare(a.list, b.list),
		cmp.Compare(a.Code, b.Code), cmp.Compare(a.own, b.own), cmp.Compare(a.Name, b.Name))
}

// disagreement returns the reason why rows that share a code are not one institution, or "".
func (m *merge) disagreement(group []*item) Reason {
	lead, nip := group[0], m.nip(group[0].Bank)
	for _, it := range group[1:] {
		own := m.nip(it.Bank)
		switch {
		case own != "" && own != nip:
			return DifferentNIP
		case own == "" && !alike(lead.Name, it.Name, m.places):
			return DifferentName
		}
	}
	return ""
}

// newBank returns a new institution for a row.
func (m *merge) newBank(b core.Bank) core.Bank {
	out := core.Bank{
		Code: normal(b.Code), Name: strings.Join(strings.Fields(b.Name), " "), Country: b.Country, Currency: b.Currency,
		Type:     b.Type,
		Channels: m.newChannels(b), Codes: make(map[string]string),
	}
	if nip := m.nip(b); nip != "" {
		out.Code, out.Codes[core.NIP] = nip, nip
	}
	return out
}

// newChannels returns the channels of a new institution: the listed channels or, in Nigeria, the
// channels of its type, because providers list even wallets there as institutions with account
// numbers.
func (m *merge) newChannels(b core.Bank) []core.Channel {
	if m.country.Code == nigeria {
		b.Channels = []core.Channel{core.BankTransfer}
		if b.Type == core.MobileMoneyBank || b.Type == core.PaymentServiceBank {
			b.Channels = append(b.Channels, core.MobileMoney)
		}
	}
	return m.channels(b)
}
