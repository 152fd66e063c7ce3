package simulator

import (
	"slices"
	"time"

	"causeway/core"
)

// AddAll puts rules to work from an instant on, as Add does, in their order: all of them, or none where one is not accepted.
func (f *Faults) AddAll(rules []Rule, from time.Time) ([]Fault, error) {
	f.changing.Lock()
	working := slices.DeleteFunc(f.list(), func(a *armed) bool { return a.over(from) })
	f.changing.Unlock()
	if len(working)+len(rules) > mostRules {
		return nil, core.InvalidField("match", "%d rules are at work; accepted: %d in all", len(working), mostRules)
	}
	for _, r := range rules {
		if err := r.Check(); err != nil {
			return nil, err
		}
		if err := f.fit(r); err != nil {
			return nil, err
		}
	}
	made := map[string]bool{}
	for _, r := range rules {
		id, err := f.Add(r, from)
		if err != nil {
			return nil, err // others were faster: there is no room left
		}
		made[id] = true
	}
	return slices.DeleteFunc(f.List(), func(x Fault) bool { return !made[x.ID] }), nil
}
