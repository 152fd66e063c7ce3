// Package world puts a simulated world together: a market, accounts, faults, a journal and a clock, all derived
// from one seed. A Registry holds the worlds of a sandbox.
//
// A response is a function of the seed, the settings, the request and the clock. Nothing runs in the background,
// and all computations use integers, so the same world gives the same bytes on every architecture.
//
// The simulator imports the nouns of core and nothing else of the service. Production must never serve its
// names and prices.
package world

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/chain"
	"causeway/simulator/faults"
	"causeway/simulator/journal"
	"causeway/simulator/market"
	"causeway/simulator/receivers"
	"causeway/simulator/seed"
)

// ProviderOrder returns the providers that resolve accounts of a country on a channel, in their order. Some magic
// numbers fail at the first provider only.
type ProviderOrder func(country string, channel core.Channel) []string

// World is one simulated world, until it is reset or ends. It is safe for concurrent use. Worlds share the tables
// of the market and the institutions, so an unused world takes a few KiB.
type World struct {
	options   Options
	origin    Options // of Origin
	seed      uint64
	shared    *shared
	clock     atomic.Pointer[clock]
	market    *market.Market
	faults    *faults.Set
	accounts  *accounts.Store
	chains    *chain.Set
	queue     *accounts.Queue
	journal   *journal.Journal
	receivers *receivers.Set
	entropy   atomic.Uint64 // draws so far
	forced    atomic.Uint64 // requests so far whose outcome was requested

	moving   chan struct{} // capacity 1: full while the clock is moved
	mu       sync.Mutex
	hooks    []func(ctx context.Context, now time.Time) error // of OnAdvance
	playing  []Playing
	attached sync.Map // of Attach

	born  time.Time       // by the clock of the machine, as is used
	used  atomic.Int64    // last use, in nanoseconds since 1970
	held  atomic.Int64    // requests in progress
	alive context.Context //nolint:containedctx // of the world, not of a request
	end   context.CancelFunc
}

// shared is what all worlds of a registry have in common.
type shared struct {
	config    RegistryConfig
	directory *accounts.Directory
	dataset   func() string
}

func newShared(c RegistryConfig) (*shared, error) {
	directory, err := accounts.NewDirectory(c.Banks)
	if err != nil {
		return nil, fmt.Errorf("simulator: %w", err)
	}
	s := &shared{config: c, directory: directory}
	s.dataset = sync.OnceValue(func() string {
		h := sha256.New()
		_, _ = h.Write(market.Fingerprint())
		_, _ = h.Write(accounts.Fingerprint())
		_ = json.NewEncoder(h).Encode(directory.Banks())
		return market.Version + "-" + hex.EncodeToString(h.Sum(nil)[:8])
	})
	return s, nil
}

// New returns the world "default" of a new registry, for tests.
func New(c RegistryConfig) (*World, error) {
	r, err := NewRegistry(c)
	if err != nil {
		return nil, err
	}
	return r.Find(Default)
}

func newWorld(s *shared, o Options) *World {
	o.Seed = cmp.Or(o.Seed, o.ID)
	worldSeed := seed.Hash(o.Seed)
	w := &World{
		options: o, seed: worldSeed, shared: s, faults: faults.NewSet(worldSeed, s.config.Providers),
		accounts: accounts.NewStore(worldSeed, s.directory), queue: accounts.NewQueue(),
		moving: make(chan struct{}, 1), born: s.config.Clock(),
	}
	w.alive, w.end = context.WithCancel(context.Background())
	w.touch()
	w.startClock(o.Clock.apply(ClockState{Now: w.born, Rate: 1}))
	began := w.clock.Load().ClockState
	w.origin = o
	if w.origin.Clock = (ClockSetting{Now: &began.Now, Frozen: &began.Frozen}); !began.Frozen {
		w.origin.Clock.Rate = &began.Rate
	}
	w.market = market.New(worldSeed, o.MagicPairs, began.Now)
	w.journal = journal.New(journal.Config{World: o.ID, Clock: w.Now, Stopwatch: s.config.Clock, Secret: s.config.Secret})
	w.chains = chain.NewSet(chain.Config{
		Chains: s.config.Chains, Seed: worldSeed, Began: began.Now, BlockTime: time.Duration(o.BlockTime),
		Record: w.recordBlock,
	})
	w.receivers = w.newReceivers()
	return w
}

func (w *World) newReceivers() *receivers.Set {
	return receivers.NewSet(receivers.Config{
		Faults: w.faults, Clock: w.Now, Machine: w.shared.config.Clock, Record: w.recordWebhook,
	})
}

// continueFrom brings a new world into the state of another one.
func (w *World) continueFrom(origin *World) {
	w.origin = origin.origin
	w.clock.Store(origin.clock.Load())
	w.entropy.Store(origin.entropy.Load())
	w.market = origin.market.Clone(w.Now())
	w.faults, w.accounts, w.queue = origin.faults.Clone(), origin.accounts.Clone(), origin.queue.Clone()
	w.chains = origin.chains.Clone(w.recordBlock)
	w.receivers = w.newReceivers() // a fork sends nothing to the receivers of its origin
	w.playing = origin.Playing()
	body, _ := json.Marshal(map[string]string{"id": w.ID()}) // a text
	w.journal.Continue(origin.journal, journal.Sent{
		At: w.Now(), Control: true, Method: http.MethodPost, Path: "/_sim/v1/worlds/" + url.PathEscape(origin.ID()) + "/fork",
		Headers: []journal.Field{}, Body: string(body), Answer: journal.Outcome{Status: http.StatusCreated},
	})
}

// recordBlock adds a block with payments to the journal.
func (w *World) recordBlock(c *chain.Chain, b chain.Block, empty int) {
	entry := journal.Block{Network: c.Network, Height: b.Height, Hash: c.Text(b.Hash), Empty: empty}
	for _, t := range b.Transactions {
		if t.Paid {
			entry.Transactions = append(entry.Transactions, c.Text(t.Hash))
		}
	}
	w.journal.AddBlock(b.Time, entry)
}

// recordWebhook adds a webhook to the journal.
func (w *World) recordWebhook(m receivers.Message) {
	w.journal.AddWebhook(journal.Webhook{
		Receiver: m.Receiver, Event: m.Event, Type: m.Type, Status: m.Status, Fault: m.Fault, Effect: string(m.Effect),
	})
}

// ID returns the name of the world.
func (w *World) ID() string { return w.options.ID }

// Options returns the options with which the world was created, with its seed.
func (w *World) Options() Options { return w.options }

// Origin returns the options that create the world again as it began, with its seed and clock. A fork has the
// origin of the world that it copies: the journal leads from there to the fork.
func (w *World) Origin() Options { return w.origin }

// Alive returns a context that ends with the world.
func (w *World) Alive() context.Context { return w.alive }

// Market returns the market of the world.
func (w *World) Market() *market.Market { return w.market }

// Faults returns the fault rules of the world.
func (w *World) Faults() *faults.Set { return w.faults }

// Accounts returns the accounts of the world.
func (w *World) Accounts() *accounts.Store { return w.accounts }

// Chains returns the blockchains of the world.
func (w *World) Chains() *chain.Set { return w.chains }

// Receivers returns the receivers of the events of the world.
func (w *World) Receivers() *receivers.Set { return w.receivers }

// Queue returns the queued outcomes of the world.
func (w *World) Queue() *accounts.Queue { return w.queue }

// Journal returns the journal of the world.
func (w *World) Journal() *journal.Journal { return w.journal }

// Banks returns the institutions that the providers of the world know, by country and code. Callers
// must not change them.
func (w *World) Banks() []core.Bank { return w.shared.directory.Banks() }

// Entropy returns the next 64 bits of a sequence that the seed decides.
func (w *World) Entropy() uint64 {
	return seed.Mix(w.seed ^ seed.Mix(w.entropy.Add(1)))
}

// Born returns when the world was created, by the clock of the machine.
func (w *World) Born() time.Time { return w.born }

// Used returns when the world was last used, by the clock of the machine.
func (w *World) Used() time.Time { return time.Unix(0, w.used.Load()).UTC() }

func (w *World) touch() { w.used.Store(w.shared.config.Clock().UnixNano()) }

// Attach returns the value of a type that belongs to a world. The first call makes it.
func Attach[T any](w *World, make func() T) T {
	f, ok := w.attached.Load((*T)(nil))
	if !ok {
		f, _ = w.attached.LoadOrStore((*T)(nil), sync.OnceValue(make))
	}
	return f.(func() T)() //nolint:forcetypeassert // the key decides the type
}
