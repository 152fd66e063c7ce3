package app

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

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

// newBareLogger returns a logger that writes messages alone, and its writer.
func newBareLogger(s *sink) (*zap.Logger, *logWriter) {
	encoder := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{MessageKey: "msg"})
	log, _ := newLogger(encoder, s, zap.NewAtomicLevelAt(zap.InfoLevel))
	return log, log.Core().(*logCore).writer
}

func TestLogWriter_Order(t *testing.T) {
	t.Parallel()
	s := &sink{}
	log, w := newBareLogger(s)
	derived := log.With(zap.Int("n", 1))
	for range 1000 {
		log.Info("a")
		derived.Info("b")
	}
	w.Close()
	if s.lines.String() != strings.Repeat("a\nb\t{\"n\": 1}\n", 1000) || w.dropped.Load() != 0 {
		t.Errorf("%d bytes, %d dropped lines", s.lines.Len(), w.dropped.Load())
	}
}

// TestLogWriter_Gather checks that lines are written together, soon after the first.
func TestLogWriter_Gather(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{}
		log, w := newBareLogger(s)
		defer w.Close()
		log.Info("a")
		time.Sleep(gatherTime / 2)
		log.Info("b")
		synctest.Wait()
		if n := len(w.waiting); n != 1 {
			t.Errorf("%d lines wait behind the first, not 1", n)
		}
		time.Sleep(gatherTime / 2)
		synctest.Wait()
		if got := s.lines.String(); got != "a\nb\n" {
			t.Errorf("got %q", got)
		}
	})
}

// TestLogWriter_Stall checks that a sink that stalls blocks neither a request nor the end of the process.
func TestLogWriter_Stall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{stalled: make(chan struct{})}
		log, w := newBareLogger(s)
		lines := 0
		for ; w.dropped.Load() == 0; lines++ {
			log.Info("line")
		}
		w.Close()
		close(s.stalled)
		<-w.done
		if n := strings.Count(s.lines.String(), "\n"); n != lines-1 {
			t.Errorf("%d of %d lines were written and 1 dropped", n, lines)
		}
	})
}
