package ports

import (
	"context"

	"causeway/core"
)

// AccountResolver returns the name of the holder of an account.
//
// Resolves reports, without a request, whether the provider supports accounts of that country, channel
// and bank; it does not support a bank whose code at the provider is unknown. Resolve returns the
// holder's name, never empty, trimmed and with inner spaces collapsed, in the provider's case. An
// account that certainly does not exist, or is closed, is core.NotFound, and its Absence is the reason.
// If the provider sends the same response for an unreachable bank, the Absence is core.DoubtfulNone,
// and other providers are tried first; it is core.SharedNone if a second provider must confirm the
// result. A query for which Resolves is false is core.Unsupported. Everything else is
// core.Unavailable: timeouts, 5xx, throttling, a test-mode cap, a refused key, an undocumented body,
// an empty name. Resolve is safe for concurrent use and returns promptly when ctx is done.
type AccountResolver interface {
	Name() string // stable, lower case, unique among the resolvers
	Resolves(country string, channel core.Channel, bank core.Bank) bool
	Resolve(ctx context.Context, query core.AccountQuery) (core.Private, error)
}
