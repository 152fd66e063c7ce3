package banks

import (
	"maps"
	"slices"

	"causeway/core"
)

// storeCodes stores the directories' codes in each institution, and marks directories whose list has
// arrived without it, unless it is hidden.
func (m *merge) storeCodes() {
	at := make(map[int][]*item)
	for _, it := range m.items {
		if it.at != nowhere {
			at[it.at] = append(at[it.at], it)
		}
	}
	claims := make(map[string][]int) // NIP code to indexes of institutions
	for i, items := range at {
		b := &m.banks[i]
		known := *b
		if b.Codes = maps.Clone(known.Codes); b.Codes == nil {
			b.Codes = make(map[string]string)
		}
		for list, t := range m.lists {
			mine := slices.DeleteFunc(slices.Clone(items), func(it *item) bool { return it.list != list })
			if len(mine) == 0 {
				continue
			}
			if mine[0].missed == 0 { // rows of the current list come first
				mine = slices.DeleteFunc(mine, func(it *item) bool { return it.missed > 0 })
			}
			b.Codes[t.directory] = choose(known, t.directory, mine)
		}
		for _, it := range items {
			if nip := m.nip(it.Bank); nip != "" && m.nip(known) == "" && !slices.Contains(claims[nip], i) {
				claims[nip] = append(claims[nip], i)
			}
		}
	}
	m.storeNIP(claims)
	for list, t := range m.lists {
		if !slices.ContainsFunc(t.rows, func(r row) bool { return r.missed == 0 }) {
			continue // no list has arrived
		}
		now, _ := m.present(list)
		for i := range m.banks {
			if !now[i] && !m.banks[i].Hidden {
				m.banks[i].Unlisted = append(slices.Clip(m.banks[i].Unlisted), t.directory)
			}
		}
	}
}

// storeNIP stores a NIP code in an institution without one if the lists agree on code and
// institution.
func (m *merge) storeNIP(claims map[string][]int) {
	given := make(map[int]int)
	for _, at := range claims {
		for _, i := range at {
			given[i]++
		}
	}
	for nip, at := range claims {
		if len(at) == 1 && given[at[0]] == 1 && len(m.base[nip]) == 0 {
			m.banks[at[0]].Codes[core.NIP] = nip
		}
	}
}

// choose returns the code to send to a provider for an institution that it lists under several
// codes: the catalog's code if it is listed, else a code that is also an alias, else the first.
func choose(known core.Bank, directory string, items []*item) string {
	has := func(test func(code string) bool) int {
		return slices.IndexFunc(items, func(it *item) bool { return test(it.own) })
	}
	if had := known.Codes[directory]; had != "" && has(func(code string) bool { return code == had }) >= 0 {
		return had
	}
	return items[max(0, has(known.Known))].own
}

// present returns the institutions in the current list of a directory, and those only in earlier
// ones.
func (m *merge) present(list int) (now, before map[int]bool) {
	now, before = make(map[int]bool), make(map[int]bool)
	for _, it := range m.items {
		if it.list == list && it.at != nowhere && it.missed == 0 {
			now[it.at] = true
		}
	}
	for _, it := range m.items {
		if it.list == list && it.at != nowhere && !now[it.at] {
			before[it.at] = true
		}
	}
	return now, before
}

// outcome summarizes a directory's list.
func (m *merge) outcome(list int, catalog []core.Bank) Outcome {
	out := Outcome{Directory: m.lists[list].directory, Country: m.country.Code}
	for _, it := range m.items {
		if it.list != list || it.missed > 0 {
			continue
		}
		out.Listed++
		switch {
		case it.at == nowhere:
			out.LeftOut = append(out.LeftOut, LeftOut{Institution: Institution{it.Code, it.Name}, Reason: it.why})
		case it.at < m.catalog:
			out.Joined++
		default:
			out.Added++
			out.New = append(out.New, Institution{it.Code, it.Name})
		}
	}
	now, before := m.present(list)
	for i := range now {
		if i < m.catalog && !catalog[i].Known(normal(m.banks[i].Codes[out.Directory])) {
			out.Learned++
		}
	}
	for _, i := range slices.Sorted(maps.Keys(before)) {
		out.Gone = append(out.Gone, Institution{m.banks[i].Code, m.banks[i].Name})
	}
	return out
}
