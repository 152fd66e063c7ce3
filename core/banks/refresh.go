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

// takeAll merges the lists that directories have told, and reports whether anything has changed by it, and which lists are held back, why.
// The lists of a country are merged at once where none is to be held back then, because a merge costs as much for one as for all; else one after
// the other.
func (s *Service) takeAll(answers []*answer) (changed bool, held map[*feed]*HeldBack) {
	lists := make(map[string][]*answer) // by country
	for _, a := range answers {
		if a.err == nil {
			lists[a.feed.country] = append(lists[a.feed.country], a)
		}
	}
	held = make(map[*feed]*HeldBack)
	for country, told := range lists {
		news, taken := s.takeTogether(country, told)
		if changed = changed || news; taken {
			continue
		}
		for _, a := range told {
			news, why := s.take(a.feed, a.banks, false)
			if changed = changed || news; why != nil {
				held[a.feed] = why
			}
		}
	}
	return changed, held
}

// takeTogether merges several lists of a country at once, and reports whether it has changed by it; nothing is taken where one of them is to be
// held back.
func (s *Service) takeTogether(country string, answers []*answer) (changed, taken bool) {
	if len(answers) == 1 {
		return false, false
	}
	lists := make(map[*feed][]core.Bank, len(answers))
	for _, a := range answers {
		lists[a.feed] = a.banks
	}
	m := s.attempt(country, lists, forgetAfter)
	if s.areas[country].shrunk(m) != nil || slices.ContainsFunc(answers, func(a *answer) bool { return a.feed.thinned(m) != nil }) {
		return false, false
	}
	return s.keep(m, false), true
}

// take merges a list that a directory has told, and reports whether the country has changed by it. Or it says why the list is held back.
// confirmed: the operator wants it, whatever it lacks.
func (s *Service) take(f *feed, listed []core.Bank, confirmed bool) (changed bool, held *HeldBack) {
	a, list := s.areas[f.country], map[*feed][]core.Bank{f: listed}
	if confirmed {
		return s.keep(s.attempt(f.country, list, 0), true), nil
	}
	m := s.attempt(f.country, list, forgetAfter)
	if held = a.shrunk(m); held != nil { // perhaps because some would be forgotten: then they stay
		m = s.attempt(f.country, list, forgetNever)
		held = a.shrunk(m)
	}
	if held == nil {
		held = f.thinned(m)
	}
	if held != nil {
		return false, held
	}
	return s.keep(m, false), nil
}

// keep makes a merge what its country has, and reports whether that is something new: then the caller is to publish.
func (s *Service) keep(m *merge, confirmed bool) bool {
	a := s.areas[m.country.Code]
	changed := !slices.EqualFunc(a.banks, m.banks, equal)
	a.become(m.banks, confirmed)
	for list, t := range m.told {
		s.feed(source{t.directory, m.country.Code}).settle(m, list, a.catalog)
	}
	return changed
}

// attempt merges what all directories have told of a country, as if some lists were the present ones of their directories.
func (s *Service) attempt(country string, lists map[*feed][]core.Bank, forget int) *merge {
	var all []told
	for _, f := range s.feeds {
		listed, now := lists[f]
		switch {
		case f.country != country:
		case now:
			all = append(all, told{f.source.directory, f.next(listed, forget)})
		default:
			all = append(all, told{f.source.directory, slices.Clone(f.rows)})
		}
	}
	return merged(s.countries[country], s.areas[country].catalog, all)
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
	f.rows, f.known = make([]row, 0, len(m.told[list].rows)), make(map[string]Institution, len(m.told[list].rows))
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
	if changed, _ := s.take(f, f.held, true); changed {
		s.publish()
	}
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
