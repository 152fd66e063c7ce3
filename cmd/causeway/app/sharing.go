package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"causeway/adapters/gcra"
	"causeway/adapters/redis"
	"causeway/config"
	"causeway/ports"
)

// shared is the server that replicas share; nil inside where there is none.
type shared struct{ *redis.Client }

func newShared(cfg config.Config, log *zap.Logger, reg prometheus.Registerer) (shared, error) {
	if cfg.Redis.URL == "" || cfg.Mode == config.Sandbox {
		return shared{}, nil
	}
	client, err := redis.Open(cfg.Redis, log, reg)
	return shared{client}, err
}

// begin keeps the server connected until it is ended, which is to be after everything that uses it.
func (s shared) begin(ctx context.Context) (end func()) {
	if s.Client == nil {
		return func() {}
	}
	return begin(ctx, s.Run)
}

// newLimiter counts the calls of callers: for all replicas together where they share a server. A sandbox counts by itself.
func newLimiter(cfg config.Config, s shared) ports.RateLimiter {
	own := gcra.New(time.Now)
	if s.Client == nil || cfg.Mode == config.Sandbox {
		return own
	}
	return redis.NewLimiter(s.Client, own, cfg.Privacy.HashKey)
}

// newBook makes this process one of those that share a book of prices, if there is a server to share it on.
func newBook(
	cfg config.Config, catalog config.Catalog, s shared, home *defaultWorld, log *zap.Logger, reg prometheus.Registerer,
) (r *replica, err error) {
	defer func() {
		if err == nil {
			home.onReplace = func(w *WorldServices) { r.move(w.Pairs) }
		}
	}()
	service, clock := home.pairs(), home.services.Load().Environment.Clock
	if s.Client == nil {
		return newReplica(service, nil, editions{}, clock, log, nil), nil
	}
	book, err := s.book(catalog)
	if err != nil {
		return nil, err
	}
	return newReplica(service, book, newEditions(cfg.Privacy.HashKey), clock, log, newReplicaMetrics(service.Snapshot, reg)), nil
}

// book is the book of the prices of a catalog; nil where nothing is shared.
func (s shared) book(catalog config.Catalog) (ports.PriceBook, error) {
	if s.Client == nil {
		return nil, nil //nolint:nilnil // nobody shares anything, which is no error
	}
	name, err := bookName(catalog)
	if err != nil {
		return nil, err
	}
	return redis.NewBook(s.Client, name), nil
}
