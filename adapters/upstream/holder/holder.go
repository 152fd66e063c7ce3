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

// placeholders are values that software writes in place of a missing name, in lower case.
var placeholders = []string{"null", "undefined", "n/a"}

// closedTexts are wordings for an account that is closed or takes no money, in lower case, without a
// final full stop.
var closedTexts = []string{
	"account is closed", "account closed", "closed account",
	"account is dormant", "account dormant", "dormant account",
}

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
	Closed                      // the account is closed or dormant
	QuotaReached                // the daily limit of the plan or mode of the key is reached
)

// Text is a known error text of a provider.
type Text struct {
	Text     string // lower case, without a last full stop
	Prefix   bool   // values follow the text
	Within   bool   // the text is part of a longer one
	Statuses []int  // statuses with which the meaning applies
	Meaning  Meaning
}

// Classify looks up an error text in the table of a provider.
func Classify(table []Text, status int, message string) Meaning {
	text := strings.TrimSuffix(strings.ToLower(strings.Join(strings.Fields(message), " ")), ".")
	for _, row := range table {
		match := text == row.Text || row.Prefix && strings.HasPrefix(text, row.Text) ||
			row.Within && strings.Contains(text, row.Text)
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
	case Closed:
		return core.Errorf(core.NotFound, "The account is closed or dormant").Because(core.ClosedAccount)
	case QuotaReached:
		return upstream.Fail(upstream.Refused, "the daily limit of the test mode is reached")
	case Nothing:
	}
	return nil
}

// ClosedTexts returns the usual wordings for a closed or dormant account with the given statuses, for
// providers whose own wordings are unknown.
func ClosedTexts(statuses []int) []Text {
	rows := make([]Text, 0, len(closedTexts))
	for _, text := range closedTexts {
		rows = append(rows, Text{Text: text, Statuses: statuses, Meaning: Closed})
	}
	return rows
}

// Response is what an adapter read in a response about an account.
type Response struct {
	Broken       error   // the body is not the documented one; the other fields are empty
	Refused      bool    // the response reports an error, described by Message
	Message      string  // error text
	Number, Name *string // of the account; nil: missing or null
}

// Judge returns the result of a response about an account number: a name, core.NotFound if a known
// text says so, or an undecided *upstream.Failure. A response without a name, without a number or
// about another number decides nothing.
func Judge(received upstream.Response, r Response, table []Text, number string) (core.Private, error) {
	if r.Broken == nil && r.Refused {
		if err := Classify(table, received.Status, r.Message).Err(); err != nil {
			return "", err
		}
	}
	if err := received.Err(); err != nil {
		return "", err
	}
	switch {
	case r.Broken != nil:
		return "", r.Broken
	case r.Refused:
		return "", upstream.Fail(upstream.Undecided, "an unknown error text")
	case r.Name == nil:
		return "", upstream.Fail(upstream.Undecided, "no name in the response")
	case r.Number == nil:
		return "", upstream.Fail(upstream.Undecided, "no account number in the response")
	case *r.Number != number:
		return "", upstream.Fail(upstream.Undecided, "the response is about another account")
	}
	return Name(*r.Name)
}
