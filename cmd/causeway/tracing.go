package main

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/tracing"
	"causeway/config"
	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

// traces are what records who was served how; nil inside where nobody wants to know.
type traces struct{ ports.Tracer }

// newTraces sends traces to the collector that is configured, for as long as the process lives. It is the machine's network, also in a sandbox.
func newTraces(life fx.Lifecycle, cfg config.Config, log *zap.Logger, reg prometheus.Registerer) (traces, error) {
	if cfg.Tracing.URL == "" {
		return traces{}, nil
	}
	outside := network()
	tracer, err := tracing.New(cfg.Tracing, tracing.Outside{Transport: outside.Transport, Clock: outside.Clock, Entropy: outside.Entropy}, version, string(cfg.Mode), log, reg)
	if err != nil {
		return traces{}, err
	}
	end := func() {}
	life.Append(fx.Hook{
		OnStart: func(ctx context.Context) error {
			end = begin(context.WithoutCancel(ctx), tracer.Run)
			return nil
		},
		OnStop: func(context.Context) error {
			end() // it has a limit of its own
			return nil
		},
	})
	return traces{tracer}, nil
}

// exemplar adds an observation to a histogram, with the trace that it is from, where that is recorded.
func (t traces) exemplar(ctx context.Context, of prometheus.Observer, value float64) {
	if t.Tracer != nil {
		span := t.Of(ctx)
		if exemplary, ok := of.(prometheus.ExemplarObserver); ok && span != nil && span.Recorded() {
			exemplary.ObserveWithExemplar(value, prometheus.Labels{"trace_id": span.TraceID()})
			return
		}
	}
	of.Observe(value)
}

// vault is one whose lookups are traced. Neither keys nor values are told.
func (t traces) vault(of ports.Vault) ports.Vault {
	if t.Tracer == nil {
		return of
	}
	return tracedVault{of, t.Tracer}
}

type tracedVault struct {
	ports.Vault
	tracer ports.Tracer
}

// Load says whether something is remembered.
func (v tracedVault) Load(ctx context.Context, key [32]byte) ([]byte, bool) {
	ctx, span := v.tracer.Start(ctx, ports.InternalSpan)
	value, hit := v.Vault.Load(ctx, key)
	if span.Recorded() {
		span.End("resolution cache", false, ports.Attribute{Key: "causeway.cache", Text: map[bool]string{true: "hit", false: "miss"}[hit]})
	}
	return value, hit
}

// sources are those whose polls are traces, with all that a provider is asked for one.
func (t traces) sources(of []ports.RateSource) []ports.RateSource {
	if t.Tracer == nil {
		return of
	}
	out := make([]ports.RateSource, len(of))
	for i, s := range of {
		out[i] = tracedSource{s, t.Tracer}
	}
	return out
}

type tracedSource struct {
	ports.RateSource
	tracer ports.Tracer
}

// Observe asks the source.
func (s tracedSource) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	ctx, span := s.tracer.Start(ctx, ports.InternalSpan)
	observations, err := s.RateSource.Observe(ctx, markets)
	if span.Recorded() {
		span.End("prices poll", err != nil, ports.Attribute{Key: "causeway.provider", Text: s.Name()},
			ports.Attribute{Key: "causeway.markets", Number: int64(len(markets))}, ports.Attribute{Key: "causeway.observations", Number: int64(len(observations))})
	}
	return observations, err
}

// work makes spans of the steps of the price engine; nil where nobody wants to know.
func (t traces) work() func(context.Context, pairs.Step) (context.Context, func(quotes int)) {
	if t.Tracer == nil {
		return nil
	}
	return func(ctx context.Context, step pairs.Step) (context.Context, func(quotes int)) {
		ctx, span := t.Start(ctx, ports.InternalSpan)
		return ctx, func(quotes int) {
			if span.Recorded() {
				span.End("prices "+string(step), false, ports.Attribute{Key: "causeway.pairs", Number: int64(quotes)})
			}
		}
	}
}
