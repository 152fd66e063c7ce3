package journal_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"causeway/simulator/journal"
)

// busy records a request with random parts of up to so many bytes.
func busy(j *journal.Journal, draw *rand.Rand, most int) {
	text := func() string { return strings.Repeat("x", 1+draw.IntN(60)) }
	body := fmt.Sprintf(`{"a":%q}`, strings.Repeat("b", draw.IntN(most)))
	target := "/v1/banks"
	for range draw.IntN(6) {
		target += fmt.Sprintf("%c%s=%s", "?&"[min(1, strings.Count(target, "?"))], text(), text())
	}
	r := request("POST", target, "Accept", text(), "Sim-World", text(), "Authorization", text())
	o := j.Begin(text(), r)
	o.Body([]byte(body))
	for range draw.IntN(5) {
		o.Attempt(journal.Attempt{Provider: text(), Operation: text(), Outcome: text(), Fault: text()})
	}
	for range draw.IntN(20) {
		o.Votes(journal.Vote{Market: text(), Source: text(), Bid: text(), Ask: text(), Age: text()})
	}
	o.End(text(), journal.Answer{Status: 200, Error: text(), Fields: []string{text(), text()}, ContentType: text()})
}

// heap is the memory in use once nothing is left to collect.
func heap() int {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}

func TestTheBoundsHoldUnderLoad(t *testing.T) {
	const (
		writers = 8
		all     = 8_000
	)
	before := heap()
	j := newJournal(t)
	var (
		writing, watching sync.WaitGroup
		done              atomic.Bool
		over              atomic.Int64
	)
	watching.Go(func() {
		for !done.Load() {
			if s := j.State(); s.Entries > 500 || s.Bytes > 1<<20 || s.Last != s.Dropped+uint64(s.Entries) {
				over.Add(1)
			}
			_, _ = j.Find(journal.Match{Status: 200}, 10)
			runtime.Gosched()
		}
	})
	for w := range writers {
		writing.Go(func() {
			draw := rand.New(rand.NewPCG(1, uint64(w)))
			for i := range all / writers {
				busy(j, draw, 1+2*i)
			}
		})
	}
	writing.Wait()
	done.Store(true)
	watching.Wait()
	s := j.State()
	if over.Load() > 0 || s.Last != all || s.Dropped != all-uint64(s.Entries) || s.Entries < 50 {
		t.Errorf("out of bounds %d times; at the end %+v", over.Load(), s)
	}
	took := heap() - before
	t.Logf("%d entries, %d bytes by our own count, %d by the allocator's", s.Entries, s.Bytes, took)
	if took > s.Bytes+s.Bytes/10+64<<10 || took < s.Bytes/2 {
		t.Errorf("%d bytes are said to be in use, the allocator says %d", s.Bytes, took)
	}
	runtime.KeepAlive(j)
}

func TestSmallEntriesAreBoundedByNumber(t *testing.T) {
	const journals = 16 // so that what else happens in the process matters little
	before := heap()
	list := make([]*journal.Journal, journals)
	for i := range list {
		list[i] = newJournal(t)
	}
	if took := (heap() - before) / journals; took > 2<<10 {
		t.Errorf("an empty journal takes %d bytes", took)
	}
	said := 0
	for _, j := range list {
		for range 2000 {
			j.Begin("list-banks", request("GET", "/v1/banks")).End("req_1", answer(200, ""))
		}
		s := j.State()
		if said += s.Bytes; s.Entries != 500 || s.Dropped != 1500 || s.Bytes > 500<<10 {
			t.Fatalf("got %+v", s)
		}
	}
	took := heap() - before
	t.Logf("%d bytes by our own count, %d by the allocator's", said, took)
	if took > said+64<<10 || took < said/2 {
		t.Errorf("%d bytes are said to be in use, the allocator says %d", said, took)
	}
	entries := find(t, list[0], journal.Match{})
	if entries[0].Seq != 1501 || entries[499].Seq != 2000 {
		t.Errorf("the oldest is %d, the newest %d", entries[0].Seq, entries[499].Seq)
	}
	runtime.KeepAlive(list)
}

func TestTheLargestEntryFitsTheSmallestJournal(t *testing.T) {
	t.Parallel()
	j := newJournal(t, func(cfg *journal.Config) { cfg.Limits = journal.Limits{Entries: 500, Bytes: 256 << 10} })
	long := strings.Repeat("n", 5000)
	largest := func() {
		var target strings.Builder
		target.WriteString("/" + long + "?")
		for range 40 {
			target.WriteString("a.b." + strings.Repeat("n", 15) + "=" + strings.Repeat("NGN,", 49) + "&")
		}
		r := request("POST", target.String())
		for range 20 {
			r.Header.Add("Accept", strings.Repeat("a", 190))
		}
		o := j.Begin(long, r)
		o.Body([]byte(`{"currency":[` + strings.Repeat(`"NGN",`, 1300) + `"NGN"]}`))
		for range 60 {
			o.Attempt(journal.Attempt{Provider: long, Operation: long, Outcome: long, Breaker: long, Fault: long})
			o.Votes(journal.Vote{Market: long, Source: long, Family: long, Bid: long, Ask: long, Age: long, Reason: long})
		}
		fields := make([]string, 100)
		for i := range fields {
			fields[i] = long
		}
		o.End(long, journal.Answer{Status: 400, Error: long, Fields: fields, ContentType: long})
	}
	for range 20 {
		largest()
		if s := j.State(); s.Entries < 1 || s.Bytes > s.Limits.Bytes {
			t.Fatalf("got %+v", s)
		}
	}
	t.Logf("%+v", j.State())
}

func TestARequestTooLargeToKeepIsSaidToBeMissing(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	record(j, "validate-addresses", request("POST", "/v1/validate/batch"), `["`+strings.Repeat("a", 300<<10)+`"]`, 200)
	record(j, "list-banks", request("GET", "/v1/banks?q="+strings.Repeat("a", 300<<10)), "", 400)
	record(j, "list-banks", request("GET", "/v1/banks"), "", 200)
	b, err := j.Bundle(origin)
	if err != nil || b.Complete || b.LeftOut != 2 || len(b.Requests) != 1 {
		t.Errorf("got %+v, %v", b, err)
	}
	if s := j.State(); s.Bytes > 4<<10 || s.Entries != 3 {
		t.Errorf("got %+v", s)
	}
}
