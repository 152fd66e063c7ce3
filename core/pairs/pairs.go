// Package pairs prices currency pairs. Sources are polled on their own schedules, and their
// observations admitted or rejected (feed.go, vote.go). In every market each family of sources has
// one vote; stalled sources and outliers have none (consensus.go). The resulting rate is accepted
// or held back (market.go), combined along configured routes (route.go) to buy and sell prices
// (quote.go), and its status decided by one table (status.go). All pairs are published together as
// one immutable snapshot without profitable cycles (cycle.go).
//
// The package refuses rather than guesses: it never clamps a price, never finds a route that is not
// configured, and never assumes that USDT is USD. Arithmetic is decimal, exact up to 34 significant
// digits, and rounded once, at the end, in favor of the house. The package encodes nothing, logs
// nothing, and counts in plain data: see Sources and Stats.
package pairs

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Config is what is priced, and how.
type Config struct {
	Currencies     []core.Currency
	Sources        []core.Source // a source that is missing here must not be passed to New
	Rules          core.PriceRules
	MarketClasses  []core.MarketClass
	Markets        []core.Market
	ListingClasses []core.ListingClass
	Listings       []core.Listing

	Entropy core.Entropy      // for the jitter of back-offs
	History ports.RateHistory // past prices; nil: none
	Alarm   func(Alarm)       // called by the goroutine that recomputes; must not call the service. Nil: none
	Timeout time.Duration     // of one poll; zero: 5 s
}

// Service is the price engine. Its methods are safe for concurrent use.
type Service struct {
	clock   core.Clock
	entropy core.Entropy
	history ports.RateHistory
	timeout time.Duration
	wake    chan struct{} // capacity 1: a response was applied
	ticking chan struct{} // capacity 1: full during a Tick

	recomputing sync.Mutex // held while recomputing and publishing; guards the block below
	recalled    time.Time  // the step of the history that the listings know
	raise       func(Alarm)
	raised      string // the last alarm, while it lasts
	subscribers []func(*Snapshot)

	mu       sync.Mutex // guards the block below: the whole state of the engine. Locked after recomputing
	feeds    []*feed    // by name; replaced by Plan
	book     *book
	computed time.Time // the last recomputation
	renewed  bool      // the next recomputation publishes
	number   uint64    // ID of the last snapshot
	refused  map[string]uint64

	current                       atomic.Pointer[Snapshot]
	recomputed, published, cycles atomic.Uint64
}

// New checks the configuration, naming every fault, and creates the engine. It polls nothing yet.
func New(cfg Config, sources []ports.RateSource, clock core.Clock) (*Service, error) {
	b, feeds, err := compile(cfg, sources, clock)
	if err != nil {
		return nil, err
	}
	return &Service{
		clock: clock, entropy: cfg.Entropy, history: cfg.History, raise: cfg.Alarm, timeout: cmp.Or(cfg.Timeout, pollTimeout),
		feeds: feeds, book: b, wake: make(chan struct{}, 1), ticking: make(chan struct{}, 1), refused: map[string]uint64{},
	}, nil
}

func (s *Service) now() time.Time { return s.clock().UTC() }

// Known reports whether a pair of that id is offered, with or without a price.
func (s *Service) Known(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.book.ids[id]
}

// Missing returns why an offered pair has no price: the sources that do not contribute to markets
// without a rate, on its preferred route and on that to the value of its base in USD.
func (s *Service) Missing(id string) []Exclusion {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.book.listing(id)
	if l == nil {
		return nil
	}
	var out []Exclusion
	for _, way := range slices.Concat(l.routes[:1], l.value.routes[:min(1, len(l.value.routes))]) {
		for _, s := range way {
			if s.market.Rate == nil {
				out = append(out, s.market.excluded()...)
			}
		}
	}
	slices.SortFunc(out, func(a, b Exclusion) int { return strings.Compare(a.Source, b.Source) })
	return slices.CompactFunc(out, func(a, b Exclusion) bool { return a.Source == b.Source })
}

// Snapshot returns the latest publication, or nil before the first. It never waits.
func (s *Service) Snapshot() *Snapshot { return s.current.Load() }

// Subscribe registers f for every publication, in order. The goroutine that publishes calls it and
// waits for it, before Snapshot returns the publication. If there is a publication already, f is
// called with it before Subscribe returns. f must neither subscribe nor tick.
func (s *Service) Subscribe(f func(*Snapshot)) {
	s.recomputing.Lock()
	defer s.recomputing.Unlock()
	s.subscribers = append(s.subscribers, f)
	if last := s.current.Load(); last != nil {
		f(last)
	}
}
