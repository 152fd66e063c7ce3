package ports

import (
	"context"

	"causeway/core"
)

// AccountConfirmer reports whether a document identifies the holder of an account, in countries
// whose banks do not disclose names.
//
// Confirms reports, without a request, whether the provider supports accounts of that country,
// channel and bank. Confirm compares the claimed document and returns core.Match or core.NoMatch;
// the claimed name is passed on and does not affect the result. The claim always has a name and a
// document. An account that certainly does not exist, or is closed, is core.NotFound. A query for
// which Confirms is false is core.Unsupported. Everything else is core.Unavailable, as with an
// AccountResolver. Confirm is safe for concurrent use and returns promptly when ctx is done.
type AccountConfirmer interface {
	Name() string // stable, lower case, unique among the confirmers
	Confirms(country string, channel core.Channel, bank core.Bank) bool
	Confirm(ctx context.Context, query core.AccountQuery, claim core.HolderClaim) (core.NameMatch, error)
}
