package journal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"causeway/core"
)

// Assertion is a statement about a journal. Without Count, Never and Order, at least one entry must match.
type Assertion struct {
	Match Match `json:"match,omitzero" doc:"The entries that count"`
	Count *int  `json:"count,omitempty" minimum:"0" doc:"Exact number of entries" example:"2"`
	Never bool  `json:"never,omitempty" doc:"Whether no entry may match" example:"false"`
	// Order: the entries that match include one for each step, each later than the one before. Others may be between them.
	Order []Match `json:"order,omitempty" doc:"Conditions that entries among them meet one after the other"`
}

// Report is the result of an assertion or a wait.
type Report struct {
	Pass        bool         `json:"pass" doc:"The result" example:"true"`
	Message     string       `json:"message" doc:"A sentence for people" example:"1 entry of 1 match"`
	Matched     int          `json:"matched" doc:"Number of entries that match" example:"1"`
	Looked      int          `json:"looked_at" doc:"Number of entries that were examined" example:"1"`
	Dropped     uint64       `json:"dropped" doc:"Number of dropped entries that may have matched" example:"0"`
	Entries     []Entry      `json:"entries" doc:"The newest ten entries that match"`
	Closest     *Entry       `json:"closest,omitempty" doc:"The entry that meets most conditions"`
	Differences []Difference `json:"differences" doc:"The conditions that it does not meet"`
}

// maxReported is how many entries a report shows.
const maxReported = 10

// check returns what is wrong with an assertion.
func (a Assertion) check() error {
	if err := a.Match.check("match."); err != nil {
		return err
	}
	if a.Never && (len(a.Order) > 0 || a.Count != nil && *a.Count > 0) {
		return core.InvalidField("never", "is true; accepted: neither a count nor an order beside never")
	}
	for i, m := range a.Order {
		step := "order[" + strconv.Itoa(i) + "]"
		if m.After != 0 || m.Control {
			return core.InvalidField(step, "has after or control; accepted: both in match, for all steps")
		}
		if err := m.check(step + "."); err != nil {
			return err
		}
	}
	return nil
}

// Assert checks an assertion against the entries that the journal has. If the result depends on entries that were
// dropped, the assertion does not pass. The error is about the assertion itself.
func (j *Journal) Assert(a Assertion) (Report, error) {
	if err := a.check(); err != nil {
		return Report{}, err
	}
	want, exact := 1, a.Never || a.Count != nil
	switch {
	case a.Count != nil:
		want = *a.Count
	case a.Never || len(a.Order) > 0:
		want = 0
	}
	return j.view(a.Match).report(a.Match, want, exact, a.Order), nil
}

// Wait returns as soon as the journal has count entries that match, or when the context ends: then the report does not
// pass. The error is about the match, or ErrClosed.
func (j *Journal) Wait(ctx context.Context, m Match, count int) (Report, error) {
	if err := m.check(""); err != nil {
		return Report{}, err
	}
	for {
		v := j.view(m)
		r := v.report(m, count, false, nil)
		if r.Pass {
			return r, nil
		}
		if v.closed {
			return Report{}, ErrClosed
		}
		select {
		case <-v.changed:
		case <-ctx.Done():
			r.Message = "The time is up. " + r.Message
			return r, nil
		}
	}
}

// report compares entries with what is expected: want of them match, or more unless the number is exact, and some of
// these meet the steps in order.
func (v view) report(m Match, want int, exact bool, order []Match) Report {
	found := m.filter(v.entries)
	r := Report{
		Pass: true, Matched: len(found), Looked: len(v.entries), Dropped: v.dropped, Differences: []Difference{},
		Entries: shown(found[max(0, len(found)-maxReported):]),
	}
	r.Message = fmt.Sprintf("%s of %d match", entries(len(found)), len(v.entries))
	expected := entries(want)
	switch {
	case want == 0:
		expected = "no entry"
	case !exact:
		expected = "at least " + expected
	}
	switch {
	case exact && len(found) > want:
		r.fail("Expected %s %s, found %s: %s", expected, m, entries(len(found)), numbers(found))
	case len(found) < want:
		r.fail("Expected %s %s, found %s among %d", expected, m, entries(len(found)), len(v.entries))
		r.compare(m, slices.DeleteFunc(slices.Clone(v.entries), func(o *Open) bool { return slices.Contains(found, o) }))
	case exact && v.dropped > 0:
		r.fail("Inconclusive: dropped entries may have matched. Use a match.after of %d or more", m.After+v.dropped)
	default:
		r.inOrder(order, found)
	}
	if v.dropped > 0 {
		r.Message += fmt.Sprintf("; dropped before: %d", v.dropped)
	}
	return r
}

// inOrder looks for the steps among the entries that match.
func (r *Report) inOrder(order []Match, found []*Open) {
	rest, last := found, "the beginning"
	for i, step := range order {
		next := slices.IndexFunc(rest, func(o *Open) bool { return len(step.compare(o).missed()) == 0 })
		if next < 0 {
			r.fail("Expected step %d, %s, after %s, found none among %d", i+1, step, last, len(rest))
			r.compare(step, rest)
			return
		}
		last, rest = "entry "+strconv.FormatUint(rest[next].Seq, 10), rest[next+1:]
	}
	if len(order) > 0 {
		r.Message += ", and all " + strconv.Itoa(len(order)) + " steps are in order"
	}
}

func (r *Report) fail(format string, args ...any) {
	r.Pass, r.Message = false, fmt.Sprintf(format, args...)
}

// compare shows the closest of some entries that do not match, the newest of several.
func (r *Report) compare(m Match, all []*Open) {
	var best *Open
	for _, o := range all {
		if missed := m.compare(o).missed(); best == nil || len(missed) <= len(r.Differences) {
			best, r.Differences = o, missed
		}
	}
	if best == nil {
		return
	}
	r.Closest = &shown([]*Open{best})[0]
	var words []string
	for _, d := range r.Differences {
		words = append(words, fmt.Sprintf("%s %s instead of %s", d.Field, cmp.Or(d.Got, "none"),
			cmp.Or(d.Want, "none")))
	}
	r.Message += fmt.Sprintf("; the closest, entry %d, has %s", best.Seq, strings.Join(words, ", "))
}

// entries returns a number of entries in words.
func entries(n int) string {
	switch n {
	case 0:
		return "none"
	case 1:
		return "1 entry"
	}
	return strconv.Itoa(n) + " entries"
}

// numbers returns the numbers of the first few entries.
func numbers(found []*Open) string {
	const most = 5
	var list []string
	for _, o := range found[:min(len(found), most)] {
		list = append(list, strconv.FormatUint(o.Seq, 10))
	}
	if len(found) > most {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}
