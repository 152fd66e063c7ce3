package app

import (
	"net/http"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/memory"
	"causeway/adapters/storage"
	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/simulator/accounts"
	"causeway/simulator/market"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// NewWorlds makes the registry of simulated worlds, with the world "default" in it.
func NewWorlds(cfg config.Config, catalog config.Catalog) (*world.Registry, error) {
	return world.NewRegistry(world.RegistryConfig{
		Clock: time.Now, Chains: catalog.Chains, Banks: slices.Concat(catalog.Banks, accounts.MagicBanks(catalog.Countries)),
		Providers: wire.Offers(), Order: cfg.RecipientSettings().Order,
		Default: world.Options{Seed: cfg.Simulator.Seed}, Idle: cfg.Simulator.Idle,
		Secret: func(text string, prose bool) bool { // journals must not record secret keys and phrases
			if prose {
				return addresses.SecretInProse(text)
			}
			return addresses.Secret(text)
		},
	})
}

// worldEnvironment returns the environment of one simulated world.
func worldEnvironment(w *world.World, catalog config.Catalog) Environment {
	stores := storesOf(w)
	env := Environment{
		Transport: wire.New(w), Clock: w.Now, Entropy: w.Entropy,
		History:      storage.NewHistory(nil, simulatedPast(w), nil, nil),
		Banks:        accounts.MagicBanks(catalog.Countries),
		Seed:         w.Options().Seed,
		TestNetworks: !w.Options().MainnetOnly,
		Deposits:     stores.deposits,
		Transactions: stores.transactions,
		Unlimited:    true, // simulated providers count no calls, and the clock of a world may run ahead
	}
	if w.Options().MagicPairs {
		env.Listings = market.MagicListings()
	}
	return env
}

// worldStores keep what users of a simulated world received.
type worldStores struct {
	deposits     *memory.Deposits
	transactions *memory.Transactions
}

func storesOf(w *world.World) *worldStores {
	return world.Attach(w, func() *worldStores {
		return &worldStores{memory.NewDeposits(w.Now), memory.NewTransactions()}
	})
}

// Forked gives a fork of a world copies of the stores.
func (s *sandbox) Forked(origin, fork *world.World) {
	world.Attach(fork, func() *worldStores {
		stores := storesOf(origin)
		return &worldStores{stores.deposits.Clone(fork.Now), stores.transactions.Clone()}
	})
}

// simulatedPast returns the past prices of a world. It knows no future prices.
func simulatedPast(w *world.World) storage.Backfill {
	return func(pair core.Pair, at time.Time) (decimal.Decimal, bool) {
		price, known := w.Market().Reference(pair, at)
		return price, known && !at.After(w.Now())
	}
}

// currentDefault is the world "default" as it is now. The process fetches bank lists from it for
// all worlds, so the transport and the clock that fetch them must follow a reset.
type currentDefault struct{ worlds *world.Registry }

func (c currentDefault) world() *world.World {
	w, _ := c.worlds.Find(world.Default) // it never ends
	return w
}

// RoundTrip sends a request to the simulated providers of the world.
func (c currentDefault) RoundTrip(r *http.Request) (*http.Response, error) {
	return wire.New(c.world()).RoundTrip(r)
}

// newDefaultEnvironment returns the environment of the world "default", which follows its resets.
func newDefaultEnvironment(worlds *world.Registry, catalog config.Catalog) Environment {
	current := currentDefault{worlds}
	env := worldEnvironment(current.world(), catalog)
	env.Transport, env.Clock = current, func() time.Time { return current.world().Now() }
	return env
}
