package httpapi

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are the rate, errors and durations of every operation. Labels are operation ids and statuses, never a path.
type metrics struct {
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec

	limited *prometheus.CounterVec

	streamsEnded *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	factory := promauto.With(reg)
	m := &metrics{
		requests: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_http_requests_total",
			Help: "Requests answered, by operation and status.",
		}, []string{"operation", "status"}),
		durations: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name:                            "causeway_http_request_duration_seconds",
			Help:                            "Time from the first look at a request to the end of its answer, by operation.",
			Buckets:                         []float64{.00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
			NativeHistogramBucketFactor:     1.1,
			NativeHistogramMaxBucketNumber:  100,
			NativeHistogramMinResetDuration: time.Hour,
		}, []string{"operation"}),
		limited: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_http_limited_total",
			Help: "Requests that were refused because their caller asked too often, by operation.",
		}, []string{"operation"}),
		streamsEnded: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_http_streams_ended_total",
			Help: "Streams that ended: because the client went away or was too slow, or because the process stops.",
		}, []string{"reason"}),
	}
	for _, reason := range []string{endClient, endSlow, endShutdown} {
		m.streamsEnded.WithLabelValues(reason)
	}
	return m
}

// counters are what one operation counts into, looked up once.
type counters struct {
	metrics  *metrics
	byStatus map[int]prometheus.Counter
	duration prometheus.Observer
}

func (m *metrics) operation(id string) counters {
	c := counters{metrics: m, byStatus: map[int]prometheus.Counter{}, duration: m.durations.WithLabelValues(id)}
	for _, status := range []int{http.StatusOK, http.StatusNoContent, http.StatusNotModified} {
		c.byStatus[status] = m.requests.WithLabelValues(id, statusLabel(status))
	}
	for _, kind := range errorKinds {
		c.byStatus[kind.status] = m.requests.WithLabelValues(id, statusLabel(kind.status))
	}
	return c
}

// count counts a response and its duration.
func (o *operation) count(status int, took time.Duration) {
	counter, known := o.byStatus[status]
	if !known { // a connection that was cut off before its header
		counter = o.metrics.requests.WithLabelValues(o.id, statusLabel(status))
	}
	counter.Inc()
	o.duration.Observe(took.Seconds())
}
