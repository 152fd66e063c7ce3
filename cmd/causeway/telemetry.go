package main

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/telemetry"
	"causeway/config"
)

func newRegistry() (*prometheus.Registry, prometheus.Registerer) {
	reg := telemetry.NewRegistry(version)
	return reg, reg
}

// newTracing exports traces until the process stops, if the OTEL_* variables name a collector.
func newTracing(
	life fx.Lifecycle, cfg config.Config, log *zap.Logger, reg prometheus.Registerer,
) (*telemetry.Tracing, error) {
	tracing, err := telemetry.NewTracing(context.Background(), version, string(cfg.Mode), log, reg)
	if err != nil {
		return nil, err
	}
	life.Append(fx.StopHook(tracing.Shutdown))
	return tracing, nil
}
