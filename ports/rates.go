package ports

import (
	"context"

	"causeway/core"
)

// RateSource quotes markets.
//
// Observe returns the current quotes of the given markets, in one call if the provider supports it.
// Markets that the provider does not list, and quotes that are not two plain decimals, are missing
// from the result; neither is an error or affects other markets. Numbers are the provider's digits,
// unrounded. Both sides equal the middle price if the source has no book. At is the provider's time
// of the quote, or the time of receipt if it gives none. A source that cannot be reached or
// understood, refuses the key or throttles returns core.Unavailable, with RetryAfter if known.
// Observe is safe for concurrent use and returns promptly when ctx is done.
type RateSource interface {
	Name() string // stable, lower case, unique among the sources
	Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error)
}
