package app

import (
	"cmp"
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/core"
	"causeway/core/recipients"
)

// accounts provides what account resolution reports to. NewWorldServices builds the service itself.
var accounts = fx.Module("accounts", fx.Provide(resolutionEvents))

// noEvents reports nothing.
var noEvents recipients.Events

// resolutionMetrics count what comes of looking accounts up. Labels are closed sets: a bank or a caller is none of them.
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
			Name: "causeway_resolution_attempts_total", Help: "Questions to account providers, by what came of them.",
		}, []string{"provider", "country", "channel", "outcome"}),
		latency: auto.NewHistogramVec(prometheus.HistogramOpts{
			Name: "causeway_resolution_attempt_seconds", Help: "How long account providers took.",
			Buckets: []float64{.025, .05, .1, .25, .5, 1, 2, 4, 8},
		}, []string{"provider", "country", "channel"}),
		resolutions: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_resolutions_total", Help: "Good questions of clients about accounts, by what they were told.",
		}, []string{"country", "channel", "outcome"}),
		cache: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_resolution_cache_total", Help: "Answers that were remembered (hit), and that were not (miss).",
		}, []string{"result"}),
		refused: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_resolution_refused_total", Help: "Questions that were refused before anybody was asked, by reason.",
		}, []string{"reason"}),
		searches: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_resolution_searches_total", Help: "Callers who seemed to search through account numbers, by what gave them away: to be alerted on.",
		}, []string{"reason"}),
	}
}

// resolutionEvents writes the audit of account resolution and counts it. A line of the audit says who asked when about which bank, and what
// came of it; callers and accounts are keyed hashes, a key has its id beside it, which is no secret, and no number or name is there.
func resolutionEvents(log *zap.Logger, reg prometheus.Registerer) recipients.Events {
	m, audit := newResolutionMetrics(reg), log.Named("audit")
	return recipients.Events{
		Attempt: func(_ context.Context, a recipients.Attempt) {
			m.attempts.WithLabelValues(a.Provider, a.Country, string(a.Channel), string(a.Outcome)).Inc()
			if a.Outcome != recipients.Abandoned {
				m.latency.WithLabelValues(a.Provider, a.Country, string(a.Channel)).Observe(a.Latency.Seconds())
			}
			if a.Outcome == recipients.Panicked {
				log.Error("an account provider's adapter panicked; the next one was asked",
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
			writeAudit(audit, r)
		},
		Search: func(s recipients.Search) {
			m.searches.WithLabelValues(string(s.Reason)).Inc()
			log.Error("a caller seems to search through account numbers; somebody must look",
				zap.String("caller", s.Caller), keyOf(s.Key), zap.String("reason", string(s.Reason)), zap.String("mode", string(s.Mode)), zap.Time("until", s.Until))
		},
	}
}

// nameNeeded is the reason told of questions that were refused since names are only confirmed, and none was claimed.
const nameNeeded recipients.Reason = "name_needed"

// keyOf names the key of a caller, where it has one.
func keyOf(id string) zap.Field {
	if id == "" {
		return zap.Skip()
	}
	return zap.String("key", id)
}

func writeAudit(audit *zap.Logger, r recipients.Resolution) {
	fields := []zap.Field{
		zap.String("at", r.At.UTC().Format(time.RFC3339Nano)), zap.String("caller", r.Caller), keyOf(r.Key), zap.String("country", r.Country),
		zap.String("channel", string(r.Channel)), zap.String("bank", r.Bank), zap.String("account", r.Account),
		zap.String("outcome", string(r.Outcome)), zap.Bool("cached", r.Cached), zap.Duration("took", r.Took),
	}
	if r.Provider != "" {
		fields = append(fields, zap.String("provider", r.Provider))
	}
	if r.Match != core.NameMatch("") {
		fields = append(fields, zap.String("name_match", string(r.Match)))
	}
	if r.Hidden {
		fields = append(fields, zap.Bool("name_hidden", true))
	}
	if r.Reason != "" {
		fields = append(fields, zap.String("reason", string(r.Reason)))
	}
	audit.Info("resolution", fields...)
}
