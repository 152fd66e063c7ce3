package app

import (
	"net"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"causeway/adapters/gcra"
	"causeway/adapters/redis"
	"causeway/config"
	"causeway/ports"
)

// newRedis connects to the server that replicas share. It returns nil if none is configured, and in a sandbox, which
// shares nothing.
func newRedis(cfg config.Config, log *zap.Logger, reg prometheus.Registerer) (*redis.Client, error) {
	if cfg.Redis.URL == "" || cfg.Mode == config.Sandbox {
		return nil, nil //nolint:nilnil // no server is a valid configuration
	}
	return redis.Open(cfg.Redis, log, reg)
}

// newLimiter makes the rate limiter of the public API. With Redis, limits hold for all replicas together.
func newLimiter(cfg config.Config, client *redis.Client) ports.RateLimiter {
	local := gcra.New(time.Now)
	if client == nil {
		return local
	}
	return redis.NewLimiter(client, local, cfg.Privacy.HashKey)
}

// newPrices makes the runner of the default world's prices. With Redis, replicas share prices.
func newPrices(
	cfg config.Config, client *redis.Client, home *defaultWorld, log *zap.Logger, reg prometheus.Registerer,
) (*priceRunner, error) {
	var store ports.SnapshotStore
	var election ports.LeaderElection
	if client != nil {
		var err error
		if election, err = redis.NewElection(client); err != nil {
			return nil, err
		}
		store = redis.NewSnapshotStore(client)
	}
	runner := newPriceRunner(home.pairs(), store, election, home.services.Load().Environment.Clock, replicaName(cfg), log, reg)
	home.onReplace = func(w *WorldServices) { runner.setService(w.Pairs) }
	return runner, nil
}

// replicaName returns the host and port of the operator's listener, for messages to operators.
func replicaName(cfg config.Config) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	_, port, _ := net.SplitHostPort(cfg.OperatorListen)
	return net.JoinHostPort(host, port)
}
