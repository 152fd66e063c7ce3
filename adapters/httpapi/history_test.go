package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"causeway/adapters/httpapi"
)

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
