package ports

import (
	"context"

	"causeway/core"
)

// BankDirectory lists the institutions of a country as a provider knows them.
//
// Every bank of the answer has a name, without stray spaces, the asked country, a currency, a type, at least one channel, and a code:
// the national one where the provider tells it, else the provider's own; upper case, without spaces. Codes[Name()] is the code that the provider
// itself wants, in its own spelling. Deleted, inactive, unnamed and codeless entries are left out, as are those whose code or name is
// a word for none ("null"); an entry of another type than the rest costs itself alone. No code comes twice, and none of the provider's own twice for
// banks or twice for wallets.
// A country that the provider does not list is core.Unsupported; a provider that cannot be reached or understood is
// core.Unavailable; an empty answer is Unavailable too. Banks is safe for concurrent use and returns promptly when ctx is done.
type BankDirectory interface {
	Name() string // stable, lower case, unique among the directories
	Countries() []string
	Banks(ctx context.Context, country string) ([]core.Bank, error)
}
