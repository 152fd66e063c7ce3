package test_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"causeway/test/driver"
)

// TestResolve_UnknownProviderCode starts a production-mode process while its provider is down. A bank that is known by its
// NIP code alone cannot be asked about before the provider has told its own code: that is an outage, never the client's fault.
// What is the client's fault stays that.
func TestResolve_UnknownProviderCode(t *testing.T) {
	t.Parallel()
	c := driver.Start(t, binary, upstreams(t, func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})...)
	ask := func(bank, country string) driver.Reply {
		body := strings.NewReplacer("058", bank, `"NG"`, country).Replace(resolvePublished)
		return driver.Do(t, http.MethodPost, c.API+resolvePath, body, "Authorization", "Bearer "+bearer)
	}
	const onlyNIP = "090270" // AB Microfinance Bank
	listed := string(driver.Get(t, c.API+"/v1/banks?country=NG&q=ab+microfinance").Body)
	if !strings.Contains(listed, `"code":"`+onlyNIP+`"`) || !strings.Contains(listed, `"resolvable":false`) {
		t.Fatalf("%s is no bank without a provider's code: %s", onlyNIP, listed)
	}
	if r := ask(onlyNIP, `"NG"`); r.Status != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" || strings.Contains(string(r.Body), `"fields"`) {
		t.Errorf("a bank whose code was never told: %d %s, want 503 with Retry-After", r.Status, r.Body)
	}
	if r := ask("999999", `"NG"`); r.Status != http.StatusBadRequest {
		t.Errorf("a code that is no bank: %d %s", r.Status, r.Body)
	}
	if r := ask(onlyNIP, `"GH"`); r.Status != http.StatusBadRequest {
		t.Errorf("a bank of another country: %d %s", r.Status, r.Body)
	}
}

// TestResolve_HangingProvider asks a provider that never answers and is waited for as long as the budget allows.
func TestResolve_HangingProvider(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	env := append(upstreams(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/resolve") {
			return false
		}
		asked.Add(1)
		<-r.Context().Done()
		return true
	}), "CAUSEWAY_UPSTREAM__TIMEOUT=30s")
	c := driver.Start(t, binary, env...)
	began := time.Now()
	r := driver.Do(t, http.MethodPost, c.API+resolvePath, resolvePublished, "Authorization", "Bearer "+bearer)
	took := time.Since(began)
	if r.Status != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" || asked.Load() == 0 {
		t.Errorf("%d %s after %d questions, want 503 with Retry-After", r.Status, r.Body, asked.Load())
	}
	if took < 7*time.Second || took >= 25*time.Second {
		t.Errorf("answered after %s; the provider has most of 8 s, the client waits no longer", took)
	}
}
