package app

import (
	"math"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
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
		Default: world.Options{Seed: cfg.Simulator.Seed}, Idle: cfg.Simulator.Idle, MaxWorlds: worldLimit(),
		Secret: func(text string, prose bool) bool { // journals must not record secret keys and phrases
			if prose {
				return addresses.SecretInProse(text)
			}
			return addresses.Secret(text)
		},
	})
}

// worldLimit returns how many worlds the memory limit has room for: 204 per GiB, or 1,000 without a limit. A world with
// prices and a full journal takes 2 MiB, and garbage and requests take as much again.
func worldLimit() int {
	const memoryPerWorld, least, most, unlimited = 5 << 20, 20, 10_000, 1_000
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return unlimited
	}
	return int(min(max(limit/memoryPerWorld, least), most))
}

// registerWorlds registers the metrics of the worlds.
func registerWorlds(worlds *world.Registry, reg prometheus.Registerer) {
	auto := promauto.With(reg)
	auto.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "causeway_sandbox_worlds", Help: "Worlds of the sandbox that are alive.",
	}, func() float64 { return float64(worlds.Room().Alive) })
	auto.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "causeway_sandbox_worlds_limit", Help: "Worlds that the memory limit of the process has room for.",
	}, func() float64 { return float64(worlds.Room().Max) })
	auto.NewCounterFunc(prometheus.CounterOpts{
		Name: "causeway_sandbox_worlds_ended_early_total",
		Help: "Worlds that ended to make room for others, the ones that were unused for longest.",
	}, func() float64 { return float64(worlds.Room().Early) })
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
