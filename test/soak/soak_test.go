// Package soak_test runs a production-mode process under mixed traffic while 30 % of all responses of
// its providers are faulty: 15 seconds in `make check`, half an hour in `make soak`. Reads always
// succeed. Account names are right or, once in a thousand times at most, unavailable. Memory and
// goroutines do not grow.
package soak_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/config"
	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/world"
	"causeway/test/driver"
)

const (
	callers = 12
	pace    = 60 * time.Millisecond // between two requests of a caller
	warmUp  = 6                     // the part of the run after which memory must not grow, as a divisor

	memoryGrowth    = 24 << 20 // bytes
	goroutineGrowth = 20       // with idle connections to providers
)

var (
	duration = flag.Duration("for", 15*time.Second, "duration of the traffic")
	binary   string
)

func TestMain(m *testing.M) {
	flag.Parse()
	built, remove, err := driver.BuildPlain()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = built
	code := m.Run()
	remove()
	os.Exit(code)
}

func TestSoak(t *testing.T) {
	providers, env, err := driver.Upstream(binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := providers.Stop(); err != nil {
			t.Error(err)
		}
	})
	process := driver.Start(t, binary, append(env, "CAUSEWAY_DRAIN__DELAY=0s", "CAUSEWAY_RECIPIENTS__GUARD__MODE=off",
		"CAUSEWAY_LIMITS__DEFAULT=none", "CAUSEWAY_LIMITS__OPERATIONS__RESOLVE_ACCOUNT=none")...)
	waitFor(t, "prices and bank lists", func() bool {
		return driver.Get(t, process.Operator+"/readyz").Status == http.StatusOK &&
			strings.Contains(string(driver.Get(t, process.API+"/v1/banks?country=NG&q=guaranty").Body), `"resolvable":true`)
	})
	idle := metric(t, process, "go_goroutines")
	for _, effect := range []string{ // each of six hits 5.8 %, together they hit 30 %
		`"kind":"status","status":503`, `"kind":"status","status":500`, `"kind":"reset"`, `"kind":"truncate"`, `"kind":"html"`, `"kind":"latency","ms":2500`,
	} {
		fault := `{"match":{"plane":"upstream"},"effect":{` + effect + `},"when":{"probability":"0.058"}}`
		if r := driver.Do(t, http.MethodPost, providers.Operator+"/_sim/v1/worlds/default/faults", fault); r.Status != http.StatusCreated {
			t.Fatalf("%s: %d %s", fault, r.Status, r.Body)
		}
	}

	traffic := &traffic{t: t, api: process.API, holders: holders(t), requests: map[string]int{}}
	end := make(chan struct{})
	var running sync.WaitGroup
	for n := range callers {
		running.Go(func() { traffic.run(n, end) })
	}
	<-time.After(*duration / warmUp)
	early := metric(t, process, "process_resident_memory_bytes")
	<-time.After(*duration - *duration/warmUp)
	late := metric(t, process, "process_resident_memory_bytes")
	close(end)
	running.Wait()

	t.Logf("%s: requests %v, %d names right, %d unavailable, memory %.0f and %.0f MiB",
		*duration, traffic.requests, traffic.resolved, traffic.unavailable, early/(1<<20), late/(1<<20))
	if n := traffic.resolved + traffic.unavailable; n < 100 || traffic.unavailable > max(1, n/1000) {
		t.Errorf("%d of %d accounts were unavailable", traffic.unavailable, n)
	}
	if late > early+memoryGrowth {
		t.Errorf("memory grew from %.0f to %.0f bytes", early, late)
	}
	http.DefaultClient.CloseIdleConnections()
	waitFor(t, "goroutines to end", func() bool { return metric(t, process, "go_goroutines") <= idle+goroutineGrowth })
}

func waitFor(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !condition(); <-time.After(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func metric(t *testing.T, i *driver.Instance, name string) float64 {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(driver.Get(t, i.Operator+"/metrics").Body)
	if m == nil {
		t.Fatalf("no metric %s", name)
	}
	value, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// holder is an account number and the name of its holder; empty if there is no such account.
type holder struct{ number, name string }

// holders returns accounts at one bank of the world that `causeway upstream` simulates.
func holders(t *testing.T) []holder {
	t.Helper()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(world.RegistryConfig{Clock: time.Now, Banks: catalog.Banks, Default: world.Options{Seed: config.Default().Simulator.Seed}})
	if err != nil {
		t.Fatal(err)
	}
	bank := catalog.Banks[slices.IndexFunc(catalog.Banks, func(b core.Bank) bool { return b.Country == "NG" && b.Code == "000013" })]
	var all []holder
	for i := 0; len(all) < 20_000; i++ {
		number := fmt.Sprintf("%010d", 1_000_000_000+(i*104_729)%8_999_999_999)
		if a := w.Accounts().Get(bank, number); a.Outcome == accounts.Found || a.Outcome == accounts.Unknown {
			all = append(all, holder{number, a.Name})
		}
	}
	return all
}

// traffic is what all callers send.
type traffic struct {
	t       *testing.T
	api     string
	holders []holder

	mu                    sync.Mutex
	requests              map[string]int // by target
	resolved, unavailable int
}

// run sends requests in turn until end is closed.
func (x *traffic) run(caller int, end <-chan struct{}) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for i := caller; ; i++ {
		select {
		case <-end:
			return
		case <-tick.C:
		}
		switch i % 8 {
		case 0, 2, 5:
			x.resolve(x.holders[(i/2*callers+caller)%len(x.holders)]) // some are cached
		case 1:
			x.prices("/v1/pairs")
		case 3:
			x.want("/v1/banks?country=NG", "", `"code":"000013"`)
		case 4:
			x.want("/v1/validate", `{"type":"address","currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`, `"valid":true`)
		case 6:
			x.prices("/v1/pairs?currency=NGN")
		default:
			x.want("/v1/validate", `{"type":"address","currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"}`, `"valid":false`)
		}
	}
}

// send sends a request: a GET without a body, else a POST.
func (x *traffic) send(target, body string) (status int, text []byte) {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(x.t.Context(), method, x.api+target, strings.NewReader(body))
	if err != nil {
		x.t.Error(err)
		return 0, nil
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		x.t.Error(err)
		return 0, nil
	}
	defer func() { _ = resp.Body.Close() }()
	if text, err = io.ReadAll(resp.Body); err != nil {
		x.t.Error(err)
	}
	x.mu.Lock()
	x.requests[target]++
	x.mu.Unlock()
	return resp.StatusCode, text
}

// want sends a request whose response must contain a text.
func (x *traffic) want(target, body, text string) []byte {
	status, got := x.send(target, body)
	if status != http.StatusOK || !strings.Contains(string(got), text) {
		x.t.Errorf("%s: %d %.200s", target, status, got)
	}
	return got
}

// prices checks that every pair costs more than it sells for.
func (x *traffic) prices(target string) {
	var list struct {
		Data []struct {
			ID        string
			BuyPrice  struct{ Amount decimal.Decimal } `json:"buy_price"`
			SellPrice struct{ Amount decimal.Decimal } `json:"sell_price"`
		}
	}
	if err := json.Unmarshal(x.want(target, "", `"data":[{`), &list); err != nil {
		x.t.Errorf("%s: %v", target, err)
	}
	for _, p := range list.Data {
		if p.BuyPrice.Amount.LessThanOrEqual(p.SellPrice.Amount) {
			x.t.Errorf("%s is bought for %s and sold for %s", p.ID, p.BuyPrice.Amount, p.SellPrice.Amount)
		}
	}
}

// resolve checks the name of a holder.
func (x *traffic) resolve(h holder) {
	status, text := x.send("/v1/recipients/resolve-bank-account",
		`{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"`+h.number+`"}`)
	var body struct {
		Data struct {
			Name string `json:"account_name"`
		}
	}
	if err := json.Unmarshal(text, &body); err != nil {
		x.t.Errorf("%v: %s", err, text)
	}
	right := status == http.StatusOK && h.name != "" && body.Data.Name == h.name || status == http.StatusNotFound && h.name == ""
	if !right && status != http.StatusServiceUnavailable {
		x.t.Errorf("got %d %s, want the name %q", status, text, h.name)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if right {
		x.resolved++
	} else {
		x.unavailable++
	}
}
