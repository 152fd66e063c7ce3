package app

import (
	"math"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"causeway/adapters/storage"
	"causeway/adapters/telemetry"
	"causeway/adapters/upstream"
	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/core/recipients"
	"causeway/simulator"
	"causeway/simulator/wire"
)

// NewWorlds makes the registry of simulated worlds, with the world "default" in it.
func NewWorlds(cfg config.Config, catalog config.Catalog) (*simulator.Worlds, error) {
	return simulator.NewWorlds(simulator.Shared{
		Clock: time.Now, Banks: slices.Concat(catalog.Banks, simulator.Banks(catalog.Countries)), Offers: wire.Offers(),
		Order:   cfg.ResolutionSettings().Order,
		Default: simulator.Options{Seed: cfg.Simulator.Seed, EdgeChaos: cfg.Simulator.EdgeChaos},
		Idle:    cfg.Simulator.Idle, KeepRequests: true, Secret: containsSecret,
	})
}

// containsSecret reports whether a text holds a secret key or phrase, which journals must not
// record.
func containsSecret(text string, prose bool) bool {
	if prose {
		return addresses.SecretInProse(text)
	}
	return addresses.Secret(text)
}

// worldEnvironment returns the environment of one simulated world.
func worldEnvironment(world *simulator.World, catalog config.Catalog) Environment {
	env := Environment{
		Transport: wire.New(world), Clock: world.Now, Entropy: world.Entropy,
		History:      storage.NewHistory(nil, simulatedPast(world, catalog), nil, nil),
		Banks:        simulator.Banks(catalog.Countries),
		TestNetworks: !world.Options().MainnetOnly,
		Unlimited:    true, // simulated providers count no calls, and the clock of a world may run ahead
		Frozen:       func() bool { return world.ClockState().Frozen },
		Pinned:       pinnedPrices(world.Market(), world.Now),
		OnTry:        recordTry,
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

// pinnedPrices returns a function that returns the price that a market is pinned to.
func pinnedPrices(m *simulator.Market, now core.Clock) func(core.Pair) (decimal.Decimal, bool) {
	return func(pair core.Pair) (decimal.Decimal, bool) {
		at := now()
		if m.Settings(at)[pair].Pin == "" {
			return decimal.Decimal{}, false
		}
		price, known := m.Reference(pair, at)
		return decimal.NewFromUint64(price.Units).Shift(-int32(price.Places)), known //nolint:gosec // few digits
	}
}

// currentDefault is the world "default" as it is now. The process fetches bank lists from it for
// all worlds, so the transport and the clock that fetch them must follow a reset.
type currentDefault struct{ atomic.Pointer[simulatedWire] }

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

// newDefaultEnvironment returns the environment of the world "default", which follows its resets.
func newDefaultEnvironment(c *currentDefault, catalog config.Catalog) Environment {
	env := worldEnvironment(c.Load().world, catalog)
	env.Transport, env.Clock, env.Frozen = c, c.now, c.frozen
	return env
}

// EnvironmentFor returns the environment of the default world in the mode of a configuration,
// without stored history, and the configuration with the settings of its providers.
func EnvironmentFor(cfg config.Config, catalog config.Catalog) (Environment, config.Config, error) {
	if cfg.Mode == config.Production {
		return NewEnvironment(nil), cfg, nil
	}
	worlds, err := NewWorlds(cfg, catalog)
	if err != nil {
		return Environment{}, cfg, err
	}
	current, err := newCurrentDefault(worlds)
	if err != nil {
		return Environment{}, cfg, err
	}
	return newDefaultEnvironment(current, catalog), defaultSettings(cfg), nil
}

// newSandboxShared is Shared of the world "default". A sandbox shares nothing with other processes.
func newSandboxShared(
	events recipients.Events, audit *auditLog, tracing *telemetry.Tracing, log *zap.Logger, reg prometheus.Registerer,
) Shared {
	return Shared{
		Log: log, Metrics: upstream.NewMetrics(reg), Events: journalEvents(events), Audit: audit.Record, Tracing: tracing,
	}
}

// simulatedWire is a world with its providers.
type simulatedWire struct {
	*wire.Wire
	world *simulator.World
}

func (c *currentDefault) set(w *simulator.World) { c.Store(&simulatedWire{wire.New(w), w}) }

// RoundTrip sends a request to the simulated providers of the world.
func (c *currentDefault) RoundTrip(r *http.Request) (*http.Response, error) {
	return c.Load().RoundTrip(r)
}

func (c *currentDefault) now() time.Time { return c.Load().world.Now() }

func (c *currentDefault) frozen() bool { return c.Load().world.ClockState().Frozen }

// SandboxSettings replaces the settings of all providers: a sandbox has simulated accounts at all
// of them, and no real key or address enters it.
func SandboxSettings(cfg config.Config) config.Config {
	cfg, err := cfg.WithProviders(wire.Credentials())
	if err != nil {
		panic(err) // the simulator has credentials for settings that do not exist
	}
	cfg.Upstream.Serial = true // the responses of a world replay only if requests come in order
	return cfg
}

// defaultSettings are SandboxSettings for the world "default", whose breakers never open: magic
// account numbers make providers fail on purpose, and everybody shares that world.
func defaultSettings(cfg config.Config) config.Config {
	cfg = SandboxSettings(cfg)
	cfg.Upstream.Breaker.MinCalls = math.MaxInt
	return cfg
}
