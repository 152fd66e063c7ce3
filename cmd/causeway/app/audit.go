package app

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"causeway/config"
	"causeway/core/recipients"
)

const (
	auditTimeout = time.Second // to write a record
	auditPending = 1024        // records that are being written at once
)

// auditLog writes one record per account resolution to the log sink, whatever the log level is. Records contain keyed
// hashes of callers and accounts, and the IDs of API keys, but no account number and no name.
type auditLog struct {
	out      zapcore.Core // returns the errors of the sink
	required bool
	pending  chan struct{} // bounds the records that wait for a stalled sink
	failures prometheus.Counter
}

// newAuditLog makes the audit log. A sandbox discloses nothing, so there records are not required.
func newAuditLog(cfg config.Config, log *zap.Logger, reg prometheus.Registerer) *auditLog {
	return &auditLog{
		out: directCore(log), required: cfg.Audit.Required && cfg.Mode == config.Production,
		pending: make(chan struct{}, auditPending),
		failures: promauto.With(reg).NewCounter(prometheus.CounterOpts{
			Name: "causeway_audit_failures_total",
			Help: "Audit records that could not be written in time. Unless audit.required is false, the client got 503 and no name.",
		}),
	}
}

// Record writes a record. If records are required, it waits until the record is written, for auditTimeout at most, and
// returns an error if that fails.
func (a *auditLog) Record(_ context.Context, r recipients.Resolution) error {
	select {
	case a.pending <- struct{}{}:
	default:
		a.failures.Inc()
		if a.required {
			return errors.New("the audit log stalls: too many records wait")
		}
		return nil
	}
	entry := zapcore.Entry{Level: zapcore.InfoLevel, Time: time.Now(), LoggerName: "audit", Message: "resolution"}
	written := make(chan error, 1)
	go func() {
		err := a.out.Write(entry, auditFields(r))
		<-a.pending
		if err != nil {
			a.failures.Inc()
		}
		written <- err
	}()
	if !a.required {
		return nil
	}
	timeout := time.NewTimer(auditTimeout)
	defer timeout.Stop()
	select {
	case err := <-written:
		return err
	case <-timeout.C:
		a.failures.Inc()
		return errors.New("the audit log stalls: a record was not written in time")
	}
}

func auditFields(r recipients.Resolution) []zap.Field {
	fields := []zap.Field{
		zap.String("at", r.At.UTC().Format(time.RFC3339Nano)), zap.String("caller", r.Caller), zap.String("country", r.Country),
		zap.String("channel", string(r.Channel)), zap.String("bank", r.Bank), zap.String("account", r.Account),
		zap.String("outcome", string(r.Outcome)), zap.Bool("cached", r.Cached), zap.Duration("took", r.Took),
	}
	for key, value := range map[string]string{"key": r.Key, "provider": r.Provider, "name_match": string(r.Match), "reason": string(r.Reason)} {
		if value != "" {
			fields = append(fields, zap.String(key, value))
		}
	}
	if r.Hidden {
		fields = append(fields, zap.Bool("name_hidden", true))
	}
	return fields
}
