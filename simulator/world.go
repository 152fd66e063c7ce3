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
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"causeway/core"
)

// Config says which world to make.
type Config struct {
	Seed string `json:"seed" doc:"seed of the simulated world: the same seed gives the same names and prices"`
}

// Order returns the providers that are asked about accounts of a country on a channel, in their order: magic account numbers
// let the first one fail.
type Order func(country string, channel core.Channel) []string

// World is one simulated world. It is safe for concurrent use.
type World struct {
	seed    uint64
	clock   *Clock
	market  *Market
	faults  *Faults
	banks   []core.Bank
	order   Order
	entropy atomic.Uint64 // how many draws were made
}

// New makes the world of a seed. Its clock follows the given one. The banks are the institutions that its providers
// know: the catalog's, and those of Banks, without which there are no magic accounts.
func New(cfg Config, clock core.Clock, banks []core.Bank) (*World, error) {
	if cfg.Seed == "" {
		return nil, errors.New("simulator: the seed is empty; any text will do")
	}
	if clock == nil {
		return nil, errors.New("simulator: no clock")
	}
	seed := digest(cfg.Seed)
	market, err := newMarket(seed)
	if err != nil {
		return nil, fmt.Errorf("simulator: %w", err)
	}
	known := slices.Clone(banks)
	slices.SortFunc(known, func(a, b core.Bank) int {
		return cmp.Or(strings.Compare(a.Country, b.Country), strings.Compare(a.Code, b.Code))
	})
	for i := 1; i < len(known); i++ {
		if a, b := known[i-1], known[i]; a.Country == b.Country && a.Code == b.Code {
			return nil, fmt.Errorf("simulator: two banks of %s have the code %q: %s, %s", a.Country, a.Code, a.Name, b.Name)
		}
	}
	return &World{seed: seed, clock: NewClock(clock), market: market, faults: newFaults(seed), banks: known}, nil
}

// SetOrder tells the world who is asked first; without it everybody is. It is called before the world is used.
func (w *World) SetOrder(order Order) { w.order = order }

// Clock is the world's clock, to freeze and move.
func (w *World) Clock() *Clock { return w.clock }

// Now is the world's time: the core.Clock of everything that lives in it.
func (w *World) Now() time.Time { return w.clock.Now() }

// Market is the world's market.
func (w *World) Market() *Market { return w.market }

// Faults are the rules by which things go wrong between us and the world's providers.
func (w *World) Faults() *Faults { return w.faults }

// Banks returns the institutions that the world's providers know, ordered by country and code.
func (w *World) Banks() []core.Bank { return slices.Clone(w.banks) }

// Entropy returns the next 64 bits of a sequence that the seed decides: the core.Entropy of everything that
// lives in the world. Two worlds of one seed draw the same sequence.
func (w *World) Entropy() uint64 {
	return mix(w.seed ^ mix(w.entropy.Add(1)))
}
