package holder

import (
	"causeway/adapters/upstream"
	"causeway/core"
)

// Said is what an adapter read in a provider's answer about an account.
type Said struct {
	Broken       error   // the body is not the documented one; the rest is empty then
	Refused      bool    // it says that the question failed, and Message why
	Message      string  // of a refusal
	Number, Name *string // of the account; nil: missing, or null
}

// Judge concludes from an answer about the asked account number: a name, a core.NotFound error where a known text says so, or an
// *upstream.Failure: cannot tell. An answer about another number than the asked one, or about none, settles nothing, and neither
// does one without a name.
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
		return "", upstream.Fail(upstream.Undecided, "a text that is not in the table")
	case said.Name == nil:
		return "", upstream.Fail(upstream.Undecided, "no name in the answer")
	case said.Number == nil:
		return "", upstream.Fail(upstream.Undecided, "the answer does not say of which account")
	case *said.Number != asked:
		return "", upstream.Fail(upstream.Undecided, "the answer is about another account")
	}
	return Name(*said.Name)
}
