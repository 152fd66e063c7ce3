package journal_test

import (
	"testing"
	"time"

	"causeway/simulator/journal"
)

func TestAllocations(t *testing.T) {
	j := newJournal(t, func(cfg *journal.Config) { cfg.Stopwatch = noon })
	r := request("GET", "/v1/pairs?currency=NGN", "Accept", "*/*", "User-Agent", "curl/8", "Sim-World", "TestX/one")
	a := answer(200, "")
	for range 1000 {
		j.Begin("list-pairs", r).End("req_1", a) // the ring has its size
	}
	if n := testing.AllocsPerRun(1000, func() { j.Begin("list-pairs", r).End("req_1", a) }); n > 9 {
		t.Errorf("%v allocations for a GET with a query and two headers; at most 9", n)
	}
	r = request("GET", "/v1/pairs", "Accept", "*/*", "User-Agent", "curl/8")
	if n := testing.AllocsPerRun(1000, func() { j.Begin("list-pairs", r).End("req_1", a) }); n > 4 {
		t.Errorf("%v allocations for an ordinary GET; at most 4", n)
	}
	r = request("POST", resolvePath, "Accept", "*/*", "Content-Type", "application/json", "Sim-World", "TestX/one")
	body := []byte(resolveBody)
	if n := testing.AllocsPerRun(1000, func() { o := j.Begin("resolve-account", r); o.Body(body); o.End("req_1", a) }); n > 16 {
		t.Errorf("%v allocations for a POST with two headers and a body; at most 16", n)
	}
}

func BenchmarkAnOrdinaryGET(b *testing.B) {
	j := newJournal(b, func(cfg *journal.Config) { cfg.Clock, cfg.Stopwatch = time.Now, time.Now })
	r := request("GET", "/v1/pairs?currency=NGN", "Accept", "*/*", "Accept-Encoding", "gzip", "User-Agent", "curl/8", "Sim-World", "TestX/one")
	a := answer(200, "")
	b.ReportAllocs()
	for b.Loop() {
		o := j.Begin("list-pairs", r)
		o.Cache(journal.Hit)
		o.End("req_000000000001", a)
	}
}

func BenchmarkAResolution(b *testing.B) {
	j := newJournal(b, func(cfg *journal.Config) { cfg.Clock, cfg.Stopwatch = time.Now, time.Now })
	r := request("POST", resolvePath, "Accept", "*/*", "Content-Type", "application/json", "Sim-World", "TestX/one")
	a, body := answer(200, ""), []byte(resolveBody)
	b.ReportAllocs()
	for b.Loop() {
		o := j.Begin("resolve-account", r)
		o.Body(body)
		o.Attempt(journal.Attempt{Provider: "paystack", Operation: "resolve", Attempt: 1, Outcome: "ok", Status: 200, Breaker: "closed"})
		o.End("req_000000000001", a)
	}
}

func BenchmarkAssert(b *testing.B) {
	j := newJournal(b)
	for range 100 {
		story(j)
	}
	one := 1
	b.ReportAllocs()
	for b.Loop() {
		_, _ = j.Assert(journal.Assertion{Match: journal.Match{Operation: "resolve-account", Path: resolvePath, Status: 503, Provider: "paystack"}, Count: &one})
	}
}
