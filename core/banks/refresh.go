package banks

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"causeway/core"
	"causeway/ports"
)

// feed is one directory's list of one country.
type feed struct {
	source

	directory ports.BankDirectory
	delivered atomic.Bool // a list was merged and published since the start

	// The service's lock guards the fields below.
	due   time.Time // of the next request; zero: now
	busy  bool      // being fetched
	rows  []row
	known map[string]Institution // listed since the start or the last accepted list, by own code
	held  []core.Bank            // the list that is held back
	state State
}

// forgetAfter is the number of accepted lists, usually a day of them, after which an institution that
// only directories listed is removed.
const (
	forgetAfter = 24
	forgetNever = math.MaxInt
)

// mergeAll merges the fetched lists. It reports whether anything changed, and which lists are held
// back. The lists of a country are merged together, because first lists that contradict each other
// must not depend on their order. If one of them is to be held back, they are merged one by one.
func (s *Service) mergeAll(responses []*fetched) (changed bool, held map[*feed]*HeldBack) {
	byCountry := make(map[string]map[*feed][]core.Bank)
	for _, r := range responses {
		if r.err != nil {
			continue
		}
		if byCountry[r.feed.country] == nil {
			byCountry[r.feed.country] = make(map[*feed][]core.Bank)
		}
		byCountry[r.feed.country][r.feed] = r.banks
	}
	held = make(map[*feed]*HeldBack)
	for country, lists := range byCountry {
		if m := s.attempt(country, lists, forgetAfter); s.acceptable(m, lists) {
			changed = s.keep(m, false) || changed
			continue
		}
		for _, f := range s.feeds { // in a fixed order
			list, ok := lists[f]
			if !ok {
				continue
			}
			news, loss := s.mergeOne(f, list)
			if changed = changed || news; loss != nil {
				held[f] = loss
			}
		}
	}
	return changed, held
}

// acceptable reports whether a merge of new lists costs neither the country nor a directory too much.
func (s *Service) acceptable(m *merge, lists map[*feed][]core.Bank) bool {
	for f := range lists {
		if f.listLoss(m) != nil {
			return false
		}
	}
	return s.areas[m.country.Code].countryLoss(m) == nil
}

// mergeOne merges one list. It reports whether the country changed, or why the list is held back.
func (s *Service) mergeOne(f *feed, listed []core.Bank) (changed bool, held *HeldBack) {
	a, list := s.areas[f.country], map[*feed][]core.Bank{f: listed}
	m := s.attempt(f.country, list, forgetAfter)
	if held = a.countryLoss(m); held != nil { // without forgetting institutions it may lose less
		m = s.attempt(f.country, list, forgetNever)
		held = a.countryLoss(m)
	}
	if held == nil {
		held = f.listLoss(m)
	}
	if held != nil {
		return false, held
	}
	return s.keep(m, false), nil
}

// keep stores the result of a merge and reports whether the country changed. If so, the caller must
// publish. If an operator confirmed the losses, later losses are counted from this merge.
func (s *Service) keep(m *merge, confirmed bool) bool {
	a := s.areas[m.country.Code]
	changed := !slices.EqualFunc(a.banks, m.banks, equal)
	a.set(m.banks, confirmed)
	for list, t := range m.lists {
		s.feed(source{t.directory, m.country.Code}).store(m, list, a.catalog)
	}
	return changed
}

// attempt merges all directories of a country without storing the result. lists replaces the current
// lists of some of them.
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
	a := s.areas[country]
	return newMerge(s.countries[country], a.catalog, a.exclude, all)
}

// next returns the rows of a new list, followed by earlier rows that belonged to an institution and
// are missing from it. Rows of institutions that only directories list are kept for forget lists.
func (f *feed) next(listed []core.Bank, forget int) []row {
	out := make([]row, 0, len(listed)+len(f.rows))
	current := make(map[string]bool, len(listed))
	for _, b := range listed {
		if id := f.identity(b); !current[id] {
			current[id] = true
			out = append(out, row{Bank: detached(b)})
		}
	}
	for _, r := range f.rows {
		r.missed++
		if r.result == leftOut || r.result == added && r.missed > forget || current[f.identity(r.Bank)] {
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

// store stores the results of a merge in the feed.
func (f *feed) store(m *merge, list int, catalog []core.Bank) {
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
// catalog, and all rows of institutions that only directories list until next drops them.
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

// index returns the institutions by code: the institution whose own code it is, or otherwise all
// institutions that have the code as an alias.
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

// Accept merges the list of a directory and a country that is held back, on an operator's decision.
// Institutions that only directories listed and none lists any more are removed at once. Errors are
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
	if s.keep(s.attempt(f.country, map[*feed][]core.Bank{f: f.held}, 0), true) {
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
		maps.Equal(a.Codes, b.Codes) && slices.Equal(a.Unlisted, b.Unlisted)
}
