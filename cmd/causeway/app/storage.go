package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/gcra"
	"causeway/adapters/redis"
	"causeway/adapters/storage"
	"causeway/cmd/causeway/server"
	"causeway/config"
	"causeway/ports"
)

// stores provides the API keys, the price history and the rate limiter, and the database and Redis if
// they are configured. A sandbox shares nothing with other processes.
func stores(cfg config.Config) fx.Option {
	parts := []any{newKeyRing, newHistory, newLimiter}
	if cfg.Database().Enabled() {
		parts = append(parts, openStore)
	}
	if cfg.Redis.URL != "" && cfg.Mode == config.Production {
		parts = append(parts, newRedis)
	}
	return fx.Module("storage", fx.Provide(parts...))
}

// configured are the stores that a process has if it is configured so. The others are nil.
type configured struct {
	fx.In

	Store *storage.Store `optional:"true"`
	Redis *redis.Client  `optional:"true"`
}

// openTimeout bounds the wait for a PostgreSQL server, or a file system, that does not answer. A busy disk may take
// several seconds for the first tables of a SQLite file.
const openTimeout = 15 * time.Second

// openStore opens the database until the process stops.
func openStore(life fx.Lifecycle, cfg config.Config) (*storage.Store, error) {
	ctx, cancel := context.WithTimeout(context.Background(), openTimeout)
	defer cancel()
	store, err := storage.Open(ctx, cfg.Database())
	if err == nil {
		life.Append(fx.StopHook(store.Close))
	}
	return store, err
}

func newKeyRing(
	cfg config.Config, stores configured, log *zap.Logger, reg prometheus.Registerer,
) *storage.KeyRing {
	return storage.NewKeyRing(stores.Store, cfg.Auth.Keys, log.Named("keys"), reg)
}

// newHistory makes the history of production. The worlds of a sandbox have histories of their own.
func newHistory(
	cfg config.Config, stores configured, log *zap.Logger, reg prometheus.Registerer,
) (*storage.History, ports.RateHistory) {
	if cfg.Mode == config.Sandbox {
		stores.Store = nil
	}
	history := storage.NewHistory(stores.Store, nil, log.Named("history"), reg)
	return history, history
}

// newRedis connects to the server that replicas share. Its background work ends after the work of the
// process, because the price leader resigns through Redis.
func newRedis(life fx.Lifecycle, cfg config.Config, log *zap.Logger, reg prometheus.Registerer) (*redis.Client, error) {
	client, err := redis.Open(cfg.Redis, log, reg)
	if err == nil {
		server.NewBackground(life, log).Run(client.Run)
	}
	return client, err
}

// newLimiter makes the rate limiter of the public API. With Redis, limits hold for all replicas
// together.
func newLimiter(cfg config.Config, stores configured) ports.RateLimiter {
	local := gcra.New(time.Now)
	if stores.Redis == nil {
		return local
	}
	return redis.NewLimiter(stores.Redis, local, cfg.Privacy.HashKey)
}

// warnWithoutKeys warns if operations need a key and no caller has one.
func warnWithoutKeys(cfg config.Config, keys *storage.KeyRing, log *zap.Logger) {
	operations := cfg.KeyedOperations()
	if cfg.Mode == config.Production && len(operations) > 0 && keys.Len() == 0 && len(cfg.Auth.Keys) == 0 {
		log.Warn("no API key is known, so operations that need one refuse all requests; run causeway keys create",
			zap.Strings("operations", operations))
	}
}
