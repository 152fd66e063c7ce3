package app

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"causeway/simulator/catalog"
)

// steps is the number of rounds, twenty minutes apart.
const steps = 8

// memoryUse is the heap in bytes and the number of goroutines.
type memoryUse struct {
	heap       int64 // bytes
	goroutines int
}

// measureMemory collects garbage and returns the memory use.
func measureMemory() memoryUse {
	synctest.Wait()
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what had a finalizer
	runtime.ReadMemStats(&m)
	return memoryUse{int64(m.HeapAlloc), runtime.NumGoroutine()}
}

// TestSandbox_Leaks sends all kinds of requests for hours of a world, while other worlds come and go, and compares the memory use at the beginning and at the end.
func TestSandbox_Leaks(t *testing.T) {
	synctest.Test(t, testLeaks)
}

func testLeaks(t *testing.T) {
	g := newSandboxFixture(t, "BTC", "USDT", "USD", "NGN")
	g.control(http.MethodPost, "/worlds",
		`{"id":"day","magic_pairs":true,"clock":{"now":"2026-11-16T00:00:00Z","frozen":true}}`)
	begun := measureMemory().goroutines
	var early memoryUse
	for step := range steps {
		g.twentyMinutes("day", step)
		if step == steps/4 {
			early = measureMemory()
		}
	}
	late := measureMemory()
	t.Logf("early %+v, late %+v", early, late)
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
	if want := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC).Add(steps * 20 * time.Minute); !w.Now().Equal(want) {
		t.Errorf("it is %s, want %s", w.Now(), want)
	}
	j := w.Journal().State()
	if j.Entries > 500 || j.Bytes > 1<<20 {
		t.Errorf("the journal is %+v, want at most 500 entries and 1 MiB", j)
	}
	if rules, settings, alive := len(w.Faults().List()), len(w.Market().Settings(w.Now())),
		len(g.Worlds.List()); rules > 2 || settings > 2 || alive != 2 {
		t.Errorf("%d rules, %d settings, %d worlds are left", rules, settings, alive)
	}
}

// twentyMinutes sends all kinds of requests, changes the world, and advances its clock.
func (g *sandboxFixture) twentyMinutes(world string, step int) {
	g.t.Helper()
	place := "/worlds/" + world
	g.control(http.MethodPut, place+"/market/USDTNGN", fmt.Sprintf(`{"pin":"%d.50"}`, 1400+step%7))
	g.control(http.MethodPost, place+"/faults",
		`{"match":{"provider":"kraken"},"effect":{"kind":"inverted"},"when":{"ttl":"3m"}}`)
	g.control(http.MethodPut, place+"/accounts/000013/0123456780", fmt.Sprintf(`{"account_name":"TEST HOLDER %d"}`, step))
	g.control(http.MethodPost, place+"/next", `{"operation":"resolve-account","outcomes":["all_down","error:conflict"]}`)
	for _, path := range []string{
		"/v1/pairs", "/v1/pairs?currency=NGN&sort=desc", "/v1/pairs/TJUMPNGN", "/v1/pairs/BTCNGN/price",
		"/v1/pairs/BTCNGN/history?period=1d", "/v1/currencies", "/v1/banks?country=NG", "/v1/nothing",
		fmt.Sprint("/v1/banks?q=bank+", step),
	} {
		g.request(world, http.MethodGet, path, "")
	}
	for n := range 6 {
		g.request(world, http.MethodPost, resolvePath,
			strings.Replace(resolveBody, "0123456789", fmt.Sprintf("%010d", (step*6+n)%200), 1))
	}
	g.request(world, http.MethodPost, "/v1/validate",
		`{"type":"address","currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`)
	guest := fmt.Sprint("guest ", step)
	if step%4 == 0 {
		g.request(guest, http.MethodGet, "/v1/pairs/BTCUSDT", "")
		g.control(http.MethodDelete, "/worlds/guest%20"+fmt.Sprint(step), "")
	}
	g.control(http.MethodDelete, place+"/market/USDTNGN", "")
	g.control(http.MethodPost, place+"/clock/advance", `{"by":"5s"}`)
	w, err := g.Worlds.Find(world)
	if err != nil {
		g.t.Fatal(err)
	}
	w.Freeze(w.Now().Add(20*time.Minute - 5*time.Second)) // at once, without the prices in between
}

// request sends a request to a world that must be answered.
func (g *sandboxFixture) request(world, method, path, body string) {
	g.t.Helper()
	rec := g.send(catalog.Request{
		Method: method, Path: path, Body: body,
		Headers: map[string]string{"Sim-World": world},
	})
	if rec.Code == http.StatusInternalServerError || rec.Header().Get("Sim-World") != world {
		g.t.Errorf("%s %s in %s: %d %s", method, path, world, rec.Code, rec.Body)
	}
}

// TestWorld_Memory bounds the memory of a world that has shown prices. The documentation says
// 1.2 MiB. It measures in a bubble whose goroutines are idle, and over several worlds, because a collection
// that another goroutine delays once failed the test.
func TestWorld_Memory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSandboxFixture(t)
		s.ask(http.MethodGet, "/v1/pairs", "", "Sim-World", "first") // builds what all worlds share
		const n = 8
		before := measureMemory()
		for i := range n {
			id := fmt.Sprint("world ", i)
			if code := s.ask(http.MethodGet, "/v1/pairs", "", "Sim-World", id).Code; code != http.StatusOK {
				t.Fatal(code)
			}
		}
		after := measureMemory()
		each := (after.heap - before.heap) / n
		if t.Logf("%d KiB each", each>>10); each > 3<<19 {
			t.Errorf("a world takes %d KiB, want at most 1,536", each>>10)
		}
		runtime.KeepAlive(s)
	})
}
