package app

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"causeway/simulator"
	"causeway/simulator/journal"
)

var worldsBegin = time.Date(2026, time.November, 16, 12, 0, 0, 0, time.UTC)

// resolveNth resolves the n-th of many accounts, so that no cache has it.
func (s *sandboxFixture) resolveNth(world string, n int) int {
	s.t.Helper()
	account := fmt.Sprintf("%07d200", n)
	return s.ask(http.MethodPost, resolvePath, strings.NewReplacer("000013", simulator.MagicBank, "0123456789", account).Replace(resolveBody), "Sim-World", world).Code
}

// faultHits returns how often the faults of a world were applied.
func faultHits(w *simulator.World) (n uint64) {
	for _, f := range w.Faults().List() {
		n += f.Hits
	}
	return n
}

// worldWithFault creates a world with a frozen clock and a fault.
func (s *sandboxFixture) worldWithFault(id string, rule simulator.Rule) *simulator.World {
	s.t.Helper()
	w := s.frozenWorld(id, worldsBegin)
	if _, err := w.Faults().Add(rule, w.Now()); err != nil {
		s.t.Fatal(err)
	}
	return w
}

// firstAttempts returns the first attempt of the oldest and of the newest request in a journal.
func firstAttempts(t *testing.T, w *simulator.World) (first, last journal.Attempt) {
	t.Helper()
	entries, err := w.Journal().Find(journal.Match{}, 0)
	if err != nil || len(entries) < 2 || len(entries[0].Attempts) == 0 || len(entries[len(entries)-1].Attempts) == 0 {
		t.Fatalf("%v, %+v", err, entries)
	}
	if first, last = entries[0].Attempts[0], entries[len(entries)-1].Attempts[0]; entries[0].Seq > entries[1].Seq {
		first, last = last, first
	}
	return first, last
}

// TestWorld_Breakers checks that circuit breakers belong to a world and follow its clock.
func TestWorld_Breakers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, breakersOpen) // else a busy machine could let a provider be late
}

func breakersOpen(t *testing.T) {
	s := newSandboxEnv(t, "CAUSEWAY_UPSTREAM__RETRIES=0")
	down := simulator.Rule{Match: simulator.Match{Provider: "paystack"}, Effect: simulator.Effect{Kind: simulator.FaultStatus, Status: http.StatusServiceUnavailable}}
	fails := s.worldWithFault("fails", down)
	works := s.worldWithFault("works", simulator.Rule{Match: simulator.Match{Provider: "paystack"}, Effect: simulator.Effect{Kind: simulator.FaultWrongContentType}})
	const questions = 30
	for n := range questions {
		for _, world := range []string{"fails", "works"} {
			if code := s.resolveNth(world, n); code != http.StatusOK {
				t.Fatalf("%s: %d", world, code)
			}
		}
	}
	opened := faultHits(fails)
	if opened < 5 || opened > questions/2 {
		t.Errorf("it was asked %d times of %d, want it to be given up", opened, questions)
	}
	if n := faultHits(works); n < questions {
		t.Errorf("in the other world it was asked %d times of %d", n, questions)
	}
	if first, last := firstAttempts(t, fails); first.Fault != "f1" || first.Status != http.StatusServiceUnavailable || first.Breaker != "closed" || first.Attempt != 1 ||
		last.Fault != "" || last.Status != 0 || last.Breaker != "open" || last.Attempt != 0 {
		t.Errorf("the journal tells %+v of the first question, and %+v of the last", first, last)
	}
	s.resolveNth("fails", questions)
	if n := faultHits(fails); n != opened {
		t.Errorf("asked again while the clock stands still: %d, then %d times", opened, n)
	}
	if _, err := fails.Advance(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	s.resolveNth("fails", questions+1)
	if n := faultHits(fails); n != opened+1 {
		t.Errorf("a minute later it is tried once more: %d, then %d times", opened, n)
	}
}

// TestWorld_RateLimits checks that rate limits belong to a world that enforces them and follow its
// clock.
func TestWorld_RateLimits(t *testing.T) {
	t.Parallel()
	s := newSandboxEnv(t, "CAUSEWAY_LIMITS__OPERATIONS__LIST_COUNTRIES=2/h")
	for _, id := range []string{"strict", "as strict"} {
		if _, err := s.Worlds.Create(simulator.Options{ID: id, EnforceLimits: true, Clock: simulator.StartOptions{Now: &worldsBegin, Frozen: true}}); err != nil {
			t.Fatal(err)
		}
	}
	last := func(world string) (code int, wait string) {
		for range 3 {
			rec := s.ask(http.MethodGet, "/v1/countries", "", "Sim-World", world)
			if code, wait = rec.Code, rec.Header().Get("Retry-After"); rec.Header().Get("RateLimit-Policy") != `"list-countries";q=2;w=3600` {
				t.Errorf("%s: %v", world, rec.Header())
			}
		}
		return code, wait
	}
	for range 2 {
		if code, wait := last("strict"); code != http.StatusTooManyRequests || wait != "1800" {
			t.Errorf("the third call: %d, Retry-After %q", code, wait)
		}
	}
	w, err := s.Worlds.Find("strict")
	if err != nil {
		t.Fatal(err)
	}
	w.Clock().Advance(30 * time.Minute)
	if rec := s.ask(http.MethodGet, "/v1/countries", "", "Sim-World", "strict"); rec.Code != http.StatusOK {
		t.Errorf("after Retry-After by the world's clock: %d %s", rec.Code, rec.Body)
	}
	if code, _ := last("as strict"); code != http.StatusTooManyRequests {
		t.Errorf("the third call in the other world: %d", code)
	}
	for _, world := range []string{"easy", simulator.DefaultWorld} {
		if code, _ := last(world); code != http.StatusOK {
			t.Errorf("%s counts calls: %d", world, code)
		}
	}
}

// TestWorld_Tokens checks that access tokens of providers expire by the clock of the world.
func TestWorld_Tokens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, tokensRenewed) // else a busy machine could let a provider be late
}

func tokensRenewed(t *testing.T) {
	s := newSandboxEnv(t, "CAUSEWAY_RESOLUTION__ROUTES__NG_BANK_TRANSFER=monnify")
	login := simulator.Rule{Match: simulator.Match{Provider: "monnify", Operation: "login"}, Effect: simulator.Effect{Kind: simulator.FaultWrongContentType}}
	moves, stands := s.worldWithFault("moves", login), s.worldWithFault("stands", login)
	n := 0
	for hour := range 4 {
		for range 3 {
			n++
			for _, world := range []string{"moves", "stands"} {
				if code := s.resolveNth(world, n); code != http.StatusOK {
					t.Fatalf("%s: %d", world, code)
				}
			}
		}
		if here, there := faultHits(moves), faultHits(stands); here != uint64(hour+1) || there != 1 {
			t.Errorf("after %d hours: %d logins, and %d where the clock stands still", hour, here, there)
		}
		moves.Clock().Advance(time.Hour)
	}
}
