package app

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/telemetry"
	"causeway/config"
)

// observability provides the Prometheus registry and tracing.
var observability = fx.Module("telemetry", fx.Provide(newRegistry, newTracing))

func newRegistry(version Version, log *zap.Logger) (*prometheus.Registry, prometheus.Registerer) {
	reg := telemetry.NewRegistry(string(version))
	countDroppedLines(log, reg)
	return reg, reg
}

// newTracing exports traces until the process stops, if the OTEL_* variables name a collector.
func newTracing(
	life fx.Lifecycle, cfg config.Config, version Version, log *zap.Logger, reg prometheus.Registerer,
) (*telemetry.Tracing, error) {
	tracing, err := telemetry.NewTracing(context.Background(), string(version), string(cfg.Mode), log, reg)
	if err != nil {
		return nil, err
	}
	life.Append(fx.StopHook(tracing.Shutdown))
	return tracing, nil
}
