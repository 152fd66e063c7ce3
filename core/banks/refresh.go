package banks

import (
	"maps"
	"math"
	"slices"
	"strings"

	"causeway/core"
	"causeway/ports"
)

// feed is one directory's list of one country. The service's lock guards it.
type feed struct {
	source

	directory ports.BankDirectory
	schedule  schedule
	rows      []row
	known     map[string]Institution // what it told and may not lose too much of, by own code
	held      []core.Bank            // the list that waits for the operator
	state     State
}

// Some institutions are forgotten when directories alone knew them and have not listed them for so many good lists: a day, usually.
const (
	forgetAfter = 24
	forgetNever = math.MaxInt
)

// take merges a list that a directory has told, or says why it is held back. confirmed: the operator wants it, whatever it lacks.
func (s *Service) take(f *feed, listed []core.Bank, confirmed bool) *HeldBack {
	a := s.areas[f.country]
	forget := forgetAfter
	if confirmed {
		forget = 0
	}
	m := s.attempt(f, listed, forget)
	if !confirmed {
		held := a.shrunk(m)
		if held != nil { // perhaps because some would be forgotten: then they stay
			m = s.attempt(f, listed, forgetNever)
			held = a.shrunk(m)
		}
		if held == nil {
			held = f.thinned(m)
		}
		if held != nil {
			return held
		}
	}
	changed := !slices.EqualFunc(a.banks, m.banks, equal)
	a.become(m.banks, confirmed)
	for list, t := range m.told {
		s.feed(source{t.directory, f.country}).settle(m, list, a.catalog)
	}
	if changed {
		s.publish()
	}
	return nil
}

// attempt merges what all directories have told of a country, as if a list were the present one of its directory.
func (s *Service) attempt(f *feed, listed []core.Bank, forget int) *merge {
	var all []told
	for _, other := range s.feeds {
		switch {
		case other.country != f.country:
		case other == f:
			all = append(all, told{f.source.directory, f.next(listed, forget)})
		default:
			all = append(all, told{other.source.directory, slices.Clone(other.rows)})
		}
	}
	return merged(s.countries[f.country], s.areas[f.country].catalog, all)
}

// next returns the rows of a list and those of earlier ones that are still of use: what was an institution, and is not listed in the
// same words again. What directories alone knew is of use only for so many lists.
func (f *feed) next(listed []core.Bank, forget int) []row {
	out := make([]row, 0, len(listed)+len(f.rows))
	there := make(map[string]bool, len(listed))
	for _, b := range listed {
		if words := f.words(b); !there[words] {
			there[words] = true
			out = append(out, row{Bank: detached(b)})
		}
	}
	for _, r := range f.rows {
		r.missed++
		if r.stands == leftOut || r.stands == taught && r.missed > forget || there[f.words(r.Bank)] {
			continue
		}
		r.excused = r.excused || forget == 0
		out = append(out, r)
	}
	return out
}

// words is what a row says of an institution.
func (f *feed) words(b core.Bank) string {
	return strings.Join([]string{normal(b.Code), b.Codes[f.source.directory], string(b.Type), fold(b.Name)}, "\x00")
}

// settle takes over what a merge made of the rows.
func (f *feed) settle(m *merge, list int, catalog []core.Bank) {
	now, _ := m.present(list)
	kept := make(map[int]bool)
	f.rows, f.known = nil, make(map[string]Institution)
	for _, it := range m.items {
		if it.list != list {
			continue
		}
		if it.at != nowhere && !it.excused {
			b := m.banks[it.at]
			f.known[normal(b.Code)] = Institution{b.Code, b.Name}
		}
		if it.missed == 0 || it.ofUse(now, kept) {
			f.rows = append(f.rows, *it.row)
		}
	}
	f.state.Outcome = m.outcome(list, catalog)
}

// ofUse reports whether a row that is not listed any more still shows that an institution was listed: one row does where the catalog
// has it; all do of what directories alone knew, in dispute now or not, until they are forgotten.
func (it *item) ofUse(now, kept map[int]bool) bool {
	switch it.stands {
	case joined:
		if now[it.at] || kept[it.at] {
			return false
		}
		kept[it.at] = true
	case leftOut:
		it.stands = taught
	case taught:
	}
	return true
}

// list returns the position of a directory in a merge.
func (m *merge) list(directory string) int {
	return slices.IndexFunc(m.told, func(t told) bool { return t.directory == directory })
}

// index returns the positions of the institutions that a code means: the one that has it as its own, else all that have it as an alias.
func (m *merge) index() map[string][]int {
	out := make(map[string][]int, 2*len(m.banks))
	for i, b := range m.banks {
		for _, code := range others(b) {
			out[code] = append(out[code], i)
		}
	}
	for i, b := range m.banks {
		out[normal(b.Code)] = []int{i}
	}
	return out
}

// Accept takes over the list that is held back for a directory and a country, whatever it lacks: the operator has seen what that is.
// What directories alone knew and none lists any more leaves at once. Errors are core.Invalid on the fields directory and country, and
// core.NotFound where nothing is held back.
func (s *Service) Accept(directory, country string) (State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := source{strings.ToLower(strings.TrimSpace(directory)), upper(country)}
	countries := make(map[string]bool)
	for _, f := range s.feeds {
		if f.source.directory == at.directory {
			countries[f.country] = true
		}
	}
	switch {
	case len(countries) == 0:
		return State{}, core.InvalidField("directory", "%s is not a directory of banks; accepted: %s", core.Quoted(directory), strings.Join(s.named(), ", "))
	case !countries[at.country]:
		return State{}, core.InvalidField("country", "%s does not list the banks of %s; accepted: %s",
			at.directory, core.Quoted(country), strings.Join(slices.Sorted(maps.Keys(countries)), ", "))
	}
	f := s.feed(at)
	if f.held == nil {
		return State{}, core.Errorf(core.NotFound, "No list of %s from %s is held back", at.country, at.directory)
	}
	s.take(f, f.held, true)
	f.answered(s.clock())
	return f.state, nil
}

// named returns the names of the directories, sorted.
func (s *Service) named() []string {
	var out []string
	for _, f := range s.feeds {
		out = append(out, f.source.directory)
	}
	return slices.Compact(out)
}

// equal reports whether nothing was learned of an institution.
func equal(a, b core.Bank) bool {
	return a.Code == b.Code && a.Name == b.Name && a.Type == b.Type && a.Currency == b.Currency && slices.Equal(a.Channels, b.Channels) &&
		maps.Equal(a.Codes, b.Codes) && slices.Equal(a.Dropped, b.Dropped)
}
