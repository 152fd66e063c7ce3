package simulator

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Question is what a provider is asked, or on the plane Edge our service.
type Question struct {
	Plane     Plane  // empty: Upstream
	Provider  string // on the plane Edge there is none
	Operation string
	Header    http.Header
}

// Hit is an effect that befalls a question.
type Hit struct {
	Fault  string // the id of the rule; empty: it is chaos
	Effect Effect
	Phase  Phase

	draw uint64
}

// By says what decided that, as in Sim-Applied: "fault:f3", "chaos:reset".
func (h Hit) By() string {
	if h.Fault == "" {
		return "chaos:" + string(h.Effect.Kind)
	}
	return "fault:" + h.Fault
}

// by is what questions are counted by.
func (q Question) by() string {
	if q.Plane == Edge {
		return q.Operation
	}
	return q.Provider
}

// Next counts a question at an instant, and returns what befalls it: the first rule that hits decides, and chaos where none does.
func (f *Faults) Next(q Question, now time.Time) (hit Hit, befallen bool) {
	if rules := f.armed.Load(); rules != nil {
		for _, a := range *rules {
			if a.from.After(now) || a.over(now) || !a.about(q) || !f.fits(q, a.rule.Effect.Kind) {
				continue
			}
			if draw, hits := a.count(q.by(), befallen); hits {
				hit, befallen = Hit{Fault: a.id, Effect: a.rule.Effect, Phase: a.rule.Phase, draw: draw}, true
			}
		}
	}
	if f.chaos != nil && q.Plane == Edge {
		if draw, hits := f.chaos.count(q.by(), befallen); hits {
			return chaosOf(q.Operation, draw), true
		}
	}
	return hit, befallen
}

// fits reports whether an effect can befall the answer to a question.
func (f *Faults) fits(q Question, k Kind) bool {
	if q.Plane == Edge {
		return k.OnEdge(q.Operation)
	}
	operations, all := f.offered()[q.Provider].fitting(k)
	return all || slices.Contains(operations, q.Operation)
}

// about reports whether a question is one that the rule means.
func (a *armed) about(q Question) bool {
	m, k := a.rule.Match, a.rule.Effect.Kind
	if (m.Plane == Edge) != (q.Plane == Edge) || m.Provider != "" && m.Provider != q.Provider || m.Operation != "" && m.Operation != q.Operation {
		return false
	}
	if q.Header.Get("Upgrade") != "" && (k.Spoils() || k.Slows()) && q.Plane != Edge {
		return false
	}
	for name, value := range m.Header {
		if q.Header.Get(name) != value {
			return false
		}
	}
	return true
}

// count counts a question by a name and reports whether the rule hits it, with what is drawn for the hit. One that something else befell already is
// counted and left alone.
func (a *armed) count(by string, taken bool) (draw uint64, hits bool) {
	a.counting.Lock()
	defer a.counting.Unlock()
	n := a.matched[by]
	a.matched[by] = n + 1
	w := a.rule.When
	after, every, most := uint64(w.After), uint64(max(w.Every, 1)), uint64(w.MaxHits) //nolint:gosec // checked: not below zero
	switch {
	case taken, n < after, (n-after)%every != 0, most > 0 && a.hits[by] >= most:
		return 0, false
	case a.rule.Match.Nth > 0 && n+1 != uint64(a.rule.Match.Nth):
		return 0, false
	}
	key := subKey(a.key, by, strconv.FormatUint(n, 10))
	if mix(key)%e9 >= a.chance {
		return 0, false
	}
	a.hits[by]++
	return subKey(key, string(a.rule.Effect.Kind)), true
}

// Delay is how long an effect takes that has a latency.
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
