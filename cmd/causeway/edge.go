package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/adapters/keyring"
	"causeway/config"
	"causeway/core"
	"causeway/ports"
	"causeway/simulator"
	"causeway/simulator/edge"
)

// newAPI makes the public API of the cores.
func newAPI(
	cfg config.Config, c cores, keys *keyring.Ring, limiter ports.RateLimiter, worlds *simulator.Worlds, log *zap.Logger, reg prometheus.Registerer, clock core.Clock, entropy core.Entropy,
) (*httpapi.API, error) {
	proxies, err := cfg.Proxies()
	if err != nil {
		return nil, err
	}
	limits := httpapi.Limits{Default: cfg.Limits.Default, Operations: cfg.Limits.Operations, Limiter: limiter}
	var home httpapi.Seams
	if worlds != nil {
		world, err := worlds.Find(simulator.DefaultWorld)
		if err != nil {
			return nil, err
		}
		home = seamsOf(world) // a sandbox tells its limits, and counts them where a world asks for it
	}
	return httpapi.New(httpapi.Config{
		Front:   frontOf(cfg),
		Version: version, Sandbox: cfg.Mode == config.Sandbox, CORSOrigins: cfg.API.CORSOrigins, TrustedProxies: proxies,
		Auth: httpapi.Auth{Operations: cfg.KeyedOperations(), Keys: keys}, Limits: limits, Home: home, Stopwatch: time.Now,
		BodyTimeout: cfg.Server.BodyTimeout, Strict: cfg.TLS.On(),
		Crowd: httpapi.Crowd{Requests: cfg.Server.MaxInFlight, RequestsPerAddress: cfg.Server.MaxInFlightPerAddress, Streams: cfg.Server.MaxStreams, StreamsPerCaller: cfg.Server.MaxStreamsPerCaller},
	}, httpapi.Services{
		Pairs: c.Pairs, Banks: c.Banks, Recipients: c.Recipients, Addresses: c.Addresses,
		Currencies: c.Catalog.Currencies, Countries: c.Catalog.Countries,
	}, log, reg, clock, entropy)
}

// frontOf are the headers of a sandbox's front door.
func frontOf(cfg config.Config) httpapi.Front {
	if cfg.Mode != config.Sandbox {
		return httpapi.Front{}
	}
	described := func(headers []edge.Header) []httpapi.Header {
		out := make([]httpapi.Header, len(headers))
		for i, h := range headers {
			out[i] = httpapi.Header(h)
		}
		return out
	}
	return httpapi.Front{Asks: described(edge.Asks()), Tells: described(edge.Tells()), Errors: edge.Errors()}
}
