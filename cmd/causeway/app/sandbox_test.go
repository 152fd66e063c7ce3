package app

import (
	"bytes"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"causeway/adapters/providers"
	"causeway/config"
)

// TestSandbox_NoNetwork gives every provider an unreachable address, which a sandbox ignores.
func TestSandbox_NoNetwork(t *testing.T) {
	t.Parallel()
	var env []string
	for _, d := range providers.Descriptors {
		env = append(env, config.Variable(config.BaseURLKey(d))+"=http://127.0.0.1:1")
	}
	var log bytes.Buffer
	written := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zapcore.EncoderConfig{MessageKey: "msg"}),
		zapcore.AddSync(&log), zapcore.WarnLevel))
	service := newTestApp(t, settings(t, env...), written).home.pairs()
	service.Tick(t.Context())
	sources := service.Sources()
	if len(sources) < 4 || len(env) < len(sources) {
		t.Errorf("%d sources, %d addresses", len(sources), len(env))
	}
	for _, s := range sources {
		if s.LastError != "" || s.Polls > 0 && s.LastSuccess.IsZero() {
			t.Errorf("%s: %+v", s.Name, s)
		}
	}
	if service.Snapshot() == nil || log.Len() > 0 {
		t.Errorf("no prices, or a warning: %s", &log)
	}
}
