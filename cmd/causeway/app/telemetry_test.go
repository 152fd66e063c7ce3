package app

import (
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/zap"

	"causeway/config"
	"causeway/core/recipients"
)

// TestNewLogger_Level checks that the level applies to the log and not to the audit.
func TestNewLogger_Level(t *testing.T) {
	t.Parallel()
	s := &sink{}
	log, stop := newLogger(newJSONEncoder(), s, zap.NewAtomicLevelAt(zap.ErrorLevel))
	reg, _ := newRegistry("test", log)
	log.Info("quiet")
	log.Named("a").Error("loud")
	cfg := config.Default()
	cfg.Mode = config.Production // waits for the record
	if err := newAuditLog(cfg, log, reg).Record(t.Context(), recipients.Resolution{Caller: "c0ffee"}); err != nil {
		t.Error(err)
	}
	if err := setLevel(log, "info"); err != nil {
		t.Error(err)
	}
	log.Info("late")
	stop()
	for text, want := range map[string]bool{
		"quiet": false, "loud": true, "late": true, "c0ffee": true, `"time":"20`: true,
	} {
		if got := strings.Contains(s.lines.String(), text); got != want {
			t.Errorf("%s: got %t, want %t", text, got, want)
		}
	}
	if n := reading(t, reg, "causeway_log_lines_dropped_total", ""); n != 0 {
		t.Errorf("%v dropped lines", n)
	}
}

func TestLogWriter_Order(t *testing.T) {
	t.Parallel()
	s := &sink{}
	w := newLogWriter(s)
	for range 1000 {
		_, _ = w.Write([]byte("a\n"))
		_, _ = w.Write([]byte("b\n"))
	}
	w.Close()
	if s.lines.String() != strings.Repeat("a\nb\n", 1000) || w.dropped.Load() != 0 {
		t.Errorf("%d bytes, %d dropped lines", s.lines.Len(), w.dropped.Load())
	}
}

// TestLogWriter_Stall checks that a sink that stalls blocks neither a request nor the end of the process.
func TestLogWriter_Stall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{stalled: make(chan struct{})}
		w := newLogWriter(s)
		lines := 0
		for ; w.dropped.Load() == 0; lines++ {
			_, _ = w.Write([]byte("line\n"))
		}
		w.Close()
		close(s.stalled)
		<-w.done
		if n := strings.Count(s.lines.String(), "\n"); n != lines-1 {
			t.Errorf("%d of %d lines were written and 1 dropped", n, lines)
		}
	})
}
