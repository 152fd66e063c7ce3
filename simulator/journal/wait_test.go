package journal_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/simulator/journal"
)

func TestWhatIsThereAlreadyNeedsNoWaiting(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	story(j)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := j.Wait(ended, journal.Match{Method: "POST"}, 2)
	if err != nil || !r.Pass || r.Message != "2 entries of 4 match" || !slices.Equal(seqs(r.Entries), []uint64{3, 5}) || r.Differences == nil {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestWaitingEndsWithTheEntryWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := newJournal(t)
		story(j)
		var (
			r    journal.Report
			err  error
			done bool
		)
		go func() {
			r, err = j.Wait(t.Context(), journal.Match{Operation: "late", After: 5}, 2)
			done = true
		}()
		for i, operation := range []string{"late", "other", "late"} {
			synctest.Wait()
			if done {
				t.Fatalf("it ended before the entry %d", i)
			}
			record(j, operation, request("GET", "/"), "", 200)
		}
		synctest.Wait()
		if !done || err != nil || !r.Pass || !slices.Equal(seqs(r.Entries), []uint64{6, 8}) {
			t.Errorf("got %v, %+v, %v", done, r, err)
		}
	})
}

func TestNothingIsCountedTwiceWhenEntriesAreDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := newJournal(t, func(cfg *journal.Config) { cfg.Limits = journal.Limits{Entries: 3, Bytes: 1 << 20} })
		for _, operation := range []string{"a", "a", "b", "a", "a"} {
			record(j, operation, request("GET", "/"), "", 200)
		}
		var (
			r    journal.Report
			err  error
			done bool
		)
		go func() {
			r, err = j.Wait(t.Context(), journal.Match{Operation: "a"}, 3)
			done = true
		}()
		synctest.Wait()
		record(j, "b", request("GET", "/"), "", 200)
		synctest.Wait()
		if done {
			t.Fatalf("it ended early: %+v", r)
		}
		record(j, "a", request("GET", "/"), "", 200)
		synctest.Wait()
		if !done || err != nil || !slices.Equal(seqs(r.Entries), []uint64{4, 5, 7}) || r.Dropped != 2 {
			t.Errorf("got %v, %+v, %v", done, r, err)
		}
	})
}

func TestWaitingInVainSaysHowFarItGot(t *testing.T) {
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
		const want = "Waited for 2 entries with method POST, status 200, found 1 entry among 4 until the time was up; the closest, entry 5, has status 503 instead of 200"
		if r.Message != want || r.Closest == nil || r.Closest.Seq != 5 || len(r.Differences) != 1 || !slices.Equal(seqs(r.Entries), []uint64{3}) {
			t.Errorf("got %+v", r)
		}
	})
}

func TestWaitingEndsWithTheJournal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := newJournal(t)
		var err error
		go func() { _, err = j.Wait(t.Context(), journal.Match{}, 1) }()
		synctest.Wait()
		j.Close()
		synctest.Wait()
		if !errors.Is(err, journal.ErrClosed) {
			t.Errorf("got %v", err)
		}
		if _, err := j.Wait(t.Context(), journal.Match{}, 1); !errors.Is(err, journal.ErrClosed) {
			t.Errorf("a closed journal: %v", err)
		}
	})
}

func TestACountThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	for _, count := range []int{-1, 0, 501} {
		if _, err := j.Wait(t.Context(), journal.Match{}, count); core.CodeOf(err) != core.Invalid || !strings.Contains(err.Error(), "accepted: 1 to 500") {
			t.Errorf("%d: %v", count, err)
		}
	}
}

func TestManyWaitAndNobodyMissesAnything(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	const each = 25
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { // follows the journal entry by entry, as a page that shows it live does
			var last uint64
			for last < 4*each {
				r, err := j.Wait(t.Context(), journal.Match{After: last}, 1)
				if err != nil || !r.Pass || r.Entries[0].Seq != last+1 {
					t.Errorf("after %d: %+v, %v", last, r, err)
					return
				}
				last = r.Entries[len(r.Entries)-1].Seq
			}
		})
		all.Go(func() {
			if r, err := j.Wait(t.Context(), journal.Match{Operation: "b"}, 2*each); err != nil || !r.Pass {
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
