package app

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/pairs"
)

// priceMetrics tells what the price engine knows about itself, read when somebody asks.
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
		world:          world,
		age:            desc("causeway_price_age_seconds", "Age of the oldest price of a class of pairs.", "class"),
		quotes:         desc("causeway_pairs", "Pairs by class and status.", "class", "status"),
		families:       desc("causeway_price_families_used", "Families that stand by a leg's rate: the fewest of a class of pairs.", "class"),
		confidence:     desc("causeway_price_confidence_ratio", "Confidence as a part of the price: the largest of a class of pairs.", "class"),
		published:      desc("causeway_price_publications_total", "Snapshots published."),
		refused:        desc("causeway_price_refusals_total", "Quotes that were not published because they broke an invariant."),
		kept:           desc("causeway_price_publications_refused_total", "Snapshots that were not published because a cycle of currencies would have returned a profit."),
		sourceSuccess:  desc("causeway_source_last_success_timestamp_seconds", "When a source last answered.", "source"),
		sourceAge:      desc("causeway_source_age_seconds", "Time since a source last answered.", "source"),
		sourceLatency:  desc("causeway_source_latency_seconds", "Duration of a source's latest answer.", "source"),
		sourcePolls:    desc("causeway_source_polls_total", "Polls of a source by outcome.", "source", "outcome"),
		sourceReject:   desc("causeway_source_rejects_total", "Observations of a source that were not admitted, by reason.", "source", "reason"),
		sourceExcluded: desc("causeway_source_excluded_markets", "Markets in which a source has no vote now, by reason.", "source", "reason"),
	})
}

// Describe names what Collect may send: before the first prices that is more than what it sends.
func (m *priceMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		m.age, m.quotes, m.families, m.confidence, m.published, m.refused, m.kept,
		m.sourceSuccess, m.sourceAge, m.sourceLatency, m.sourcePolls, m.sourceReject, m.sourceExcluded,
	} {
		out <- d
	}
}

// Collect reads the engine.
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

// classPrices sums up the published prices of a class.
type classPrices struct {
	oldest     time.Time
	states     map[pairs.Status]int
	families   int // fewest; below zero: none is asked
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

// collectPrices sends what the published prices are like, by class, and which sources have no vote in them.
func (m *priceMetrics) collectPrices(snapshot *pairs.Snapshot, now time.Time, gauge func(*prometheus.Desc, float64, ...string)) {
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
