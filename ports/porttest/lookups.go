package porttest

import (
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"causeway/ports"
)

// LookupLog checks the contract of ports.LookupLog. open opens an empty log twice, as two processes
// do, and pass advances its clock.
func LookupLog(t *testing.T, open func(t *testing.T) (a, b ports.LookupLog, pass func(time.Duration))) {
	t.Helper()
	t.Run("order", func(t *testing.T) {
		t.Parallel()
		a, b, _ := open(t)
		if got := readLookups(t, a, ""); len(got.records) > 0 || got.last != "" {
			t.Errorf("empty log: got %q and position %q", got.records, got.last)
		}
		appendLookups(t, a, "\x00one", "two")
		first := readLookups(t, b, "")
		appendLookups(t, b, "three")
		appendLookups(t, a, "four")
		if want := []string{"\x00one", "two"}; !slices.Equal(first.records, want) {
			t.Errorf("got %q, want %q", first.records, want)
		}
		for _, log := range []ports.LookupLog{a, b} {
			if got, want := readLookups(t, log, first.last), []string{"three", "four"}; !slices.Equal(got.records, want) {
				t.Errorf("after a position: got %q, want %q", got.records, want)
			}
		}
	})
	t.Run("pages", func(t *testing.T) {
		t.Parallel()
		a, b, _ := open(t)
		var want []string
		for i := range ports.LookupPage + 10 {
			want = append(want, strconv.Itoa(i))
		}
		appendLookups(t, a, want...)
		if got := readLookups(t, b, "").records; !slices.Equal(got, want) {
			t.Errorf("got %d records, want %d in their order", len(got), len(want))
		}
	})
	t.Run("a day", func(t *testing.T) {
		t.Parallel()
		a, b, pass := open(t)
		appendLookups(t, a, "old")
		pass(23 * time.Hour)
		appendLookups(t, a, "new")
		if got, want := readLookups(t, b, "").records, []string{"old", "new"}; !slices.Equal(got, want) {
			t.Errorf("after 23 hours: got %q, want %q", got, want)
		}
		pass(3 * time.Hour)
		appendLookups(t, a, "newest")
		if got := readLookups(t, b, "").records; slices.Contains(got, "old") || !slices.Contains(got, "new") {
			t.Errorf("after 26 hours: got %q, want no record older than 25 hours", got)
		}
	})
	t.Run("concurrent use", func(t *testing.T) {
		t.Parallel()
		a, b, _ := open(t)
		var writers, unread atomic.Int64
		concurrently(func() {
			for i := range 10 {
				log := a
				if i%2 > 0 {
					log = b
				}
				record := fmt.Sprint(writers.Add(1))
				appendLookups(t, log, record)
				if !slices.Contains(readLookups(t, log, "").records, record) {
					unread.Add(1)
				}
			}
		})
		if got := readLookups(t, b, "").records; int64(len(got)) != writers.Load() || unread.Load() > 0 {
			t.Errorf("got %d records and %d that their writers did not read, want %d and 0",
				len(got), unread.Load(), writers.Load())
		}
	})
}

func appendLookups(t *testing.T, log ports.LookupLog, records ...string) {
	t.Helper()
	for _, r := range records {
		if err := log.Append(t.Context(), []byte(r)); err != nil {
			t.Errorf("append: %v", err)
		}
	}
}

// lookupPages are the records of all pages.
type lookupPages struct {
	records []string
	last    string
}

func readLookups(t *testing.T, log ports.LookupLog, after string) lookupPages {
	t.Helper()
	p := lookupPages{last: after}
	for {
		records, last, err := log.Read(t.Context(), p.last)
		if err != nil {
			t.Errorf("read: %v", err)
			return p
		}
		for _, r := range records {
			p.records = append(p.records, string(r))
		}
		if p.last = last; len(records) < ports.LookupPage {
			return p
		}
	}
}
