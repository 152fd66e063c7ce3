package app

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"causeway/core"
	"causeway/core/pairs"
)

// throttling answers 429 for the hosts that are named, and lets all others through.
type throttling struct {
	http.RoundTripper
	hosts []string // "" is every host
}

func (x *throttling) RoundTrip(r *http.Request) (*http.Response, error) {
	if !slices.Contains(x.hosts, r.URL.Host) && !slices.Contains(x.hosts, "") {
		return x.RoundTripper.RoundTrip(r)
	}
	return &http.Response{
		Status: "429 Too Many Requests", StatusCode: http.StatusTooManyRequests, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Retry-After": {"5"}}, Body: io.NopCloser(strings.NewReader("slow down")), Request: r,
	}, nil
}

// priced runs the sandbox's prices on the bubble's clock, over a network that a test throttles.
func priced(t *testing.T) (*pairs.Service, *throttling) {
	t.Helper()
	network := &throttling{}
	a := newTestApp(t, settings(t), zap.NewNop(), withEnvironment(func(env *Environment) {
		network.RoundTripper, env.Transport = env.Transport, network
	}))
	return a.home.pairs(), network
}

// pass lets seconds pass, one by one, and returns how many quotes of which status there are in the end.
func pass(t *testing.T, s *pairs.Service, seconds int) map[pairs.Status]int {
	t.Helper()
	for range seconds {
		s.Tick(t.Context())
		time.Sleep(time.Second)
	}
	s.Tick(t.Context())
	n := map[pairs.Status]int{}
	for _, q := range s.Snapshot().Quotes {
		n[q.Status]++
	}
	return n
}

func TestTheSandboxIsFreshAndStaysSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := priced(t)
		s.Subscribe(func(snapshot *pairs.Snapshot) {
			for _, q := range snapshot.Quotes {
				if q.Status != pairs.Fresh || q.Reason != "" {
					t.Errorf("%s: %s is %s %q", snapshot.At, q.ID, q.Status, q.Reason)
				}
			}
		})
		if n := pass(t, s, 120); n[pairs.Fresh] != 94 {
			t.Errorf("got %v", n)
		}
		if got := s.Stats(); got.Kept != 0 || len(got.Refused) != 0 {
			t.Errorf("refused: %+v", got)
		}
	})
}

func TestOneVenueThatThrottlesCostsNobodyFreshness(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, network := priced(t)
		pass(t, s, 5)
		network.hosts = []string{"www.okx.com"}
		if n := pass(t, s, 120); n[pairs.Fresh] != 94 {
			t.Errorf("got %v", n)
		}
		rate := s.Snapshot().Quote("BTCUSDT").Legs[0].Rate
		if len(rate.Used) != 3 || len(rate.Excluded) != 1 || rate.Excluded[0] != (pairs.Exclusion{Source: "okx", Reason: pairs.Unreachable}) {
			t.Errorf("used %d, excluded %v", len(rate.Used), rate.Excluded)
		}
		for _, source := range s.Sources() {
			if source.Name == "okx" && (source.LastError != core.Unavailable || source.Polls > 40) {
				t.Errorf("okx: %+v", source)
			}
		}
	})
}

func TestWithAllSourcesGonePricesAgeAndStayListed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, network := priced(t)
		pass(t, s, 5)
		shown := s.Snapshot().Quote("BTCNGN").Mid
		network.hosts = []string{""}
		if n := pass(t, s, 30); n[pairs.Stale] == 0 || n[pairs.Halted] != 0 || s.Snapshot().Quote("BTCNGN").Status != pairs.Stale {
			t.Errorf("after half a minute: %v", n)
		}
		if n := pass(t, s, 150); n[pairs.Stale] != 0 || n[pairs.Halted]+n[pairs.Fresh] != 94 {
			t.Errorf("after three minutes: %v", n)
		}
		q := s.Snapshot().Quote("BTCNGN")
		if q.Status != pairs.Halted || q.BuySupported || q.SellSupported || q.Mid.Sub(shown).Abs().GreaterThan(shown.Shift(-3)) {
			t.Errorf("BTCNGN: %s at %s, tradable %t and %t", q.Status, q.Mid, q.BuySupported, q.SellSupported)
		}
		if q := s.Snapshot().Quote("USDKES"); q.Status != pairs.Fresh { // official rates are of the day
			t.Errorf("USDKES: %s", q.Status)
		}
		network.hosts = nil
		if n := pass(t, s, 180); n[pairs.Fresh] != 94 {
			t.Errorf("when they are back: %v", n)
		}
	})
}
