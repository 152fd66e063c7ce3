package openexchangerates_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/openexchangerates"
	"causeway/adapters/upstream/upstreamtest"
)

const base = "https://openexchangerates.org/api/latest.json"

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		quota    int
		interval time.Duration
		want     string // "": it fits
	}{
		"the free plan, every hour":         {0, time.Hour, ""},
		"the free plan, every ten minutes":  {0, 10 * time.Minute, "openexchangerates: polled every 10m0s it would use 4464 calls of 1000 in 744h0m0s"},
		"a plan of 10000, every 10 minutes": {10_000, 10 * time.Minute, ""},
		"a plan of 10000, every 5 minutes":  {10_000, 5 * time.Minute, "poll every 5m35s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			world := upstreamtest.OpenLimited(t, httpmock.NewMockTransport(), upstreamtest.Noon)
			source, err := openexchangerates.New(openexchangerates.Config{AppID: key, MonthlyQuota: c.quota}, world.Factory)
			if err != nil {
				t.Fatal(err)
			}
			err = source.Fits(c.interval, len(markets))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
