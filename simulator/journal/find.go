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
	found := m.ready(j.cfg.World).among(side(all, m.Control))
	if limit > 0 && len(found) > limit {
		if m.After > 0 {
			found = found[:limit]
		} else {
			found = found[len(found)-limit:]
		}
	}
	return entries(found), nil
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

// maskGlob masks those segments of a pattern that stand for themselves, as those of a path are.
func maskGlob(pattern, world string) string {
	segments := strings.Split(pattern, "/")
	for i, segment := range segments {
		if strings.ContainsAny(segment, `*?[\`) {
			continue
		}
		segments[i] = strings.ReplaceAll(maskSegment(segment, world), "*", `\*`)
	}
	return strings.Join(segments, "/")
}

// members are the values of a masked body's object, texts without their quotes.
func members(body json.RawMessage) []Field {
	var object map[string]json.RawMessage
	if json.Unmarshal(body, &object) != nil {
		return nil
	}
	var out []Field
	for name, encoded := range object {
		text := string(encoded)
		if strings.HasPrefix(text, `"`) {
			_ = json.Unmarshal(encoded, &text) // it was read once already
		}
		out = append(out, Field{Name: name, Value: text})
	}
	return out
}
