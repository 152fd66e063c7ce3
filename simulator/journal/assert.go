package journal

import (
	"fmt"
	"slices"
	"strconv"

	"causeway/core"
)

// Assertion is what must be so in a journal. Without a number, and without Never and Order, at least one entry must match.
type Assertion struct {
	Match   Match `json:"match,omitzero" doc:"The entries that count"`
	Count   *int  `json:"count,omitempty" doc:"Exact number of entries" example:"2"`
	AtLeast *int  `json:"at_least,omitempty" doc:"Minimum number of entries"`
	AtMost  *int  `json:"at_most,omitempty" doc:"Maximum number of entries"`
	Never   bool  `json:"never,omitempty" doc:"Whether no entry may match"`
	// Order: among the entries that match there are one for each of these, the next one later than the one before. Others may be between them.
	Order []Match `json:"order,omitempty" doc:"Conditions that entries among them meet one after the other"`
}

// Report says whether an assertion holds, and why not.
type Report struct {
	Pass    bool   `json:"pass" doc:"The result" example:"true"`
	Message string `json:"message" doc:"A sentence for people" example:"1 entry of 1 match"`
	Matched int    `json:"matched" doc:"Number of entries that match" example:"1"`
	Looked  int    `json:"looked_at" doc:"Number of entries that were examined" example:"1"`
	Dropped uint64 `json:"dropped" doc:"Number of dropped entries that may have matched" example:"0"`
	// Entries are those that match; an assertion shows the newest ten.
	Entries []Entry `json:"entries" doc:"Entries that match: the newest ten of an assertion"`
	// Closest is the entry that meets the most conditions of what is missing, and Differences are those that it does not meet.
	Closest     *Entry       `json:"closest,omitempty" doc:"The entry that meets most conditions"`
	Differences []Difference `json:"differences" doc:"The conditions that it does not meet"`
}

// shownEntries are as many as an assertion's report shows.
const shownEntries = 10

// Check returns everything that is wrong with an assertion, each with what is accepted.
func (a Assertion) Check() error {
	faults := a.Match.faults("match.")
	for i, m := range a.Order {
		faults = append(faults, m.faults("order["+strconv.Itoa(i)+"].")...)
		if m.After != 0 || m.Control {
			faults = append(faults, fault("order["+strconv.Itoa(i)+"]", "has after or control; accepted: both in match, for all steps"))
		}
	}
	faults = append(faults, a.numberFaults()...)
	if len(a.Order) > mostConditions || a.Never && len(a.Order) > 0 {
		faults = append(faults, fault("order", "has %d steps; accepted: up to %d, and none beside never", len(a.Order), mostConditions))
	}
	least, most := a.bounds()
	if least > most {
		faults = append(faults, fault("at_least", "and count and at_most leave no number open"))
	}
	return invalid(faults)
}

func (a Assertion) numberFaults() (faults []core.FieldError) {
	for _, n := range []struct {
		name  string
		value *int
	}{{"count", a.Count}, {"at_least", a.AtLeast}, {"at_most", a.AtMost}} {
		if n.value != nil && (*n.value < 0 || a.Never && *n.value > 0) {
			faults = append(faults, fault(n.name, "is %d; accepted: 0 or more, and only 0 beside never", *n.value))
		}
	}
	return faults
}

// unbounded is more entries than there can be.
const unbounded = int(^uint(0) >> 1)

// bounds are the fewest and the most entries that may match.
func (a Assertion) bounds() (least, most int) {
	most = unbounded
	if a.Never {
		return 0, 0
	}
	if a.Count == nil && a.AtLeast == nil && a.AtMost == nil && len(a.Order) == 0 {
		return 1, most
	}
	if a.AtLeast != nil {
		least = *a.AtLeast
	}
	if a.AtMost != nil {
		most = *a.AtMost
	}
	if a.Count != nil {
		least, most = max(least, *a.Count), min(most, *a.Count)
	}
	return least, most
}

// Assert says whether something is so, with the entries that the journal has now. Where that depends on entries that were dropped, it
// does not pass. The error is of the assertion itself.
func (j *Journal) Assert(a Assertion) (Report, error) {
	if err := a.Check(); err != nil {
		return Report{}, err
	}
	all, dropped := j.after(a.Match.After)
	return a.report(j.masker(), side(all, a.Match.Control), dropped), nil
}

func (a Assertion) report(mask masker, all []*Open, dropped uint64) Report {
	match := a.Match.ready(mask)
	found := match.among(all)
	least, most := a.bounds()
	r := Report{Pass: true, Matched: len(found), Looked: len(all), Dropped: dropped, Differences: []Difference{}}
	r.Entries = entries(found[max(0, len(found)-shownEntries):])
	r.Message = fmt.Sprintf("%s of %d match", plural(len(found)), len(all))
	switch {
	case len(found) > most:
		r.fail("Expected %s %s, found %s: %s", number(least, most), match.text(), plural(len(found)), places(found))
	case len(found) < least:
		r.fail("Expected %s %s, found %s among %d", number(least, most), match.text(), none(len(found)), len(all))
		r.compare(match, missing(all, found))
	case dropped > 0 && most != unbounded:
		r.fail("Nobody can tell: %s may have matched and were dropped; ask with a match.after of %d or more, or give the world a larger journal",
			plural(int(dropped)), a.Match.After+dropped) //nolint:gosec // far below 2^63
	default:
		a.inOrder(&r, mask, found)
	}
	if dropped > 0 {
		r.Message += "; " + plural(int(dropped)) + " before were dropped" //nolint:gosec // far below 2^63
	}
	return r
}

// inOrder looks for the steps among the entries that match.
func (a Assertion) inOrder(r *Report, mask masker, found []*Open) {
	rest, last := found, "the beginning"
	for i := range a.Order {
		step := a.Order[i].ready(mask)
		next := step.among(rest)
		if len(next) == 0 {
			r.fail("Expected step %d, %s, after %s, found none among %d", i+1, step.text(), last, len(rest))
			r.compare(step, rest)
			return
		}
		rest, last = rest[slices.Index(rest, next[0])+1:], "entry "+strconv.FormatUint(next[0].entry.Seq, 10)
	}
	if len(a.Order) > 0 {
		r.Message += ", and all " + strconv.Itoa(len(a.Order)) + " steps are in order"
	}
}

func (r *Report) fail(format string, args ...any) {
	r.Pass, r.Message = false, fmt.Sprintf(format, args...)
}

// compare shows the closest of some entries that do not match.
func (r *Report) compare(m *matcher, among []*Open) {
	best, differences := m.closest(among)
	if best == nil {
		return
	}
	r.Closest, r.Differences = new(best.entry), differences
	r.Message += fmt.Sprintf("; the closest, entry %d, has", best.entry.Seq)
	for i, d := range differences {
		if i > 0 {
			r.Message += ","
		}
		r.Message += fmt.Sprintf(" %s %s instead of %s", d.Field, nothing(d.Got), nothing(d.Want))
	}
}

// missing are the entries that are not among those found, both in one order.
func missing(all, found []*Open) []*Open {
	var rest []*Open
	for _, o := range all {
		if len(found) > 0 && found[0] == o {
			found = found[1:]
			continue
		}
		rest = append(rest, o)
	}
	return rest
}
