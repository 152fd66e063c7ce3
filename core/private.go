package core

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Private is a value about a person that must not reach a log, metric, trace or error text: an account
// number, a name, an address. Whatever prints or encodes it shows it masked; only Reveal gives it away.
type Private string

// Reveal returns the value itself, for the wire and for computing with it.
func (p Private) Reveal() string { return string(p) }

// String returns the value masked: its first and last two characters from ten characters on, else none.
func (p Private) String() string {
	n := utf8.RuneCountInString(string(p))
	if n == 0 {
		return ""
	}
	if n < 10 {
		return "****"
	}
	r := []rune(string(p))
	return string(r[:2]) + "****" + string(r[n-2:])
}

// Format masks the value under every verb, %q, %x and %#v included.
func (p Private) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(p.String())) }

// MarshalText masks the value in JSON, YAML and text.
func (p Private) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Secret is a credential. Whatever prints or encodes it shows "[redacted]"; only Reveal gives it away.
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
