package core

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Private is a value about a person that must not reach a log, metric, trace or error text: an
// account number, a name, an address. Printing and encoding mask it; only Reveal returns it.
type Private string

// Reveal returns the value, for the wire and for computation.
func (p Private) Reveal() string { return string(p) }

// String returns the masked value: the first and last two characters of a value of at least ten
// characters, and none of a shorter one.
func (p Private) String() string {
	n := utf8.RuneCountInString(string(p))
	if n == 0 {
		return ""
	}
	if n < 10 {
		return "****"
	}
	text := string(p)
	_, first := utf8.DecodeRuneInString(text)
	_, second := utf8.DecodeRuneInString(text[first:])
	_, last := utf8.DecodeLastRuneInString(text)
	_, beforeLast := utf8.DecodeLastRuneInString(text[:len(text)-last])
	return strings.ToValidUTF8(text[:first+second], "\uFFFD") + "****" +
		strings.ToValidUTF8(text[len(text)-last-beforeLast:], "\uFFFD")
}

// Format masks the value for every verb, including %q, %x and %#v.
func (p Private) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(p.String())) }

// MarshalText masks the value in JSON, YAML and text.
func (p Private) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Composition describes the value without showing it: "9 digits and 1 other character".
func (p Private) Composition() string {
	digits, rest := 0, 0
	for _, r := range p {
		if r >= '0' && r <= '9' {
			digits++
		} else {
			rest++
		}
	}
	text := counted(digits, "digit")
	if rest > 0 {
		text += " and " + counted(rest, "other character")
	}
	return text
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

const (
	longestCode   = 32 // characters shown of a code; the longest code in use has 12
	longestDigits = 6  // most digits of a code in use
)

// Quoted returns a code that a client sent in quotes, truncated if it is too long. A value that may
// be an account number in the wrong field is replaced by its Composition in brackets.
func Quoted(code string) string {
	code = strings.TrimSpace(code)
	digits := 0
	for _, r := range code {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	if digits > longestDigits {
		return "(a value with " + Private(code).Composition() + ")"
	}
	if r := []rune(code); len(r) > longestCode {
		code = string(r[:longestCode]) + "…"
	}
	return strconv.Quote(code)
}

// Secret is a credential. Printing and encoding redact it; only Reveal returns it.
type Secret string

const redacted = "[redacted]"

// Reveal returns the credential.
func (s Secret) Reveal() string { return string(s) }

// String returns "[redacted]", or "" for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// Format redacts the secret for every verb.
func (s Secret) Format(f fmt.State, verb rune) {
	text := s.String()
	if verb == 'q' {
		text = strconv.Quote(text)
	}
	_, _ = f.Write([]byte(text))
}

// MarshalText redacts the secret in JSON, YAML and text.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
