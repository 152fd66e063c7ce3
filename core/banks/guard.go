package banks

import (
	"maps"
	"slices"

	"causeway/core"
)

// maxLossPercent is the loss above which a list is held back. Losses count from the start or from the
// last list that an operator accepted, so that many small ones add up.
const maxLossPercent = 10

func tooMany(missing, of int) bool { return 100*missing > maxLossPercent*of }

// area is the published state of a country.
type area struct {
	catalog []core.Bank
	exclude []core.ExcludedBank
	banks   []core.Bank
	seen    map[string]Institution // every institution since the start or the last accepted list, by own code
	peak    int                    // largest number of institutions at one time since then
}

func newArea(catalog []core.Bank, excluded []core.ExcludedBank) *area {
	a := &area{catalog: catalog, exclude: excluded}
	a.set(catalog, true)
	return a
}

// set replaces the institutions of the country. If reset is true, later losses are counted from them.
func (a *area) set(banks []core.Bank, reset bool) {
	if reset {
		a.seen, a.peak = make(map[string]Institution), 0
	}
	a.banks = banks
	for _, b := range banks {
		a.seen[normal(b.Code)] = Institution{b.Code, b.Name}
	}
	a.peak = max(a.peak, len(banks))
}

// countryLoss returns what the country would lose by a merge if that is too much, or nil.
func (a *area) countryLoss(m *merge) *HeldBack {
	lost := missing(a.seen, func(code string) bool { return len(m.byCode[code]) == 1 })
	switch {
	case tooMany(len(lost), len(a.seen)):
		return &HeldBack{Missing: lost, Of: len(a.seen)}
	case tooMany(a.peak-len(m.banks), a.peak):
		return &HeldBack{Missing: lost, Of: a.peak}
	default:
		return nil
	}
}

// listLoss returns what a directory would lose by a merge if that is too much, or nil.
func (f *feed) listLoss(m *merge) *HeldBack {
	now, _ := m.present(m.list(f.source.directory))
	lost := missing(f.known, func(code string) bool { return len(m.byCode[code]) == 1 && now[m.byCode[code][0]] })
	if tooMany(len(lost), len(f.known)) {
		return &HeldBack{Missing: lost, Of: len(f.known)}
	}
	return nil
}

// missing returns the known institutions for which present returns false, by code.
func missing(known map[string]Institution, present func(code string) bool) []Institution {
	var out []Institution
	for _, code := range slices.Sorted(maps.Keys(known)) {
		if !present(code) {
			out = append(out, known[code])
		}
	}
	return out
}
