package app

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/config"
	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

// prices provides what keeps the prices of the default world up to date. NewWorldServices builds
// the engine itself.
var prices = fx.Module("prices", fx.Provide(newPrices), fx.Invoke(registerPriceMetrics))

// priceConfig is the part of the price engine's configuration that a reload replaces.
func priceConfig(catalog config.Catalog, sources []ports.RateSource, log *zap.Logger) pairs.Config {
	return pairs.Config{
		Currencies: catalog.Currencies, Rules: catalog.Rules,
		Sources:       FitLimits(catalog.Sources, catalog.Markets, sources, log.Named("rates")),
		MarketClasses: catalog.MarketClasses, Markets: catalog.Markets,
		ListingClasses: catalog.ListingClasses, Listings: catalog.Listings,
		Alarm: logAlarms(log),
	}
}

// limitedSource is a rate source whose provider publishes rate limits. Fits returns an error if
// polling so many markets at every interval exceeds them.
type limitedSource interface {
	Fits(interval time.Duration, markets int) error
}

// FitLimits lengthens the polling intervals that exceed a provider's limits, and logs a warning for
// each. A source that uses up a monthly quota early would be silent for the rest of the month.
func FitLimits(rows []core.Source, markets []core.Market, sources []ports.RateSource, log *zap.Logger) []core.Source {
	const longest = 24 * time.Hour
	out := slices.Clone(rows)
	for i, row := range out {
		at := slices.IndexFunc(sources, func(s ports.RateSource) bool { return s.Name() == row.Name })
		if at < 0 {
			continue
		}
		source, ok := sources[at].(limitedSource)
		if !ok {
			continue
		}
		polled := 0
		for _, m := range markets {
			if slices.Contains(m.Sources, row.Name) {
				polled++
			}
		}
		reason := source.Fits(row.Interval, polled)
		if reason == nil {
			continue
		}
		interval := row.Interval
		for source.Fits(interval, polled) != nil && interval < longest {
			interval += max(interval/100, time.Second)
		}
		out[i].Interval = interval
		log.Warn("polling interval lengthened to fit the limits of the rate source",
			zap.String("source", row.Name), zap.Duration("interval", interval), zap.String("reason", reason.Error()))
	}
	return out
}

// logAlarms returns a function that logs prices which were withheld because they broke an
// invariant.
func logAlarms(log *zap.Logger) func(pairs.Alarm) {
	return func(a pairs.Alarm) {
		if len(a.Quotes) > 0 {
			log.Error("prices withheld: they break an invariant; the last good ones stay",
				zap.Strings("pairs", a.Quotes))
		}
		if len(a.Cycle) > 0 {
			log.Error("prices withheld: a cycle of conversions is profitable; the last good ones stay",
				zap.Strings("cycle", a.Cycle), zap.Strings("pairs", a.Pairs))
		}
	}
}

// healthLogger is a rate source that logs when it fails and when it recovers.
type healthLogger struct {
	ports.RateSource
	log  *zap.Logger
	down atomic.Bool
}

// logHealth wraps rate sources so that outages are logged once each.
func logHealth(sources []ports.RateSource, log *zap.Logger) []ports.RateSource {
	out := make([]ports.RateSource, len(sources))
	for i, s := range sources {
		out[i] = &healthLogger{RateSource: s, log: log.Named("rates")}
	}
	return out
}

// Observe polls the source and logs a change of its health.
func (h *healthLogger) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	observations, err := h.RateSource.Observe(ctx, markets)
	switch {
	case err != nil && ctx.Err() == nil && !h.down.Swap(true):
		h.log.Warn("rate source failed; prices are computed without it", zap.String("source", h.Name()), zap.Error(err))
	case err == nil && h.down.Swap(false):
		h.log.Info("rate source recovered", zap.String("source", h.Name()))
	}
	return observations, err
}
