package test_test

import (
	"net/http"
	"testing"

	"causeway/test/driver"
)

// When standard error stalls, account resolution discloses nothing, because no audit record can be
// written. All other operations go on.
func TestAudit_StalledLog(t *testing.T) {
	t.Parallel()
	env := upstreams(t, func(http.ResponseWriter, *http.Request) bool { return false })
	instance := driver.Start(t, binary, append(env, "CAUSEWAY_LIMITS__DEFAULT=none", "CAUSEWAY_LIMITS__OPERATIONS__RESOLVE_ACCOUNT=none")...)
	status := func() int { return resolveStatus(t, instance, bearer) }
	if got := status(); got != http.StatusOK {
		t.Fatalf("before: got %d", got)
	}
	resume := instance.StallLog()
	defer resume()
	wait(t, "account resolution is unavailable", func() bool {
		for range 50 { // their log lines fill the pipe
			if got := driver.Get(t, instance.API+"/v1/countries"); got.Status != http.StatusOK {
				t.Fatalf("countries: got %d", got.Status)
			}
		}
		return status() == http.StatusServiceUnavailable
	})
	if n := counted(t, instance, "causeway_audit_failures_total"); n == 0 {
		t.Error("no failure was counted")
	}
	resume()
	wait(t, "account resolution is available", func() bool { return status() == http.StatusOK })
}
