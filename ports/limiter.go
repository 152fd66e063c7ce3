package ports

import (
	"context"

	"causeway/core"
)

// RateLimiter counts calls against limits.
//
// Take counts cost calls of a caller if the limit allows them, and returns what remains. caller is
// an opaque key for the client and the kind of limit. A refused call is not counted. A used-up
// limit refills evenly over its period, and allows bursts of at most its Calls. Callers do not
// affect each other. If a shared limiter cannot be reached, Take returns core.Unavailable, and the
// caller falls back to a limiter of its own. Take is safe for concurrent use and returns promptly
// when ctx is done.
type RateLimiter interface {
	Take(ctx context.Context, caller string, limit core.RateLimit, cost int) (core.Allowance, error)
}
