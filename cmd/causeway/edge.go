package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"causeway/adapters/gcra"
	"causeway/adapters/httpapi"
	"causeway/adapters/keyring"
	"causeway/config"
	"causeway/core"
	"causeway/simulator"
)

// newKeys opens the keys of callers.
func newKeys(cfg config.Config, log *zap.Logger) (*keyring.Ring, error) {
	return keyring.Open(cfg.Auth.KeyFile, cfg.Auth.Keys, time.Now, func(err error) {
		log.Error("the file of keys is not in order; the keys stay as they were", zap.Error(err))
	})
}

// newAPI makes the public API of the cores.
func newAPI(
	cfg config.Config, c cores, keys *keyring.Ring, worlds *simulator.Worlds, log *zap.Logger, reg prometheus.Registerer, clock core.Clock, entropy core.Entropy,
) (*httpapi.API, error) {
	proxies, err := cfg.Proxies()
	if err != nil {
		return nil, err
	}
	limits := httpapi.Limits{Default: cfg.Limits.Default, Operations: cfg.Limits.Operations, Limiter: gcra.New(time.Now)}
	var home httpapi.Seams
	if worlds != nil {
		world, err := worlds.Find(simulator.DefaultWorld)
		if err != nil {
			return nil, err
		}
		home = seamsOf(world) // a sandbox tells its limits, and counts them where a world asks for it
	}
	return httpapi.New(httpapi.Config{
		Version: version, Sandbox: cfg.Mode == config.Sandbox, CORSOrigins: cfg.API.CORSOrigins, TrustedProxies: proxies,
		Auth: httpapi.Auth{Operations: cfg.KeyedOperations(), Keys: keys}, Limits: limits, Home: home, Stopwatch: time.Now,
	}, httpapi.Services{
		Pairs: c.Pairs, Banks: c.Banks, Recipients: c.Recipients, Addresses: c.Addresses,
		Currencies: c.Catalog.Currencies, Countries: c.Catalog.Countries,
	}, log, reg, clock, entropy)
}
