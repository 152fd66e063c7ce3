package app

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/adapters/keyring"
	"causeway/config"
	"causeway/ports"
	"causeway/simulator"
	"causeway/simulator/edge"
)

// public provides the public API.
var public = fx.Module("public", fx.Provide(newShared, newLimiter, newAPI))

// newAPI makes the public API of the default world.
func newAPI(
	cfg config.Config, home *defaultWorld, keys *keyring.Ring, limiter ports.RateLimiter, worlds *simulator.Worlds, version Version,
	log *zap.Logger, reg prometheus.Registerer,
) (*httpapi.API, error) {
	proxies, err := cfg.Proxies()
	if err != nil {
		return nil, err
	}
	limits := httpapi.Limits{Default: cfg.Limits.Default, Operations: cfg.Limits.Operations, Limiter: limiter}
	var seams httpapi.Seams
	if worlds != nil {
		world, err := worlds.Find(simulator.DefaultWorld)
		if err != nil {
			return nil, err
		}
		seams = worldSeams(world)
	}
	w := home.services.Load()
	return httpapi.New(httpapi.Config{
		Front:   frontOf(cfg),
		Version: string(version), Sandbox: cfg.Mode == config.Sandbox, CORSOrigins: cfg.API.CORSOrigins, TrustedProxies: proxies,
		Auth: httpapi.Auth{Operations: cfg.KeyedOperations(), Keys: keys}, Limits: limits, Home: seams, Stopwatch: time.Now,
		BodyTimeout: cfg.Server.BodyTimeout, Strict: cfg.TLS.On(),
		Crowd: httpapi.Crowd{Requests: cfg.Server.MaxInFlight, RequestsPerAddress: cfg.Server.MaxInFlightPerAddress, Streams: cfg.Server.MaxStreams, StreamsPerCaller: cfg.Server.MaxStreamsPerCaller},
	}, httpapi.Services{
		Pairs: w.Pairs, Banks: w.Banks, Recipients: w.Recipients, Addresses: w.Addresses,
		Currencies: w.Catalog.Currencies, Countries: w.Catalog.Countries,
	}, log, reg, w.Environment.Clock, w.Environment.Entropy)
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
