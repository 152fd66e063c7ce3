package main

import (
	"context"
	"sync/atomic"

	"go.uber.org/zap"

	"causeway/core"
	"causeway/ports"
)

// watched is a rate source whose outages are in the log: the engine that polls it does not log, and goes on without it.
type watched struct {
	ports.RateSource
	log  *zap.Logger
	down atomic.Bool
}

// watch puts a watch on every source.
func watch(sources []ports.RateSource, log *zap.Logger) []ports.RateSource {
	out := make([]ports.RateSource, len(sources))
	for i, s := range sources {
		out[i] = &watched{RateSource: s, log: log.Named("rates")}
	}
	return out
}

// Observe asks the source and logs when it stops answering and when it answers again.
func (w *watched) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	observations, err := w.RateSource.Observe(ctx, markets)
	switch {
	case err != nil && ctx.Err() == nil && !w.down.Swap(true):
		w.log.Warn("a rate source does not answer; prices go on without it", zap.String("source", w.Name()), zap.Error(err))
	case err == nil && w.down.Swap(false):
		w.log.Info("a rate source answers again", zap.String("source", w.Name()))
	}
	return observations, err
}
