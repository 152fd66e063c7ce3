package app

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"causeway/core/recipients"
)

const (
	auditTimeout = time.Second // to write a record
	auditPending = 1024        // records that are being written at once
)

// auditLog writes one record per account resolution, and waits until it is written. The log level
// does not apply to it. Records contain keyed hashes of callers and accounts, and the IDs of API keys,
// but no account number and no name.
type auditLog struct {
	out      zapcore.Core // returns the errors of the sink
	required bool
	pending  chan struct{}
	failures prometheus.Counter
}

func newAuditLog(out zapcore.Core, required bool, reg prometheus.Registerer) *auditLog {
	return &auditLog{
		out: out, required: required, pending: make(chan struct{}, auditPending),
		failures: promauto.With(reg).NewCounter(prometheus.CounterOpts{
			Name: "causeway_audit_failures_total",
			Help: "Audit records that could not be written in time. Unless audit.required is false, the client got 503 and no name.",
		}),
	}
}

// Record writes a record. It returns an error if that fails and audit records are required.
func (a *auditLog) Record(_ context.Context, r recipients.Resolution) error {
	err := a.write(auditFields(r))
	if err == nil {
		return nil
	}
	a.failures.Inc()
	if !a.required {
		return nil
	}
	return err
}

// write waits for a sink that stalls for auditTimeout at most. The number of records that wait is
// bounded, so that a stalled sink does not take up memory.
func (a *auditLog) write(fields []zap.Field) error {
	select {
	case a.pending <- struct{}{}:
	default:
		return errors.New("the audit log is stalled: too many records wait")
	}
	entry := zapcore.Entry{Level: zapcore.InfoLevel, Time: time.Now(), LoggerName: "audit", Message: "resolution"}
	written := make(chan error, 1)
	go func() {
		written <- a.out.Write(entry, fields)
		<-a.pending
	}()
	timeout := time.NewTimer(auditTimeout)
	defer timeout.Stop()
	select {
	case err := <-written:
		return err
	case <-timeout.C:
		return errors.New("the audit log is stalled: a record was not written in time")
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
