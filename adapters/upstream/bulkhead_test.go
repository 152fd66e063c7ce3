package upstream_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/upstream"
	"causeway/core"
)

// TestABulkhead: a provider is asked so much at once and no more, whoever asks and about whatever; who is too many is told at once that it
// cannot be told now, and costs the provider nothing.
func TestABulkhead(t *testing.T) {
	t.Parallel()
	const most = 3
	w := open(t, func(c *upstream.Config) { c.MaxConcurrent = most })
	asked, answer := make(chan struct{}), make(chan struct{})
	w.transport.RegisterResponder(http.MethodGet, base+"/thing", func(*http.Request) (*http.Response, error) {
		asked <- struct{}{}
		<-answer
		return httpmock.NewStringResponse(http.StatusOK, `{}`), nil
	})
	ask := func(scope string) error {
		return w.client(t, false).Do(t.Context(), upstream.Question{Op: "op", Path: "/thing", Scope: scope}, upstream.Answer.Fault)
	}
	for range 2 { // what was refused and what was answered leave nothing behind
		var waiting sync.WaitGroup
		for _, scope := range []string{"", "058", "044"} {
			waiting.Go(func() {
				if err := ask(scope); err != nil {
					t.Error(err)
				}
			})
			<-asked
		}
		if got := w.metric(t, "causeway_upstream_in_flight", "provider=bank"); got != most {
			t.Errorf("in flight: %v", got)
		}
		for range 5 {
			err := ask("058")
			failure, _ := errors.AsType[*upstream.Failure](err)
			told, _ := errors.AsType[*core.Error](err)
			if failure == nil || failure.Outcome != upstream.Full || told == nil || told.Code != core.Unavailable || told.RetryAfter <= 0 {
				t.Fatalf("one more: got %v", err)
			}
		}
		for range most {
			answer <- struct{}{}
		}
		waiting.Wait()
	}
	if got := w.metric(t, "causeway_upstream_requests_total", "provider=bank", "op=op", "outcome=full"); got != 10 {
		t.Errorf("counted %v", got)
	}
	if got := w.metric(t, "causeway_upstream_breaker_state", "provider=bank"); got != 0 {
		t.Error("the provider counts as down, which it is not")
	}
	if got := w.metric(t, "causeway_upstream_in_flight", "provider=bank"); got != 0 {
		t.Errorf("in flight in the end: %v", got)
	}
}
