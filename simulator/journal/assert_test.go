package journal_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/simulator/journal"
	_ "causeway/test/fixedseed"
)

// assert looks at a journal.
func assert(t testing.TB, j *journal.Journal, a journal.Assertion) journal.Report {
	t.Helper()
	r, err := j.Assert(a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAssert(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	story(j)
	resolve, any := journal.Match{Operation: "resolve-account"}, journal.Match{}
	steps := func(list ...journal.Match) []journal.Match { return list }
	for _, c := range []struct {
		name    string
		assert  journal.Assertion
		pass    bool
		message string
	}{
		{"at least one", journal.Assertion{Match: resolve}, true, "1 entry of 4 match"},
		{"exactly one", journal.Assertion{Match: resolve, Count: new(1)}, true, "1 entry of 4 match"},
		{"exactly none", journal.Assertion{Match: resolve, Count: new(0)}, false, "Expected no entry with operation resolve-account, found 1 entry: 3"},
		{"two of one", journal.Assertion{Match: resolve, Count: new(2)}, false, "Expected 2 entries with operation resolve-account, found 1 entry among 4; the closest, entry 5, has operation validate-address instead of resolve-account"},
		{"one of many", journal.Assertion{Match: any, Count: new(1)}, false, "Expected 1 entry of any kind, found 4 entries: 1, 3, 4, 5"},
		{"never", journal.Assertion{Match: journal.Match{Status: 500}, Never: true}, true, "none of 4 match"},
		{"never, but it was", journal.Assertion{Match: journal.Match{Status: 503}, Never: true}, false, "Expected no entry with status 503, found 1 entry: 5"},
		{
			"the closest",
			journal.Assertion{Match: journal.Match{Operation: "resolve-account", Method: "POST", Status: 503, Members: map[string]string{"account_number": "9876543210"}}},
			false,
			"Expected at least 1 entry with operation resolve-account, method POST, body.account_number 98****10, status 503, found none among 4; " +
				"the closest, entry 5, has operation validate-address instead of resolve-account, body.account_number none instead of 98****10",
		},
		{"in order", journal.Assertion{Order: steps(journal.Match{Operation: "list-banks"}, journal.Match{Status: 503})}, true, "4 entries of 4 match, and all 2 steps are in order"},
		{"out of order", journal.Assertion{Order: steps(journal.Match{Status: 503}, journal.Match{Operation: "list-banks"})}, false, "Expected step 2, with operation list-banks, after entry 5, found none among 0"},
		{"once is not twice", journal.Assertion{Order: steps(resolve, resolve)}, false, "Expected step 2, with operation resolve-account, after entry 3, found none among 2; the closest, entry 5, has operation validate-address instead of resolve-account"},
		{"in order among those that match", journal.Assertion{Match: journal.Match{Method: "GET"}, Order: steps(any, resolve)}, false, "Expected step 2, with operation resolve-account, after entry 1, found none among 1; the closest, entry 4, has operation explain-price instead of resolve-account"},
		{"the first step", journal.Assertion{Order: steps(journal.Match{Status: 404})}, false, "Expected step 1, with status 404, after the beginning, found none among 4; the closest, entry 5, has status 503 instead of 404"},
		{"order and count", journal.Assertion{Order: steps(any), Count: new(3)}, false, "Expected 3 entries of any kind, found 4 entries: 1, 3, 4, 5"},
		{"the control API", journal.Assertion{Match: journal.Match{Control: true, Operation: "reset"}}, false, "Expected at least 1 entry with operation reset, found none among 1; the closest, entry 2, has operation queue-outcomes instead of reset"},
		{"no call of the control API", journal.Assertion{Match: journal.Match{Control: true, After: 2}}, false, "Expected at least 1 entry of the control API, found none among 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := assert(t, j, c.assert)
			if r.Pass != c.pass || r.Message != c.message {
				t.Errorf("pass %v: %s\nwant %v: %s", r.Pass, r.Message, c.pass, c.message)
			}
			if r.Entries == nil || r.Differences == nil {
				t.Error("a list is nil")
			}
		})
	}
}

func TestAssert_Closest(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	story(j)
	story(j) // the newest of equals is taken
	r := assert(t, j, journal.Assertion{Match: journal.Match{
		Operation: "resolve-account", Provider: "korapay", Outcome: "timeout", Status: 503, Cache: journal.Miss, Source: "kraken",
		Path: "/v1/recipients/0987654321", Headers: map[string]string{"Sim-World": "b"}, Field: "bank_code", Applied: "fault", Error: "not_found",
	}})
	golden(t, "report.json", []byte(asJSON(t, r)))
	if r.Closest.Seq != 8 {
		t.Errorf("the closest is %d, want 8", r.Closest.Seq)
	}
}

func TestAssert_Invalid(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	for _, c := range []struct {
		assert journal.Assertion
		want   string
	}{
		{journal.Assertion{Never: true, Count: new(1)}, "never is true; accepted: neither a count nor an order"},
		{journal.Assertion{Never: true, Order: make([]journal.Match, 1)}, "never is true; accepted: neither a count nor an order"},
		{journal.Assertion{Order: []journal.Match{{}, {After: 3}}}, "order[1] has after or control; accepted: both in match"},
		{journal.Assertion{Order: []journal.Match{{Path: "["}}}, "order[0].path"},
	} {
		if _, err := j.Assert(c.assert); core.CodeOf(err) != core.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	if _, err := j.Assert(journal.Assertion{Never: true, Count: new(0)}); err != nil {
		t.Errorf("never and a count of 0: %v", err)
	}
}

// recordMany records requests until the first two are dropped.
func recordMany(j *journal.Journal) {
	for range journal.MaxEntries + 2 {
		record(j, "a", request("GET", "/"), "", 200)
	}
}

func TestAssert_Dropped(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	recordMany(j)
	for _, c := range []struct {
		name   string
		assert journal.Assertion
		pass   bool
		want   string
	}{
		{"never", journal.Assertion{Match: journal.Match{Status: 500}, Never: true}, false, "Inconclusive: dropped entries may have matched. Use a match.after of 2 or more; dropped before: 2"},
		{"never, later", journal.Assertion{Match: journal.Match{Status: 500, After: 2}, Never: true}, true, "none of 500 match"},
		{"exactly", journal.Assertion{Count: new(500)}, false, "Inconclusive"},
		{"too many", journal.Assertion{Count: new(499)}, false, "Expected 499 entries of any kind, found 500 entries: 3, 4, 5, 6, 7, …; dropped before: 2"},
		{"too few", journal.Assertion{Count: new(501)}, false, "found 500 entries among 500; dropped before: 2"},
		{"in order", journal.Assertion{Order: make([]journal.Match, 3)}, true, "all 3 steps are in order; dropped before: 2"},
		{"partly", journal.Assertion{Match: journal.Match{After: 1}, Count: new(500)}, false, "Use a match.after of 2 or more; dropped before: 1"},
	} {
		if r := assert(t, j, c.assert); r.Pass != c.pass || !strings.Contains(r.Message, c.want) {
			t.Errorf("%s: pass %v: %s\nwant %v: %s", c.name, r.Pass, r.Message, c.pass, c.want)
		}
	}
}

func TestAssert_NewestTen(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	for range 30 {
		record(j, "a", request("GET", "/"), "", 200)
	}
	r := assert(t, j, journal.Assertion{Match: journal.Match{Operation: "a"}, Never: true})
	if r.Matched != 30 || len(r.Entries) != 10 || r.Entries[9].Seq != 30 || !strings.HasSuffix(r.Message, "found 30 entries: 1, 2, 3, 4, 5, …") {
		t.Errorf("got %+v", r)
	}
}

func TestAssert_AgreesWithFind(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		j := newJournal(t)
		operation, status := rapid.SampledFrom([]string{"a", "b", "c"}), rapid.SampledFrom([]int{200, 404, 503})
		for range rapid.IntRange(0, 40).Draw(rt, "entries") {
			record(j, operation.Draw(rt, "operation"), request("GET", "/"), "", status.Draw(rt, "status"))
		}
		m := journal.Match{Operation: operation.Draw(rt, "wanted"), Status: status.Draw(rt, "status"), After: rapid.Uint64Range(0, 45).Draw(rt, "after")}
		n := len(find(t, j, m))
		for count, want := range map[int]bool{n: true, n + 1: false} {
			if r := assert(t, j, journal.Assertion{Match: m, Count: &count}); r.Pass != want || r.Matched != n || !slices.IsSorted(seqs(r.Entries)) {
				rt.Fatalf("%d found, %d expected: %+v", n, count, r)
			}
		}
		r := assert(t, j, journal.Assertion{Match: m, Order: make([]journal.Match, n)})
		if r.Pass != (n > 0) { // without steps, at least one entry must match
			rt.Fatalf("as many steps as entries: %+v", r)
		}
	})
}

func TestWait_Timeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := newJournal(t)
		story(j)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begun := time.Now()
		r, err := j.Wait(ctx, journal.Match{Method: "POST", Status: 200}, 2)
		if err != nil || r.Pass || time.Since(begun) != time.Minute {
			t.Fatalf("after %v: %+v, %v", time.Since(begun), r, err)
		}
		const want = "The time is up. Expected at least 2 entries with method POST, status 200, found 1 entry among 4; the closest, entry 5, has status 503 instead of 200"
		if r.Message != want || r.Closest == nil || r.Closest.Seq != 5 || len(r.Differences) != 1 || !slices.Equal(seqs(r.Entries), []uint64{3}) {
			t.Errorf("got %+v", r)
		}
	})
}

// TestWait_Concurrent checks that no call misses an entry.
func TestWait_Concurrent(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	const each = 25
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			if r, err := j.Wait(t.Context(), journal.Match{Operation: "b"}, 2*each-n); err != nil || !r.Pass {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	for _, operation := range []string{"a", "b", "a", "b"} {
		all.Go(func() {
			for range each {
				record(j, operation, request("GET", "/"), "", 200)
			}
		})
	}
	all.Wait()
}
