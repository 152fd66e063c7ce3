package recipients

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"causeway/core"
	"causeway/ports"
)

const (
	cacheTimeout = 100 * time.Millisecond // of a cache lookup or write
	skew         = time.Minute            // by which the clocks of replicas may differ
)

// memory keeps what was told, sealed, in a cache that cannot read it.
type memory struct {
	cache ports.NameCache // nil: nothing is remembered
	seal  *seal
	clock core.Clock
	keeps CacheSettings
}

// record is what is sealed of a verdict. It is never printed: its fields are in the clear.
type record struct {
	Outcome  Outcome        `json:"o"`
	Name     string         `json:"n,omitempty"`
	Match    core.NameMatch `json:"m,omitempty"`
	Absence  core.Absence   `json:"w,omitempty"` // of a core.NotFound: unknown, or closed
	Provider string         `json:"p"`
	At       int64          `json:"a"` // when the provider told, in ms since 1970
}

// recall returns what is remembered under a key. Whatever the cache returns that is not ours, or too old by the world's clock, is
// not remembered.
func (m *memory) recall(ctx context.Context, key [32]byte) (verdict, bool) {
	if m.cache == nil {
		return verdict{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, cacheTimeout)
	defer cancel()
	sealed, ok := m.cache.Load(ctx, key)
	if !ok {
		return verdict{}, false
	}
	text, ok := m.seal.open(key, sealed)
	if !ok {
		return verdict{}, false
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return verdict{}, false
	}
	age := m.clock().Sub(time.UnixMilli(r.At))
	if age < -skew || age >= m.lasts(r.Outcome) {
		return verdict{}, false
	}
	v := verdict{provider: r.Provider, cached: true}
	switch {
	case r.Outcome == Missing:
		v.err = core.Errorf(core.NotFound, "").Because(r.Absence).With(errors.New(r.Provider + ": it said so before"))
	case r.Outcome == Found && (named(core.Private(r.Name)) || r.Match != ""):
		v.answer = answer{holder: core.Private(r.Name), match: r.Match}
	default:
		return verdict{}, false
	}
	return v, true
}

// keep remembers what is sure, and no doubtful "no such account". What could not be told is forgotten at once.
func (m *memory) keep(ctx context.Context, key [32]byte, v verdict) {
	r := record{Outcome: v.outcome(), Name: v.answer.holder.Reveal(), Match: v.answer.match, Provider: v.provider, At: m.clock().UnixMilli()}
	lasts := m.lasts(r.Outcome)
	if r.Absence = absence(v.err); m.cache == nil || lasts <= 0 || r.Absence == core.DoubtfulNone {
		return
	}
	text, err := json.Marshal(r)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, cacheTimeout)
	defer cancel()
	m.cache.Store(ctx, key, m.seal.lock(key, text), lasts)
}

func (m *memory) lasts(o Outcome) time.Duration {
	switch o {
	case Found:
		return m.keeps.Found
	case Missing:
		return m.keeps.NotFound
	case Untold, Abandoned, Panicked, Refused:
		return 0
	}
	return 0
}

// outcome is a verdict's outcome.
func (v verdict) outcome() Outcome {
	switch {
	case v.err == nil:
		return Found
	case core.CodeOf(v.err) == core.NotFound:
		return Missing
	case errors.Is(v.err, context.Canceled):
		return Abandoned
	default:
		return Untold
	}
}
