package journal

import (
	"context"
	"fmt"
)

// Wait returns as soon as so many entries match: those that are there already count, and stay counted when the journal drops them. When the
// context ends first, the report does not pass, and says how far it got. The report has all of the entries that it
// counted. The error is of the match or the count, or ErrClosed.
func (j *Journal) Wait(ctx context.Context, m Match, count int) (Report, error) {
	if most := j.cfg.Limits.Entries; count < 1 || count > most {
		return Report{}, invalid(append(m.faults("match."), fault("count", "is %d; accepted: 1 to %d, as many as the journal holds", count, most)))
	}
	if err := m.Check(); err != nil {
		return Report{}, err
	}
	var (
		match = m.ready(j.masker())
		found []*Open
		next  = m.After
		r     = Report{Differences: []Difference{}}
	)
	for {
		fresh, dropped, changed, closed := j.news(next)
		next += dropped + uint64(len(fresh))
		fresh = side(fresh, m.Control)
		found = append(found, match.among(fresh)...)
		r.Looked, r.Dropped, r.Matched = r.Looked+len(fresh), r.Dropped+dropped, len(found)
		if len(found) >= count {
			r.Pass, r.Message, r.Entries = true, fmt.Sprintf("%s of %d match", plural(len(found)), r.Looked), entries(found)
			return r, nil
		}
		if closed {
			return Report{}, ErrClosed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			looked, _ := j.after(m.After)
			looked = side(looked, m.Control)
			r.Entries = entries(found)
			r.fail("Waited for %s %s, found %s among %d until the time was up", plural(count), match.text(), none(len(found)), r.Looked)
			r.compare(match, missing(looked, match.among(looked)))
			return r, nil
		}
	}
}

// news is since, with a channel that is closed at the next entry, and whether there will be none. It never misses one: the list and the channel are of
// one instant.
func (j *Journal) news(seq uint64) (entries []*Open, dropped uint64, changed <-chan struct{}, closed bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	entries, dropped = j.since(seq)
	if j.changed == nil && !j.closed {
		j.changed = make(chan struct{})
	}
	return entries, dropped, j.changed, j.closed
}
