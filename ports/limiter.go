package ports

import (
	"context"

	"causeway/core"
)

// RateLimiter counts calls against limits.
//
// Take counts cost calls of a caller (an opaque text: whoever the limit is for, and what it is for) if the limit has room for them, and
// says what is left. A refused call counts nothing. A limit that is spent comes back evenly over its time, and no caller can
// do more than its Calls at once. Callers do not affect each other. A limiter that cannot count, because what it
// shares with others cannot be reached, returns core.Unavailable; whoever asks then counts by itself. Take is safe for concurrent use and
// returns promptly when ctx is done.
type RateLimiter interface {
	Take(ctx context.Context, caller string, limit core.RateLimit, cost int) (core.Allowance, error)
}
