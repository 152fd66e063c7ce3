package ports

import (
	"context"

	"causeway/core"
)

// AccountConfirmer says whether an account is held by somebody of a given name, where nobody tells
// the name itself.
//
// Confirms says, without asking anybody, whether the provider can be asked. Confirm returns
// core.Match, or core.NoMatch; an account that surely does not exist, or is closed, is
// core.NotFound. A question for which Confirms is false is core.Unsupported. Everything else is
// core.Unavailable, as with an AccountResolver. Confirm is safe for concurrent use and returns
// promptly when ctx is done.
type AccountConfirmer interface {
	Name() string // stable, lower case, unique among the confirmers
	Confirms(country string, channel core.Channel, bank core.Bank) bool
	Confirm(ctx context.Context, query core.AccountQuery, claimed core.Private) (core.NameMatch, error)
}
