package app

import (
	"context"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/history"
	"causeway/config"
	"causeway/ports"
)

// storage provides the price history and the API keys.
var storage = fx.Module("storage", fx.Provide(newHistory, newKeys))

// historian writes down what is to survive the process, until its context ends.
type historian func(context.Context)

// historyTimeout is how long the start waits for a database.
const historyTimeout = 10 * time.Second

// newHistory opens the price history: in PostgreSQL, in a file, or in memory alone. A sandbox has none but its world's own past.
func newHistory(cfg config.Config, log *zap.Logger, reg prometheus.Registerer) (ports.RateHistory, historian, error) {
	failures := promauto.With(reg).NewCounter(prometheus.CounterOpts{
		Name: "causeway_history_failures_total", Help: "Times that the price history could not be opened, read whole, written or tidied where it is kept; it is tried again.",
	})
	told := func(err error) {
		failures.Inc()
		log.Error("the price history is not kept as it should be; prices go on without", zap.Error(err))
	}
	ctx, done := context.WithTimeout(context.Background(), historyTimeout)
	defer done()
	var (
		archive *history.Archive
		err     error
	)
	switch {
	case cfg.Mode == config.Sandbox:
	case cfg.Storage.URL != "":
		archive, err = history.OpenPostgres(ctx, cfg.Storage.URL, time.Now, nil, told)
	case cfg.State.Dir != "":
		archive, err = history.OpenFile(ctx, filepath.Join(cfg.State.Dir, "history.db"), time.Now, nil, told)
	}
	if err != nil {
		return nil, nil, err
	}
	if archive == nil {
		return history.New(nil), func(context.Context) {}, nil
	}
	return archive, archive.Run, nil
}
