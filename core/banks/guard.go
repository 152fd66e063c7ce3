package banks

import (
	"maps"
	"slices"

	"causeway/core"
)

// heldBackOver is how much may be missing before a list is held back, in per cent of what there was since the start or the
// operator's last word: many small losses are no way around it.
const heldBackOver = 10

func tooMany(missing, of int) bool { return 100*missing > heldBackOver*of }

// area is a country as it is published.
type area struct {
	catalog []core.Bank
	banks   []core.Bank
	told    map[string]Institution // all that were there since the start or the operator's last word, by own code
	peak    int                    // the most at a time since then
}

func newArea(catalog []core.Bank) *area {
	a := &area{catalog: catalog}
	a.become(catalog, true)
	return a
}

// become makes banks what the country has; anew: nothing before counts any more.
func (a *area) become(banks []core.Bank, anew bool) {
	if anew {
		a.told, a.peak = make(map[string]Institution), 0
	}
	a.banks = banks
	for _, b := range banks {
		a.told[normal(b.Code)] = Institution{b.Code, b.Name}
	}
	a.peak = max(a.peak, len(banks))
}

// shrunk says what the country would lose, where that is too much; else it returns nil.
func (a *area) shrunk(m *merge) *HeldBack {
	lost := missing(a.told, func(code string) bool { return len(m.means[code]) == 1 })
	switch {
	case tooMany(len(lost), len(a.told)):
		return &HeldBack{Missing: lost, Of: len(a.told)}
	case tooMany(a.peak-len(m.banks), a.peak):
		return &HeldBack{Missing: lost, Of: a.peak}
	default:
		return nil
	}
}

// thinned says what a directory's list would lack of what the directory has told, where that is too much; else it returns nil.
func (f *feed) thinned(m *merge) *HeldBack {
	now, _ := m.present(m.list(f.source.directory))
	lost := missing(f.known, func(code string) bool { return len(m.means[code]) == 1 && now[m.means[code][0]] })
	if tooMany(len(lost), len(f.known)) {
		return &HeldBack{Missing: lost, Of: len(f.known)}
	}
	return nil
}

// missing returns the institutions that are not there, by code.
func missing(known map[string]Institution, there func(code string) bool) []Institution {
	var out []Institution
	for _, code := range slices.Sorted(maps.Keys(known)) {
		if !there(code) {
			out = append(out, known[code])
		}
	}
	return out
}
