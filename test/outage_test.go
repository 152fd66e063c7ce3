package test_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"causeway/test/driver"
)

// TestResolve_HangingProvider calls a provider that never responds. The response is an error within the
// budget of 8 s.
func TestResolve_HangingProvider(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	env := append(upstreams(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/resolve") {
			return false
		}
		calls.Add(1)
		<-r.Context().Done()
		return true
	}), "CAUSEWAY_UPSTREAM__TIMEOUT=30s")
	c := driver.Start(t, binary, env...)
	began := time.Now()
	r := driver.Do(t, http.MethodPost, c.API+resolvePath, resolvePublished, "Authorization", "Bearer "+bearer)
	took := time.Since(began)
	if r.Status != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" || calls.Load() == 0 {
		t.Errorf("%d %s after %d calls, want 503 with Retry-After", r.Status, r.Body, calls.Load())
	}
	if took < 7*time.Second || took >= time.Minute {
		t.Errorf("responded after %s; the provider has most of 8 s", took)
	}
}
