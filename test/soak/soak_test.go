// Package soak_test runs a production-mode process under mixed traffic while three in ten answers of every provider are ruined, for as long as
// it is told: 15 seconds in `make test`, half an hour in `make soak`.
package soak_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"causeway/test/driver"
)

// How much there is of everything.
const (
	callers = 12
	pace    = 60 * time.Millisecond // of one caller: together they ask 200 times a second
	settled = 6                     // the part of the run after which nothing has a reason to grow any more, as a divisor
	patient = 5 * time.Minute
)

// What may be left or grow.
const (
	moreMemory     = 24 << 20 // bytes: a leak of one answer a second is twenty times that in half an hour
	moreGoroutines = 20       // idle connections to providers among them
)

var (
	length = flag.Duration("for", 15*time.Second, "how long the traffic lasts")
	plain  = flag.Bool("plain", false, "put a binary without the race detector under load, and judge its resident memory: with it that grows with every lock that was ever taken, and heap in use is judged")
)

var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	build := driver.Build
	if *plain {
		build = driver.BuildPlain
	}
	built, remove, err := build()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = built
	code := m.Run()
	remove()
	os.Exit(code)
}

// ruin has every provider fail three times in ten, in six ways: 1 - 0.942^6 = 0.30.
func ruin(t *testing.T, operator string) {
	t.Helper()
	for _, effect := range []string{
		`"kind":"status","status":503`, `"kind":"status","status":500`, `"kind":"reset"`, `"kind":"truncate"`, `"kind":"html"`, `"kind":"latency","ms":2500`,
	} {
		rule := `{"match":{"plane":"upstream"},"effect":{` + effect + `},"when":{"probability":"0.058"}}`
		if r := driver.Do(t, http.MethodPost, operator+"/_sim/v1/worlds/default/faults", rule); r.Status != http.StatusCreated {
			t.Fatalf("%s: %d %s", rule, r.Status, r.Body)
		}
	}
}

// hits is how many answers of providers were ruined, and how many there were.
func hits(t *testing.T, operator string) (hit, all int) {
	t.Helper()
	var list struct {
		Data []struct{ Matched, Hits int }
	}
	if err := json.Unmarshal(driver.Get(t, operator+"/_sim/v1/worlds/default/faults").Body, &list); err != nil {
		t.Fatal(err)
	}
	for _, rule := range list.Data {
		hit, all = hit+rule.Hits, max(all, rule.Matched)
	}
	return hit, all
}

// aboutThreeInTen reports whether one in five were hit at least, and two in five at most. Of none, none was.
func aboutThreeInTen(hit, all int) bool { return all > 0 && all <= 5*hit && 5*hit <= 2*all }

func TestAboutThreeInTen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hit, all int
		want     bool
	}{{0, 0, false}, {0, 10, false}, {19, 100, false}, {20, 100, true}, {30, 100, true}, {40, 100, true}, {41, 100, false}} {
		if got := aboutThreeInTen(c.hit, c.all); got != c.want {
			t.Errorf("%d of %d: got %t", c.hit, c.all, got)
		}
	}
}

// state is what a process holds.
type state struct{ memory, heap, goroutines float64 }

func (s state) String() string {
	return fmt.Sprintf("%.0f MiB resident, %.0f MiB of heap in use, %.0f goroutines", s.memory/(1<<20), s.heap/(1<<20), s.goroutines)
}

// judged is the memory that must not grow.
func (s state) judged() float64 {
	if *plain {
		return s.memory
	}
	return s.heap
}

func stateOf(t *testing.T, i *driver.Instance) state {
	t.Helper()
	page := driver.Get(t, i.Operator+"/metrics").Body
	figure := func(name string) float64 {
		m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(page)
		if m == nil {
			t.Fatalf("there is no metric %s", name)
		}
		f, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	return state{figure("process_resident_memory_bytes"), figure("go_memstats_heap_inuse_bytes"), figure("go_goroutines")}
}

// TestMixedTrafficWhileProvidersFailThreeTimesInTen: what needs no provider at the moment is answered, always. A holder's name is the right one or,
// once in a thousand times at most, an outage. When it is over nothing is left.
func TestMixedTrafficWhileProvidersFailThreeTimesInTen(t *testing.T) {
	t.Parallel()
	providers, env, err := driver.Upstream(binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := providers.Stop(); err != nil {
			t.Error(err)
		}
	})
	process := driver.Start(t, binary, append(env, "CAUSEWAY_DRAIN__DELAY=0s", "CAUSEWAY_RESOLUTION__GUARD__MODE=off", "CAUSEWAY_RESOLUTION__CACHE__FOUND=1m",
		"CAUSEWAY_LIMITS__DEFAULT=none", "CAUSEWAY_LIMITS__OPERATIONS__RESOLVE_ACCOUNT=none")...)
	ready(t, process)
	before := stateOf(t, process)
	ruin(t, providers.Operator)

	var (
		working sync.WaitGroup
		sum     = newTally()
		known   = holders(t)
		end     = make(chan struct{})
	)
	for n := range callers {
		working.Go(func() { (&caller{t: t, base: process.API, known: known, sum: sum, number: n}).run(end) })
	}
	wait(*length / settled)
	early := stateOf(t, process)
	wait(*length - *length/settled)
	late := stateOf(t, process)
	close(end)
	working.Wait()

	hit, all := hits(t, providers.Operator)
	t.Logf("%s: %s", *length, sum)
	t.Logf("%d of %d answers of providers ruined", hit, all)
	t.Logf("before: %s\nearly:  %s\nlate:   %s", before, early, late)
	sum.judge(t)
	if !aboutThreeInTen(hit, all) {
		t.Errorf("%d of %d answers of providers were ruined: this says nothing about three in ten", hit, all)
	}
	if late.judged() > early.judged()+moreMemory {
		t.Errorf("it holds %s, and held %s early on", late, early)
	}
	quiet(t, process, before)
}

// ready waits for the first prices and the names of banks at every provider.
func ready(t *testing.T, i *driver.Instance) {
	t.Helper()
	comes(t, "the process is ready", func() bool {
		return driver.Get(t, i.Operator+"/readyz").Status == http.StatusOK &&
			bytes.Contains(driver.Get(t, i.API+"/v1/banks?country=NG&q=guaranty").Body, []byte(`"resolvable":true`))
	})
}

// quiet waits until no more goroutines are there than before.
func quiet(t *testing.T, i *driver.Instance, before state) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	comes(t, "it comes to rest", func() bool { return stateOf(t, i).goroutines <= before.goroutines+moreGoroutines })
}

func comes(t *testing.T, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patient); !so(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("within %s it is not so that %s", patient, what)
		}
	}
}

// wait lets the traffic go on for a while.
func wait(d time.Duration) { <-time.NewTimer(d).C }
