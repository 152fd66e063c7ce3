// Package transactions finds the transfers to deposit addresses in the blocks of networks.
//
// A block holds transfers. A transaction is a transfer to the address of a user, with a status. A
// balance is the sum of a user's transactions in a currency.
//
// Sync reads the blocks of a network in order, each after its parent. If the network replaces blocks,
// Sync goes back to the last block that both forks have, and takes back what the others held. Every
// block is read twice: at the head, and again from every back end once it is confirmed. Only if all
// of them show the same transfers, the transactions of the block are completed.
//
// Several processes may run: a lease in the database chooses which of them reads a network, and
// every batch is stored whole or not at all. A process that reads no network answers requests.
package transactions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Owners finds the users of addresses.
type Owners interface {
	// Match returns what is known about each address of a network, in the same order. An address of a
	// user was derived again and compared.
	Match(ctx context.Context, network string, addresses []core.DepositAddress) ([]core.DepositMatch, error)
}

// Config configures a Service.
type Config struct {
	Chains   []core.Chain             // the catalog
	Backends map[string][]ports.Chain // by network; the first that answers reads, and all of them verify
	Store    ports.TransactionStore
	Owners   Owners
	Clock    core.Clock
	// Holder names the process. A process with the name of an earlier one continues its work at once.
	// Running processes need different names: otherwise each new one takes the lease from the one before.
	Holder string
	// Serial says that the world is simulated: requests are sent one after the other, in a fixed order,
	// and networks may have no new block for long.
	Serial bool
	Events Events
}

// Events are called when something happens. They disclose no user, address, memo or hash. All fields
// are optional.
type Events struct {
	// Read reports that blocks up to a height are stored, how many transfers to our addresses they hold,
	// and the height of the newest block of the network.
	Read func(network string, height, head int64, transfers int)
	// Unassigned reports a transfer to one of our addresses that is credited to no user, when its block is
	// read first.
	Unassigned func(network string, reason core.Unassigned)
	// FoundLate reports transfers that the first reading of a block did not show.
	FoundLate func(network string, height int64, transfers int)
	// Settled reports transactions that were completed, or that failed because the network dropped them.
	Settled func(network string, completed, dropped int)
	// Reorganized reports how many of the last blocks the network replaced, how many transactions are
	// pending because of it, and how many of these were completed and their credit was taken back.
	Reorganized func(network string, depth int64, undone, takenBack int)
	// Disagreement reports, once for each height and back end, that a back end does not show a block as it
	// was stored or as another back end does. No transaction from this height on is completed.
	Disagreement func(network, backend string, height int64)
	// Stopped reports that no block is read until an operator resumes the network.
	Stopped func(network, reason string)
	// Backend reports that a back end cannot be used, or, without an error, that it can again.
	Backend func(name string, err error)
	// Unpruned reports that old events could not be removed.
	Unpruned func(err error)
	// Synced reports the result of each Sync of Run.
	Synced func(network string, err error)
}

func (e Events) complete() Events {
	if e.Read == nil {
		e.Read = func(string, int64, int64, int) {}
	}
	if e.Unassigned == nil {
		e.Unassigned = func(string, core.Unassigned) {}
	}
	if e.FoundLate == nil {
		e.FoundLate = func(string, int64, int) {}
	}
	if e.Settled == nil {
		e.Settled = func(string, int, int) {}
	}
	if e.Reorganized == nil {
		e.Reorganized = func(string, int64, int, int) {}
	}
	if e.Disagreement == nil {
		e.Disagreement = func(string, string, int64) {}
	}
	if e.Stopped == nil {
		e.Stopped = func(string, string) {}
	}
	if e.Backend == nil {
		e.Backend = func(string, error) {}
	}
	if e.Unpruned == nil {
		e.Unpruned = func(error) {}
	}
	if e.Synced == nil {
		e.Synced = func(string, error) {}
	}
	return e
}

// Service finds and keeps transactions. It is safe for concurrent use.
type Service struct {
	chains   map[string]core.Chain // the catalog, by network
	networks map[string]*network   // read here
	store    ports.TransactionStore
	log      ports.EventStore // of the store
	owners   Owners
	clock    core.Clock
	holder   string
	width    int64 // blocks that are requested at once
	awake    bool  // networks always have new blocks
	events   Events
}

// network is a network whose blocks are read here.
type network struct {
	core.Chain

	backends []*backend
	first    atomic.Pointer[time.Time] // Sync of this process; nil: none yet

	turn    chan struct{} // held while a Sync runs, which owns differs and settled
	differs difference    // that was reported last
	settled bool          // pending transactions were looked at since the lease is held

	mu    sync.Mutex // guards lease: Sync and the heartbeat of Run write
	lease lease
}

// New makes a service. It reads nothing yet.
func New(cfg Config) (*Service, error) {
	const width = 8
	s := &Service{
		chains: map[string]core.Chain{}, networks: map[string]*network{}, store: cfg.Store, log: cfg.Store.Events(),
		owners: cfg.Owners, clock: cfg.Clock, holder: cfg.Holder, width: width, awake: !cfg.Serial,
		events: cfg.Events.complete(),
	}
	if cfg.Serial {
		s.width = 1
	}
	for _, c := range cfg.Chains {
		s.chains[c.Network] = c
	}
	var faults []error
	for _, code := range slices.Sorted(maps.Keys(cfg.Backends)) {
		n := &network{Chain: s.chains[code], turn: make(chan struct{}, 1)}
		for _, b := range cfg.Backends[code] {
			n.backends = append(n.backends, &backend{Chain: b})
		}
		switch {
		case n.Network == "":
			faults = append(faults, fmt.Errorf("%s is not in the catalog of chains", core.Quoted(code)))
		case n.Confirmations < 1 && !n.Finality:
			faults = append(faults, fmt.Errorf("%s has no number of confirmations and no finality", code))
		case len(n.backends) > 0:
			s.networks[code] = n
		}
	}
	return s, errors.Join(faults...)
}

// Networks returns the codes of the networks that are read here, sorted.
func (s *Service) Networks() []string { return slices.Sorted(maps.Keys(s.networks)) }

// Chain returns a network of the catalog, whether it is read here or not.
func (s *Service) Chain(network string) (core.Chain, bool) {
	c, ok := s.chains[network]
	return c, ok
}

// Detects reports whether deposits of a currency on a network are detected.
func (s *Service) Detects(currency, network string) bool {
	n := s.networks[network]
	if n == nil {
		return false
	}
	_, ok := n.AssetOf(currency)
	return ok
}

// network returns a network that is read here.
func (s *Service) network(code string) (*network, error) {
	n := s.networks[code]
	if n == nil {
		return nil, core.Errorf(core.NotFound, "The blocks of %s are not read here", core.Quoted(code))
	}
	return n, nil
}
