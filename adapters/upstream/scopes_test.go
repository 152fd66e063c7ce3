package upstream_test

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"pgregory.net/rapid"

	"causeway/adapters/upstream"
)

// switches is a provider with banks behind it, of which some are down: it answers 500 to whatever path ends in the name of one.
type switches struct {
	*world
	client *upstream.Client
	down   map[string]bool
}

func openSwitches(t *testing.T, settings ...func(*upstream.Config)) *switches {
	t.Helper()
	s := &switches{world: open(t, settings...), down: map[string]bool{}}
	s.transport.RegisterResponder(http.MethodGet, "=~^"+base, func(r *http.Request) (*http.Response, error) {
		if s.down[strings.TrimPrefix(r.URL.Path, "/v1/")] {
			return httpmock.NewStringResponse(http.StatusInternalServerError, ""), nil
		}
		return httpmock.NewStringResponse(http.StatusOK, "{}"), nil
	})
	s.client = s.world.client(t, false)
	return s
}

// ask asks about a bank, "" for the list of all, and returns what came of it.
func (s *switches) ask(t *testing.T, bank string) upstream.Outcome {
	t.Helper()
	err := s.client.Do(t.Context(), upstream.Question{Op: "op", Path: "/" + bank, Scope: bank}, upstream.Answer.Fault)
	if err == nil {
		return upstream.OK
	}
	unavailable(t, err)
	if len(bank) > 2 && strings.Contains(err.Error(), bank) {
		t.Errorf("the scope is in the error: %v", err)
	}
	failure, _ := errors.AsType[*upstream.Failure](err)
	return failure.Outcome
}

func (s *switches) asks(t *testing.T, n int, banks ...string) {
	t.Helper()
	for range n {
		for _, bank := range banks {
			s.ask(t, bank)
		}
	}
}

func (s *switches) wants(t *testing.T, bank string, want upstream.Outcome) {
	t.Helper()
	if got := s.ask(t, bank); got != want {
		t.Errorf("%q: got %s, want %s", bank, got, want)
	}
}

// states checks the provider's breaker (0 closed, 2 open) and how many of its banks' are open.
func (s *switches) states(t *testing.T, provider, banks float64) {
	t.Helper()
	state, scopes := s.metric(t, "causeway_upstream_breaker_state"), s.metric(t, "causeway_upstream_breaker_open_scopes", "provider=bank")
	if state != provider || scopes != banks {
		t.Errorf("the breaker is in state %v and %v of its banks' are open, want %v and %v", state, scopes, provider, banks)
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	t.Run("a bank that is down alone is not asked alone", func(t *testing.T) {
		t.Parallel()
		s := openSwitches(t)
		s.down["gtb"] = true
		s.asks(t, 10, "gtb")
		err := s.client.Do(t.Context(), upstream.Question{Op: "op", Path: "/gtb", Scope: "gtb"}, upstream.Answer.Fault)
		if wait := unavailable(t, err); wait != 10*time.Second {
			t.Errorf("is to wait %s, want 10s", wait)
		}
		s.asks(t, 100, "gtb")
		s.wants(t, "gtb", upstream.Open)
		s.wants(t, "zenith", upstream.OK)
		s.wants(t, "", upstream.OK)
		s.states(t, 0, 1)
		s.asked(t, 12)
	})
	t.Run("two banks are two banks, and three are the provider", func(t *testing.T) {
		t.Parallel()
		s := openSwitches(t)
		s.down["gtb"], s.down["uba"], s.down["access"] = true, true, true
		s.asks(t, 10, "gtb", "uba")
		s.wants(t, "zenith", upstream.OK)
		s.states(t, 0, 2)
		s.asks(t, 1, "access")
		s.states(t, 2, 2)
		s.wants(t, "zenith", upstream.Open)
		s.wants(t, "", upstream.Open)
	})
	t.Run("ten failures at ten banks are the provider's", func(t *testing.T) {
		t.Parallel()
		s := openSwitches(t)
		for i := range 10 {
			s.states(t, 0, 0)
			s.down[strconv.Itoa(i)] = true
			s.asks(t, 1, strconv.Itoa(i))
		}
		s.states(t, 2, 0)
	})
	t.Run("three banks that are down among many that are not are no outage", func(t *testing.T) {
		t.Parallel()
		s := openSwitches(t)
		s.down["gtb"], s.down["uba"], s.down["access"] = true, true, true
		for i := range 50 {
			s.asks(t, 1, "fine"+strconv.Itoa(i))
		}
		s.asks(t, 20, "gtb", "uba", "access")
		s.states(t, 0, 3)
	})
	t.Run("questions without a scope open it for all, and with too few of them a bank's failures do not help", func(t *testing.T) {
		t.Parallel()
		s := openSwitches(t, func(c *upstream.Config) { c.Breaker.MinCalls = 20 })
		s.down[""], s.down["gtb"] = true, true
		s.asks(t, 19, "", "gtb")
		s.states(t, 0, 0)
		s.asks(t, 1, "gtb")
		s.states(t, 0, 1)
		s.asks(t, 1, "")
		s.states(t, 2, 1)
		s.wants(t, "zenith", upstream.Open)
	})
	t.Run("failures of long ago at other banks do not count", func(t *testing.T) {
		t.Parallel()
		s := openSwitches(t)
		s.down["gtb"], s.down["uba"], s.down["access"] = true, true, true
		s.asks(t, 1, "gtb", "uba")
		s.advance(time.Minute)
		s.asks(t, 10, "access")
		s.states(t, 0, 1)
	})
	t.Run("a bank that is back is asked again after its probes", func(t *testing.T) {
		t.Parallel()
		s := openSwitches(t)
		s.down["gtb"] = true
		s.asks(t, 10, "gtb")
		s.down["gtb"] = false
		s.advance(10*time.Second - 1)
		s.wants(t, "gtb", upstream.Open)
		s.advance(1)
		s.wants(t, "gtb", upstream.OK)
		s.wants(t, "gtb", upstream.OK)
		s.states(t, 0, 0)
	})
	t.Run("a bank that stays down does not keep the provider from coming back", func(t *testing.T) {
		t.Parallel()
		s := openSwitches(t)
		s.down[""], s.down["gtb"] = true, true
		s.asks(t, 10, "")
		s.states(t, 2, 0)
		s.down[""] = false
		s.advance(10 * time.Second)
		s.wants(t, "gtb", upstream.Unavailable) // as a probe, which proves nothing
		s.wants(t, "gtb", upstream.Unavailable)
		s.wants(t, "zenith", upstream.OK)
		s.wants(t, "", upstream.OK)
		s.states(t, 0, 0)
	})
	t.Run("a probe that fails at one bank of many reopens it", func(t *testing.T) {
		t.Parallel()
		s := openSwitches(t)
		for i := range 10 {
			s.down[strconv.Itoa(i)] = true
			s.asks(t, 1, strconv.Itoa(i))
		}
		s.advance(10 * time.Second)
		s.wants(t, "3", upstream.Unavailable)
		s.states(t, 2, 0)
	})
	t.Run("a thousand are remembered, and the idlest is forgotten first", func(t *testing.T) {
		t.Parallel()
		s := openSwitches(t)
		s.down["gtb"], s.down["uba"] = true, true
		s.asks(t, 10, "gtb")
		s.advance(time.Second)
		s.asks(t, 10, "uba")
		s.advance(time.Second)
		for i := range 998 {
			s.asks(t, 1, "bank"+strconv.Itoa(i))
		}
		s.states(t, 0, 2)
		s.asks(t, 1, "one more")
		s.states(t, 0, 1)
		s.wants(t, "uba", upstream.Open)
		s.wants(t, "gtb", upstream.Unavailable)
	})
	t.Run("a breaker that never opens does not for scopes either", func(t *testing.T) {
		t.Parallel()
		s := openSwitches(t, func(c *upstream.Config) { c.Breaker.MinCalls = math.MaxInt })
		s.down["gtb"] = true
		for range 200 {
			s.wants(t, "gtb", upstream.Unavailable)
		}
		s.states(t, 0, 0)
	})
	t.Run("a scope is nowhere to be read", func(t *testing.T) {
		t.Parallel()
		s := openSwitches(t)
		for i := range 30 {
			bank := "secretbank" + strconv.Itoa(i%4)
			s.down[bank] = true
			s.asks(t, 1, bank)
		}
		families, err := s.registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(families, s.logs.All()); strings.Contains(text, "secretbank") {
			t.Error(text)
		}
	})
}

// TestScopesProperty lets at most two banks and never the provider itself fail, in any order and at any times: the provider is never given up, and
// no bank that works is.
func TestScopesProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := openSwitches(t)
		names := []string{"", "gtb", "uba", "access", "zenith", "kuda"}
		for range rapid.IntRange(0, 2).Draw(rt, "down") {
			s.down[rapid.SampledFrom(names[1:]).Draw(rt, "bank")] = true
		}
		for range rapid.IntRange(1, 150).Draw(rt, "steps") {
			s.advance(time.Duration(rapid.Int64Range(0, int64(3*time.Second)).Draw(rt, "pass")))
			bank := rapid.SampledFrom(names).Draw(rt, "asked")
			got := s.ask(t, bank)
			if !s.down[bank] && got != upstream.OK {
				rt.Fatalf("%q works, and came to %s", bank, got)
			}
			if s.down[bank] && got != upstream.Unavailable && got != upstream.Open {
				rt.Fatalf("%q is down, and came to %s", bank, got)
			}
		}
		if state := s.metric(t, "causeway_upstream_breaker_state"); state != 0 {
			rt.Fatalf("the provider's breaker is in state %v", state)
		}
	})
}
