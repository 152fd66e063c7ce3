// Package pairs prices what is on offer. Sources are polled on their own schedules; what they say is admitted or refused at the door (vote.go).
// In every market each family of sources has one vote; who stands still or is far from the median has none (consensus.go). Their rate is
// believed, held back or refused (market.go, guard.go, peg.go), crossed along configured routes (route.go), aged (age.go), and
// published with all others as one immutable snapshot of buy and sell prices, unless money could be made by going round in it (cycle.go).
//
// It refuses rather than guesses: a price that breaks an invariant is not published, one that nobody confirms any more ages through stale
// to halted, a route is configuration and never found, USDT is not USD. A price is never clamped and called a price.
//
// Arithmetic is decimal and exact up to 34 significant digits, and rounded once, at the end, against the customer. The package knows
// no JSON, logs nothing and counts in plain data: see Sources and Stats.
package pairs

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/ports"
)

// Config says what is priced, and how.
type Config struct {
	Currencies     []core.Currency
	Sources        []core.Source // what is known of the rate sources; one that is missing here is never asked
	Rules          core.PriceRules
	MarketClasses  []core.MarketClass
	Markets        []core.Market
	ListingClasses []core.ListingClass
	Listings       []core.Listing

	Entropy core.Entropy      // draws the jitter of back-offs
	History ports.RateHistory // what pairs were worth; nil: nothing is remembered
	Alarm   func(Alarm)       // told what was not published, by the goroutine that recomputes; it must not call the service. Nil: nobody
	Timeout time.Duration     // of one poll; zero: 5 s

	// Meant returns what somebody set a market of a simulated world to: a rate that is no further from it than sources may be from each other is
	// believed at once, however far it jumped and whatever bounds it. False where nobody set it; nil: nobody can.
	Meant func(core.Pair) (decimal.Decimal, bool)
}

// Service is the price engine. Its methods are safe for concurrent use.
type Service struct {
	clock   core.Clock
	entropy core.Entropy
	history ports.RateHistory
	timeout time.Duration
	meant   func(core.Pair) (decimal.Decimal, bool)
	feeds   []*feed // by name; changed by Plan alone, as the book is
	book    *book
	wake    chan struct{} // of capacity 1: an answer came
	ticking chan struct{} // of capacity 1: full during a tick, which takes the turns of many feeds

	mu      sync.Mutex // guards the feeds' schedules and states, the slots, and what is below
	changed bool       // an observation came since the last recomputation

	computing sync.Mutex // held by whoever recomputes; guards the book and what is below
	computed  time.Time  // when that was last
	alarm     time.Time  // when it is due although no observation came; zero: never
	renewed   bool       // the next recomputation publishes, whether or not prices changed
	recalled  time.Time  // the step of the history of which the listings know the prices of a day before
	number    uint64     // ID of the last snapshot

	publishing  sync.Mutex // guards the subscribers and the order of publications
	subscribers []func(*Snapshot)
	current     atomic.Pointer[Snapshot]

	recomputed, published atomic.Uint64
	kept                  atomic.Uint64 // snapshots that were not published
	raise                 func(Alarm)
	raised                string // what the last alarm was about, while it lasts
	refusals              sync.Mutex
	refused               map[string]uint64
}

// New checks the configuration, naming every fault at once, and makes the engine. It asks nobody anything yet.
func New(cfg Config, sources []ports.RateSource, clock core.Clock) (*Service, error) {
	b, feeds, err := compile(cfg, sources, clock)
	if err != nil {
		return nil, err
	}
	s := &Service{
		clock: clock, entropy: cfg.Entropy, history: cfg.History, raise: cfg.Alarm, timeout: cfg.Timeout, meant: cfg.Meant, feeds: feeds, book: b,
		wake: make(chan struct{}, 1), ticking: make(chan struct{}, 1), refused: map[string]uint64{},
	}
	if s.timeout == 0 {
		s.timeout = pollTimeout
	}
	return s, nil
}

func (s *Service) now() time.Time { return s.clock().UTC() }

// Known reports whether a pair of that id is on offer, with a price so far or not.
func (s *Service) Known(id string) bool { return s.present().ids[id] }

// Snapshot returns the latest publication, or nil before the first. It never waits.
func (s *Service) Snapshot() *Snapshot { return s.current.Load() }

// Subscribe has f called with every publication, in order, by the goroutine that publishes, which waits for it. By the time that Snapshot
// returns a publication every subscriber has been given it. Where there is a publication already, f is called with it before
// Subscribe returns. f must neither subscribe nor tick.
func (s *Service) Subscribe(f func(*Snapshot)) {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	s.subscribers = append(s.subscribers, f)
	if last := s.current.Load(); last != nil {
		f(last)
	}
}
