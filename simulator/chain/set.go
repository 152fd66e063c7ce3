package chain

import (
	"strings"
	"sync"
	"time"

	"causeway/core"
	"causeway/simulator/input"
)

// Config describes the chains of a world.
type Config struct {
	Chains    []core.Chain
	Seed      uint64        // of the world
	Began     time.Time     // by the clock of the world
	BlockTime time.Duration // how often the clock adds a block; 0: 5 seconds
	// Record is called for each new block with payments, with the number of empty blocks since the last one. It must
	// not ask the chain for blocks.
	Record func(c *Chain, b Block, empty int)
}

// Set holds the chains of a world. It is safe for concurrent use.
type Set struct {
	config Config

	mu     sync.Mutex
	chains map[string]*Chain // by network; made on first use
}

// NewSet returns the chains of a new world.
func NewSet(c Config) *Set { return &Set{config: c, chains: map[string]*Chain{}} }

// Clone returns independent chains with the same facts.
func (s *Set) Clone(record func(c *Chain, b Block, empty int)) *Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := NewSet(s.config)
	out.config.Record = record
	for network, c := range s.chains {
		out.chains[network] = c.clone(record)
	}
	return out
}

// Find returns the chain of a network.
func (s *Set) Find(network string) (*Chain, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.chains[network]; c != nil {
		return c, nil
	}
	var networks []string
	for _, spec := range s.config.Chains {
		if spec.Network == network {
			c := newChain(spec, s.config.Seed, s.config.Began, s.config.BlockTime)
			c.record = s.config.Record
			s.chains[network] = c
			return c, nil
		}
		networks = append(networks, spec.Network)
	}
	return nil, core.Errorf(core.NotFound, "There is no chain of %s in this sandbox; there are: %s", input.Quoted(network),
		strings.Join(networks, ", "))
}

// All returns the chains of all networks, in the order of the configuration.
func (s *Set) All() []*Chain {
	var out []*Chain
	for _, spec := range s.config.Chains {
		if c, err := s.Find(spec.Network); err == nil {
			out = append(out, c)
		}
	}
	return out
}

// Advance adds the blocks that are due.
func (s *Set) Advance(now time.Time) { s.Changes(now) }

// Changes returns when the clock adds the next block to each chain that does not sleep.
func (s *Set) Changes(now time.Time) (all []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.chains {
		all = append(all, c.Next(now))
	}
	return all
}
