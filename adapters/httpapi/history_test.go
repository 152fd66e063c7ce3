package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"causeway/adapters/httpapi"
	"causeway/core"
)

func TestHistory_Period(t *testing.T) {
	t.Parallel()
	var requested []string
	w := newWorld(t, remembering(func(ctx context.Context, id, period string) ([]core.PricePoint, error) {
		requested = append(requested, id+" "+period)
		return hourly(ctx, id, period)
	}))
	for _, query := range []string{"", "?period=1d", "?period=7d", "?period=%2030d", "?period=", "?period=7d&x=1"} {
		if rec := w.get("/v1/pairs/btcngn/history" + query); rec.Code != http.StatusOK {
			t.Errorf("%s: got %d %s", query, rec.Code, rec.Body)
		}
	}
	for _, query := range []string{"?period=1", "?period=1D", "?period=24h", "?period=0d", "?period=-1d", "?period=1d,7d"} {
		if rec := w.get("/v1/pairs/BTCNGN/history" + query); rec.Code != http.StatusBadRequest || errorOf(t, rec.Body.Bytes()).Fields["period"] == nil {
			t.Errorf("%s: got %d %s", query, rec.Code, rec.Body)
		}
	}
	want := []string{"BTCNGN 1d", "BTCNGN 1d", "BTCNGN 7d", "BTCNGN 30d", "BTCNGN 1d", "BTCNGN 7d"}
	if !slices.Equal(requested, want) {
		t.Errorf("got %v, want %v", requested, want)
	}
}

func TestHistory_BeforeFirstPrice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *httpapi.Config, s *httpapi.Services) {
		s.Pairs = &pairBook{known: map[string]bool{"BTCNGN": true, "SOLNGN": true}}
	})
	for target, want := range map[string]int{
		"/v1/pairs/BTCNGN/history":            http.StatusOK,
		"/v1/pairs/btcngn/history?period=30d": http.StatusOK,
		"/v1/pairs/BTCNGN/history?period=1y":  http.StatusBadRequest,
		"/v1/pairs/SOLNGN/history":            http.StatusServiceUnavailable, // no history was kept
		"/v1/pairs/NGNBTC/history":            http.StatusNotFound,
		"/v1/pairs/BTCNGN":                    http.StatusServiceUnavailable,
	} {
		rec := w.get(target)
		if found := strings.Contains(rec.Body.String(), `"price":"1602.5"`); rec.Code != want || found != (want == http.StatusOK) {
			t.Errorf("%s: got %d %s, want %d", target, rec.Code, rec.Body, want)
		}
		if cache := rec.Header().Get("Cache-Control"); rec.Code == http.StatusOK && !strings.Contains(cache, "max-age=0") {
			t.Errorf("%s: it may be kept: %s", target, cache)
		}
	}
}

// TestHistory_Sparklines reads what the start page draws in one request, which no journal records.
func TestHistory_Sparklines(t *testing.T) {
	t.Parallel()
	w := newWorld(t, remembering(hourly))
	const target = "/docs/sparklines.json?pairs=BTCNGN,SOLNGN,BTCGHS"
	if rec, want := w.get(target), `{"BTCGHS":["1600.5","1601.5","1602.5"],"BTCNGN":["1600.5","1601.5","1602.5"]}`; rec.Body.String() != want {
		t.Errorf("got %d %s, want %s", rec.Code, rec.Body, want)
	}
	if id := w.api.Operation(httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody)); id != "" {
		t.Errorf("it is the operation %s", id)
	}
}
