package journal

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// json is a body with every value masked that is not a code of a harmless name, its names and its shape kept; false for one that
// is no JSON. Whether something is there, true or false is no secret. Beside it are the masked members of its object.
func (y *eye) json(body []byte) (shown []byte, members []hidden, isJSON bool) {
	if !json.Valid(body) {
		return nil, nil, false
	}
	m := masker{eye: y, out: make([]byte, 0, len(body)+len(body)/4+8), outer: make([]level, 0, 4)}
	for text := string(body); text != ""; {
		text = m.next(text)
	}
	return bytes.Clone(m.out), m.members, true
}

// masker writes a masked copy of a JSON text that is known to be valid. It keeps no part of the text itself.
type masker struct {
	eye     *eye
	member  string // of the body's object: the one that is read, as its name is shown
	members []hidden

	out   []byte
	outer []level // what the values around are in
	level
}

// level is what a value is in.
type level struct {
	object  bool
	named   bool   // the name of the next value was read
	listed  bool   // the values are those of a harmless name
	prose   bool   // the values may be sentences
	scalars string // the text from the beginning of a list on, while its values are neither lists nor objects
}

// next copies one token, and returns what follows it.
func (m *masker) next(text string) string {
	switch c := text[0]; c {
	case ' ', '\t', '\r', '\n':
		return text[1:]
	case '{', '[':
		m.scalars = ""
		m.outer = append(m.outer, m.level)
		if m.level = (level{object: c == '{', listed: m.listed, prose: m.prose}); c == '[' {
			m.scalars = text
		}
	case '}', ']':
		m.spread(text)
		m.level = m.outer[len(m.outer)-1]
		m.outer = m.outer[:len(m.outer)-1]
	case ',':
		m.named = false
	case ':':
	case '"':
		return m.text(text)
	default:
		return m.literal(text)
	}
	m.out = append(m.out, text[0])
	return text[1:]
}

// spread looks for a secret whose words or bytes are the values of a list, at its end.
func (m *masker) spread(rest string) {
	if m.scalars != "" && !m.listed {
		m.eye.secret(strings.ReplaceAll(m.scalars[:len(m.scalars)-len(rest)+1], `"`, ""), false)
	}
}

// text copies a string: a name, or a value.
func (m *masker) text(text string) string {
	end := 1
	for text[end] != '"' {
		if text[end] == '\\' {
			end++
		}
		end++
	}
	quoted, plain := text[:end+1], text[1:end]
	if strings.Contains(plain, `\`) {
		plain = unquoted(quoted)
	}
	if m.object && !m.named {
		m.named, m.listed, m.prose = true, harmless[plain], prose[plain]
		if len(m.outer) == 1 {
			m.member = m.eye.word(plain)
		}
		m.write(plain, m.eye.word(plain), quoted)
	} else {
		m.write(plain, m.value(plain), quoted)
	}
	return text[end+1:]
}

// unquoted is a valid string of JSON.
func unquoted(text string) (plain string) {
	_ = json.Unmarshal([]byte(text), &plain)
	return plain
}

// value is a value as it is shown.
func (m *masker) value(text string) string {
	if m.listed && m.eye.shows(text) {
		return text
	}
	shown := m.eye.masked(text, m.prose)
	if m.object && len(m.outer) == 1 {
		if sum := m.eye.of(text, shown); sum != 0 {
			m.members = append(m.members, hidden{strings.Clone(m.member), sum})
		}
	}
	return shown
}

// write copies a string as it was written, where it may be shown as it is.
func (m *masker) write(plain, shown, quoted string) {
	if shown == plain {
		m.out = append(m.out, quoted...)
		return
	}
	m.out, _ = jsontext.AppendQuote(m.out, shown) // masked is valid UTF-8
}

// literal copies a number, true, false or null.
func (m *masker) literal(text string) string {
	end := strings.IndexAny(text, ",]} \t\r\n")
	if end < 0 {
		end = len(text)
	}
	plain := text[:end]
	if c := text[0]; c == 't' || c == 'f' || c == 'n' {
		m.out = append(m.out, plain...)
	} else {
		m.number(plain)
	}
	return text[end:]
}

// number copies a number, as a text where it is masked.
func (m *masker) number(plain string) {
	if shown := m.value(plain); shown != plain {
		m.out = append(append(append(m.out, '"'), shown...), '"')
		return
	}
	m.out = append(m.out, plain...)
}
