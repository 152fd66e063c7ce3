package ports

import (
	"context"

	"causeway/core"
)

// BankDirectory lists the institutions of a country that a provider supports.
//
// Every returned bank has a trimmed name, the requested country, a currency, a type, at least one
// channel and a code: the national one if the provider returns it, or else the provider's own, in
// upper case and without spaces. Codes[Name()] is the code that the provider expects in requests,
// in its own spelling. Deleted and inactive entries are left out, as are entries without a name or
// code, or with a placeholder such as "null"; a malformed entry does not affect the others. An entry
// that is repeated occurs once; entries with one code and different names all occur.
//
// A country that the provider does not list is core.Unsupported. An empty list, or a provider that
// cannot be reached or understood, is core.Unavailable. Banks is safe for concurrent use and
// returns promptly when ctx is done.
type BankDirectory interface {
	Name() string // stable, lower case, unique among the directories
	Countries() []string
	Banks(ctx context.Context, country string) ([]core.Bank, error)
}
