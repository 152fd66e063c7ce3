package journal

import (
	"encoding/json"
	"slices"
	"strings"
)

// Find returns the entries that match, oldest first: the newest limit of them, or, where the match says after which, the first
// limit, so that one page follows the other. Limit 0 is no limit.
func (j *Journal) Find(m Match, limit int) ([]Entry, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	all, _ := j.after(m.After)
	found := m.ready(j.eye).among(side(all, m.Control))
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
		if f = m.judge(&o.entry, f[:0]); f.equal() == len(f) {
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
		if f = m.judge(&o.entry, f[:0]); best == nil || f.equal() >= kept.equal() {
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

// glob masks those segments of a pattern that stand for themselves, as those of a path are.
func (y *eye) glob(pattern string) (masked string, sums []digest) {
	segments := strings.Split(pattern, "/")
	sums = make([]digest, len(segments))
	for i, segment := range segments {
		if strings.ContainsAny(segment, `*?[\`) {
			continue
		}
		shown := y.segment(segment)
		segments[i], sums[i] = strings.ReplaceAll(shown, "*", `\*`), y.ofSegment(segment, shown)
	}
	return strings.Join(segments, "/"), sums
}

// passes reports whether the masked segments of a path are those that the pattern has as they were sent.
func (m *matcher) passes(path []digest) bool {
	for i, sum := range m.segments {
		if sum != 0 && at(path, i) != sum {
			return false
		}
	}
	return true
}

// members are the values of a masked body's object, texts without their quotes.
func members(q *Request) (out []Field, sums []digest) {
	var object map[string]json.RawMessage
	if json.Unmarshal(q.Body, &object) != nil {
		return nil, nil
	}
	for name, encoded := range object {
		text := string(encoded)
		if strings.HasPrefix(text, `"`) {
			_ = json.Unmarshal(encoded, &text) // it was read once already
		}
		var sum digest
		for _, h := range q.members {
			if h.name == name {
				sum = h.sum // the last of a name counts, as it does in the object
			}
		}
		out, sums = append(out, Field{Name: name, Value: text}), append(sums, sum)
	}
	return out, sums
}
