package banks

import (
	"cmp"
	"slices"
	"strings"

	"causeway/core"
)

// row is an institution as a directory lists it, or listed it once.
type row struct {
	core.Bank

	missed  int      // good lists since it was in one; 0: it is in the present one
	stands  standing // what the last merge made of it
	excused bool     // the operator knows that it is missing
}

// standing is what a row was found to be.
type standing int

const (
	leftOut standing = iota
	joined           // to an institution of the catalog
	taught           // an institution that directories alone know
)

// told is what one directory told of a country: the rows of its present list, and those that it had before.
type told struct {
	directory string
	rows      []row
}

// item is a row on its way to an institution.
type item struct {
	*row

	list  int      // which directory's
	own   string   // the directory's code, in its spelling
	codes []string // all that the row gives, as they are compared, each once
	at    int      // position of its institution; nowhere: none
	why   Reason   // it has none
	done  bool     // nothing more is asked about it
}

const nowhere = -1

// merge joins the lists that all directories told of a country to the institutions of the catalog. It is a function of what it
// is given, whoever told it first. It copies before it changes anything.
type merge struct {
	country core.Country
	banks   []core.Bank
	catalog int // how many of the banks are the catalog's
	told    []told
	items   []*item
	base    map[string][]int // positions of the catalog's institutions by their codes
	learned map[string][]int // and by those that rows gave which were joined to them
	means   map[string][]int // positions of the institutions that a code means, once all are known
}

// merged makes the institutions of a country. all is sorted by directory.
func merged(country core.Country, catalog []core.Bank, all []told) *merge {
	m := &merge{
		country: country, banks: slices.Clone(catalog), catalog: len(catalog), told: all,
		base: make(map[string][]int), learned: make(map[string][]int),
	}
	for i, b := range catalog {
		for _, code := range append(others(b), normal(b.Code)) {
			m.base[code] = append(m.base[code], i)
		}
	}
	for i := range all {
		m.collect(i)
	}
	m.join()
	m.newcomers()
	m.learn()
	for _, it := range m.items {
		switch {
		case it.at == nowhere:
			it.stands = leftOut
		case it.at < m.catalog:
			it.stands = joined
		default:
			it.stands = taught
		}
	}
	m.means = m.index()
	return m
}

// collect takes the rows of a directory, those of its present list first and in an order that does not depend on the provider. A code
// that a list gives to two institutions is nobody's: asking the provider by it would be a guess.
func (m *merge) collect(list int) {
	directory := m.told[list].directory
	rows := make([]*row, 0, len(m.told[list].rows))
	for i := range m.told[list].rows {
		rows = append(rows, &m.told[list].rows[i])
	}
	slices.SortStableFunc(rows, func(a, b *row) int {
		return cmp.Or(cmp.Compare(a.missed, b.missed), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Codes[directory], b.Codes[directory]), cmp.Compare(a.Name, b.Name))
	})
	given := make(map[string]*item)
	for _, r := range rows {
		it := &item{row: r, list: list, own: strings.TrimSpace(r.Codes[directory]), codes: append(others(r.Bank), normal(r.Code)), at: nowhere}
		m.items = append(m.items, it)
		if !m.wellFormed(it) {
			it.why, it.done = Malformed, true
			continue
		}
		if it.missed > 0 {
			continue
		}
		kind := normal(it.own)
		if it.Type == core.MobileMoneyBank { // a provider may ask for wallets elsewhere, by codes of their own
			kind += " wallet"
		}
		if other := given[kind]; other != nil {
			it.why, it.done, other.why, other.done = Ambiguous, true, Ambiguous, true
		}
		given[kind] = it
	}
}

func (m *merge) wellFormed(it *item) bool {
	if normal(it.Code) == "" || it.own == "" || strings.TrimSpace(it.Name) == "" {
		return false
	}
	switch it.Type {
	case core.CommercialBank, core.MicrofinanceBank, core.MortgageBank, core.PaymentServiceBank, core.MobileMoneyBank, core.OtherBank:
	default:
		return false
	}
	return it.Country == m.country.Code && slices.Contains(m.country.Currencies, it.Currency) && len(m.channels(it.Bank)) > 0
}

// channels returns those of a bank's channels that its country has.
func (m *merge) channels(b core.Bank) []core.Channel {
	return slices.DeleteFunc(slices.Clone(b.Channels), func(c core.Channel) bool {
		_, ok := m.country.Channel(c)
		return !ok
	})
}

// join finds the institutions of the catalog that the rows are. A row that gives no code of the catalog may give one that another
// directory has told beside it: so all rows are asked again until nobody learns more. Each time all see the same, so that
// it does not matter which directory comes first.
func (m *merge) join() {
	for again := true; again; {
		again = false
		var found []*item
		for _, it := range m.items {
			if it.done {
				continue
			}
			if it.at, it.why = m.judge(it); it.at != nowhere {
				it.done, again = true, true
				found = append(found, it)
			}
		}
		for _, it := range found {
			for _, code := range it.codes {
				if !slices.Contains(m.learned[code], it.at) {
					m.learned[code] = append(m.learned[code], it.at)
				}
			}
		}
	}
}

// judge returns the institution of the catalog that a row is, or why it is none of them; "" where nobody has one of its codes.
func (m *merge) judge(it *item) (int, Reason) {
	at := holders(m.base, it.codes)
	if len(at) == 0 {
		at = holders(m.learned, it.codes)
	}
	switch {
	case len(at) == 0:
		return nowhere, ""
	case len(at) > 1:
		return nowhere, Ambiguous
	}
	known, listed := m.banks[at[0]], m.nip(it.Bank)
	switch nip := m.nip(known); {
	case nip != "" && nip == listed: // given by one authority
		return at[0], ""
	case nip != "" && listed != "" && !known.Known(listed):
		return nowhere, DifferentNIP
	case !m.alike(known, it.Name):
		return nowhere, DifferentName
	default:
		return at[0], ""
	}
}

// alike reports whether a name may well be one of those of an institution.
func (m *merge) alike(known core.Bank, name string) bool {
	return alike(known.Name, name, m.country.Name) ||
		slices.ContainsFunc(known.Names, func(other string) bool { return alike(other, name, m.country.Name) })
}

// nip returns the NIP code that a bank has or is listed with, or "".
func (m *merge) nip(b core.Bank) string {
	if m.country.Code != nigeria {
		return ""
	}
	for _, code := range []string{normal(b.Codes[core.NIP]), normal(b.Code)} {
		if isNIP(code) {
			return code
		}
	}
	return ""
}

// holders returns the positions that have one of the codes, each once.
func holders(index map[string][]int, codes []string) []int {
	var at []int
	for _, code := range codes {
		at = append(at, index[code]...)
	}
	slices.Sort(at)
	return slices.Compact(at)
}
