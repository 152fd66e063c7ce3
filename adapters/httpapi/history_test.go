package httpapi_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"causeway/adapters/httpapi"
	"causeway/core"
)

func TestHistoryIsReadOncePerPublication(t *testing.T) {
	t.Parallel()
	var asked []time.Duration
	w := newWorld(t, func(_ *httpapi.Config, s *httpapi.Services) {
		s.History = func(ctx context.Context, id string, period time.Duration) ([]core.PricePoint, error) {
			asked = append(asked, period)
			return hourly(ctx, id, period)
		}
	})
	const day = 24 * time.Hour
	ask := func() {
		t.Helper()
		for _, query := range []string{"", "?period=1d", "?period=7d", "?period=%2030d", "?period=", "?period=7d&x=1"} {
			if rec := w.get("/v1/pairs/BTCNGN/history" + query); rec.Code != http.StatusOK {
				t.Errorf("%s: got %d %s", query, rec.Code, rec.Body)
			}
		}
	}
	ask()
	if want := []time.Duration{day, 7 * day, 30 * day}; !slices.Equal(asked, want) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
	w.pairs.publish(next(8))
	ask()
	if len(asked) != 6 {
		t.Errorf("after a publication: asked for %v", asked)
	}
	for _, query := range []string{"?period=1", "?period=1D", "?period=24h", "?period=0d", "?period=-1d", "?period=1d,7d"} {
		if rec := w.get("/v1/pairs/BTCNGN/history" + query); rec.Code != http.StatusBadRequest || errorOf(t, rec.Body.Bytes()).Fields["period"] == nil {
			t.Errorf("%s: got %d %s", query, rec.Code, rec.Body)
		}
	}
}
