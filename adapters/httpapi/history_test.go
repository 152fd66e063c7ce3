package httpapi_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"causeway/core"
)

func TestHistoryIsReadOncePerPublication(t *testing.T) {
	t.Parallel()
	var asked []string
	w := newWorld(t, remembering(func(ctx context.Context, id, period string) ([]core.PricePoint, error) {
		asked = append(asked, id+" "+period)
		return hourly(ctx, id, period)
	}))
	ask := func() {
		t.Helper()
		for _, query := range []string{"", "?period=1d", "?period=7d", "?period=%2030d", "?period=", "?period=7d&x=1"} {
			if rec := w.get("/v1/pairs/btcngn/history" + query); rec.Code != http.StatusOK {
				t.Errorf("%s: got %d %s", query, rec.Code, rec.Body)
			}
		}
	}
	ask()
	if want := []string{"BTCNGN 1d", "BTCNGN 7d", "BTCNGN 30d"}; !slices.Equal(asked, want) {
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
	if len(asked) != 6 {
		t.Errorf("for wrong questions: asked for %v", asked)
	}
}
