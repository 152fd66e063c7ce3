package app

import (
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"causeway/simulator"
)

// steps are how often something is asked in the day of a world, twenty minutes apart.
const steps = 24 * 3

// lived is what a sandbox has in memory.
type lived struct {
	heap       int64 // bytes
	goroutines int
}

// measured lets whoever is about to end do so, and collects garbage.
func measured() lived {
	synctest.Wait()
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what had a finalizer
	runtime.ReadMemStats(&m)
	return lived{int64(m.HeapAlloc), runtime.NumGoroutine()}
}

// TestSandbox_Leaks lives through a day of a world, asking for everything all the time, and changing whatever can be changed, beside
// worlds that come and go. In the evening there is as much in memory as there was in the morning. The clock of a bubble waits for those who are asked again.
func TestSandbox_Leaks(t *testing.T) { //nolint:paralleltest // it measures memory
	synctest.Test(t, aDay)
}

func aDay(t *testing.T) {
	g := newPlayground(t)
	g.does(http.MethodPost, "/worlds", `{"id":"day","magic_pairs":true,"clock":{"now":"2026-11-16T00:00:00Z","frozen":true}}`)
	begun := measured().goroutines
	var early lived
	for step := range steps {
		g.twentyMinutes("day", step)
		if step == steps/4 {
			early = measured()
		}
	}
	late := measured()
	t.Logf("in the morning %+v, in the evening %+v", early, late)
	if grown := late.heap - early.heap; grown > early.heap/4+4<<20 {
		t.Errorf("the heap grew from %d to %d bytes", early.heap, late.heap)
	}
	if late.goroutines > begun {
		t.Errorf("%d goroutines, and %d in the beginning", late.goroutines, begun)
	}
	w, err := g.Worlds.Find("day")
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2026, 11, 17, 0, 0, 0, 0, time.UTC); !w.Now().Equal(want) {
		t.Errorf("it is %s, want %s", w.Now(), want)
	}
	j := w.Journal().State()
	if j.Entries > 500 || j.Bytes > 1<<20 || j.Dropped == 0 {
		t.Errorf("the journal is %+v, want at most 500 entries and 1 MiB, and some dropped", j)
	}
	if rules, settings, alive := len(w.Faults().List()), len(w.Market().Settings(w.Now())), len(g.Worlds.List()); rules > 2 || settings > 2 || alive != 2 {
		t.Errorf("%d rules, %d settings, %d worlds are left", rules, settings, alive)
	}
	if n := len(g.sandbox.services); n != 2 {
		t.Errorf("%d worlds have services, want this one", n)
	}
}

// twentyMinutes asks a world for everything, changes something in it, and lets twenty minutes pass there.
func (g *playground) twentyMinutes(world string, step int) {
	g.t.Helper()
	place := "/worlds/" + world
	g.does(http.MethodPut, place+"/market/USDTNGN", fmt.Sprintf(`{"pin":"%d.50"}`, 1400+step%7))
	g.does(http.MethodPost, place+"/faults", `{"match":{"provider":"kraken"},"effect":{"kind":"inverted"},"when":{"ttl":"3m"}}`)
	g.does(http.MethodPut, place+"/accounts/000013/0123456780", fmt.Sprintf(`{"account_name":"TEST HOLDER %d"}`, step))
	g.does(http.MethodPost, place+"/next", `{"operation":"resolve-account","outcomes":["all_down","error:conflict"]}`)
	for _, path := range []string{
		"/v1/pairs", "/v1/pairs?currency=NGN&sort=desc", "/v1/pairs/TJUMPNGN", "/v1/pairs/BTCNGN/price", "/v1/pairs/BTCNGN/history?period=1d", "/v1/currencies", "/v1/banks?country=NG", "/v1/nothing",
		fmt.Sprint("/v1/banks?q=bank+", step),
	} {
		g.in(world, http.MethodGet, path, "")
	}
	for n := range 6 {
		g.in(world, http.MethodPost, nameOf, fmt.Sprintf(`{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"%010d"}`, (step*6+n)%200))
	}
	g.in(world, http.MethodPost, "/v1/validate", `{"type":"address","currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`)
	guest := fmt.Sprint("guest ", step)
	if step%6 == 0 {
		g.in(guest, http.MethodGet, "/v1/pairs/BTCUSDT", "")
		g.does(http.MethodDelete, "/worlds/guest%20"+fmt.Sprint(step), "")
	}
	g.does(http.MethodDelete, place+"/market/USDTNGN", "")
	g.does(http.MethodPost, place+"/clock/advance", `{"by":"5s"}`)
	w, err := g.Worlds.Find(world)
	if err != nil {
		g.t.Fatal(err)
	}
	w.Clock().Advance(20*time.Minute - 5*time.Second) // at once: prices of in between are nobody's
}

// in sends a request to a world, and wants an answer of it.
func (g *playground) in(world, method, path, body string) {
	g.t.Helper()
	rec := g.send(simulator.Request{Method: method, Path: path, Body: body, Headers: map[string]string{"Sim-World": world}})
	if rec.Code == http.StatusInternalServerError || rec.Header().Get("Sim-World") != world {
		g.t.Errorf("%s %s in %s: %d %s", method, path, world, rec.Code, rec.Body)
	}
}
