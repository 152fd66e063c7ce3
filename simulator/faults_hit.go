package simulator

import (
	"net/http"
	"strconv"
	"time"
)

// Question is what a provider is asked.
type Question struct {
	Provider  string
	Operation string
	Header    http.Header
}

// Hit is an effect that befalls a question.
type Hit struct {
	Fault  string // the id of the rule
	Effect Effect
	Phase  Phase

	draw uint64
}

// Next counts a question at an instant, and returns what befalls it: the first rule that hits decides.
func (f *Faults) Next(q Question, now time.Time) (hit Hit, befallen bool) {
	rules := f.armed.Load()
	if rules == nil {
		return Hit{}, false
	}
	for _, a := range *rules {
		if a.from.After(now) || a.over(now) || !a.about(q) || !f.offered()[q.Provider].fits(a.rule.Effect.Kind) {
			continue
		}
		if draw, hits := a.count(q.Provider, befallen); hits {
			hit, befallen = Hit{Fault: a.id, Effect: a.rule.Effect, Phase: a.rule.Phase, draw: draw}, true
		}
	}
	return hit, befallen
}

// about reports whether a question is one that the rule means.
func (a *armed) about(q Question) bool {
	m := a.rule.Match
	if m.Provider != "" && m.Provider != q.Provider || m.Operation != "" && m.Operation != q.Operation {
		return false
	}
	if q.Header.Get("Upgrade") != "" && a.rule.Effect.Kind.Spoils() {
		return false
	}
	for name, value := range m.Header {
		if q.Header.Get(name) != value {
			return false
		}
	}
	return true
}

// count counts a question and reports whether the rule hits it, with what is drawn for the hit. One that something else befell already is
// counted and left alone.
func (a *armed) count(provider string, taken bool) (draw uint64, hits bool) {
	a.counting.Lock()
	defer a.counting.Unlock()
	n := a.matched[provider]
	a.matched[provider] = n + 1
	w := a.rule.When
	after, every, most := uint64(w.After), uint64(max(w.Every, 1)), uint64(w.MaxHits) //nolint:gosec // checked: not below zero
	switch {
	case taken, n < after, (n-after)%every != 0, most > 0 && a.hits[provider] >= most:
		return 0, false
	case a.rule.Match.Nth > 0 && n+1 != uint64(a.rule.Match.Nth):
		return 0, false
	}
	key := subKey(a.key, provider, strconv.FormatUint(n, 10))
	if mix(key)%e9 >= a.chance {
		return 0, false
	}
	a.hits[provider]++
	return subKey(key, string(a.rule.Effect.Kind)), true
}

// Delay is how long a latency is.
func (h Hit) Delay() time.Duration {
	e := h.Effect
	ms := e.MS
	switch e.Distribution {
	case Uniform:
		ms += int64(h.draw % uint64(e.MaxMS-e.MS+1)) //nolint:gosec // checked: the most is not below the least
	case Lognormal:
		var sum int64 // of twelve draws: near enough to a normal one
		for i := range uint64(12) {
			sum += int64(mix(h.draw+i) >> 24)
		}
		spread := (sum - 6<<noiseBits) / 2                           // half a logarithm is its standard deviation
		median := normal(uint64(ms), 0)                              //nolint:gosec // checked: above zero
		ms = min(int64(median.far(spread).units(0, false)), e.MaxMS) //nolint:gosec // far below 2^63
	case Fixed:
	}
	return time.Duration(ms) * time.Millisecond
}
