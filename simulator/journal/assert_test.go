package journal_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/simulator/journal"
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

func TestAnAssertionPassesOrSaysWhyNot(t *testing.T) {
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
		{"at least two", journal.Assertion{AtLeast: new(2)}, true, "4 entries of 4 match"},
		{"at least five", journal.Assertion{AtLeast: new(5)}, false, "Expected at least 5 entries of any kind, found 4 entries among 4"},
		{"at most three", journal.Assertion{AtMost: new(3)}, false, "Expected at most 3 entries of any kind, found 4 entries: 1, 3, 4, 5"},
		{"between", journal.Assertion{AtLeast: new(5), AtMost: new(6)}, false, "Expected between 5 and 6 entries of any kind, found 4 entries among 4"},
		{"never", journal.Assertion{Match: journal.Match{Status: 500}, Never: true}, true, "0 entries of 4 match"},
		{"never, but it was", journal.Assertion{Match: journal.Match{Status: 503}, Never: true}, false, "Expected no entry with status 503, found 1 entry: 5"},
		{
			"the closest",
			journal.Assertion{Match: journal.Match{Operation: "resolve-account", Method: "POST", Status: 503, Members: map[string]string{"account_number": "9876543210"}}},
			false,
			"Expected at least 1 entry with operation resolve-account, method POST, body.account_number 98****10, status 503, found none among 4; " +
				"the closest, entry 5, has operation validate-address instead of resolve-account, body.account_number nothing instead of 98****10",
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

func TestTheDifferenceIsToTheClosestEntry(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	story(j)
	story(j) // the newest of equals is taken
	r := assert(t, j, journal.Assertion{Match: journal.Match{
		Operation: "resolve-account", Provider: "korapay", Outcome: "timeout", Status: 503, Cache: journal.Miss, Source: "kraken", Until: noon(),
		Path: "/v1/recipients/0987654321", Headers: map[string]string{"Sim-World": "b"}, Field: "bank_code", Applied: "fault", Error: "not_found",
	}})
	golden(t, "report.json", []byte(asJSON(t, r)))
	if r.Closest.Seq != 8 {
		t.Errorf("the closest is %d, want 8", r.Closest.Seq)
	}
}

func TestAnUnsoundAssertionIsRefused(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	for _, c := range []struct {
		assert journal.Assertion
		want   string
	}{
		{journal.Assertion{Count: new(-1)}, "count is -1; accepted: 0 or more"},
		{journal.Assertion{Never: true, Count: new(1)}, "count is 1; accepted: 0 or more, and only 0 beside never"},
		{journal.Assertion{Never: true, AtLeast: new(2)}, "at_least is 2"},
		{journal.Assertion{AtLeast: new(3), AtMost: new(2)}, "leave no number open"},
		{journal.Assertion{Count: new(3), AtMost: new(2)}, "leave no number open"},
		{journal.Assertion{Never: true, Order: make([]journal.Match, 1)}, "order has 1 steps; accepted: up to 100, and none beside never"},
		{journal.Assertion{Order: make([]journal.Match, 101)}, "order has 101 steps"},
		{journal.Assertion{Order: []journal.Match{{}, {After: 3}}}, "order[1] has after or control"},
		{journal.Assertion{Order: []journal.Match{{Status: 1}}}, "order[0].status is 1"},
	} {
		if _, err := j.Assert(c.assert); core.CodeOf(err) != core.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	if _, err := j.Assert(journal.Assertion{Never: true, Count: new(0)}); err != nil {
		t.Errorf("none and never are one: %v", err)
	}
}

func TestWhatWasDroppedIsNotForgotten(t *testing.T) {
	t.Parallel()
	j := newJournal(t, func(cfg *journal.Config) { cfg.Limits = journal.Limits{Entries: 3, Bytes: 1 << 20} })
	for range 5 {
		record(j, "a", request("GET", "/"), "", 200)
	}
	for _, c := range []struct {
		name   string
		assert journal.Assertion
		pass   bool
		want   string
	}{
		{"never", journal.Assertion{Match: journal.Match{Status: 500}, Never: true}, false, "Nobody can tell: 2 entries may have matched and were dropped; ask with a match.after of 2 or more"},
		{"never, lately", journal.Assertion{Match: journal.Match{Status: 500, After: 2}, Never: true}, true, "0 entries of 3 match"},
		{"exactly", journal.Assertion{Count: new(3)}, false, "Nobody can tell"},
		{"at most", journal.Assertion{AtMost: new(2)}, false, "Expected at most 2 entries of any kind, found 3 entries: 3, 4, 5; 2 entries before were dropped"},
		{"at least", journal.Assertion{AtLeast: new(3)}, true, "3 entries of 3 match; 2 entries before were dropped"},
		{"more than there are", journal.Assertion{AtLeast: new(4)}, false, "found 3 entries among 3; 2 entries before were dropped"},
		{"in order", journal.Assertion{Order: make([]journal.Match, 3)}, true, "all 3 steps are in order; 2 entries before were dropped"},
		{"partly", journal.Assertion{Match: journal.Match{After: 1}, Count: new(3)}, false, "1 entry may have matched and were dropped; ask with a match.after of 2 or more"},
	} {
		if r := assert(t, j, c.assert); r.Pass != c.pass || !strings.Contains(r.Message, c.want) {
			t.Errorf("%s: pass %v: %s\nwant %v: %s", c.name, r.Pass, r.Message, c.pass, c.want)
		}
	}
}

func TestAReportShowsTheNewestTen(t *testing.T) {
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

func TestAssertAgreesWithFind(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		j := newJournal(t, func(cfg *journal.Config) { cfg.Limits = journal.Limits{Entries: 20, Bytes: 1 << 20} })
		operation, status := rapid.SampledFrom([]string{"a", "b", "c"}), rapid.SampledFrom([]int{200, 404, 503})
		for range rapid.IntRange(0, 40).Draw(rt, "entries") {
			record(j, operation.Draw(rt, "operation"), request("GET", "/"), "", status.Draw(rt, "status"))
		}
		m := journal.Match{Operation: operation.Draw(rt, "asked"), Status: status.Draw(rt, "status"), After: rapid.Uint64Range(0, 45).Draw(rt, "after")}
		found := find(t, j, m)
		r := assert(t, j, journal.Assertion{Match: m, Count: new(len(found))})
		dropped := j.State().Dropped > m.After
		if r.Pass == dropped || r.Matched != len(found) {
			rt.Fatalf("%d found, dropped %v: %+v", len(found), dropped, r)
		}
		if r := assert(t, j, journal.Assertion{Match: m, Count: new(len(found) + 1)}); r.Pass {
			rt.Fatalf("%d found: %+v", len(found), r)
		}
		r = assert(t, j, journal.Assertion{Match: m, Order: make([]journal.Match, len(found))})
		if r.Pass != (len(found) > 0) { // without steps, at least one entry is asked for
			rt.Fatalf("as many steps as entries: %+v", r)
		}
		if !slices.IsSorted(seqs(r.Entries)) {
			rt.Fatalf("out of order: %v", seqs(r.Entries))
		}
	})
}
