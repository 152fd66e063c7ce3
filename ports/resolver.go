package ports

import (
	"context"

	"causeway/core"
)

// AccountResolver names the holder of an account.
//
// Resolves says, without asking anybody, whether the provider can be asked about accounts of that
// country, channel and bank; a bank for which it knows no code of its own cannot be asked about.
// Resolve returns the holder's name, never empty, trimmed and with inner spaces collapsed, its case
// as the provider gave it. An account that surely does not exist, or is closed, is core.NotFound,
// whose Absence says which. Where a provider says "no such account" in words that it also has for a
// bank that cannot be reached, that is core.NotFound too, with the Absence core.DoubtfulNone:
// others are asked before it is believed; or core.SharedNone, if it is believed only when a second
// provider agrees. A question for which Resolves is false is core.Unsupported. Everything else is
// core.Unavailable: time-outs, 5xx, throttling, a test-mode cap, a refused key, a body that is not
// the documented one, an empty name. Resolve is safe for concurrent use and returns promptly when
// ctx is done.
type AccountResolver interface {
	Name() string // stable, lower case, unique among the resolvers
	Resolves(country string, channel core.Channel, bank core.Bank) bool
	Resolve(ctx context.Context, query core.AccountQuery) (core.Private, error)
}
