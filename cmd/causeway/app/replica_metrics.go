package app

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"causeway/core/pairs"
)

// What becomes of an edition of the shared book.
const (
	outcomePublished   = "published"
	outcomeUnpublished = "unpublished" // the book did not take it
	outcomeAdopted     = "adopted"
	outcomeLate        = "late"
	outcomeRefused     = "refused"
)

// replicaMetrics tell what a process has to do with the shared book.
type replicaMetrics struct {
	role     *prometheus.GaugeVec
	editions *prometheus.CounterVec
	delay    prometheus.Histogram
}

func newReplicaMetrics(latest func() *pairs.Snapshot, reg prometheus.Registerer) *replicaMetrics {
	auto := promauto.With(reg)
	auto.NewGaugeFunc(prometheus.GaugeOpts{Name: "causeway_book_number", Help: "Number of the snapshot that is served: the same in all replicas."}, func() float64 {
		if last := latest(); last != nil {
			return float64(last.ID)
		}
		return 0
	})
	return &replicaMetrics{
		role: auto.NewGaugeVec(prometheus.GaugeOpts{
			Name: "causeway_book_role", Help: "1 for what the process does about prices: leader, follower, or alone, which asks the sources for itself.",
		}, []string{"role"}),
		editions: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_book_editions_total", Help: "Editions of the shared book of prices, by what became of them. Refused ones are to be alerted on.",
		}, []string{"outcome"}),
		delay: auto.NewHistogram(prometheus.HistogramOpts{
			Name: "causeway_book_delay_seconds", Help: "From the instant of a snapshot, by the leader's clock, until it is shown here, by ours.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}),
	}
}

func (m *replicaMetrics) plays(now role) {
	for _, r := range []role{leading, following, alone} {
		m.role.WithLabelValues(string(r)).Set(0)
	}
	m.role.WithLabelValues(string(now)).Set(1)
}

func (m *replicaMetrics) edition(outcome string) { m.editions.WithLabelValues(outcome).Inc() }

func (m *replicaMetrics) adopted(after time.Duration) {
	m.edition(outcomeAdopted)
	m.delay.Observe(after.Seconds())
}
