package app

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/pairs"
)

// priceMetrics collects the metrics of the price engine when they are scraped.
type priceMetrics struct {
	world *defaultWorld

	age, quotes, families, confidence, published, refused, kept        *prometheus.Desc
	sourceSuccess, sourceAge, sourceLatency, sourcePolls, sourceReject *prometheus.Desc
	sourceExcluded                                                     *prometheus.Desc
}

func registerPriceMetrics(world *defaultWorld, reg prometheus.Registerer) error {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return reg.Register(&priceMetrics{
		world:  world,
		age:    desc("causeway_prices_age_seconds", "Age of the oldest price of a class of pairs.", "class"),
		quotes: desc("causeway_pairs", "Pairs by class and status.", "class", "status"),
		families: desc("causeway_prices_families_used",
			"Independent source families behind a rate: minimum of a class of pairs.", "class"),
		confidence: desc("causeway_prices_confidence_ratio",
			"Half-width of the confidence interval relative to the price: maximum of a class of pairs.", "class"),
		published: desc("causeway_prices_publications_total", "Price snapshots published."),
		refused:   desc("causeway_prices_quotes_rejected_total", "Quotes not published because they violate an invariant."),
		kept: desc("causeway_prices_publications_rejected_total",
			"Price snapshots not published because a cycle of conversions is profitable."),
		sourceSuccess: desc("causeway_source_last_success_timestamp_seconds",
			"Time of the last successful poll of a price source.", "source"),
		sourceAge:     desc("causeway_source_age_seconds", "Time since the last successful poll of a price source.", "source"),
		sourceLatency: desc("causeway_source_latency_seconds", "Duration of the last successful poll of a price source.", "source"),
		sourcePolls:   desc("causeway_source_polls_total", "Polls of a price source by outcome.", "source", "outcome"),
		sourceReject: desc("causeway_source_observations_rejected_total",
			"Observations of a price source rejected, by reason.", "source", "reason"),
		sourceExcluded: desc("causeway_source_excluded_markets",
			"Markets from which a price source is currently excluded, by reason.", "source", "reason"),
	})
}

// Describe implements prometheus.Collector.
func (m *priceMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		m.age, m.quotes, m.families, m.confidence, m.published, m.refused, m.kept,
		m.sourceSuccess, m.sourceAge, m.sourceLatency, m.sourcePolls, m.sourceReject, m.sourceExcluded,
	} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (m *priceMetrics) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v uint64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	world := m.world.services.Load()
	now := world.Environment.Clock()
	stats := world.Pairs.Stats()
	counter(m.published, stats.Published)
	var refused uint64
	for _, n := range stats.Refused {
		refused += n
	}
	counter(m.refused, refused)
	counter(m.kept, stats.Kept)
	m.collectPrices(world.Pairs.Snapshot(), now, gauge)
	for _, s := range world.Pairs.Sources() {
		if !s.LastSuccess.IsZero() {
			gauge(m.sourceSuccess, float64(s.LastSuccess.UnixMilli())/1000, s.Name)
			gauge(m.sourceAge, now.Sub(s.LastSuccess).Seconds(), s.Name)
			gauge(m.sourceLatency, s.Latency.Seconds(), s.Name)
		}
		counter(m.sourcePolls, s.Polls-s.Failures, s.Name, "ok")
		counter(m.sourcePolls, s.Failures, s.Name, "failed")
		for reason, n := range s.Rejected {
			counter(m.sourceReject, n, s.Name, string(reason))
		}
	}
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

// collectPrices collects the metrics of published prices by class, and of excluded sources.
func (m *priceMetrics) collectPrices(
	snapshot *pairs.Snapshot, now time.Time, gauge func(*prometheus.Desc, float64, ...string),
) {
	if snapshot == nil {
		return
	}
	classes := map[string]*classPrices{}
	excluded, seen := map[pairs.Exclusion]int{}, map[core.Pair]bool{}
	for i := range snapshot.Quotes {
		q := &snapshot.Quotes[i]
		if classes[q.Class] == nil {
			classes[q.Class] = &classPrices{states: map[pairs.Status]int{}, families: -1}
		}
		classes[q.Class].add(q)
		for _, leg := range q.Legs {
			if seen[leg.Rate.Pair] {
				continue
			}
			seen[leg.Rate.Pair] = true
			for _, x := range leg.Rate.Excluded {
				excluded[x]++
			}
		}
	}
	for class, c := range classes {
		gauge(m.age, now.Sub(c.oldest).Seconds(), class)
		gauge(m.confidence, c.confidence.InexactFloat64(), class)
		if c.families >= 0 {
			gauge(m.families, float64(c.families), class)
		}
		for _, status := range []pairs.Status{pairs.Fresh, pairs.Stale, pairs.Halted} {
			gauge(m.quotes, float64(c.states[status]), class, string(status))
		}
	}
	for x, n := range excluded {
		gauge(m.sourceExcluded, float64(n), x.Source, string(x.Reason))
	}
}
