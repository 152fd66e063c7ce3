// Package pairs prices currency pairs. It is a pipeline of steps, each in a file of its own:
//
//   - Sources are polled on their own schedules (source.go), and their observations admitted or
//     rejected (observation.go).
//   - In every market each family of sources has one vote; stalled sources and outliers have none
//     (consensus.go). The resulting rate is accepted or held back (market.go).
//   - Every market is compared with the other ways between its currencies, and every pair with its
//     other routes (witness.go).
//   - Rates are combined along configured routes (route.go) to buy and sell prices (quote.go).
//   - One table decides the status of a price (status.go).
//   - Pairs on profitable cycles of conversions are halted (arbitrage.go), and all pairs are
//     published together as one immutable snapshot (snapshot.go).
//
// The steps are functions without side effects. What the service remembers between two recomputations
// is in the engine (engine.go): the latest observations, the last accepted rate of every market, the
// decisions of the operator, and the last published prices. One goroutine owns it: Run, which
// receives responses of sources, decisions and ticks over a channel. A sandbox has thousands of
// worlds, each with a clock of its own, and their prices must be reproducible; its worlds need no
// goroutine, because without Run the caller of Tick owns the engine for the duration of a call.
//
// The package refuses rather than guesses: it never clamps a price, never finds a route that is not
// configured, and never assumes that USDT is USD. Arithmetic is decimal, exact up to 34 significant
// digits, and rounded once, at the end, in favor of the house. The package encodes nothing, logs
// nothing, and counts in plain data: see Sources and Stats.
package pairs

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Config is what is priced, and how. The catalog must be valid, as its loader ensures; New and Plan
// only check it against the sources.
type Config struct {
	core.PriceCatalog

	Entropy core.Entropy      // for the jitter of back-offs
	History ports.RateHistory // past prices; nil: none
}

// Service is the price engine. Its methods are safe for concurrent use.
type Service struct {
	clock   core.Clock
	entropy core.Entropy
	history ports.RateHistory
	sources []ports.RateSource

	idle    chan *engine       // holds the engine while no goroutine owns it
	calls   chan func(*engine) // to the goroutine of Run
	ticking chan struct{}      // capacity 1: full during a Tick

	current atomic.Pointer[Snapshot]
	offered atomic.Pointer[map[string]*listing] // by id; of a listing only its pair
}

// New creates the engine. It returns an error if a market names a source that does not exist or is
// polled too rarely. Sources without a row or a market in the catalog are not used. New polls
// nothing yet.
func New(cfg Config, sources []ports.RateSource, clock core.Clock) (*Service, error) {
	b, err := compile(cfg.PriceCatalog, sources)
	if err != nil {
		return nil, err
	}
	s := &Service{
		clock: clock, entropy: cfg.Entropy, history: cfg.History, sources: sources,
		idle: make(chan *engine, 1), calls: make(chan func(*engine)), ticking: make(chan struct{}, 1),
	}
	s.offered.Store(&b.offered)
	s.idle <- &engine{book: b}
	return s, nil
}

func (s *Service) now() time.Time { return s.clock().UTC() }

// do calls f with the engine: in the goroutine of Run while it runs, else in the caller's.
func (s *Service) do(f func(*engine)) {
	done := make(chan struct{})
	select {
	case e := <-s.idle:
		defer func() { s.idle <- e }()
		f(e)
	case s.calls <- func(e *engine) { defer close(done); f(e) }:
		<-done
	}
}

// Snapshot returns the latest publication, or nil before the first. It never waits.
func (s *Service) Snapshot() *Snapshot { return s.current.Load() }

// Known reports whether a pair of that id is offered, with or without a price. It never waits.
func (s *Service) Known(id string) bool {
	_, known := (*s.offered.Load())[id]
	return known
}

// Subscribe registers f for every publication, in order. The goroutine that publishes calls it and
// waits for it, before Snapshot returns the publication. If there is a publication already, f is
// called with it before Subscribe returns. f must not call the service, except for Snapshot, Known
// and History.
func (s *Service) Subscribe(f func(*Snapshot)) {
	s.do(func(e *engine) {
		e.subscribers = append(e.subscribers, f)
		if last := s.current.Load(); last != nil {
			f(last)
		}
	})
}

// Publish shows readers a snapshot that another process computed. From then on the service continues
// from it: a later Run or Tick lets its prices age, judges new rates against its rates, and keeps its
// doubts and acknowledgements. The service takes possession of the snapshot, and needs all of its
// exported fields; see Snapshot.Check.
func (s *Service) Publish(ctx context.Context, snapshot *Snapshot) {
	s.do(func(e *engine) {
		e.adopt(snapshot)
		s.publish(ctx, e, snapshot)
	})
}

// Missing returns why an offered pair has no price: the sources that do not contribute to markets
// without a rate, or whose first rate is held, on its preferred route and on that to the value of its base in USD.
func (s *Service) Missing(id string) (out []Exclusion) {
	s.do(func(e *engine) {
		l := e.offered[id]
		if l == nil {
			return
		}
		for _, way := range slices.Concat(l.routes[:1], l.worth[:min(1, len(l.worth))]) {
			for _, step := range way {
				if step.market.Rate == nil {
					out = append(out, step.market.excluded()...)
					out = append(out, step.market.held()...)
				}
			}
		}
	})
	slices.SortFunc(out, func(a, b Exclusion) int { return strings.Compare(a.Source, b.Source) })
	return slices.CompactFunc(out, func(a, b Exclusion) bool { return a.Source == b.Source })
}

// Sources returns the state of every source, by name. The caller owns it.
func (s *Service) Sources() (out []SourceState) {
	s.do(func(e *engine) {
		for _, f := range e.feeds {
			state := f.SourceState
			state.Rejected = maps.Clone(state.Rejected)
			out = append(out, state)
		}
	})
	return out
}

// Stats counts what the engine did, for metrics.
type Stats struct {
	Recomputed uint64
	Published  uint64
	Refused    uint64 // prices withheld because they broke an invariant
	Cycles     uint64 // profitable cycles of conversions, each of which halted a pair
}

// Stats returns the counts so far.
func (s *Service) Stats() (out Stats) {
	s.do(func(e *engine) { out = e.stats })
	return out
}

// Acknowledge records an operator's decision that a market is right although the engine doubts it,
// for 24 hours at most. A currency (USDT) names a stablecoin off its peg: it is traded until it is
// back on the peg, or moves on by the limit of its class. A pair (USD/GHS) names a market: an
// unconfirmed jump is accepted; a dispute, also of routes, is priced to cover both sides. It returns core.NotFound
// if there is nothing to acknowledge.
func (s *Service) Acknowledge(what string) error {
	found := false
	s.do(func(e *engine) {
		for _, m := range e.markets {
			switch {
			case m.Pair.Base == what && m.OffPeg:
				m.Acknowledged, found = &Acknowledgement{s.now(), m.PegMid}, true
			case m.Pair.String() == what && m.Problem == Jump:
				m.Acknowledged, found = &Acknowledgement{s.now(), m.pending}, true
			case m.Pair.String() == what && m.contested:
				m.Acknowledged, found = &Acknowledgement{s.now(), m.newest}, true
			case m.Pair.String() == what && m.Problem == Disputed:
				m.Acknowledged, found = &Acknowledgement{s.now(), m.Anchor}, true
			}
		}
		e.renewed = e.renewed || found
	})
	if !found {
		return core.Errorf(core.NotFound, "%s is neither off its peg, nor disputed, nor held because of a jump", what)
	}
	return nil
}

// Plan checks another catalog as New does, and returns a function that applies it. What the service
// knows stays: rates, votes, doubts, decisions of the operator, and schedules. The service must not
// Run while apply is called; apply waits for a Tick under way.
func (s *Service) Plan(catalog core.PriceCatalog) (apply func(), err error) {
	b, err := compile(catalog, s.sources)
	if err != nil {
		return nil, err
	}
	return func() {
		s.ticking <- struct{}{}
		defer func() { <-s.ticking }()
		s.do(func(e *engine) {
			b.inherit(e.book)
			e.book, e.renewed, e.computed, e.recalled = b, true, time.Time{}, time.Time{}
			s.offered.Store(&b.offered)
		})
	}, nil
}
