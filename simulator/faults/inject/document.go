package inject

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Edit returns a JSON document after a change. A body that is not JSON stays as it is.
func Edit(body []byte, change func(document *any)) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var document any
	if decoder.Decode(&document) != nil {
		return body
	}
	change(&document)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(document) != nil {
		return body
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

// Spot is a value in a document that can be replaced.
type Spot struct {
	Name  string // of the member; empty in a list
	Value any
	Set   func(any)
	Drop  func() // takes the member out; in a list null stays in its place
}

// Text returns a number or a string as text; empty for anything else.
func (s Spot) Text() string {
	switch v := s.Value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// Say replaces a number or a string by one with the given text.
func (s Spot) Say(text string) {
	if _, bare := s.Value.(json.Number); bare {
		s.Set(json.Number(text))
		return
	}
	s.Set(text)
}

// Find lists the spots of a document at a place ("data.*.askPx"; * is every member or element), in
// the order of their names.
func Find(document *any, place string) []Spot {
	spots := []Spot{{Value: *document, Set: func(v any) { *document = v }, Drop: func() { *document = nil }}}
	for part := range strings.SplitSeq(place, ".") {
		var below []Spot
		for _, s := range spots {
			below = append(below, s.below(part)...)
		}
		spots = below
	}
	return spots
}

// below are the spots within a value.
func (s Spot) below(part string) []Spot {
	var out []Spot
	switch v := s.Value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if part == "*" || part == name {
				out = append(out, Spot{
					Name: name, Value: v[name], Set: func(x any) { v[name] = x },
					Drop: func() { delete(v, name) },
				})
			}
		}
	case []any:
		for i := range v {
			if part == "*" || part == strconv.Itoa(i) {
				out = append(out, Spot{Value: v[i], Set: func(x any) { v[i] = x }, Drop: func() { v[i] = nil }})
			}
		}
	}
	return out
}

// announce adds an undocumented member to every object of a document.
func announce(document *any) {
	switch v := (*document).(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			member := v[name]
			announce(&member)
		}
		v["unannounced"] = map[string]any{"since": "2026-11-21", "values": []any{json.Number("1"), nil, true}}
	case []any:
		for i := range v {
			announce(&v[i])
		}
	}
}
