package app

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"causeway/config"
	"causeway/core/recipients"
)

// The level applies to the log and not to the audit.
func TestNewLogger_Level(t *testing.T) {
	t.Parallel()
	s := &sink{}
	log, stop := newLogger(newJSONEncoder(), s, zap.NewAtomicLevelAt(zap.ErrorLevel))
	reg := prometheus.NewRegistry()
	countDroppedLines(log, reg)
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
	for text, want := range map[string]bool{"quiet": false, "loud": true, "late": true, "c0ffee": true, `"time":"20`: true} {
		if got := strings.Contains(s.lines.String(), text); got != want {
			t.Errorf("%s: got %t, want %t", text, got, want)
		}
	}
	if n := reading(t, reg, "causeway_log_lines_dropped_total", ""); n != 0 {
		t.Errorf("%v dropped lines", n)
	}
}
