package test_test

import (
	"fmt"
	"net/http"
	"regexp"
	"sync"
	"testing"

	"causeway/test/driver"
)

// TestResolve_SlowProvider sends more requests than one provider may have at once. The next
// provider takes the rest, and all succeed.
func TestResolve_SlowProvider(t *testing.T) {
	t.Parallel()
	c := driver.Start(t, binary, "CAUSEWAY_UPSTREAM__MAX_CONCURRENT=2")
	var requests sync.WaitGroup
	for n := range 6 { // each takes 2.5 seconds
		requests.Go(func() {
			body := fmt.Sprintf(`{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001","account_number":"000000%d202"}`, n)
			if r := driver.Do(t, http.MethodPost, c.API+resolvePath, body); r.Status != http.StatusOK {
				t.Errorf("got %d %s", r.Status, r.Body)
			}
		})
	}
	requests.Wait()
	metrics := driver.Get(t, c.Operator+"/metrics").Body
	if !regexp.MustCompile(`(?m)^causeway_upstream_requests_total\{op="\w+",outcome="full",provider="paystack"\} [1-9]`).Match(metrics) {
		t.Errorf("the first provider never reached its limit:\n%s", regexp.MustCompile(`(?m)^causeway_upstream_requests_total\{.*paystack.*`).FindAll(metrics, -1))
	}
}
