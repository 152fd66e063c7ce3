package simulator

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"causeway/core"
)

// ground is what all worlds of a registry stand on and none of them changes: institutions, providers and whatever is made of these once.
type ground struct {
	banks  []core.Bank // by country and code
	offers map[string]Offer
	order  Order

	shelves sync.Map // of func() any, by name
	codes   func() map[string][]core.Bank
	dataset func() string
}

func newGround(banks []core.Bank, offers map[string]Offer, order Order) (*ground, error) {
	known := slices.Clone(banks)
	slices.SortFunc(known, func(a, b core.Bank) int {
		return cmp.Or(strings.Compare(a.Country, b.Country), strings.Compare(a.Code, b.Code))
	})
	for i := 1; i < len(known); i++ {
		if a, b := known[i-1], known[i]; a.Country == b.Country && a.Code == b.Code {
			return nil, fmt.Errorf("simulator: two banks of %s have the code %q: %s, %s", a.Country, a.Code, a.Name, b.Name)
		}
	}
	g := &ground{banks: known, offers: maps.Clone(offers), order: order}
	g.codes = sync.OnceValue(g.index)
	g.dataset = sync.OnceValue(g.digest)
	return g, nil
}

// index lists the institutions by every code that they are known by, upper case.
func (g *ground) index() map[string][]core.Bank {
	out := map[string][]core.Bank{}
	for _, bank := range g.banks {
		codes := append(bank.Aliases(), bank.Code)
		for i, code := range codes {
			codes[i] = strings.ToUpper(code)
		}
		slices.Sort(codes)
		for _, code := range slices.Compact(codes) {
			out[code] = append(out[code], bank)
		}
	}
	return out
}

// digest names the data that answers are made of: its date, and a hash of the tables. A world that was exported over other data
// would answer differently here.
func (g *ground) digest() string {
	h := sha256.New()
	for _, a := range slices.Concat(assets, nil) {
		_, _ = fmt.Fprintln(h, a.code, a.kind, a.ref, a.peg, a.beta, a.own, a.spread) // a hash takes everything
		for _, v := range venues {
			_, _ = fmt.Fprintln(h, v.name, v.digits, v.minPlaces, v.maxPlaces, v.depth, v.retail != nil, v.counters(a))
		}
	}
	_, _ = fmt.Fprintln(h, amplitudes, magicAccounts, surnames)
	_ = json.NewEncoder(h).Encode(g.banks)
	return tablesDate + "-" + hex.EncodeToString(h.Sum(nil)[:8])
}

// Common returns what somebody makes of what all worlds of a registry share: the institutions, and what is traded where, magic pairs apart. It is made
// once, under a name, and not changed by whoever gets it.
func Common[T any](w *World, name string, from func() T) T {
	kept, found := w.ground.shelves.Load(name)
	if !found {
		kept, _ = w.ground.shelves.LoadOrStore(name, sync.OnceValue(func() any { return from() }))
	}
	made, _ := kept.(func() any)().(T)
	return made
}

// institution finds a bank by any of its codes: one that has the code for its own before those that others call so. The country may be
// empty where the code tells it.
func (g *ground) institution(code, country string) (core.Bank, error) {
	found := slices.Clone(g.codes()[strings.ToUpper(code)])
	if country != "" {
		found = slices.DeleteFunc(found, func(b core.Bank) bool { return !strings.EqualFold(b.Country, country) })
	}
	if own := slices.DeleteFunc(slices.Clone(found), func(b core.Bank) bool { return !strings.EqualFold(b.Code, code) }); len(own) > 0 {
		found = own
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0 && country != "":
		return core.Bank{}, core.InvalidField("bank", "%s is no institution of %s; accepted: any code or alias of GET /v1/banks?country=%s", core.Quoted(code), core.Quoted(country), country)
	case len(found) == 0:
		return core.Bank{}, core.InvalidField("bank", "%s is no institution; accepted: any code or alias of GET /v1/banks, pay_bill, till", core.Quoted(code))
	case found[0].Country == found[len(found)-1].Country:
		return core.Bank{}, core.InvalidField("bank", "%s is what several institutions are called; accepted: %s", core.Quoted(code), listed(found, func(b core.Bank) string { return b.Code }))
	}
	return core.Bank{}, core.InvalidField("country", "is needed: %s is an institution of several; accepted: %s", core.Quoted(code), listed(found, func(b core.Bank) string { return b.Country }))
}

// listed joins something about banks, each once.
func listed(banks []core.Bank, what func(core.Bank) string) string {
	var out []string
	for _, b := range banks {
		out = append(out, what(b))
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}
