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

// resolve resolves the documented example account in a world.
func (s *sandboxFixture) resolve(world string, header ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.ask(http.MethodPost, resolvePath, resolveBody, append([]string{"Sim-World", world}, header...)...)
}

// servedWorlds returns the number of worlds with services, without the default one.
func (s *sandboxFixture) servedWorlds() int {
	s.sandbox.mu.Lock()
	defer s.sandbox.mu.Unlock()
	return len(s.sandbox.services) - 1 // without the default world
}

// TestWorld_Idle checks that an idle world ends with its services.
func TestWorld_Idle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  []string
		idle time.Duration
	}{{nil, time.Hour}, {[]string{"CAUSEWAY_SIMULATOR__IDLE=90s"}, 90 * time.Second}} {
		t.Run(c.idle.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSandboxEnv(t, c.env...)
				ctx, end := context.WithCancel(t.Context())
				defer end()
				go s.Worlds.Run(ctx)
				if _, err := s.Worlds.Create(simulator.Options{ID: "long", TTL: simulator.Duration(3 * c.idle)}); err != nil {
					t.Fatal(err)
				}
				for _, world := range []string{"idle", "long"} {
					if rec := s.resolve(world); rec.Code != http.StatusOK {
						t.Fatalf("%d %s", rec.Code, rec.Body)
					}
				}
				time.Sleep(c.idle - time.Second)
				if s.servedWorlds() != 2 {
					t.Errorf("%d worlds have services before their time is up", s.servedWorlds())
				}
				time.Sleep(time.Second + time.Minute) // until resolveBody looks
				synctest.Wait()
				if rec := s.resolve("idle"); rec.Code != http.StatusGone || !strings.Contains(rec.Body.String(), `"world_expired"`) {
					t.Errorf("%d %s", rec.Code, rec.Body)
				}
				if s.servedWorlds() != 1 {
					t.Errorf("%d worlds have services, want that with a ttl of its own", s.servedWorlds())
				}
				if rec := s.resolve("long"); rec.Code != http.StatusOK {
					t.Errorf("the one with a ttl of its own: %d %s", rec.Code, rec.Body)
				}
			})
		})
	}
}

// TestWorld_Stream checks that a stream keeps its world from being idle, and ends with it.
func TestWorld_Stream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSandboxEnv(t, "CAUSEWAY_SIMULATOR__IDLE=10s")
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
			t.Errorf("resolveBody follows it: %v", err)
		}
		if err := s.Worlds.Delete("followed"); err != nil {
			t.Fatal(err)
		}
		<-done
		if body := rec.Body.String(); rec.Code != http.StatusOK || !strings.Contains(body, "event: snapshot") || !strings.Contains(body, "event: change") {
			t.Errorf("%d %.300s", rec.Code, body)
		}
		if s.servedWorlds() != 0 {
			t.Error("a deleted world has services")
		}
	})
}

// TestWorld_EndsDuringFirstRequest checks that the services of a deleted world are not kept.
func TestWorld_EndsDuringFirstRequest(t *testing.T) {
	t.Parallel()
	s := newSandboxEnv(t)
	w, err := s.Worlds.Use("gone")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Worlds.Delete("gone"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.sandbox.open(t.Context(), w); err != nil || s.servedWorlds() != 0 {
		t.Errorf("%d worlds have services, %v", s.servedWorlds(), err)
	}
}

// TestWorld_Accounts checks that a change of an account shows at once although results are cached.
func TestWorld_Accounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, accountsSet) // else a busy machine could let a provider be late
}

func accountsSet(t *testing.T) {
	s := newSandboxEnv(t)
	for _, world := range []string{"a", simulator.DefaultWorld} {
		w, err := s.Worlds.Use(world)
		if err != nil {
			t.Fatal(err)
		}
		made := s.resolve(world).Body.String()
		for round := range 3 {
			holder := fmt.Sprint("TEST HOLDER ", round)
			if err := w.SetAccount("058", "0123456789", simulator.Overlay{AccountName: &holder}); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if rec := s.resolve(world); !strings.Contains(rec.Body.String(), holder) {
					t.Errorf("%s: %s is not held by %s", world, rec.Body, holder)
				}
			}
		}
		if err := w.SetAccount("058", "0123456789", simulator.Overlay{Outcome: "unknown"}); err != nil {
			t.Fatal(err)
		}
		if rec := s.resolve(world); rec.Code != http.StatusNotFound {
			t.Errorf("%s: it is unknown, and answered with %d %s", world, rec.Code, rec.Body)
		}
		if err := w.RemoveAccount("058", "0123456789", ""); err != nil {
			t.Fatal(err)
		}
		if again := s.resolve(world).Body.String(); again != made {
			t.Errorf("%s: nothing is set any more, and it is\n%s, not\n%s", world, again, made)
		}
		if last := w.Journal().State(); last.Entries < 9 {
			t.Errorf("%s: %+v", world, last)
		}
	}
}

// TestWorld_ScriptedOutcome checks that scripted outcomes are not cached, even for one request ID.
func TestWorld_ScriptedOutcome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, outcomesForgotten) // else a busy machine could let a provider be late
}

func outcomesForgotten(t *testing.T) {
	s := newSandboxEnv(t)
	for scenario, want := range map[string]int{"unknown": 404, "found": 200, "closed": 404, "error:conflict": 409} {
		for range 2 {
			if rec := s.resolve("a", "Sim-Scenario", scenario, "X-Request-Id", "req_abcdefghijkl"); rec.Code != want || rec.Header().Get("Sim-Applied") != "scenario:"+scenario {
				t.Errorf("%s: %d, %s", scenario, rec.Code, rec.Header().Get("Sim-Applied"))
			}
		}
	}
	if rec := s.resolve("a", "X-Request-Id", "req_abcdefghijkl"); rec.Code != http.StatusOK || rec.Header().Get("Sim-Applied") != "none" {
		t.Errorf("%d, %s", rec.Code, rec.Header().Get("Sim-Applied"))
	}
}

// TestWorld_MagicCurrencies checks that only worlds with magic pairs list their currencies.
func TestWorld_MagicCurrencies(t *testing.T) {
	t.Parallel()
	s := newSandboxEnv(t)
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
