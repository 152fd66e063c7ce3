package core

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Private is a value about a person that must not reach a log, metric, trace or error text: an
// account number, a name, an address. Whatever prints or encodes it shows it masked; only Reveal
// gives it away.
type Private string

// Reveal returns the value itself, for the wire and for computing with it.
func (p Private) Reveal() string { return string(p) }

// String returns the value masked: its first and last two characters from ten characters on, else
// none.
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

// Format masks the value under every verb, %q, %x and %#v included.
func (p Private) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(p.String())) }

// MarshalText masks the value in JSON, YAML and text.
func (p Private) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Composition says what the value is made of, without showing it: "9 digits and 1 other character".
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
	longestCode   = 32 // characters of a code that are worth showing; the longest in use has 12
	longestDigits = 6  // digits in any code in use
)

// Quoted shows a code that a client sent, in quotes and cut where it is over-long. One that may be
// an account number in the wrong field is not shown: its Composition is, in brackets.
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

// Secret is a credential. Whatever prints or encodes it shows "[redacted]"; only Reveal gives it
// away.
type Secret string

const redacted = "[redacted]"

// Reveal returns the credential itself.
func (s Secret) Reveal() string { return string(s) }

// String returns "[redacted]", or nothing where there is no secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// Format redacts the secret under every verb.
func (s Secret) Format(f fmt.State, verb rune) {
	text := s.String()
	if verb == 'q' {
		text = strconv.Quote(text)
	}
	_, _ = f.Write([]byte(text))
}

// MarshalText redacts the secret in JSON, YAML and text.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
