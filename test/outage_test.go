package test_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"causeway/test/driver"
)

// TestResolve_UnknownProviderCode starts a production-mode process while its provider is down. A bank
// whose code at the provider is not known yet is unavailable, and an invalid bank stays the client's
// error.
func TestResolve_UnknownProviderCode(t *testing.T) {
	t.Parallel()
	c := driver.Start(t, binary, upstreams(t, func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})...)
	resolve := func(bank, country string) driver.Reply {
		body := strings.NewReplacer("058", bank, `"NG"`, country).Replace(resolvePublished)
		return driver.Do(t, http.MethodPost, c.API+resolvePath, body, "Authorization", "Bearer "+bearer)
	}
	const onlyNIP = "090270" // AB Microfinance Bank
	listed := string(driver.Get(t, c.API+"/v1/banks?country=NG&q=ab+microfinance").Body)
	if !strings.Contains(listed, `"code":"`+onlyNIP+`"`) || !strings.Contains(listed, `"resolvable":false`) {
		t.Fatalf("%s has a code at a provider: %s", onlyNIP, listed)
	}
	if r := resolve(onlyNIP, `"NG"`); r.Status != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" || strings.Contains(string(r.Body), `"fields"`) {
		t.Errorf("a bank without a code at the provider: %d %s, want 503 with Retry-After", r.Status, r.Body)
	}
	if r := resolve("999999", `"NG"`); r.Status != http.StatusBadRequest {
		t.Errorf("an unknown bank: %d %s", r.Status, r.Body)
	}
	if r := resolve(onlyNIP, `"GH"`); r.Status != http.StatusBadRequest {
		t.Errorf("a bank of another country: %d %s", r.Status, r.Body)
	}
}

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
