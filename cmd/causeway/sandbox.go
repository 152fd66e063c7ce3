package main

import (
	"slices"
	"time"

	"causeway/adapters/openexchangerates"
	"causeway/adapters/paystack"
	"causeway/config"
	"causeway/core"
	"causeway/simulator"
	"causeway/simulator/wire"
)

// simulatedKey is shaped as Paystack's test keys are. The simulated providers ask for keys, as the real ones do.
const simulatedKey core.Secret = "sk_test_simulated"

// simulated is the outside world of a sandbox: the providers' wire in process, the world's clock and entropy, and
// the magic institutions.
func simulated(cfg config.Config, catalog config.Catalog) (surroundings, error) {
	magic := simulator.Banks(catalog.Countries)
	world, err := simulator.New(cfg.Simulator, time.Now, slices.Concat(catalog.Banks, magic))
	if err != nil {
		return surroundings{}, err
	}
	return surroundings{Transport: wire.New(world), Clock: world.Now, Entropy: world.Entropy, Banks: magic}, nil
}

// simulatedKeys replaces whatever keys and addresses were configured: a sandbox has accounts at all of its
// providers, and a real key never enters it.
func simulatedKeys(p paystack.Config, o openexchangerates.Config) (paystack.Config, openexchangerates.Config) {
	p.BaseURL, p.Keys = "", map[string]core.Secret{"NG": simulatedKey, "GH": simulatedKey, "KE": simulatedKey, "ZA": simulatedKey}
	o.BaseURL, o.AppID = "", wire.AppID
	return p, o
}
