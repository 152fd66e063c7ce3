package soak_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/config"
	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/world"
)

// account is one that callers ask for, and who holds it: nobody where the name is empty.
type account struct{ number, name string }

// holders are accounts at one bank of the world that `causeway upstream` shows, one in twenty of them nobody's.
func holders(t *testing.T) []account {
	t.Helper()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(world.Config{Seed: config.Default().Simulator.Seed}, time.Now, catalog.Banks)
	if err != nil {
		t.Fatal(err)
	}
	bank := catalog.Banks[slices.IndexFunc(catalog.Banks, func(b core.Bank) bool { return b.Country == "NG" && b.Code == "000013" })]
	var all []account
	for i := 0; len(all) < 20_000; i++ {
		number := fmt.Sprintf("%010d", 1_000_000_000+(i*104_729)%8_999_999_999)
		switch a := w.Accounts().Get(bank, number); a.Outcome {
		case accounts.Found:
			all = append(all, account{number, a.Name})
		case accounts.Unknown:
			all = append(all, account{number, ""})
		default:
		}
	}
	return all
}

// tally is what came of all calls.
type tally struct {
	mu                    sync.Mutex
	calls                 map[string]int // by what was asked
	wrong                 []string       // the first ones
	wrongs                int
	resolved, outages     int
	slowest, slowestNames time.Duration
}

func newTally() *tally { return &tally{calls: map[string]int{}} }

func (s *tally) count(what string, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[what]++
	if what == resolve {
		s.slowestNames = max(s.slowestNames, took)
	} else {
		s.slowest = max(s.slowest, took)
	}
}

func (s *tally) fail(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrongs++; len(s.wrong) < 10 {
		s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
	}
}

// named counts what became of a question for a holder.
func (s *tally) named(right bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if right {
		s.resolved++
	} else {
		s.outages++
	}
}

func (s *tally) String() string {
	out := ""
	for _, what := range slices.Sorted(maps.Keys(s.calls)) {
		out += fmt.Sprintf("%s %d, ", what, s.calls[what])
	}
	return fmt.Sprintf("%s%d names right, %d outages, %d answers wrong; slowest %s, of names %s", out, s.resolved, s.outages, s.wrongs, s.slowest.Round(time.Millisecond), s.slowestNames.Round(time.Millisecond))
}

// judge fails where an answer was wrong, or too many names were not told.
func (s *tally) judge(t *testing.T) {
	t.Helper()
	for _, w := range s.wrong {
		t.Error(w)
	}
	if s.wrongs > len(s.wrong) {
		t.Errorf("and %d more", s.wrongs-len(s.wrong))
	}
	asked := s.resolved + s.outages
	if s.outages > max(1, asked/1000) {
		t.Errorf("%d of %d questions for a holder were not answered; one in a thousand may be", s.outages, asked)
	}
	for _, what := range plan() {
		asked = min(asked, s.calls[what])
	}
	if asked < 50 {
		t.Errorf("%s: this says too little", s)
	}
}

// What is asked.
const (
	resolve  = "resolve"
	validate = "validate"
	pairs    = "pairs"
	naira    = "pairs in naira"
	again    = "pairs not modified"
	banks    = "banks"
)

// plan is the mix, one in turn.
func plan() []string {
	return []string{resolve, pairs, resolve, banks, validate, resolve, naira, again}
}

// caller is one client of the process.
type caller struct {
	t      *testing.T
	base   string
	known  []account
	sum    *tally
	number int

	tag   string // of the list of pairs as it got it last
	asked int
}

// run asks until the end, at the pace of a client.
func (c *caller) run(end <-chan struct{}) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	draws := rand.New(rand.NewPCG(uint64(c.number), 7))
	mix := plan()
	for i := c.number; ; i++ {
		select {
		case <-end:
			return
		case <-tick.C:
		}
		what := mix[i%len(mix)]
		began := time.Now()
		c.ask(what, draws)
		c.sum.count(what, time.Since(began))
	}
}

func (c *caller) ask(what string, draws *rand.Rand) {
	switch what {
	case resolve:
		c.holder(c.known[(c.asked*callers+c.number)%len(c.known)])
		if c.asked++; draws.IntN(4) == 0 { // the same one again: the cache has it
			c.holder(c.known[((c.asked-1)*callers+c.number)%len(c.known)])
		}
	case validate:
		c.address("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", true)
		c.address("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", false)
	case pairs:
		c.prices("/v1/pairs")
	case naira:
		c.prices("/v1/pairs?currency=NGN")
	case again:
		status, _ := c.get("/v1/pairs", "If-None-Match", c.tag)
		c.wants("/v1/pairs", status, http.StatusOK, http.StatusNotModified)
	case banks:
		status, body := c.get("/v1/banks?country=NG")
		if c.wants("/v1/banks", status, http.StatusOK); !strings.Contains(body, `"code":"000013"`) {
			c.sum.fail("the list of banks lacks one: %.200s", body)
		}
	}
}

// prices asks for prices, and checks that nobody could buy for less than he could sell for.
func (c *caller) prices(path string) {
	status, body := c.get(path)
	if c.wants(path, status, http.StatusOK); status != http.StatusOK {
		return
	}
	var list struct {
		Data []struct {
			ID        string
			BuyPrice  struct{ Amount decimal.Decimal } `json:"buy_price"`
			SellPrice struct{ Amount decimal.Decimal } `json:"sell_price"`
		}
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Data) == 0 {
		c.sum.fail("%s: %v: %.200s", path, err, body)
	}
	for _, p := range list.Data {
		if p.BuyPrice.Amount.LessThanOrEqual(p.SellPrice.Amount) {
			c.sum.fail("%s is bought for %s and sold for %s", p.ID, p.BuyPrice.Amount, p.SellPrice.Amount)
		}
	}
}

func (c *caller) address(text string, valid bool) {
	status, body := c.post("/v1/validate", `{"type":"address","currency":"BTC","address":"`+text+`"}`)
	if c.wants("/v1/validate", status, http.StatusOK); !strings.Contains(body, fmt.Sprintf(`"valid":%t`, valid)) {
		c.sum.fail("%s is not told to be valid: %t: %s", text, valid, body)
	}
}

// holder asks who holds an account. That nobody can say is an outage; everything else but the truth is wrong.
func (c *caller) holder(a account) {
	status, body := c.post("/v1/recipients/resolve-bank-account",
		`{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"`+a.number+`"}`)
	switch {
	case status == http.StatusServiceUnavailable:
		c.sum.named(false)
	case status == http.StatusNotFound && a.name == "":
		c.sum.named(true)
	case status == http.StatusOK && a.name != "":
		var answer struct {
			Data struct {
				Name string `json:"account_name"`
			}
		}
		if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Data.Name != a.name {
			c.sum.fail("the holder is %q: %v: %s", a.name, err, body)
		}
		c.sum.named(true)
	default:
		c.sum.fail("the holder is %q: %d %s", a.name, status, body)
	}
}

func (c *caller) wants(path string, status int, accepted ...int) {
	if !slices.Contains(accepted, status) {
		c.sum.fail("%s: %d, want one of %v", path, status, accepted)
	}
}

func (c *caller) get(path string, header ...string) (int, string) {
	return c.do(http.MethodGet, path, "", header...)
}

func (c *caller) post(path, body string) (int, string) { return c.do(http.MethodPost, path, body) }

func (c *caller) do(method, path, body string, header ...string) (int, string) {
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.sum.fail("%v", err)
		return 0, ""
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i+1] != "" {
			r.Header.Set(header[i], header[i+1])
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		c.sum.fail("%s: %v", path, err)
		return 0, ""
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.sum.fail("%s: %v", path, err)
	}
	if path == "/v1/pairs" && resp.StatusCode == http.StatusOK {
		c.tag = resp.Header.Get("Etag")
	}
	return resp.StatusCode, string(text)
}
