// Package simulator is the outside world that the sandbox lives in: a market, bank accounts, a clock and
// entropy, all made from one seed. Package simulator/wire shows that world in the wire format of each
// provider, so that the adapters, retries and rules under test are the production ones.
//
// An answer is a function of (seed, settings, question, clock). The settings are what somebody does to the market (Market.Set) and the rules by
// which things go wrong on the wire (Faults), each with its times, so that any instant can be asked about in any order: an
// incident (World.Play) is a list of them. Nothing else is remembered between questions but how many each rule was about, nothing
// walks in the background, and everything that is computed is an integer, so that the same world gives
// the same bytes on every architecture. A World is a value without globals; many live side by side.
//
// It knows the nouns of core and nothing else of the program: no ports, no adapters, no services. Names
// of account holders are always visibly made up, prices start from an illustrative table, and neither may
// ever be served in production mode.
package simulator

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"causeway/core"
	"causeway/simulator/journal"
)

// Config says which world to make.
type Config struct {
	Seed      string        `json:"seed" doc:"Seed of the simulated world: the same seed gives the same names and prices."`
	Idle      time.Duration `json:"-"` // after which an unused world is deleted; 0: an hour
	EdgeChaos string        `json:"-"` // as in Options
}

// Check returns what is wrong with the share of chaos.
func (c Config) Check() error {
	if _, fine := parts(c.EdgeChaos); !fine {
		return fmt.Errorf("simulator.edge_chaos is %s; accepted: %s", shown(c.EdgeChaos), shares)
	}
	return nil
}

// Order returns the providers that are asked about accounts of a country on a channel, in their order: magic account numbers
// let the first one fail.
type Order func(country string, channel core.Channel) []string

// World is one simulated world, from its creation until it is reset or ends. It is safe for concurrent use. What all worlds have in common (the market's
// tables, the institutions, what providers make of these) is shared, so that a world that nobody uses costs a few KiB.
type World struct {
	options Options
	seed    uint64
	ground  *ground
	clock   *Clock
	market  *Market
	faults  *Faults
	journal *journal.Journal
	agenda  *agenda
	entropy atomic.Uint64 // how many draws were made
	forced  atomic.Uint64 // calls whose outcome was asked for

	accounts overlay
	next     queue
	playing  playing
	decided  decided
	life     life
}

// New makes the world of a seed by itself: that of a test, or of one who needs no other. Its clock follows the given one. The banks are the
// institutions that its providers know: the catalog's, and those of Banks, without which there are no magic accounts.
func New(cfg Config, clock core.Clock, banks []core.Bank) (*World, error) {
	if cfg.Seed == "" {
		return nil, errors.New("simulator: the seed is empty; any text will do")
	}
	if clock == nil {
		return nil, errors.New("simulator: no clock")
	}
	if _, fine := parts(cfg.EdgeChaos); !fine {
		return nil, fmt.Errorf("simulator: the share of chaos is %s; accepted: %s", shown(cfg.EdgeChaos), shares)
	}
	g, err := newGround(banks, nil, nil)
	if err != nil {
		return nil, err
	}
	return newWorld(g, Options{ID: DefaultWorld, Seed: cfg.Seed, EdgeChaos: cfg.EdgeChaos}, clock, recording{})
}

// recording says what kind of journal worlds keep.
type recording struct {
	limits   journal.Limits
	requests bool
	secret   journal.Tell
}

// newWorld makes a world as its options have it.
func newWorld(g *ground, o Options, machine core.Clock, r recording) (*World, error) {
	if o.Seed == "" {
		o.Seed = o.ID
	}
	b, err := plainBoard()
	if o.MagicPairs {
		b, err = magicBoard()
	}
	if err != nil {
		return nil, fmt.Errorf("simulator: %w", err)
	}
	w := &World{options: o, seed: digest(o.Seed), ground: g, clock: NewClock(machine), agenda: newAgenda()}
	w.faults = newFaults(w.seed, g.offers, o.EdgeChaos)
	if s := o.Clock; s.Now != nil || s.Frozen || s.Rate > 1 {
		at := w.clock.Now()
		if s.Now != nil {
			at = *s.Now
		}
		w.clock.start(at, s.Frozen, max(s.Rate, 1))
	}
	w.market = newMarket(w.seed, b, w.clock.Now())
	w.journal, err = journal.New(journal.Config{World: o.ID, Clock: w.Now, Stopwatch: machine, Limits: r.limits, KeepRequests: r.requests, Secret: r.secret})
	if err != nil {
		return nil, fmt.Errorf("simulator: %w", err)
	}
	return w, nil
}

// ID is the world's name.
func (w *World) ID() string { return w.options.ID }

// Options are those that the world was made with. The seed is there in any case.
func (w *World) Options() Options { return w.options }

// Clock is the world's clock, for those who look after the time themselves: see SetClock and AdvanceTo for everybody else.
func (w *World) Clock() *Clock { return w.clock }

// Now is the world's time: the core.Clock of everything that lives in it.
func (w *World) Now() time.Time { return w.clock.Now() }

// Market is the world's market.
func (w *World) Market() *Market { return w.market }

// Faults are the rules by which things go wrong, between us and the world's providers and between clients and us.
func (w *World) Faults() *Faults { return w.faults }

// Journal is the record of what happened in the world.
func (w *World) Journal() *journal.Journal { return w.journal }

// Banks returns the institutions that the world's providers know, ordered by country and code.
func (w *World) Banks() []core.Bank { return slices.Clone(w.ground.banks) }

// Entropy returns the next 64 bits of a sequence that the seed decides: the core.Entropy of everything that
// lives in the world. Two worlds of one seed draw the same sequence.
func (w *World) Entropy() uint64 {
	return mix(w.seed ^ mix(w.entropy.Add(1)))
}
