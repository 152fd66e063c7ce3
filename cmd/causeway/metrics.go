package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"causeway/core"
	"causeway/core/pairs"
)

// priceMetrics tells what the price engine knows about itself, read when somebody asks.
type priceMetrics struct {
	pairs *pairs.Service
	clock core.Clock

	age, quotes, published, refused                     *prometheus.Desc
	sourceAge, sourceLatency, sourcePolls, sourceReject *prometheus.Desc
}

func newPriceMetrics(service *pairs.Service, clock core.Clock, reg prometheus.Registerer) error {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return reg.Register(&priceMetrics{
		pairs: service, clock: clock,
		age:           desc("causeway_price_age_seconds", "Age of the oldest price of a class of pairs.", "class"),
		quotes:        desc("causeway_pairs", "Pairs by class and status.", "class", "status"),
		published:     desc("causeway_price_publications_total", "Snapshots published."),
		refused:       desc("causeway_price_refusals_total", "Quotes that were not published because they broke an invariant."),
		sourceAge:     desc("causeway_source_age_seconds", "Time since a source last answered.", "source"),
		sourceLatency: desc("causeway_source_latency_seconds", "Duration of a source's latest answer.", "source"),
		sourcePolls:   desc("causeway_source_polls_total", "Polls of a source by outcome.", "source", "outcome"),
		sourceReject:  desc("causeway_source_rejects_total", "Observations of a source that were not admitted, by reason.", "source", "reason"),
	})
}

// Describe names what Collect sends.
func (m *priceMetrics) Describe(out chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, out) }

// Collect reads the engine.
func (m *priceMetrics) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v uint64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	now := m.clock()
	stats := m.pairs.Stats()
	counter(m.published, stats.Published)
	var refused uint64
	for _, n := range stats.Refused {
		refused += n
	}
	counter(m.refused, refused)
	m.collectPrices(now, gauge)
	for _, s := range m.pairs.Sources() {
		if !s.LastSuccess.IsZero() {
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

// collectPrices sends the age and the states of the published prices by class.
func (m *priceMetrics) collectPrices(now time.Time, gauge func(*prometheus.Desc, float64, ...string)) {
	snapshot := m.pairs.Snapshot()
	if snapshot == nil {
		return
	}
	oldest := map[string]time.Time{}
	states := map[[2]string]float64{}
	for i := range snapshot.Quotes {
		q := &snapshot.Quotes[i]
		if at, ok := oldest[q.Class]; !ok || q.UpdatedAt.Before(at) {
			oldest[q.Class] = q.UpdatedAt
		}
		states[[2]string{q.Class, string(q.Status)}]++
	}
	for class, at := range oldest {
		gauge(m.age, now.Sub(at).Seconds(), class)
		for _, status := range []pairs.Status{pairs.Fresh, pairs.Stale, pairs.Halted} {
			gauge(m.quotes, states[[2]string{class, string(status)}], class, string(status))
		}
	}
}
