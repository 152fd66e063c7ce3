package app

import (
	"github.com/prometheus/client_golang/prometheus"

	"causeway/cmd/causeway/operator"
	"causeway/core"
	"causeway/core/banks"
)

// bankMetrics collects the metrics of bank lists when they are scraped.
type bankMetrics struct {
	banks *banks.Service
	clock core.Clock

	listed, success, age, institutions, refreshes, held *prometheus.Desc
}

func registerBankMetrics(home *defaultWorld, reg prometheus.Registerer) error {
	world := home.services.Load()
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return reg.Register(&bankMetrics{
		banks: world.Banks, clock: world.Environment.Clock,
		listed: desc("causeway_banks", "Institutions on the bank list by country.", "country"),
		success: desc("causeway_bank_directory_last_success_timestamp_seconds",
			"Time of the last successful refresh of the list of a directory.", "directory", "country"),
		age: desc("causeway_bank_directory_age_seconds",
			"Time since the last successful refresh of the list of a directory.", "directory", "country"),
		institutions: desc("causeway_bank_directory_institutions",
			"Institutions of the last list of a directory by state.", "directory", "country", "state"),
		refreshes: desc("causeway_bank_directory_refreshes_total",
			"Refreshes of the list of a directory by outcome.", "directory", "country", "outcome"),
		held: desc("causeway_bank_directory_held_back",
			"1 while a list with too many missing institutions waits for approval, otherwise 0.", "directory", "country"),
	})
}

// Describe implements prometheus.Collector.
func (m *bankMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.listed, m.success, m.age, m.institutions, m.refreshes, m.held} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (m *bankMetrics) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(v uint64, labels ...string) {
		out <- prometheus.MustNewConstMetric(m.refreshes, prometheus.CounterValue, float64(v), labels...)
	}
	for _, c := range operator.CountCountries(m.banks.List()) {
		gauge(m.listed, float64(c.Institutions), c.Country)
	}
	now := m.clock()
	for _, s := range m.banks.States() {
		if !s.LastSuccess.IsZero() {
			gauge(m.success, float64(s.LastSuccess.UnixMilli())/1000, s.Directory, s.Country)
			gauge(m.age, now.Sub(s.LastSuccess).Seconds(), s.Directory, s.Country)
		}
		for state, n := range map[string]int{
			"listed": s.Listed, "joined": s.Joined, "learned": s.Learned, "new": s.Added, "vanished": len(s.Gone), "unjoined": len(s.LeftOut),
		} {
			gauge(m.institutions, float64(n), s.Directory, s.Country, state)
		}
		counter(s.Answered, s.Directory, s.Country, "ok")
		counter(s.Failed, s.Directory, s.Country, "failed")
		counter(s.Held, s.Directory, s.Country, "held_back")
		held := 0.0
		if s.HeldBack != nil {
			held = 1
		}
		gauge(m.held, held, s.Directory, s.Country)
	}
}
