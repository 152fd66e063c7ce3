package journal

import "slices"

// Find returns the entries that match, oldest first: the newest limit of them, or, where the match says after which, the first
// limit, so that one page follows the other. Limit 0 is no limit.
func (j *Journal) Find(m Match, limit int) ([]Entry, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	all, _ := j.after(m.After)
	found := m.ready(j.masker()).among(side(all, m.Control))
	if limit > 0 && len(found) > limit {
		if m.After > 0 {
			found = found[:limit]
		} else {
			found = found[len(found)-limit:]
		}
	}
	return entries(found), nil
}

// Exchange returns the request of an entry as it was sent and the beginning of the response's body, unmasked: for a person
// who looks at a simulated world. It is false if the entry is gone or its request was not kept.
func (j *Journal) Exchange(seq uint64) (request Sent, response string, kept bool) {
	if seq == 0 {
		return Sent{}, "", false
	}
	all, _ := j.after(seq - 1)
	if len(all) == 0 || all[0].entry.Seq != seq || all[0].raw == nil {
		return Sent{}, "", false
	}
	return all[0].sent(), all[0].raw.response.Reveal(), true
}

// side are the calls of the control API, or the requests to the product.
func side(all []*Open, control bool) []*Open {
	return slices.DeleteFunc(all, func(o *Open) bool { return o.entry.Control != control })
}

// among are the entries that match.
func (m *matcher) among(all []*Open) []*Open {
	var found []*Open
	var f findings
	for _, o := range all {
		if f = m.judge(o, f[:0]); f.equal() == len(f) {
			found = append(found, o)
		}
	}
	return found
}

// closest is the entry that meets the most conditions, the newest of several, and what differs; nil where there is none to compare.
func (m *matcher) closest(all []*Open) (*Open, []Difference) {
	var (
		best    *Open
		kept, f findings
	)
	for _, o := range all {
		if f = m.judge(o, f[:0]); best == nil || f.equal() >= kept.equal() {
			best, kept, f = o, f, kept
		}
	}
	return best, kept.differences()
}

func entries(found []*Open) []Entry {
	out := make([]Entry, len(found))
	for i, o := range found {
		out[i] = o.entry
	}
	return out
}
