package app

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"causeway/simulator/journal"
)

// useParallelWorld creates a world with a clock, a pin, a fault, an account and a queued outcome of
// its own, checks that its responses show these, and returns the fingerprint of its responses.
func (s *sandboxFixture) useParallelWorld(n int) string {
	id := fmt.Sprint("parallel", n)
	pin := decimal.NewFromInt(int64(500 + 40*n))
	holder := fmt.Sprintf("TEST WORLD %04d", n)
	liar := []string{"okx", "kraken", "binance"}[n%3]
	status := []int{404, 503, 409, 429}[n%4]
	outcome := []string{"unknown", "all_down", "error:conflict", "error:too_many_requests"}[n%4]
	began := worldsBegin.Add(time.Duration(n) * 31 * time.Minute).Format(time.RFC3339)

	s.control(http.MethodPost, "/worlds", `{"id":"`+id+`","seed":"one","clock":{"now":"`+began+`","frozen":true}}`)
	place := "/worlds/" + id
	s.control(http.MethodPut, place+"/market/BTCUSDT", `{"pin":"`+pin.String()+`"}`)
	s.control(http.MethodPut, place+"/accounts/000013/0123456789", `{"account_name":"`+holder+`"}`)
	s.control(http.MethodPost, place+"/next", `{"operation":"resolve-account","outcomes":["`+outcome+`"]}`)
	s.control(http.MethodPost, place+"/faults", `{"match":{"provider":"`+liar+`"},"effect":{"kind":"times_1000"}}`)
	s.control(http.MethodPost, place+"/clock/advance", `{"by":"4s"}`)
	if state, mid := s.price(id, "BTCUSDT"); state != "fresh" || mid.Sub(pin).Abs().GreaterThan(dec("5")) {
		s.t.Errorf("%s: %s %s, want %s", id, state, mid, pin)
	}
	if rec := s.resolve(id); rec.Code != status || strings.Contains(rec.Body.String(), holder) {
		s.t.Errorf("%s, %s: %d %s", id, outcome, rec.Code, rec.Body)
	}
	if rec := s.resolve(id); rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), holder) {
		s.t.Errorf("%s: %d %s, want %s", id, rec.Code, rec.Body, holder)
	}
	w, err := s.Worlds.Find(id)
	if err != nil {
		s.t.Error(err)
		return ""
	}
	entries, err := w.Journal().Find(journal.Match{}, 0)
	if err != nil || len(entries) != 3 || len(w.Queue().List()) != 0 {
		s.t.Errorf("%s: %v, %d entries, %v", id, err, len(entries), w.Queue().List())
	}
	for _, f := range w.Faults().List() {
		if f.HitProvider[liar] == 0 || len(f.HitProvider) != 1 {
			s.t.Errorf("%s: the fault was applied to %v", id, f.HitProvider)
		}
	}
	return w.Journal().Fingerprint().String()
}

// TestSandbox_ParallelWorlds uses many worlds at once. Each shows its own state, and gives the same
// bytes as alone in another process.
func TestSandbox_ParallelWorlds(t *testing.T) {
	t.Parallel()
	const count = 6
	var together [count]string
	synctest.Test(t, func(t *testing.T) {
		s := newSandboxFixture(t, "BTC", "USDT", "USD")
		var all sync.WaitGroup
		for n := range count {
			all.Go(func() { together[n] = s.useParallelWorld(n) })
		}
		all.Wait()
	})
	synctest.Test(t, func(t *testing.T) {
		s := newSandboxFixture(t, "BTC", "USDT", "USD")
		for n := 0; n < count; n += 5 {
			if alone := s.useParallelWorld(n); alone != together[n] {
				t.Errorf("world %d gives other responses when it is alone", n)
			}
		}
	})
}
