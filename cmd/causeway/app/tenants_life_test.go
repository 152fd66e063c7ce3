package app

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"causeway/simulator"
)

// named asks who holds the published example in a world, and returns the answer.
func (s sandboxed) named(world string, header ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.ask(http.MethodPost, nameOf, somebody, append([]string{"Sim-World", world}, header...)...)
}

// served is how many worlds have services.
func (s sandboxed) served() int {
	s.sandbox.mu.Lock()
	defer s.sandbox.mu.Unlock()
	return len(s.sandbox.services) - 1 // without the default world
}

// TestWorld_Idle leaves worlds alone until they end, by the clock of a bubble, and looks at what is left of them.
func TestWorld_Idle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  []string
		idle time.Duration
	}{{nil, time.Hour}, {[]string{"CAUSEWAY_SIMULATOR__IDLE=90s"}, 90 * time.Second}} {
		t.Run(c.idle.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSandboxed(t, c.env...)
				ctx, end := context.WithCancel(t.Context())
				defer end()
				go s.Worlds.Run(ctx)
				if _, err := s.Worlds.Create(simulator.Options{ID: "long", TTL: simulator.Duration(3 * c.idle)}); err != nil {
					t.Fatal(err)
				}
				for _, world := range []string{"idle", "long"} {
					if rec := s.named(world); rec.Code != http.StatusOK {
						t.Fatalf("%d %s", rec.Code, rec.Body)
					}
				}
				time.Sleep(c.idle - time.Second)
				if s.served() != 2 {
					t.Errorf("%d worlds have services before their time is up", s.served())
				}
				time.Sleep(time.Second + time.Minute) // until somebody looks
				synctest.Wait()
				if rec := s.named("idle"); rec.Code != http.StatusGone || !strings.Contains(rec.Body.String(), `"world_expired"`) {
					t.Errorf("%d %s", rec.Code, rec.Body)
				}
				if s.served() != 1 {
					t.Errorf("%d worlds have services, want that with a ttl of its own", s.served())
				}
				if rec := s.named("long"); rec.Code != http.StatusOK {
					t.Errorf("the one with a ttl of its own: %d %s", rec.Code, rec.Body)
				}
			})
		})
	}
}

// TestWorld_Stream follows the prices of a world for longer than one that is idle lives, then has somebody delete it.
func TestWorld_Stream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSandboxed(t, "CAUSEWAY_SIMULATOR__IDLE=10s")
		ctx, end := context.WithCancel(t.Context())
		defer end()
		go s.Worlds.Run(ctx)
		rec, done := httptest.NewRecorder(), make(chan struct{})
		go func() {
			defer close(done)
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/v1/pairs/stream?id=BTCUSDT", http.NoBody)
			r.Header.Set("Sim-World", "followed")
			s.Handler.ServeHTTP(rec, r)
		}()
		time.Sleep(2 * time.Minute)
		if _, err := s.Worlds.Find("followed"); err != nil {
			t.Errorf("somebody follows it: %v", err)
		}
		if err := s.Worlds.Delete("followed"); err != nil {
			t.Fatal(err)
		}
		<-done
		if body := rec.Body.String(); rec.Code != http.StatusOK || !strings.Contains(body, "event: snapshot") || !strings.Contains(body, "event: change") {
			t.Errorf("%d %.300s", rec.Code, body)
		}
		if s.served() != 0 {
			t.Error("a deleted world has services")
		}
	})
}

// TestWorld_EndsDuringFirstRequest has worlds deleted while they are first asked.
func TestWorld_EndsDuringFirstRequest(t *testing.T) {
	t.Parallel()
	s := newSandboxed(t)
	w, err := s.Worlds.Use("gone")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Worlds.Delete("gone"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.sandbox.open(t.Context(), w); err != nil || s.served() != 0 {
		t.Errorf("%d worlds have services, %v", s.served(), err)
	}
}

// TestWorld_Accounts asks again and again about an account that the services remember.
func TestWorld_Accounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, accountsSet) // else a busy machine could let a provider be late
}

func accountsSet(t *testing.T) {
	s := newSandboxed(t)
	for _, world := range []string{"a", simulator.DefaultWorld} {
		w, err := s.Worlds.Use(world)
		if err != nil {
			t.Fatal(err)
		}
		made := s.named(world).Body.String()
		for round := range 3 {
			holder := fmt.Sprint("TEST HOLDER ", round)
			if err := w.SetAccount("058", "0123456789", simulator.Overlay{AccountName: &holder}); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if rec := s.named(world); !strings.Contains(rec.Body.String(), holder) {
					t.Errorf("%s: %s is not held by %s", world, rec.Body, holder)
				}
			}
		}
		if err := w.SetAccount("058", "0123456789", simulator.Overlay{Outcome: "unknown"}); err != nil {
			t.Fatal(err)
		}
		if rec := s.named(world); rec.Code != http.StatusNotFound {
			t.Errorf("%s: it is unknown, and answered with %d %s", world, rec.Code, rec.Body)
		}
		if err := w.RemoveAccount("058", "0123456789", ""); err != nil {
			t.Fatal(err)
		}
		if again := s.named(world).Body.String(); again != made {
			t.Errorf("%s: nothing is set any more, and it is\n%s, not\n%s", world, again, made)
		}
		if last := w.Journal().State(); last.Entries < 9 {
			t.Errorf("%s: %+v", world, last)
		}
	}
}

// TestWorld_ScriptedOutcome sends every question with one request id, as a client does that repeats its requests.
func TestWorld_ScriptedOutcome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, outcomesForgotten) // else a busy machine could let a provider be late
}

func outcomesForgotten(t *testing.T) {
	s := newSandboxed(t)
	for scenario, want := range map[string]int{"unknown": 404, "found": 200, "closed": 404, "error:conflict": 409} {
		for range 2 {
			if rec := s.named("a", "Sim-Scenario", scenario, "X-Request-Id", "req_abcdefghijkl"); rec.Code != want || rec.Header().Get("Sim-Applied") != "scenario:"+scenario {
				t.Errorf("%s: %d, %s", scenario, rec.Code, rec.Header().Get("Sim-Applied"))
			}
		}
	}
	if rec := s.named("a", "X-Request-Id", "req_abcdefghijkl"); rec.Code != http.StatusOK || rec.Header().Get("Sim-Applied") != "none" {
		t.Errorf("%d, %s", rec.Code, rec.Header().Get("Sim-Applied"))
	}
}

// TestWorld_MagicCurrencies looks for them in one that asked for magic pairs, and in one that did not.
func TestWorld_MagicCurrencies(t *testing.T) {
	t.Parallel()
	s := newSandboxed(t)
	if _, err := s.Worlds.Create(simulator.Options{ID: "magic", MagicPairs: true}); err != nil {
		t.Fatal(err)
	}
	for world, want := range map[string]bool{"magic": true, "plain": false, simulator.DefaultWorld: false} {
		all := s.ask(http.MethodGet, "/v1/currencies", "", "Sim-World", world).Body.String()
		for _, p := range simulator.MagicPairs() {
			one := s.ask(http.MethodGet, "/v1/currencies/"+p.Code, "", "Sim-World", world)
			if strings.Contains(all, `"code":"`+p.Code+`"`) != want || (one.Code == http.StatusOK) != want {
				t.Errorf("%s in %s: %d, want it there: %t", p.Code, world, one.Code, want)
			}
		}
		if !strings.Contains(all, `"code":"NGN"`) {
			t.Errorf("%s has no naira", world)
		}
	}
}
