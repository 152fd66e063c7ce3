package app

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"causeway/config"
	"causeway/core/recipients"
)

// sink is a log sink that can fail, and that stalls until stalled is closed, unless it is nil.
type sink struct {
	stalled chan struct{}
	err     error

	mu    sync.Mutex
	lines bytes.Buffer
}

func (s *sink) Write(line []byte) (int, error) {
	if s.stalled != nil {
		<-s.stalled
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	return s.lines.Write(line)
}

func newTestAudit(s *sink, required bool) *auditLog {
	out := zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(s),
		zapcore.DebugLevel)
	cfg := config.Default()
	if required {
		cfg.Mode = config.Production
	}
	return newAuditLog(cfg, zap.New(out), prometheus.NewRegistry())
}

func TestAuditLog_Record(t *testing.T) {
	t.Parallel()
	s := &sink{}
	r := recipients.Resolution{
		Caller: "c0ffee", Key: "k1", Country: "NG", Account: "beef", Outcome: recipients.Found,
		Hidden: true,
	}
	if err := newTestAudit(s, true).Record(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"audit"`, `"resolution"`, `"caller":"c0ffee"`, `"key":"k1"`, `"account":"beef"`,
		`"outcome":"found"`, `"name_hidden":true`,
	} {
		if !strings.Contains(s.lines.String(), want) {
			t.Errorf("%s lacks %s", s.lines.String(), want)
		}
	}
}

func TestAuditLog_Failure(t *testing.T) {
	t.Parallel()
	s := &sink{err: errors.New("disk full")}
	a := newTestAudit(s, true)
	if err := a.Record(t.Context(), recipients.Resolution{}); !errors.Is(err, s.err) {
		t.Errorf("got %v, want %v", err, s.err)
	}
	s.err = nil
	if err := a.Record(t.Context(), recipients.Resolution{}); err != nil {
		t.Errorf("after the failure: %v", err)
	}
}

// Records that are not required delay nothing.
func TestAuditLog_NotRequired(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{stalled: make(chan struct{}), err: errors.New("disk full")}
		a := newTestAudit(s, false)
		start := time.Now()
		for range auditPending + 10 {
			if err := a.Record(t.Context(), recipients.Resolution{}); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("took %s", took)
		}
		close(s.stalled)
		synctest.Wait()
	})
}

// A sink that stalls delays requests for a second at most. Requests that come when many wait are not
// delayed.
func TestAuditLog_Stall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{stalled: make(chan struct{})}
		a := newTestAudit(s, true)
		start := time.Now()
		var work sync.WaitGroup
		for range auditPending + 10 {
			work.Go(func() {
				if err := a.Record(t.Context(), recipients.Resolution{}); err == nil {
					t.Error("recorded")
				}
			})
		}
		work.Wait()
		if took := time.Since(start); took != auditTimeout {
			t.Errorf("took %s, want %s", took, auditTimeout)
		}
		if err := a.Record(t.Context(), recipients.Resolution{}); err == nil || time.Since(start) != auditTimeout {
			t.Errorf("with many that wait: %v after %s", err, time.Since(start))
		}
		close(s.stalled)
		synctest.Wait()
		if err := a.Record(t.Context(), recipients.Resolution{}); err != nil {
			t.Errorf("after the stall: %v", err)
		}
	})
}
