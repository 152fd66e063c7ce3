package ports

import (
	"context"

	"causeway/core"
)

// RateSource quotes markets.
//
// Observe returns what the source now says of the given markets, in one call where the provider has one. A market that it does not
// list is missing from the answer and is no error; one unknown market never costs the others. Numbers are the provider's
// own digits, not rounded; both sides equal the middle price for a source that has no book. An observation that cannot be read
// as two plain decimals is missing from the answer. At is the provider's own time of the quote, or the instant of receipt where it gives none.
// A source that cannot be reached or understood, refuses the key or throttles returns core.Unavailable, with RetryAfter where it told one.
// Observe is safe for concurrent use and returns promptly when ctx is done.
type RateSource interface {
	Name() string // stable, lower case, unique among the sources
	Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error)
}
