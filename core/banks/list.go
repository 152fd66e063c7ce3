package banks

import (
	"cmp"
	"slices"
	"strings"

	"causeway/core"
)

// Entry is a listed institution.
type Entry struct {
	core.Bank

	// Aliases are the other codes that Find accepts for the institution, upper case and sorted,
	// without codes that another institution of the country has too.
	Aliases    []string
	Resolvable bool // a provider resolves its accounts
}

// List is an immutable snapshot of the registry. Callers must not modify it.
type List struct {
	countries map[string]core.Country
	entries   []Entry
	names     []string      // folded, by index
	own       map[key]int   // index by own code
	alias     map[key][]int // indexes by alias
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

// accepted returns the aliases that belong to one bank only.
func (l *List) accepted(b core.Bank) []string {
	return slices.DeleteFunc(others(b), func(code string) bool {
		k := key{b.Country, code}
		_, taken := l.own[k]
		return taken || len(l.alias[k]) > 1
	})
}

// Entries returns all institutions by country and then by name in byte order, which every client
// can reproduce. Callers must not modify the slice.
func (l *List) Entries() []Entry { return l.entries }

// Banks returns all institutions in the order of Entries.
func (l *List) Banks() []core.Bank {
	out := make([]core.Bank, 0, len(l.entries))
	for _, e := range l.entries {
		out = append(out, e.Bank)
	}
	return out
}

// Find returns the institution of a country by its own code or an alias; its own code has
// precedence. Case, spaces and the branch code XXX of a BIC are ignored. Errors are core.Invalid:
// on country_id for an unknown country, on bank_code for an unknown code, with suggestions, or an
// ambiguous one, with the institutions that share it. Callers must not modify the bank.
func (l *List) Find(country, code string) (core.Bank, error) {
	k := key{upper(country), normal(code)}
	if _, ok := l.countries[k.country]; !ok {
		return core.Bank{}, core.InvalidField("country_id", "%s is not a supported country. See GET /v1/countries",
			core.Quoted(country))
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
