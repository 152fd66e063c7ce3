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
)

// newKeys opens the keys of callers.
func newKeys(cfg config.Config, log *zap.Logger) (*keyring.Ring, error) {
	return keyring.Open(cfg.Auth.KeyFile, cfg.Auth.Keys, time.Now, func(err error) {
		log.Error("the file of keys is not in order; the keys stay as they were", zap.Error(err))
	})
}

// newAPI makes the public API of the cores.
func newAPI(
	cfg config.Config, c cores, keys *keyring.Ring, log *zap.Logger, reg prometheus.Registerer, clock core.Clock, entropy core.Entropy,
) (*httpapi.API, error) {
	proxies, err := cfg.Proxies()
	if err != nil {
		return nil, err
	}
	limits := httpapi.Limits{Default: cfg.Limits.Default, Operations: cfg.Limits.Operations}
	if cfg.Mode == config.Production { // a sandbox tells its limits and counts nothing
		limits.Limiter = gcra.New(time.Now)
	}
	return httpapi.New(httpapi.Config{
		Version: version, Sandbox: cfg.Mode == config.Sandbox, CORSOrigins: cfg.API.CORSOrigins, TrustedProxies: proxies,
		Auth: httpapi.Auth{Operations: cfg.KeyedOperations(), Keys: keys}, Limits: limits, Stopwatch: time.Now,
	}, httpapi.Services{
		Pairs: c.Pairs, Banks: c.Banks, Recipients: c.Recipients, Addresses: c.Addresses,
		Currencies: c.Catalog.Currencies, Countries: c.Catalog.Countries,
	}, log, reg, clock, entropy)
}
