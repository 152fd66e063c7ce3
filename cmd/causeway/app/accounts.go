package app

import (
	"cmp"
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/core/recipients"
)

// accounts provides what account resolution reports to. NewWorldServices builds the service itself.
var accounts = fx.Module("accounts", fx.Provide(resolutionEvents, newAuditLog))

// noEvents reports nothing.
var noEvents recipients.Events

// resolutionMetrics are the metrics of account resolution. No label identifies a bank or a caller.
type resolutionMetrics struct {
	attempts    *prometheus.CounterVec
	latency     *prometheus.HistogramVec
	resolutions *prometheus.CounterVec
	cache       *prometheus.CounterVec
	refused     *prometheus.CounterVec
	searches    *prometheus.CounterVec
}

func newResolutionMetrics(reg prometheus.Registerer) *resolutionMetrics {
	auto := promauto.With(reg)
	return &resolutionMetrics{
		attempts: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_resolution_attempts_total",
			Help: "Attempts to resolve an account at a provider by outcome.",
		}, []string{"provider", "country", "channel", "outcome"}),
		latency: auto.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "causeway_resolution_attempt_duration_seconds",
			Help:    "Duration of attempts to resolve an account at a provider.",
			Buckets: []float64{.025, .05, .1, .25, .5, 1, 2, 4, 8},
		}, []string{"provider", "country", "channel"}),
		resolutions: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_resolutions_total",
			Help: "Account resolution requests by outcome, without invalid requests.",
		}, []string{"country", "channel", "outcome"}),
		cache: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_resolution_cache_total",
			Help: "Lookups in the cache of account names by result.",
		}, []string{"result"}),
		refused: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_resolution_refused_total",
			Help: "Account resolution requests refused before a provider was called, by reason.",
		}, []string{"reason"}),
		searches: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_resolution_enumeration_suspected_total",
			Help: "Callers suspected of enumerating account numbers, by reason.",
		}, []string{"reason"}),
	}
}

// resolutionEvents counts account resolutions, and logs callers that seem to enumerate account numbers.
func resolutionEvents(log *zap.Logger, reg prometheus.Registerer) recipients.Events {
	m := newResolutionMetrics(reg)
	return recipients.Events{
		Attempt: func(_ context.Context, a recipients.Attempt) {
			m.attempts.WithLabelValues(a.Provider, a.Country, string(a.Channel), string(a.Outcome)).Inc()
			if a.Outcome != recipients.Abandoned {
				m.latency.WithLabelValues(a.Provider, a.Country, string(a.Channel)).Observe(a.Latency.Seconds())
			}
			if a.Outcome == recipients.Panicked {
				log.Error("account provider panicked; calling the next one",
					zap.String("provider", a.Provider), zap.ByteString("stack", a.Stack))
			}
		},
		Resolution: func(_ context.Context, r recipients.Resolution) {
			m.resolutions.WithLabelValues(r.Country, string(r.Channel), string(r.Outcome)).Inc()
			if r.Outcome == recipients.Refused {
				m.refused.WithLabelValues(string(cmp.Or(r.Reason, nameNeeded))).Inc()
			} else {
				m.cache.WithLabelValues(map[bool]string{true: "hit", false: "miss"}[r.Cached]).Inc()
			}
		},
		Search: func(s recipients.Search) {
			m.searches.WithLabelValues(string(s.Reason)).Inc()
			log.Error("caller suspected of enumerating account numbers",
				zap.String("caller", s.Caller), keyOf(s.Key), zap.String("reason", string(s.Reason)),
				zap.String("mode", string(s.Mode)), zap.Time("until", s.Until))
		},
	}
}

// nameNeeded is the reason of requests without a name where names are only confirmed.
const nameNeeded recipients.Reason = "name_needed"

// keyOf returns a field with the key ID of a caller, if it has one.
func keyOf(id string) zap.Field {
	if id == "" {
		return zap.Skip()
	}
	return zap.String("key", id)
}
