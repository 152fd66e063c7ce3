package banks

import (
	"cmp"
	"slices"
	"strings"

	"causeway/core"
)

// Entry is an institution as it is listed.
type Entry struct {
	core.Bank

	// Aliases are the other codes that Find accepts for the institution, upper case and sorted. A code that another
	// institution of the country shares, or has as its own, is none.
	Aliases    []string
	Resolvable bool // account resolution can be asked about it
}

// List is the registry at one moment. It is immutable: whoever gets it must change nothing in it.
type List struct {
	countries map[string]core.Country
	entries   []Entry
	names     []string      // folded, by position
	own       map[key]int   // position by own code
	alias     map[key][]int // positions by other codes
}

// key is a code in its country, both upper case.
type key struct{ country, code string }

func newList(countries map[string]core.Country, banks []core.Bank, resolvable func(core.Bank) bool) *List {
	l := &List{
		countries: countries,
		entries:   make([]Entry, 0, len(banks)),
		names:     make([]string, 0, len(banks)),
		own:       make(map[key]int, len(banks)),
		alias:     make(map[key][]int, len(banks)),
	}
	for _, b := range banks {
		l.entries = append(l.entries, Entry{Bank: b, Resolvable: resolvable(b)})
	}
	slices.SortFunc(l.entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Country, b.Country), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Code, b.Code))
	})
	for i, e := range l.entries {
		l.names = append(l.names, fold(e.Name))
		l.own[key{e.Country, normal(e.Code)}] = i
		for _, code := range others(e.Bank) {
			k := key{e.Country, code}
			l.alias[k] = append(l.alias[k], i)
		}
	}
	for i := range l.entries {
		l.entries[i].Aliases = l.accepted(l.entries[i].Bank)
	}
	return l
}

// accepted returns those of a bank's other codes that mean it alone.
func (l *List) accepted(b core.Bank) []string {
	return slices.DeleteFunc(others(b), func(code string) bool {
		k := key{b.Country, code}
		_, taken := l.own[k]
		return taken || len(l.alias[k]) > 1
	})
}

// Entries returns all institutions in the order of country, then name in plain string order, which every client can
// reproduce. The slice is the list's own.
func (l *List) Entries() []Entry { return l.entries }

// Banks returns all institutions in the order of Entries.
func (l *List) Banks() []core.Bank {
	out := make([]core.Bank, 0, len(l.entries))
	for _, e := range l.entries {
		out = append(out, e.Bank)
	}
	return out
}

// Find returns the institution of a country that has the code as its own or as an alias; case and spaces
// do not matter, nor the branch XXX of a BIC, and an own code wins over an alias. Errors are core.Invalid on the field bank_code: an
// unknown code with what may have been meant, an ambiguous one with the institutions that share it. An unknown country is
// core.Invalid on country_id. The bank is the list's own.
func (l *List) Find(country, code string) (core.Bank, error) {
	k := key{upper(country), normal(code)}
	if _, ok := l.countries[k.country]; !ok {
		return core.Bank{}, core.InvalidField("country_id", "%s is not a supported country. See GET /v1/countries", core.Quoted(country))
	}
	if k.code == "" {
		return core.Bank{}, core.InvalidField("bank_code", "is required. See GET /v1/banks?country=%s", k.country)
	}
	if i, ok := l.own[k]; ok {
		return l.entries[i].Bank, nil
	}
	switch at := l.alias[k]; len(at) {
	case 0:
		return core.Bank{}, l.unknown(k)
	case 1:
		return l.entries[at[0]].Bank, nil
	default:
		return core.Bank{}, l.ambiguous(k, at)
	}
}

func (l *List) ambiguous(k key, at []int) error {
	names := make([]string, 0, len(at))
	for _, i := range at {
		names = append(names, core.Quoted(l.entries[i].Code)+" ("+l.entries[i].Name+")")
	}
	return core.InvalidField("bank_code", "%s is used by %d institutions of %s; send one of %s",
		core.Quoted(k.code), len(at), k.country, strings.Join(names, ", "))
}
