package main

import (
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

func TestWhatIsOpenInProductionIsWarnedOf(t *testing.T) {
	t.Parallel()
	production := []string{"CAUSEWAY_MODE=production", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=x", "CAUSEWAY_PAYSTACK__KEYS__NG=planted"}
	plain := "CAUSEWAY_PAYSTACK__BASE_URL=http://proxy.test"
	for name, c := range map[string]struct {
		env  []string
		want []string
	}{
		"a sandbox":                {[]string{plain}, nil},
		"keys and TLS":             {append(slices.Clone(production), "CAUSEWAY_AUTH__KEYS=planted"), nil},
		"without keys":             {append(slices.Clone(production), "CAUSEWAY_AUTH__RESOLUTION=open"), []string{"auth.resolution is open"}},
		"without TLS and keys":     {append(slices.Clone(production), "CAUSEWAY_AUTH__RESOLUTION=open", plain), []string{"without TLS", "auth.resolution is open"}},
		"without TLS to providers": {append(slices.Clone(production), "CAUSEWAY_AUTH__KEYS=planted", plain), []string{"without TLS"}},
	} {
		logs, seen := observer.New(zapcore.WarnLevel)
		warnOfExposure(settings(t, c.env...), zap.New(logs))
		lines := seen.All()
		if len(lines) != len(c.want) {
			t.Errorf("%s: %v", name, lines)
			continue
		}
		for i, l := range lines {
			if !strings.Contains(l.Message, c.want[i]) {
				t.Errorf("%s: %s, want %s", name, l.Message, c.want[i])
			}
		}
	}
}
