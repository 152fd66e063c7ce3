package app

import (
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/storage"
	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/simulator"
	"causeway/simulator/wire"
)

// NewWorlds makes the registry of simulated worlds, with the world "default" in it.
func NewWorlds(cfg config.Config, catalog config.Catalog) (*simulator.Worlds, error) {
	return simulator.NewWorlds(simulator.Shared{
		Clock: time.Now, Banks: slices.Concat(catalog.Banks, simulator.Banks(catalog.Countries)), Offers: wire.Offers(),
		Order:   cfg.ResolutionSettings().Order,
		Default: simulator.Options{Seed: cfg.Simulator.Seed}, Idle: cfg.Simulator.Idle, KeepRequests: true,
		Secret: func(text string, prose bool) bool { // journals must not record secret keys and phrases
			if prose {
				return addresses.SecretInProse(text)
			}
			return addresses.Secret(text)
		},
	})
}

// worldEnvironment returns the environment of one simulated world.
func worldEnvironment(world *simulator.World, catalog config.Catalog) Environment {
	env := Environment{
		Transport: wire.New(world), Clock: world.Now, Entropy: world.Entropy,
		History:      storage.NewHistory(nil, simulatedPast(world), nil, nil),
		Banks:        simulator.Banks(catalog.Countries),
		Seed:         world.Options().Seed,
		TestNetworks: !world.Options().MainnetOnly,
		Unlimited:    true, // simulated providers count no calls, and the clock of a world may run ahead
	}
	if world.Options().MagicPairs {
		magic := simulator.MagicListings()
		env.Listings = config.Catalog{
			Currencies: magic.Currencies, MarketClasses: magic.MarketClasses, Markets: magic.Markets,
			ListingClasses: magic.ListingClasses, Listings: magic.Listings,
		}
	}
	return env
}

// simulatedPast returns the past prices of a world. It knows no future prices.
func simulatedPast(world *simulator.World) storage.Backfill {
	return func(pair core.Pair, at time.Time) (decimal.Decimal, bool) {
		price, known := world.Market().Reference(pair, at)
		return decimalOf(price), known && !at.After(world.Now())
	}
}

func decimalOf(a simulator.Amount) decimal.Decimal {
	return decimal.NewFromUint64(a.Units).Shift(-int32(a.Places)) //nolint:gosec // few digits
}

// currentDefault is the world "default" as it is now. The process fetches bank lists from it for
// all worlds, so the transport and the clock that fetch them must follow a reset.
type currentDefault struct{ atomic.Pointer[simulatedWire] }

// simulatedWire is a world with its providers.
type simulatedWire struct {
	*wire.Wire
	world *simulator.World
}

// newCurrentDefault returns the first world "default".
func newCurrentDefault(worlds *simulator.Worlds) (*currentDefault, error) {
	world, err := worlds.Find(simulator.DefaultWorld)
	if err != nil {
		return nil, err
	}
	c := &currentDefault{}
	c.set(world)
	return c, nil
}

func (c *currentDefault) set(w *simulator.World) { c.Store(&simulatedWire{wire.New(w), w}) }

// RoundTrip sends a request to the simulated providers of the world.
func (c *currentDefault) RoundTrip(r *http.Request) (*http.Response, error) {
	return c.Load().RoundTrip(r)
}

// newDefaultEnvironment returns the environment of the world "default", which follows its resets.
func newDefaultEnvironment(c *currentDefault, catalog config.Catalog) Environment {
	env := worldEnvironment(c.Load().world, catalog)
	env.Transport, env.Clock = c, func() time.Time { return c.Load().world.Now() }
	return env
}
