package upstream

import (
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Metrics are the metrics of all providers. Several factories may share them; the gauges that read
// the present state of a provider show the newest factory. Labels are names of providers, op
// constants of the adapters and outcomes.
type Metrics struct {
	requests  *prometheus.CounterVec
	retries   *prometheus.CounterVec
	durations *prometheus.HistogramVec
	states    *prometheus.GaugeVec
	changes   *prometheus.GaugeVec

	connects *prometheus.CounterVec // of WebSockets
	messages *prometheus.CounterVec
	sockets  *prometheus.GaugeVec

	inFlight, openScopes, quota *prometheus.Desc
	newest                      atomic.Pointer[Factory]
}

// NewMetrics creates and registers the metrics. Without a Registerer they are not exported.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	auto := promauto.With(reg)
	m := &Metrics{
		requests: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_upstream_requests_total",
			Help: "Provider calls by outcome. Those with outcome open, held, quota or full were not sent.",
		}, []string{"provider", "op", "outcome"}),
		retries: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_upstream_retries_total",
			Help: "Retries of provider requests.",
		}, []string{"provider", "op"}),
		durations: auto.NewHistogramVec(prometheus.HistogramOpts{
			Name:                           "causeway_upstream_request_duration_seconds",
			Help:                           "Duration of provider calls, including retries.",
			Buckets:                        []float64{0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8},
			NativeHistogramBucketFactor:    1.1,
			NativeHistogramMaxBucketNumber: 100,
		}, []string{"provider", "op"}),
		states: auto.NewGaugeVec(prometheus.GaugeOpts{
			Name: "causeway_upstream_breaker_state",
			Help: "State of the circuit breaker of a provider: 0 closed, 1 half-open, 2 open.",
		}, []string{"provider"}),
		changes: auto.NewGaugeVec(prometheus.GaugeOpts{
			Name: "causeway_upstream_breaker_changed_timestamp_seconds",
			Help: "Time of the last state change of a circuit breaker.",
		}, []string{"provider"}),
		connects: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_upstream_socket_connects_total",
			Help: "Attempts to open the WebSocket of a provider by outcome.",
		}, []string{"provider", "outcome"}),
		messages: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_upstream_socket_messages_total",
			Help: "Messages received over a WebSocket by outcome. A message with several quotes counts once for each.",
		}, []string{"provider", "outcome"}),
		sockets: auto.NewGaugeVec(prometheus.GaugeOpts{
			Name: "causeway_upstream_socket_up",
			Help: "1 if prices come from the WebSocket of a provider, 0 if the provider is polled instead.",
		}, []string{"provider"}),
		inFlight: prometheus.NewDesc("causeway_upstream_in_flight",
			"Provider calls in progress. Calls beyond upstream.max_concurrent have outcome full.",
			[]string{"provider"}, nil),
		openScopes: prometheus.NewDesc("causeway_upstream_breaker_open_scopes",
			"Parts of a provider, such as banks, whose own circuit breaker is open.",
			[]string{"provider"}, nil),
		quota: prometheus.NewDesc("causeway_upstream_quota_used_ratio",
			"Used share of a rate limit of a provider. Polling uses at most 0.8.",
			[]string{"provider", "window"}, nil),
	}
	if reg != nil {
		reg.MustRegister(gauges{m})
	}
	return m
}

// gauges reads the state of the newest factory at every scrape.
type gauges struct{ *Metrics }

// Describe implements prometheus.Collector.
func (g gauges) Describe(out chan<- *prometheus.Desc) {
	out <- g.inFlight
	out <- g.openScopes
	out <- g.quota
}

// Collect implements prometheus.Collector.
func (g gauges) Collect(out chan<- prometheus.Metric) {
	f := g.newest.Load()
	if f == nil {
		return
	}
	f.mu.Lock()
	gates := slices.Collect(maps.Values(f.gates))
	f.mu.Unlock()
	send := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	for _, gate := range gates {
		send(g.inFlight, float64(gate.inside.Load()), gate.provider)
		send(g.openScopes, float64(gate.scopes.open()), gate.provider)
		if ledger := gate.ledger.Load(); ledger != nil {
			for _, w := range ledger.windows {
				send(g.quota, ledger.ratio(w), gate.provider, w.limit.Per.String())
			}
		}
	}
}

// asked counts a call that was not sent.
func (m *Metrics) asked(provider, op string, outcome Outcome) {
	m.requests.WithLabelValues(provider, op, string(outcome)).Inc()
}

// answered counts a call that was sent and records its duration.
func (m *Metrics) answered(provider, op string, outcome Outcome, took time.Duration) {
	m.asked(provider, op, outcome)
	m.durations.WithLabelValues(provider, op).Observe(took.Seconds())
}

func (m *Metrics) retried(provider, op string) { m.retries.WithLabelValues(provider, op).Inc() }

func (m *Metrics) breaker(provider string, s state, at time.Time) {
	m.states.WithLabelValues(provider).Set(float64(s))
	m.changes.WithLabelValues(provider).Set(float64(at.UnixMilli()) / 1000)
}

// connected counts an attempt to open a WebSocket.
func (m *Metrics) connected(provider string, outcome Outcome) {
	m.connects.WithLabelValues(provider, string(outcome)).Inc()
}

// heard counts a message, or a quote of one.
func (m *Metrics) heard(provider string, what heard) {
	m.messages.WithLabelValues(provider, string(what)).Inc()
}

// streams records whether prices come from the WebSocket.
func (m *Metrics) streams(provider string, up bool) {
	value := 0.0
	if up {
		value = 1
	}
	m.sockets.WithLabelValues(provider).Set(value)
}
