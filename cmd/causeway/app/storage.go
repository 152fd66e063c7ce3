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
	"causeway/config"
	"causeway/ports"
)

// stores provides the database with the API keys and the price history, and what replicas share
// through Redis.
var stores = fx.Module("storage", fx.Provide(openStore, newKeyRing, newHistory, newRedis, newLimiter))

// openTimeout bounds the wait for a PostgreSQL server, or a file system, that does not answer.
const openTimeout = 5 * time.Second

// openStore opens the database until the process stops. It returns nil if none is configured.
func openStore(life fx.Lifecycle, cfg config.Config) (*storage.Store, error) {
	var store *storage.Store
	if !cfg.Database().Enabled() {
		return store, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), openTimeout)
	defer cancel()
	store, err := storage.Open(ctx, cfg.Database())
	if err == nil {
		life.Append(fx.StopHook(store.Close))
	}
	return store, err
}

func newKeyRing(
	cfg config.Config, store *storage.Store, log *zap.Logger, reg prometheus.Registerer,
) *storage.KeyRing {
	return storage.NewKeyRing(store, cfg.Auth.Keys, log.Named("keys"), reg)
}

// newHistory makes the history of production. The worlds of a sandbox have histories of their own.
func newHistory(
	cfg config.Config, store *storage.Store, log *zap.Logger, reg prometheus.Registerer,
) (*storage.History, ports.RateHistory) {
	if cfg.Mode == config.Sandbox {
		store = nil
	}
	history := storage.NewHistory(store, nil, log.Named("history"), reg)
	return history, history
}

// newRedis connects to the server that replicas share. It returns nil if none is configured, and in
// a sandbox, which shares nothing.
func newRedis(cfg config.Config, log *zap.Logger, reg prometheus.Registerer) (*redis.Client, error) {
	var client *redis.Client
	if cfg.Redis.URL == "" || cfg.Mode == config.Sandbox {
		return client, nil
	}
	return redis.Open(cfg.Redis, log, reg)
}

// newLimiter makes the rate limiter of the public API. With Redis, limits hold for all replicas
// together.
func newLimiter(cfg config.Config, client *redis.Client) ports.RateLimiter {
	local := gcra.New(time.Now)
	if client == nil {
		return local
	}
	return redis.NewLimiter(client, local, cfg.Privacy.HashKey)
}

// warnWithoutKeys warns if operations need a key and no caller has one.
func warnWithoutKeys(cfg config.Config, keys *storage.KeyRing, log *zap.Logger) {
	operations := cfg.KeyedOperations()
	if cfg.Mode == config.Production && len(operations) > 0 && keys.Len() == 0 && len(cfg.Auth.Keys) == 0 {
		log.Warn("no API key is known, so operations that need one refuse all requests; run causeway keys create",
			zap.Strings("operations", operations))
	}
}
