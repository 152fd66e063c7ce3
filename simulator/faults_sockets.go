package simulator

import (
	"net/http"
	"slices"
	"time"
)

// Disturbs reports whether a rule at work is about what a provider answers to whoever asks with such headers. A connection on which the provider
// goes on telling things asks no questions that the rule could befall: it must not stand meanwhile. Nothing is counted.
func (f *Faults) Disturbs(provider string, header http.Header, now time.Time) bool {
	rules := f.armed.Load()
	if rules == nil {
		return false
	}
	return slices.ContainsFunc(*rules, func(a *armed) bool {
		return a.covers(provider, header) && !a.from.After(now) && !a.over(now) && a.chance > 0 && !a.spent(provider) && f.offered()[provider].Fits(a.rule.Effect.Kind, a.rule.Match.Operation)
	})
}

// covers reports whether a rule is about a provider and whoever asks with such headers.
func (a *armed) covers(provider string, header http.Header) bool {
	m := a.rule.Match
	for name, value := range m.Header {
		if header.Get(name) != value {
			return false
		}
	}
	return (m.Plane == "" || m.Plane == Upstream) && (m.Provider == "" || m.Provider == provider)
}

// spent reports whether a rule will befall no question of a provider any more, however many there are.
func (a *armed) spent(provider string) bool {
	a.counting.Lock()
	defer a.counting.Unlock()
	most, nth := a.rule.When.MaxHits, a.rule.Match.Nth
	return most > 0 && a.hits[provider] >= uint64(most) || nth > 0 && a.matched[provider] >= uint64(nth)
}
