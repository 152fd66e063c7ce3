package banks

import (
	"maps"
	"math"
	"slices"
	"strings"

	"causeway/core"
	"causeway/ports"
)

// feed is one directory's list of one country, guarded by the service's lock.
type feed struct {
	source

	directory ports.BankDirectory
	schedule  schedule
	rows      []row
	known     map[string]Institution // listed since the start or the last accepted list, by own code
	held      []core.Bank            // the list that is held back
	state     State
}

// forgetAfter is the number of good lists, usually a day of them, after which an institution that
// only directories knew and no longer list is removed.
const (
	forgetAfter = 24
	forgetNever = math.MaxInt
)

// takeAll merges the fetched lists. It reports whether anything changed, and which lists are held
// back. The lists of a country are merged at once if none is to be held back, because one merge
// costs as much as many; otherwise one by one.
func (s *Service) takeAll(answers []*fetched) (changed bool, held map[*feed]*HeldBack) {
	lists := make(map[string][]*fetched) // by country
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

// takeTogether merges several lists of a country at once. If one of them is to be held back, it
// takes none.
func (s *Service) takeTogether(country string, answers []*fetched) (changed, taken bool) {
	if len(answers) == 1 {
		return false, false
	}
	lists := make(map[*feed][]core.Bank, len(answers))
	for _, a := range answers {
		lists[a.feed] = a.banks
	}
	m := s.attempt(country, lists, forgetAfter)
	if s.areas[country].shrunk(m) != nil || slices.ContainsFunc(answers,
		func(a *fetched) bool { return a.feed.thinned(m) != nil }) {
		return false, false
	}
	return s.keep(m, false), true
}

// take merges one list. It reports whether the country changed, or why the list is held back. A
// confirmed list is never held back.
func (s *Service) take(f *feed, listed []core.Bank, confirmed bool) (changed bool, held *HeldBack) {
	a, list := s.areas[f.country], map[*feed][]core.Bank{f: listed}
	if confirmed {
		return s.keep(s.attempt(f.country, list, 0), true), nil
	}
	m := s.attempt(f.country, list, forgetAfter)
	if held = a.shrunk(m); held != nil { // perhaps only because institutions would be forgotten: keep them
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

// keep stores the result of a merge and reports whether the country changed. If so, the caller must
// publish.
func (s *Service) keep(m *merge, confirmed bool) bool {
	a := s.areas[m.country.Code]
	changed := !slices.EqualFunc(a.banks, m.banks, equal)
	a.set(m.banks, confirmed)
	for list, t := range m.lists {
		s.feed(source{t.directory, m.country.Code}).settle(m, list, a.catalog)
	}
	return changed
}

// attempt merges all directories of a country with the given lists as their current ones.
func (s *Service) attempt(country string, lists map[*feed][]core.Bank, forget int) *merge {
	var all []listing
	for _, f := range s.feeds {
		listed, now := lists[f]
		switch {
		case f.country != country:
		case now:
			all = append(all, listing{f.source.directory, f.next(listed, forget)})
		default:
			all = append(all, listing{f.source.directory, slices.Clone(f.rows)})
		}
	}
	return newMerge(s.countries[country], s.areas[country].catalog, all)
}

// next returns the rows of a new list, followed by earlier rows that belonged to an institution and
// are not repeated in it. Rows of institutions that only directories knew are kept for forget
// lists.
func (f *feed) next(listed []core.Bank, forget int) []row {
	out := make([]row, 0, len(listed)+len(f.rows))
	there := make(map[string]bool, len(listed))
	for _, b := range listed {
		if id := f.identity(b); !there[id] {
			there[id] = true
			out = append(out, row{Bank: detached(b)})
		}
	}
	for _, r := range f.rows {
		r.missed++
		if r.result == leftOut || r.result == added && r.missed > forget || there[f.identity(r.Bank)] {
			continue
		}
		r.excused = r.excused || forget == 0
		out = append(out, r)
	}
	return out
}

// identity returns a key that is equal for rows with the same content.
func (f *feed) identity(b core.Bank) string {
	return strings.Join([]string{normal(b.Code), b.Codes[f.source.directory], string(b.Type), fold(b.Name)}, "\x00")
}

// settle stores the results of a merge in the feed.
func (f *feed) settle(m *merge, list int, catalog []core.Bank) {
	now, _ := m.present(list)
	kept := make(map[int]bool)
	f.rows, f.known = make([]row, 0, len(m.lists[list].rows)), make(map[string]Institution, len(m.lists[list].rows))
	for _, it := range m.items {
		if it.list != list {
			continue
		}
		if it.at != nowhere && !it.excused {
			b := m.banks[it.at]
			f.known[normal(b.Code)] = Institution{b.Code, b.Name}
		}
		if it.missed == 0 || it.keeps(now, kept) {
			f.rows = append(f.rows, *it.row)
		}
	}
	f.state.Outcome = m.outcome(list, catalog)
}

// keeps reports whether to keep a row that is no longer listed: one row per institution of the
// catalog, and all rows of institutions that only directories knew, until they are forgotten.
func (it *item) keeps(now, kept map[int]bool) bool {
	switch it.result {
	case joined:
		if now[it.at] || kept[it.at] {
			return false
		}
		kept[it.at] = true
	case leftOut:
		it.result = added
	case added:
	}
	return true
}

// list returns the index of a directory in a merge.
func (m *merge) list(directory string) int {
	return slices.IndexFunc(m.lists, func(t listing) bool { return t.directory == directory })
}

// index returns the institutions by code: the one whose own code it is, or else all that have it as
// an alias.
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

// Accept takes over the held-back list of a directory and a country on an operator's decision.
// Institutions that only directories knew and none lists any more are removed at once. Errors are
// core.Invalid on the fields directory and country, and core.NotFound if no list is held back.
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
		return State{}, core.InvalidField("directory", "%s is not a directory of banks; accepted: %s",
			core.Quoted(directory), strings.Join(s.named(), ", "))
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
	f.succeeded(s.clock())
	return f.state, nil
}

// named returns the sorted names of the directories.
func (s *Service) named() []string {
	var out []string
	for _, f := range s.feeds {
		out = append(out, f.source.directory)
	}
	return slices.Compact(out)
}

// equal reports whether two versions of an institution are equal.
func equal(a, b core.Bank) bool {
	return a.Code == b.Code && a.Name == b.Name && a.Type == b.Type && a.Currency == b.Currency &&
		slices.Equal(a.Channels, b.Channels) &&
		maps.Equal(a.Codes, b.Codes) && slices.Equal(a.Dropped, b.Dropped)
}
