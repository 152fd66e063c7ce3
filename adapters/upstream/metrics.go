package upstream

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Metrics are the metrics of all providers. Several factories may share them; gauges show the
// factory that was used last. Labels are names of providers, op constants of the adapters and
// outcomes.
type Metrics struct {
	requests, retries                  *prometheus.CounterVec
	durations                          *prometheus.HistogramVec
	states, changes, openScopes, quota *prometheus.GaugeVec
	socketConnects, socketMessages     *prometheus.CounterVec
	socketUp                           *prometheus.GaugeVec
}

// NewMetrics creates and registers the metrics. Without a Registerer they are not exported.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	auto := promauto.With(reg)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Name: "causeway_upstream_" + name, Help: help}, labels)
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return auto.NewGaugeVec(prometheus.GaugeOpts{Name: "causeway_upstream_" + name, Help: help}, labels)
	}
	return &Metrics{
		requests: counter("requests_total",
			"Provider calls by outcome. Those with outcome open or quota were not sent.",
			"provider", "op", "outcome"),
		retries: counter("retries_total", "Retries of provider requests.", "provider", "op"),
		durations: auto.NewHistogramVec(prometheus.HistogramOpts{
			Name:                           "causeway_upstream_request_duration_seconds",
			Help:                           "Duration of provider calls, including retries.",
			Buckets:                        []float64{0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8},
			NativeHistogramBucketFactor:    1.1,
			NativeHistogramMaxBucketNumber: 100,
		}, []string{"provider", "op"}),
		states: gauge("breaker_state",
			"State of the circuit breaker of a provider: 0 closed, 1 half-open, 2 open.", "provider"),
		changes: gauge("breaker_changed_timestamp_seconds",
			"Time of the last state change of a circuit breaker.", "provider"),
		openScopes: gauge("breaker_open_scopes",
			"Parts of a provider, such as banks, whose own circuit breaker is open.", "provider"),
		quota: gauge("quota_used_ratio",
			"Used share of a rate limit of a provider. Polling uses at most 0.8. 1: no polling, or throttled.",
			"provider", "window"),
		socketConnects: counter("socket_connects_total",
			"Attempts to open the WebSocket of a provider by outcome.", "provider", "outcome"),
		socketMessages: counter("socket_messages_total",
			"Messages received over a WebSocket by outcome. A message with several quotes counts once for each.",
			"provider", "outcome"),
		socketUp: gauge("socket_up",
			"1 if prices come from the WebSocket of a provider, 0 if the provider is polled instead.", "provider"),
	}
}
