package banks

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

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

// listing holds the rows of one directory for a country: the rows of its current list, and earlier
// rows.
type listing struct {
	directory string
	rows      []row
}

// item is a row during a merge.
type item struct {
	*row

	list  int      // index of its listing
	own   string   // the directory's code, in the directory's spelling
	codes []string // all codes of the row with its kind, normalized, without duplicates
	at    int      // index of its institution, or nowhere
	why   Reason   // why it has none
	done  bool     // the decision is final
}

const nowhere = -1

// exclusion is an excluded bank with its codes normalized and its names as whole returns them. A merge
// compares them with every row.
type exclusion struct {
	core.ExcludedBank

	codes, wholes []string
}

// merge joins the listings of all directories for a country to the institutions of the catalog. The
// result does not depend on the order of the listings. The inputs are not modified.
type merge struct {
	country core.Country
	places  []string // the words that name the country
	banks   []core.Bank
	catalog int // the first so many banks are the catalog's
	lists   []listing
	exclude []exclusion
	items   []*item
	base    map[string][]int // indexes of the catalog's institutions by kind and code
	learned map[string][]int // the same by codes of rows that were joined to them
	named   map[string][]int // the same by kind and whole name
	byCode  map[string][]int // indexes of all institutions by code, after the merge
}

// newMerge merges the listings of a country, sorted by directory, into its catalog.
func newMerge(country core.Country, catalog []core.Bank, excluded []core.ExcludedBank, lists []listing) *merge {
	m := &merge{
		country: country, places: placeWords(country), banks: slices.Clone(catalog), catalog: len(catalog), lists: lists,
		base: make(map[string][]int), learned: make(map[string][]int), named: make(map[string][]int),
	}
	for _, bank := range excluded {
		e := exclusion{ExcludedBank: bank}
		for _, code := range bank.Codes {
			e.codes = append(e.codes, normal(code))
		}
		for _, name := range bank.Names {
			e.wholes = append(e.wholes, whole(name, m.places))
		}
		m.exclude = append(m.exclude, e)
	}
	for i, b := range catalog {
		for _, code := range m.codes(b) {
			m.base[code] = append(m.base[code], i)
		}
		m.name(i)
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

// name makes the whole names of an institution known.
func (m *merge) name(i int) {
	b := m.banks[i]
	for _, name := range append(slices.Clip(b.Names), b.Name) {
		key := m.kind(b) + whole(name, m.places)
		if !slices.Contains(m.named[key], i) {
			m.named[key] = append(m.named[key], i)
		}
	}
}

// collect adds the rows of a directory, its current list first, in an order that does not
// depend on the provider. Two institutions with the same code in one list are both left out,
// because a request by that code would be a guess. Rows with two names of one institution stay.
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
	given := make(map[string][]*item)
	for _, r := range rows {
		it := &item{
			row: r, list: list, own: strings.TrimSpace(r.Codes[directory]),
			codes: m.codes(r.Bank), at: nowhere,
		}
		m.items = append(m.items, it)
		if !m.wellFormed(it) {
			it.why, it.done = Malformed, true
			continue
		}
		if it.why = m.exclusion(it); it.why != "" {
			it.done = true
			continue
		}
		if it.missed > 0 {
			continue
		}
		own := m.kind(it.Bank) + normal(it.own)
		for _, other := range given[own] {
			if !m.oneInstitution(it.Bank, other.Bank) {
				it.why, it.done, other.why, other.done = Ambiguous, true, Ambiguous, true
			}
		}
		given[own] = append(given[own], it)
	}
}

// oneInstitution reports whether the names of two rows with one code mean the same institution.
func (m *merge) oneInstitution(a, b core.Bank) bool {
	at, other := m.named[m.kind(a)+whole(a.Name, m.places)], m.named[m.kind(b)+whole(b.Name, m.places)]
	if len(at) > 0 && len(other) > 0 {
		return slices.Equal(at, other)
	}
	return alike(a.Name, b.Name, m.places)
}

// kind returns the prefix that separates codes and names of wallets from codes and names of banks,
// because providers number them separately: Kora's 0002 is both a bank and a wallet of Kenya.
// Nigeria's wallets have the codes of banks.
func (m *merge) kind(b core.Bank) string {
	if b.Type == core.MobileMoneyBank && m.country.Code != nigeria {
		return "wallet "
	}
	return ""
}

// codes returns all codes of a bank with its kind, normalized, without duplicates.
func (m *merge) codes(b core.Bank) []string {
	codes := append(others(b), normal(b.Code))
	for i := range codes {
		codes[i] = m.kind(b) + codes[i]
	}
	return codes
}

// exclusion returns the reason why a row must not become an institution, or "".
func (m *merge) exclusion(it *item) Reason {
	codes := append(others(it.Bank), normal(it.Code))
	name := whole(it.Name, m.places)
	for _, e := range m.exclude {
		coded := slices.ContainsFunc(e.codes, func(code string) bool { return slices.Contains(codes, code) })
		named := len(e.Names) == 0 && coded || slices.Contains(e.wholes, name) ||
			coded && slices.ContainsFunc(e.Names, func(other string) bool { return alike(other, it.Name, m.places) })
		switch {
		case !named:
		case e.Closed:
			return Closed
		default:
			return NotAnInstitution
		}
	}
	return ""
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
// code that another directory lists together with such a code, so join repeats until no row is
// joined any more.
// Names come after codes, so that a row whose code means another institution is not joined by its
// name. Codes learned in one pass count from the next one, so that the result does not depend on
// the order of the directories.
func (m *merge) join() {
	for m.byCodes() || m.byNames("") {
	}
}

// byCodes joins the rows whose codes mean an institution, and reports whether there was one.
func (m *merge) byCodes() bool {
	var found []*item
	for _, it := range m.items {
		if it.done {
			continue
		}
		if it.at, it.why = m.judge(it); it.at != nowhere {
			found = append(found, it)
		}
	}
	return m.learn(found)
}

// byNames joins the rows whose whole name means an institution, among the rows that are not joined
// for a reason, and reports whether there was one. Two rows of one list that mean the same
// institution are not joined: which of their codes to send would be a guess.
func (m *merge) byNames(why Reason) bool {
	type claim struct{ list, at int }
	claims := make(map[claim]int)
	named := make(map[*item]int)
	for _, it := range m.items {
		at := it.at
		if !it.done && at == nowhere && it.why == why {
			at = m.judgeName(it)
			named[it] = at
		}
		if at != nowhere && it.missed == 0 {
			claims[claim{it.list, at}]++
		}
	}
	var found []*item
	for _, it := range m.items {
		at, ok := named[it]
		if ok && at != nowhere && (it.missed > 0 || claims[claim{it.list, at}] == 1) {
			it.at, it.why = at, ""
			found = append(found, it)
		}
	}
	return m.learn(found)
}

// learn makes the decision for some rows final and their codes known, and reports whether there are
// any. Rows with different NIP codes do not mean the same institution: if the catalog has no NIP
// code to decide between them, none of them is joined.
func (m *merge) learn(found []*item) bool {
	nips := make(map[int][]string)
	for _, it := range m.items {
		if nip := m.nip(it.Bank); it.at != nowhere && it.missed == 0 && nip != "" && !slices.Contains(nips[it.at], nip) {
			nips[it.at] = append(nips[it.at], nip)
		}
	}
	learned := false
	for _, it := range found {
		if it.missed == 0 && m.nip(it.Bank) != "" && m.nip(m.banks[it.at]) == "" && len(nips[it.at]) > 1 {
			it.at, it.why = nowhere, DifferentNIP
			continue
		}
		it.done, learned = true, true
		for _, code := range it.codes {
			if !slices.Contains(m.learned[code], it.at) {
				m.learned[code] = append(m.learned[code], it.at)
			}
		}
	}
	return learned
}

// judge returns the index of the institution of the catalog that a row means by its codes, or the
// reason why there is none. The reason is empty if none of its codes is known.
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
	case !m.alike(at[0], it):
		return nowhere, DifferentName
	default:
		return at[0], ""
	}
}

// judgeName returns the index of the institution that a row means by its name, or nowhere: the only
// one with that whole name, of the same kind and with a channel of the row, unless a national code
// contradicts.
func (m *merge) judgeName(it *item) int {
	at := m.named[m.kind(it.Bank)+whole(it.Name, m.places)]
	if len(at) != 1 {
		return nowhere
	}
	known := m.banks[at[0]]
	shared := slices.ContainsFunc(m.channels(it.Bank), func(c core.Channel) bool {
		return slices.Contains(known.Channels, c)
	})
	if !shared || m.contradicts(known, it.Bank) {
		return nowhere
	}
	return at[0]
}

// contradicts reports whether a row has another code of a national scheme than the institution. Of
// CBN codes, those with 5 or 6 digits count: providers number institutions of Nigeria with 3 digits
// of their own. A BIC counts where it is the code of the institution, because a bank may have
// several.
func (m *merge) contradicts(known, listed core.Bank) bool {
	code := normal(listed.Code)
	nip, other := m.nip(known), m.nip(listed)
	switch {
	case known.Known(code):
		return false
	case nip != "" && other != "":
		return nip != other
	case m.country.Code == nigeria:
		return isCBN(code) && (known.Codes[core.CBN] != "" || isCBN(known.Code))
	}
	schemes := []string{core.GHIPSS, core.KBA, core.Clearing, core.Branch, core.SWIFT}
	return slices.ContainsFunc(schemes, func(scheme string) bool {
		own := known.Codes[scheme]
		return own != "" && shape(own) == shape(code) && (scheme != core.SWIFT || own == known.Code)
	})
}

// shape returns the form of a code: a 0 for each digit and an A for each letter.
func shape(code string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			return '0'
		case unicode.IsLetter(r):
			return 'A'
		default:
			return r
		}
	}, code)
}

// alike reports whether the name of a row resembles one of the names of an institution, and is not
// the name of another one.
func (m *merge) alike(at int, it *item) bool {
	if other := m.named[m.kind(it.Bank)+whole(it.Name, m.places)]; len(other) == 1 && other[0] != at {
		return false
	}
	known, name := m.banks[at], it.Name
	return alike(known.Name, name, m.places) ||
		slices.ContainsFunc(known.Names, func(other string) bool { return alike(other, name, m.places) })
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
