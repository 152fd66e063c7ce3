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
func Edit(body []byte, change func(document any)) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var document any
	if decoder.Decode(&document) != nil {
		return body
	}
	change(document)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(document) != nil {
		return body
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

// Replace replaces the values at a place of a document ("data.*.askPx"; * is every member or
// element), in the order of their names; elements have no name. A member that becomes nil is
// removed, an element becomes null. Values that are null stay.
func Replace(document any, place string, change func(name string, value any) any) {
	part, rest, deeper := strings.Cut(place, ".")
	replace := func(name string, value any) any {
		if deeper {
			Replace(value, rest, change)
			return value
		}
		return change(name, value)
	}
	switch v := document.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if v[name] == nil || part != "*" && part != name {
				continue
			}
			if v[name] = replace(name, v[name]); v[name] == nil {
				delete(v, name)
			}
		}
	case []any:
		for i := range v {
			if v[i] != nil && (part == "*" || part == strconv.Itoa(i)) {
				v[i] = replace("", v[i])
			}
		}
	}
}

// announce adds an undocumented member to every object of a document.
func announce(document any) {
	switch v := document.(type) {
	case map[string]any:
		for _, member := range v {
			announce(member)
		}
		v["unannounced"] = map[string]any{"since": "2026-11-21", "values": []any{json.Number("1"), nil, true}}
	case []any:
		for _, element := range v {
			announce(element)
		}
	}
}
