package holder

import (
	"causeway/adapters/upstream"
	"causeway/core"
)

// Said is what an adapter read in a response about an account.
type Said struct {
	Broken       error   // the body is not the documented one; the other fields are empty
	Refused      bool    // the response reports an error, described by Message
	Message      string  // error text
	Number, Name *string // of the account; nil: missing or null
}

// Judge returns the result of a response about an account number: a name, core.NotFound if a known
// text says so, or an undecided *upstream.Failure. A response without a name, without a number or
// about another number decides nothing.
func Judge(a upstream.Answer, said Said, table []Text, asked string) (core.Private, error) {
	if said.Broken == nil && said.Refused {
		if err := Understand(table, a.Status, said.Message).Err(); err != nil {
			return "", err
		}
	}
	if err := a.Fault(); err != nil {
		return "", err
	}
	switch {
	case said.Broken != nil:
		return "", said.Broken
	case said.Refused:
		return "", upstream.Fail(upstream.Undecided, "an unknown error text")
	case said.Name == nil:
		return "", upstream.Fail(upstream.Undecided, "no name in the response")
	case said.Number == nil:
		return "", upstream.Fail(upstream.Undecided, "no account number in the response")
	case *said.Number != asked:
		return "", upstream.Fail(upstream.Undecided, "the response is about another account")
	}
	return Name(*said.Name)
}
