package app

import (
	"errors"
	"io"
	"time"

	"causeway/adapters/providers"
	"causeway/adapters/upstream"
	"causeway/config"
	"causeway/ports"
	"causeway/simulator/wire"
)

// Providers are the clients of all upstream providers of one world, by what they can do.
type Providers struct {
	Directories []ports.BankDirectory
	Resolvers   []ports.AccountResolver
	Confirmers  []ports.AccountConfirmer
	Sources     []ports.RateSource
}

// newProviders makes a client of every provider. The error names every provider whose settings are
// wrong.
func newProviders(cfg config.Config, factory *upstream.Factory) (Providers, error) {
	var (
		p      Providers
		faults []error
	)
	for _, d := range providers.Descriptors {
		clients, err := cfg.Providers[d.Name].Connect(factory)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if clients.Directory != nil {
			p.Directories = append(p.Directories, clients.Directory)
		}
		if clients.Resolver != nil {
			p.Resolvers = append(p.Resolvers, clients.Resolver)
		}
		if clients.Confirmer != nil {
			p.Confirmers = append(p.Confirmers, clients.Confirmer)
		}
		if clients.Rates != nil {
			p.Sources = append(p.Sources, clients.Rates)
		}
	}
	return p, errors.Join(faults...)
}

// Close closes the WebSockets of the rate sources.
func (p Providers) Close() error {
	var faults []error
	for _, source := range p.Sources {
		if c, ok := source.(io.Closer); ok {
			faults = append(faults, c.Close())
		}
	}
	return errors.Join(faults...)
}

// SandboxSettings replaces the settings of all providers: a sandbox has simulated accounts at all
// of them, and no real key or address enters it. Requests are retried without a wait, which would
// take real time where the clock of a world does not move.
func SandboxSettings(cfg config.Config) config.Config {
	cfg, err := cfg.WithProviders(wire.Credentials())
	if err != nil {
		panic(err) // the simulator has credentials for settings that do not exist
	}
	cfg.Upstream.RetryDelay = time.Nanosecond
	cfg.Upstream.Serial = true // the responses of a world replay only if requests come in order
	return cfg
}

// defaultSettings are SandboxSettings for the world "default", whose breakers never open: magic
// account numbers make providers fail on purpose, and everybody shares that world.
func defaultSettings(cfg config.Config) config.Config {
	cfg = SandboxSettings(cfg)
	cfg.Upstream.NoBreaker = true
	return cfg
}
