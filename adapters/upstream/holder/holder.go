// Package holder reads what account providers say about the holder of an account: the name, and the
// error texts that say something about the account. A text that is not in the table of a provider,
// or has a different status, decides nothing.
package holder

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"causeway/adapters/upstream"
	"causeway/core"
)

// maxName is the longest accepted name, in characters.
const maxName = 200

// Name trims a name and collapses its white space. It returns an undecided *upstream.Failure if the
// text is not a name: empty, a placeholder, without a letter, too long, or with control or
// direction characters that change how a person reads it.
func Name(raw string) (core.Private, error) {
	name := strings.Join(strings.Fields(raw), " ")
	switch {
	case !strings.ContainsFunc(name, unicode.IsLetter), slices.Contains(placeholders, strings.ToLower(name)):
		return "", upstream.Fail(upstream.Undecided, "an empty name")
	case utf8.RuneCountInString(name) > maxName:
		return "", upstream.Fail(upstream.Undecided, "the name is too long")
	case strings.ContainsFunc(name, isInvisible):
		return "", upstream.Fail(upstream.Undecided, "a name with control characters")
	}
	return core.Private(name), nil
}

func isInvisible(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) || r == utf8.RuneError }

// Meaning is what a known text says about the account.
type Meaning int

// The meanings.
const (
	Nothing      Meaning = iota // nothing about the account
	NoAccount                   // the account does not exist at the bank
	ProbablyNone                // the same, but the text also appears while the bank is unreachable
	SharedNone                  // the same, and the text is the usual one for outages: a second provider must agree
	ClosedOne                   // the account is closed or dormant
	OverTheCap                  // the daily limit of the plan or mode of the key is reached
)

// Text is a known error text of a provider.
type Text struct {
	Text     string // lower case, without a last full stop
	Prefix   bool   // values follow the text
	Within   bool   // the text is part of a longer one
	Statuses []int  // statuses with which the meaning applies
	Meaning  Meaning
}

// Understand looks up an error text in the table of a provider.
func Understand(table []Text, status int, message string) Meaning {
	said := strings.TrimSuffix(strings.ToLower(strings.Join(strings.Fields(message), " ")), ".")
	for _, row := range table {
		match := said == row.Text || row.Prefix && strings.HasPrefix(said, row.Text) ||
			row.Within && strings.Contains(said, row.Text)
		if match && slices.Contains(row.Statuses, status) {
			return row.Meaning
		}
	}
	return Nothing
}

// Err returns the error of a resolver, or nil if the text says nothing and the status decides.
func (m Meaning) Err() error {
	switch m {
	case NoAccount:
		return core.Errorf(core.NotFound, "No account with this number exists")
	case ProbablyNone:
		return core.Errorf(core.NotFound, "No account with this number seems to exist").Because(core.DoubtfulNone)
	case SharedNone:
		return core.Errorf(core.NotFound, "No account with this number may exist").Because(core.SharedNone)
	case ClosedOne:
		return core.Errorf(core.NotFound, "The account is closed or dormant").Because(core.ClosedAccount)
	case OverTheCap:
		return upstream.Fail(upstream.Refused, "the daily limit of the test mode is reached")
	case Nothing:
	}
	return nil
}

// States returns the usual wordings for a closed or dormant account with the given statuses, for
// providers whose own wordings are unknown.
func States(statuses []int) []Text {
	rows := make([]Text, 0, len(states))
	for _, text := range states {
		rows = append(rows, Text{Text: text, Statuses: statuses, Meaning: ClosedOne})
	}
	return rows
}
