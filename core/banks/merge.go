package banks

import (
	"cmp"
	"slices"
	"strings"

	"causeway/core"
)

// row is an institution as a directory lists it or once listed it.
type row struct {
	core.Bank

	missed  int    // good lists since the row was last in one; 0 if it is in the current list
	result  result // of the last merge
	excused bool   // an operator accepted that the row is missing
}

// result is what a merge made of a row.
type result int

const (
	leftOut result = iota
	joined         // to an institution of the catalog
	added          // an institution that only directories list
)

// listing holds the rows of one directory for a country: those of its current list, and earlier
// ones.
type listing struct {
	directory string
	rows      []row
}

// item is a row during a merge.
type item struct {
	*row

	list  int      // index of its listing
	own   string   // the directory's code, in the directory's spelling
	codes []string // all codes of the row, normalized, without duplicates
	at    int      // index of its institution, or nowhere
	why   Reason   // why it has none
	done  bool     // the decision is final
}

const nowhere = -1

// merge joins the listings of all directories for a country to the institutions of the catalog. The
// result does not depend on the order of the listings. The inputs are not modified.
type merge struct {
	country core.Country
	banks   []core.Bank
	catalog int // the first so many banks are the catalog's
	lists   []listing
	items   []*item
	base    map[string][]int // indexes of the catalog's institutions by their codes
	learned map[string][]int // the same by codes of rows that were joined to them
	byCode  map[string][]int // indexes of all institutions by code, after the merge
}

// newMerge merges the listings of a country, sorted by directory, into its catalog.
func newMerge(country core.Country, catalog []core.Bank, lists []listing) *merge {
	m := &merge{
		country: country, banks: slices.Clone(catalog), catalog: len(catalog), lists: lists,
		base: make(map[string][]int), learned: make(map[string][]int),
	}
	for i, b := range catalog {
		for _, code := range append(others(b), normal(b.Code)) {
			m.base[code] = append(m.base[code], i)
		}
	}
	for i := range lists {
		m.collect(i)
	}
	m.join()
	m.addNew()
	m.storeCodes()
	for _, it := range m.items {
		switch {
		case it.at == nowhere:
			it.result = leftOut
		case it.at < m.catalog:
			it.result = joined
		default:
			it.result = added
		}
	}
	m.byCode = m.index()
	return m
}

// collect adds the rows of a directory, those of its current list first, in an order that does not
// depend on the provider. Two institutions with the same code in one list are both left out,
// because a request by that code would be a guess.
func (m *merge) collect(list int) {
	directory := m.lists[list].directory
	rows := make([]*row, 0, len(m.lists[list].rows))
	for i := range m.lists[list].rows {
		rows = append(rows, &m.lists[list].rows[i])
	}
	slices.SortStableFunc(rows, func(a, b *row) int {
		return cmp.Or(cmp.Compare(a.missed, b.missed), cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Codes[directory], b.Codes[directory]), cmp.Compare(a.Name, b.Name))
	})
	given := make(map[string]*item)
	for _, r := range rows {
		it := &item{
			row: r, list: list, own: strings.TrimSpace(r.Codes[directory]),
			codes: append(others(r.Bank), normal(r.Code)), at: nowhere,
		}
		m.items = append(m.items, it)
		if !m.wellFormed(it) {
			it.why, it.done = Malformed, true
			continue
		}
		if it.missed > 0 {
			continue
		}
		kind := normal(it.own)
		if it.Type == core.MobileMoneyBank { // providers may number wallets separately
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
	case core.CommercialBank, core.MicrofinanceBank, core.MortgageBank, core.PaymentServiceBank, core.MobileMoneyBank,
		core.OtherBank:
	default:
		return false
	}
	return it.Country == m.country.Code && slices.Contains(m.country.Currencies, it.Currency) &&
		len(m.channels(it.Bank)) > 0
}

// channels returns the channels of a bank that its country supports.
func (m *merge) channels(b core.Bank) []core.Channel {
	return slices.DeleteFunc(slices.Clone(b.Channels), func(c core.Channel) bool {
		_, ok := m.country.Channel(c)
		return !ok
	})
}

// join finds the catalog's institution for each row. A row without a code of the catalog may have a
// code that another directory lists beside one, so join repeats until no row is joined any more.
// Codes learned in one pass count from the next one, so that the result does not depend on the order
// of the directories.
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

// judge returns the index of the institution of the catalog that a row means, or the reason why
// there is none. The reason is empty if none of its codes is known.
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
	case nip != "" && nip == listed: // NIBSS assigns these codes
		return at[0], ""
	case nip != "" && listed != "" && !known.Known(listed):
		return nowhere, DifferentNIP
	case !m.alike(known, it.Name):
		return nowhere, DifferentName
	default:
		return at[0], ""
	}
}

// alike reports whether a name resembles one of the names of an institution.
func (m *merge) alike(known core.Bank, name string) bool {
	return alike(known.Name, name, m.country.Name) ||
		slices.ContainsFunc(known.Names, func(other string) bool { return alike(other, name, m.country.Name) })
}

// nip returns the NIP code of a bank, or "".
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

// holders returns the indexes that have one of the codes, sorted, without duplicates.
func holders(index map[string][]int, codes []string) []int {
	var at []int
	for _, code := range codes {
		at = append(at, index[code]...)
	}
	slices.Sort(at)
	return slices.Compact(at)
}
