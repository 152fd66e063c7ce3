package app

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/redis"
	"causeway/cmd/causeway/replicas"
	"causeway/config"
	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

// pairPrices provides what keeps the prices of the default world up to date. NewWorldServices builds
// the engine itself.
var pairPrices = fx.Module("pairs", fx.Provide(newPrices), fx.Invoke(registerPriceMetrics))

// newPrices makes what keeps the prices of the default world up to date. With Redis, replicas share
// prices.
func newPrices(
	cfg config.Config, stores configured, home *defaultWorld, log *zap.Logger, reg prometheus.Registerer,
) (*replicas.Prices, error) {
	settings := replicas.Config{
		Service: home.pairs, Replaced: home.replaced, Clock: home.services.Load().Environment.Clock,
		HashKey: cfg.Privacy.HashKey, Prefix: cfg.Redis.Prefix, Name: replicas.Name(cfg.OperatorListen),
		Process: SystemEntropy(),
	}
	if stores.Redis != nil {
		sharing, err := redis.NewPriceSharing(stores.Redis, replicas.Timing)
		if err != nil {
			return nil, err
		}
		settings.Sharing = sharing
	}
	return replicas.New(settings, log, reg)
}

// limitedSource is a rate source whose provider publishes rate limits.
type limitedSource interface {
	// MinInterval returns the shortest polling interval for so many markets.
	MinInterval(markets int) time.Duration
}

// FitLimits lengthens the polling intervals that exceed a provider's limits, and logs a warning for
// each. A source that uses up a monthly quota early would be silent for the rest of the month.
func FitLimits(catalog core.PriceCatalog, sources []ports.RateSource, log *zap.Logger) core.PriceCatalog {
	polled := map[string]int{}
	for _, m := range catalog.Markets {
		for _, source := range m.Sources {
			polled[source]++
		}
	}
	catalog.Sources = slices.Clone(catalog.Sources)
	for _, s := range sources {
		limited, ok := s.(limitedSource)
		i := slices.IndexFunc(catalog.Sources, func(row core.Source) bool { return row.Name == s.Name() })
		if !ok || i < 0 {
			continue
		}
		row := &catalog.Sources[i]
		if least := limited.MinInterval(polled[row.Name]); least > row.Interval {
			log.Warn("polling interval lengthened to fit the limits of the rate source", zap.String("source", row.Name),
				zap.Duration("configured", row.Interval), zap.Duration("interval", least))
			row.Interval = least
		}
	}
	return catalog
}

// logWithheld returns a function that logs which pairs of a snapshot are halted because their newest
// price breaks an invariant. It logs them again only if they change.
func logWithheld(log *zap.Logger) func(*pairs.Snapshot) {
	var logged []string
	return func(s *pairs.Snapshot) {
		var withheld []string
		for i := range s.Quotes {
			if q := &s.Quotes[i]; q.Reason == pairs.Arbitrage || q.Reason == pairs.Refused {
				withheld = append(withheld, q.ID+" "+string(q.Reason))
			}
		}
		if len(withheld) > 0 && !slices.Equal(withheld, logged) {
			log.Error("pairs halted: their newest prices break an invariant", zap.Strings("pairs", withheld))
		}
		logged = withheld
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

var priceMetrics = []metric{
	{"causeway_pairs_price_age_seconds", "Age of the oldest price of a class of pairs.", []string{"class"}},
	{"causeway_pairs", "Pairs by class and status.", []string{"class", "status"}},
	{
		"causeway_pairs_families_used",
		"Independent source families behind a rate: minimum of a class of pairs.",
		[]string{"class"},
	},
	{
		"causeway_pairs_confidence_ratio",
		"Half-width of the confidence interval relative to the price: maximum of a class of pairs.",
		[]string{"class"},
	},
	{"causeway_pairs_snapshot_age_seconds", "Age of the served price snapshot.", nil},
	{"causeway_pairs_publications_total", "Price snapshots published.", nil},
	{"causeway_pairs_quotes_rejected_total", "Quotes not published because they violate an invariant.", nil},
	{
		"causeway_pairs_cycles_total",
		"Profitable cycles of conversions; each halted the least certain pair on it.", nil,
	},
	{
		"causeway_source_last_success_timestamp_seconds",
		"Time of the last successful poll of a price source.",
		[]string{"source"},
	},
	{"causeway_source_age_seconds", "Time since the last successful poll of a price source.", []string{"source"}},
	{"causeway_source_latency_seconds", "Duration of the last successful poll of a price source.", []string{"source"}},
	{"causeway_source_polls_total", "Polls of a price source by outcome.", []string{"source", "outcome"}},
	{
		"causeway_source_observations_rejected_total",
		"Observations of a price source rejected, by reason.",
		[]string{"source", "reason"},
	},
	{
		"causeway_source_excluded_markets",
		"Markets from which a price source is currently excluded, by reason.",
		[]string{"source", "reason"},
	},
}

func registerPriceMetrics(home *defaultWorld, reg prometheus.Registerer) error {
	return registerCollector(reg, priceMetrics, func(send sender) {
		world := home.services.Load()
		now, stats := world.Environment.Clock(), world.Pairs.Stats()
		send("causeway_pairs_publications_total", float64(stats.Published))
		send("causeway_pairs_quotes_rejected_total", float64(stats.Refused))
		send("causeway_pairs_cycles_total", float64(stats.Cycles))
		if snapshot := world.Pairs.Snapshot(); snapshot != nil {
			send("causeway_pairs_snapshot_age_seconds", now.Sub(snapshot.At).Seconds())
			collectPrices(snapshot, now, send)
			collectExclusions(snapshot, send)
		}
		for _, s := range world.Pairs.Sources() {
			if !s.LastSuccess.IsZero() {
				send("causeway_source_last_success_timestamp_seconds", float64(s.LastSuccess.UnixMilli())/1000, s.Name)
				send("causeway_source_age_seconds", now.Sub(s.LastSuccess).Seconds(), s.Name)
				send("causeway_source_latency_seconds", s.Latency.Seconds(), s.Name)
			}
			send("causeway_source_polls_total", float64(s.Polls-s.Failures), s.Name, "ok")
			send("causeway_source_polls_total", float64(s.Failures), s.Name, "failed")
			for reason, n := range s.Rejected {
				send("causeway_source_observations_rejected_total", float64(n), s.Name, string(reason))
			}
		}
	})
}

// classPrices aggregates the published prices of a class.
type classPrices struct {
	oldest     time.Time
	states     map[pairs.Status]int
	families   int // minimum; negative: no rate needs a quorum
	confidence decimal.Decimal
}

func (c *classPrices) add(q *pairs.Quote) {
	if c.oldest.IsZero() || q.UpdatedAt.Before(c.oldest) {
		c.oldest = q.UpdatedAt
	}
	c.states[q.Status]++
	for _, leg := range q.Legs {
		if n := len(leg.Rate.Used); leg.Rate.Quorum > 0 && (c.families < 0 || n < c.families) {
			c.families = n
		}
	}
	c.confidence = decimal.Max(c.confidence, q.Confidence.DivRound(q.Mid, 9))
}

// collectPrices sends the metrics of published prices by class.
func collectPrices(snapshot *pairs.Snapshot, now time.Time, send sender) {
	classes := map[string]*classPrices{}
	for i := range snapshot.Quotes {
		q := &snapshot.Quotes[i]
		if classes[q.Class] == nil {
			classes[q.Class] = &classPrices{states: map[pairs.Status]int{}, families: -1}
		}
		classes[q.Class].add(q)
	}
	for class, c := range classes {
		send("causeway_pairs_price_age_seconds", now.Sub(c.oldest).Seconds(), class)
		send("causeway_pairs_confidence_ratio", c.confidence.InexactFloat64(), class)
		if c.families >= 0 {
			send("causeway_pairs_families_used", float64(c.families), class)
		}
		for _, status := range []pairs.Status{pairs.Fresh, pairs.Stale, pairs.Halted} {
			send("causeway_pairs", float64(c.states[status]), class, string(status))
		}
	}
}

// collectExclusions sends in how many markets each source is excluded.
func collectExclusions(snapshot *pairs.Snapshot, send sender) {
	excluded, seen := map[pairs.Exclusion]int{}, map[core.Pair]bool{}
	for i := range snapshot.Quotes {
		for _, leg := range snapshot.Quotes[i].Legs {
			if seen[leg.Rate.Pair] {
				continue
			}
			seen[leg.Rate.Pair] = true
			for _, x := range leg.Rate.Excluded {
				excluded[x]++
			}
		}
	}
	for x, n := range excluded {
		send("causeway_source_excluded_markets", float64(n), x.Source, string(x.Reason))
	}
}
