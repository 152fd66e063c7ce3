// Package holder reads what account providers say of an account's holder: the name, and the texts by which a failure says
// something about the account. It refuses to conclude: a text that is not in a provider's table, or has another status than
// the table says, leaves the question open.
package holder

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"causeway/adapters/upstream"
	"causeway/core"
)

// maxName is the longest name that is believed, in characters.
const maxName = 200

// Name trims a name and collapses its white space. What is no name (empty, a placeholder, no letter in it, too long, with control
// or direction characters that would make a person read something else) is an *upstream.Failure: cannot tell.
func Name(raw string) (core.Private, error) {
	name := strings.Join(strings.Fields(raw), " ")
	switch {
	case !strings.ContainsFunc(name, unicode.IsLetter), slices.Contains(placeholders, strings.ToLower(name)):
		return "", upstream.Fail(upstream.Undecided, "an empty name")
	case utf8.RuneCountInString(name) > maxName:
		return "", upstream.Fail(upstream.Undecided, "a name too long to be one")
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) || r == utf8.RuneError }):
		return "", upstream.Fail(upstream.Undecided, "a name with control characters")
	}
	return core.Private(name), nil
}

// Meaning is what a known text says about the account.
type Meaning int

// The meanings.
const (
	Nothing      Meaning = iota // it says nothing about the account
	NoAccount                   // it does not exist at that bank
	ProbablyNone                // the same, but it is also said while the bank cannot be reached
	ClosedOne                   // it is closed or dormant
	OverTheCap                  // the key's plan or mode answers no more today
)

// Text is a known text of a provider's failures.
type Text struct {
	Text     string // lower case, without a last full stop
	Prefix   bool   // the text goes on with values
	Within   bool   // the text stands somewhere in a longer one
	Statuses []int  // with which it means something
	Meaning  Meaning
}

// Understand reads a failure by a provider's table.
func Understand(table []Text, status int, message string) Meaning {
	said := strings.TrimSuffix(strings.ToLower(strings.Join(strings.Fields(message), " ")), ".")
	for _, row := range table {
		match := said == row.Text || row.Prefix && strings.HasPrefix(said, row.Text) || row.Within && strings.Contains(said, row.Text)
		if match && slices.Contains(row.Statuses, status) {
			return row.Meaning
		}
	}
	return Nothing
}

// Err is what a resolver answers; nil where a text says nothing and the status must decide.
func (m Meaning) Err() error {
	switch m {
	case NoAccount:
		return core.Errorf(core.NotFound, "No account with this number exists")
	case ProbablyNone:
		return core.Errorf(core.NotFound, "No account with this number seems to exist").Because(core.DoubtfulNone)
	case ClosedOne:
		return core.Errorf(core.NotFound, "The account is closed or dormant").Because(core.ClosedAccount)
	case OverTheCap:
		return upstream.Fail(upstream.Refused, "the daily cap of the test mode is reached")
	case Nothing:
	}
	return nil
}

// States are the usual ways to say that an account is closed or dormant, with the given statuses: general knowledge, for
// providers of which no sentence of their own is known.
func States(statuses []int) []Text {
	rows := make([]Text, 0, len(states))
	for _, text := range states {
		rows = append(rows, Text{Text: text, Statuses: statuses, Meaning: ClosedOne})
	}
	return rows
}
