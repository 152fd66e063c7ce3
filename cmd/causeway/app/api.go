package app

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/gcra"
	"causeway/adapters/httpapi"
	"causeway/adapters/storage"
	"causeway/cmd/causeway/server"
	"causeway/config"
	"causeway/ports"
	"causeway/simulator/accounts"
	"causeway/simulator/catalog"
	"causeway/simulator/console"
	"causeway/simulator/edge"
	"causeway/simulator/world"
)

// public provides the public API.
var public = fx.Module("public", fx.Provide(newAPI))

// registry is the registry of worlds. Production has none.
type registry struct {
	fx.In

	Worlds *world.Registry `optional:"true"`
}

// newAPI makes the public API of the default world.
func newAPI(
	cfg config.Config, home *defaultWorld, keys *storage.KeyRing, limiter ports.RateLimiter, version Version,
	log *zap.Logger, reg prometheus.Registerer, simulated registry,
) (*httpapi.API, error) {
	proxies, err := cfg.Proxies()
	if err != nil {
		return nil, err
	}
	origins := cfg.API.CORSOrigins
	if cfg.Mode == config.Sandbox && len(origins) == 0 {
		origins = []string{"*"} // web pages of any origin may call a sandbox, which has no real data
	}
	apiConfig := httpapi.Config{
		Version: string(version), Sandbox: cfg.Mode == config.Sandbox,
		CORSOrigins: origins, TrustedProxies: proxies,
		Auth:       httpapi.Auth{Operations: cfg.KeyedOperations(), Keys: keys},
		Limits:     httpapi.Limits{Default: cfg.Limits.Default, Operations: cfg.Limits.Operations},
		BodyBudget: server.BodyBudget(), MaxInFlight: server.InFlightLimit(), MaxStreams: server.StreamLimit(),
		MaxPerClient: cfg.Limits.Share(server.ConnectionLimit()), ClientBodies: cfg.Limits.Share(int(server.BodyBudget())),
		HSTS: cfg.TLS.On(), Now: time.Now, Entropy: SystemEntropy,
	}
	w := home.services.Load()
	apiConfig.Instance = httpapi.InstanceConfig{
		Clock: w.Environment.Clock, Entropy: w.Environment.Entropy, Limiter: limiter,
	}
	if simulated.Worlds != nil {
		sim, err := simulated.Worlds.Find(world.Default)
		if err != nil {
			return nil, err
		}
		apiConfig.Instance = instanceConfig(sim)
		apiConfig.Headers = sandboxHeaders()
		apiConfig.Outcome = requestedError
		apiConfig.Console = Origin(cfg.OperatorListen) + console.Path
	}
	return httpapi.New(apiConfig, apiServices(w), log, reg), nil
}

// apiServices returns the services of a world as the API uses them.
func apiServices(w *WorldServices) httpapi.Services {
	return httpapi.Services{
		Pairs: w.Pairs, Banks: w.Banks, Recipients: w.Recipients, Addresses: w.Addresses,
		Deposits: w.Deposits, Transactions: w.Transactions,
		Currencies: w.Catalog.Currencies, Countries: w.Catalog.Countries,
	}
}

// sandboxHeaders documents the headers of the sandbox middleware.
func sandboxHeaders() httpapi.SandboxHeaders {
	sandbox := httpapi.SandboxHeaders{
		Request: edge.RequestHeaders(), Response: edge.ResponseHeaders(),
		Errors: edge.Errors(), Verdicts: map[string]string{},
	}
	for _, row := range catalog.New().Addresses {
		sandbox.Verdicts[row.Code] = row.Try.Request.Body
	}
	for _, row := range accounts.MagicNumbers() {
		sandbox.Accounts = append(sandbox.Accounts,
			httpapi.MagicAccount{Bank: accounts.MagicBank, Number: "0000000" + row.Suffix, Outcome: row.Title})
	}
	return sandbox
}

// instanceConfig returns what the API takes from a world, which enforces rate limits only if it was
// created so.
func instanceConfig(w *world.World) httpapi.InstanceConfig {
	env := httpapi.InstanceConfig{Clock: w.Now, Entropy: w.Entropy}
	if w.Options().EnforceLimits {
		env.Limiter = gcra.New(w.Now)
	}
	return env
}

// requestedError returns the error that a request's scenario or a fault calls for.
func requestedError(r *http.Request) httpapi.Outcome {
	outcome, _ := world.RequestFrom(r.Context()).Fail()
	return httpapi.Outcome{Error: outcome.Error, Name: outcome.Name, RetryAfter: outcome.RetryAfter}
}
