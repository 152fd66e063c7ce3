package journal

import (
	"net/url"
	"strings"
	"time"
)

// Bounds of what passes as a code. No account number has so few digits; no address of a blockchain but a chosen name is so short.
const (
	longestCode = 24
	mostDigits  = 6 // as core.Quoted has it
)

// code reports whether a text can only be a word or code: a few letters, digits and signs.
func code(text string) bool {
	digits := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '-', c == '.':
		default:
			return false
		}
	}
	return digits <= mostDigits && len(text) <= longestCode
}

// codes reports whether a value is a code, several of them, or an instant.
func codes(text string) bool {
	if len(text) > longestText {
		return false
	}
	for item := range strings.SplitSeq(text, ",") {
		if !code(strings.TrimSpace(item)) {
			_, err := time.Parse(time.RFC3339, text)
			return err == nil
		}
	}
	return true
}

// word is a name that a client chose, where it can be nothing else.
func (y *eye) word(text string) string {
	if code(text) {
		return text
	}
	return y.masked(text, false)
}

// shows reports whether a value of a harmless name is shown as it is: several codes may be a phrase where they are as many as that has words.
func (y *eye) shows(text string) bool { return codes(text) && !y.secret(text, true) }

// value is the value of a parameter or member as it is shown.
func (y *eye) value(name, text string) string {
	if harmless[name] && y.shows(text) {
		return text
	}
	return y.masked(text, prose[name])
}

// path masks the segments of an escaped path that can be anything else than a word or the world.
func (y *eye) path(path string) (shown string, sums []digest) {
	plain := len(path) <= longestPath
	for segment := range strings.SplitSeq(path, "/") {
		plain = plain && (code(segment) || segment == "*")
	}
	if plain {
		return strings.Clone(path), nil
	}
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		segments[i] = y.segment(segment)
		if i < mostSegments {
			sums = append(sums, y.ofSegment(segment, segments[i]))
		}
	}
	return cut(strings.Join(segments, "/"), longestPath), sums
}

// segment is one segment of a path as it is shown, escaped.
func (y *eye) segment(segment string) string {
	if code(segment) || segment == "*" {
		return segment
	}
	text, err := url.PathUnescape(segment)
	if err == nil && text == y.world {
		return segment
	}
	return readable(url.PathEscape(y.masked(text, false)))
}

// readable is something escaped, but for its asterisks.
func readable(escaped string) string { return strings.ReplaceAll(escaped, "%2A", "*") }

// mostSegments are as many segments as a path has that is shown whole.
const mostSegments = longestPath

// query is the parameters of a query in their order, masked, with their digests, and how many more there are.
func (y *eye) query(query string) (shown []Field, sums []digest, more int) {
	if query == "" {
		return []Field{}, nil, 0
	}
	shown = make([]Field, 0, min(mostFields, 1+strings.Count(query, "&")))
	for item := range strings.SplitSeq(query, "&") {
		if item == "" {
			continue
		}
		if len(shown) == mostFields {
			more++
			continue
		}
		name, text, _ := strings.Cut(item, "=")
		name, text = unescaped(name), unescaped(text)
		masked := strings.Clone(y.value(name, text))
		sums = y.note(sums, len(shown), text, masked)
		shown = append(shown, Field{Name: strings.Clone(y.word(name)), Value: masked})
	}
	return shown, sums, more
}

func unescaped(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// header is the value of a header of replayed as it is shown. The id of a world is shown everywhere, and so is that of a request.
func (y *eye) header(name, text string) string {
	shown := true
	switch name {
	case "Sim-World":
	case "If-None-Match":
		shown = false // hexadecimal: nobody can tell it from a number
	case "X-Request-Id":
		id, prefixed := strings.CutPrefix(text, "req_")
		shown = prefixed && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" && !y.secret(id, false)
	default:
		shown = !numbered(text) && !y.secret(text, true)
	}
	if !shown {
		return y.masked(text, true)
	}
	return clip(text)
}

// numbered reports whether a text holds more digits in a row than a code has, or a letter beyond ASCII. Spaces and hyphens do not end a row.
func numbered(text string) bool {
	row := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			if row++; row > mostDigits {
				return true
			}
		case c == ' ', c == '-':
		case c > '~':
			return true
		default:
			row = 0
		}
	}
	return len(text) > longestText
}
