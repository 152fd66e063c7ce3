package app

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/fx"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"causeway/config"
	"causeway/core/recipients"
	"causeway/core/recipients/guard"
)

// recipientReports provides what account resolution reports to. NewWorldServices builds the service itself.
var recipientReports = fx.Module("recipients", fx.Provide(newRecipientEvents, newAuditLog))

// newRecipientEvents counts account resolutions, and logs callers that seem to enumerate account
// numbers. No label identifies a bank or a caller.
func newRecipientEvents(log *zap.Logger, reg prometheus.Registerer) recipients.Events {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return promauto.With(reg).NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	attempts := counter("causeway_recipients_attempts_total",
		"Attempts to resolve an account at a provider by outcome.", "provider", "country", "channel", "outcome")
	latency := promauto.With(reg).NewHistogramVec(prometheus.HistogramOpts{
		Name:    "causeway_recipients_attempt_duration_seconds",
		Help:    "Duration of attempts to resolve an account at a provider.",
		Buckets: []float64{.025, .05, .1, .25, .5, 1, 2, 4, 8},
	}, []string{"provider", "country", "channel"})
	resolutions := counter("causeway_recipients_resolutions_total",
		"Account resolution requests by outcome, without invalid requests.", "country", "channel", "outcome")
	cache := counter("causeway_recipients_cache_total", "Lookups in the cache of account names by result.", "result")
	refused := counter("causeway_recipients_refused_total",
		"Account resolution requests refused before a provider was called, by reason.", "reason")
	searches := counter("causeway_recipients_enumeration_suspected_total",
		"Callers suspected of enumerating account numbers, by reason.", "reason")
	failures := counter("causeway_recipients_lookup_log_failures_total",
		"Failed attempts of the enumeration guard to share or save lookups, by log: shared (Redis) or saved (database).",
		"log")
	return recipients.Events{
		LookupsFailed: func(name string, _ error) { failures.WithLabelValues(name).Inc() },
		Attempt: func(_ context.Context, a recipients.Attempt) {
			attempts.WithLabelValues(a.Provider, a.Country, string(a.Channel), string(a.Outcome)).Inc()
			if a.Outcome != recipients.Abandoned {
				latency.WithLabelValues(a.Provider, a.Country, string(a.Channel)).Observe(a.Latency.Seconds())
			}
			if a.Outcome == recipients.Panicked {
				log.Error("account provider panicked; calling the next one",
					zap.String("provider", a.Provider), zap.ByteString("stack", a.Stack))
			}
		},
		Resolution: func(_ context.Context, r recipients.Resolution) {
			resolutions.WithLabelValues(r.Country, string(r.Channel), string(r.Outcome)).Inc()
			switch {
			case r.Outcome == recipients.Refused: // without a reason where names are only confirmed
				refused.WithLabelValues(string(cmp.Or(r.Reason, "name_needed"))).Inc()
			case r.Cached:
				cache.WithLabelValues("hit").Inc()
			default:
				cache.WithLabelValues("miss").Inc()
			}
		},
		Alarm: func(a guard.Alarm) {
			searches.WithLabelValues(string(a.Reason)).Inc()
			log.Error("caller suspected of enumerating account numbers",
				zap.String("caller", a.Caller), optional("key", a.Key), zap.String("reason", string(a.Reason)),
				zap.String("mode", string(a.Mode)), zap.Time("until", a.Until))
		},
	}
}

// optional returns a field that is left out if it is empty.
func optional(key, value string) zap.Field {
	if value == "" {
		return zap.Skip()
	}
	return zap.String(key, value)
}

const (
	auditTimeout = time.Second // to write a record
	auditPending = 1024        // records that are being written at once
)

// auditLog writes one record per account resolution to the log sink, whatever the log level is.
// Records contain keyed hashes of callers and accounts, and the IDs of API keys, but no account
// number and no name.
type auditLog struct {
	out      zapcore.Core // returns the errors of the sink
	required bool
	pending  chan struct{} // bounds the records that wait for a stalled sink
	failures prometheus.Counter
}

// newAuditLog makes the audit log. A sandbox discloses nothing, so there records are not required.
func newAuditLog(cfg config.Config, log *zap.Logger, reg prometheus.Registerer) *auditLog {
	out := log.Core()
	if c, ok := out.(*logCore); ok {
		out = c.direct
	}
	return &auditLog{
		out: out, required: cfg.Mode == config.Production,
		pending: make(chan struct{}, auditPending),
		failures: promauto.With(reg).NewCounter(prometheus.CounterOpts{
			Name: "causeway_audit_failures_total",
			Help: "Audit records that could not be written in time. In production the client got 503 and no name.",
		}),
	}
}

// Record writes a record. If records are required, it waits until the record is written, for
// auditTimeout at most, and returns an error if that fails.
func (a *auditLog) Record(_ context.Context, r recipients.Resolution) error {
	if !a.required {
		go func() { _ = a.write(r) }()
		return nil
	}
	return a.write(r)
}

func (a *auditLog) write(r recipients.Resolution) (err error) {
	defer func() {
		if err != nil {
			a.failures.Inc()
		}
	}()
	select {
	case a.pending <- struct{}{}:
	default:
		return errors.New("the audit log stalls: too many records wait")
	}
	entry := zapcore.Entry{Level: zapcore.InfoLevel, Time: time.Now(), LoggerName: "audit", Message: "resolution"}
	written := make(chan error, 1)
	go func() {
		written <- a.out.Write(entry, auditFields(r))
		<-a.pending
	}()
	select {
	case err := <-written:
		return err
	case <-time.After(auditTimeout):
		return errors.New("the audit log stalls: a record was not written in time")
	}
}

func auditFields(r recipients.Resolution) []zap.Field {
	fields := []zap.Field{
		zap.String("at", r.At.UTC().Format(time.RFC3339Nano)), zap.String("caller", r.Caller),
		zap.String("country", r.Country), zap.String("channel", string(r.Channel)), zap.String("bank", r.Bank),
		zap.String("account", r.Account), zap.String("outcome", string(r.Outcome)), zap.Bool("cached", r.Cached),
		zap.Duration("took", r.Took), optional("key", r.Key), optional("provider", r.Provider),
		optional("name_match", string(r.Match)), optional("document_match", string(r.Document)),
		optional("reason", string(r.Reason)),
	}
	if r.Hidden {
		fields = append(fields, zap.Bool("name_hidden", true))
	}
	return fields
}
