package holder

import (
	"causeway/adapters/upstream"
	"causeway/core"
)

// Of returns the name that an answer gives an account, nil being what is missing or null. An answer about another number than the
// asked one, or about none, settles nothing, and neither does one without a name: both are an *upstream.Failure.
func Of(number, name *string, asked string) (core.Private, error) {
	switch {
	case name == nil:
		return "", upstream.Fail(upstream.Undecided, "no name in the answer")
	case number == nil:
		return "", upstream.Fail(upstream.Undecided, "the answer does not say of which account")
	case *number != asked:
		return "", upstream.Fail(upstream.Undecided, "the answer is about another account")
	}
	return Name(*name)
}
