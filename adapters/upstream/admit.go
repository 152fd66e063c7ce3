package upstream

import (
	"context"
	"time"
)

const (
	// longestTurn is the longest wait for room in a limit. Polling waits for a limit per second,
	// but not for one per minute.
	longestTurn = 1500 * time.Millisecond
	// quietTime bounds how long limits count as used up after a throttled response without
	// Retry-After.
	quietTime = time.Minute

	usedUp = "the rate limit is used up"
)

// admit checks, in this order: Retry-After, the concurrency limit, the breakers, the rate limits.
// The caller must return the permit with gate.leave. If the call is rejected, admit returns a
// failure and the time after which a retry makes sense.
//
// A call that is not urgent waits for room in a limit as long as its context allows, up to
// longestTurn. An urgent one does not wait, because its caller can call another provider. There is
// nothing to wait for if the clock is frozen.
func (c *Client) admit(ctx context.Context, q Question) (permit, time.Duration, error) {
	ledger := c.gate.ledger.Load()
	for {
		if c.patient {
			if wait := c.gate.held(c.cfg.MaxRetryAfter); wait > 0 {
				return permit{}, wait, Fail(Held, "waiting for Retry-After")
			}
		}
		granted, wait, refused := c.gate.enter(q.Scope)
		if refused != nil {
			return permit{}, wait, refused
		}
		if wait = ledger.take(q.Cost, q.Urgent); wait == 0 {
			return granted, 0, nil
		}
		c.gate.leave(granted, silent)
		before := c.outside.Clock()
		if q.Urgent || wait > longestTurn || !leaves(ctx, wait) {
			return permit{}, wait, Fail(Quota, usedUp)
		}
		pause(ctx, wait)
		if ctx.Err() != nil {
			return permit{}, 0, endedFailure(ctx, true)
		}
		if !c.outside.Clock().After(before) {
			return permit{}, wait, Fail(Quota, usedUp)
		}
	}
}

// obey delays further calls if the provider asked for it. A throttled response means that the
// limits are used up, whatever the local count says.
func (c *Client) obey(failure *Failure, told time.Duration) {
	if failure == nil {
		return
	}
	if failure.Outcome == Throttled {
		c.gate.ledger.Load().spend(told)
	}
	if c.patient && told > 0 {
		c.gate.hold(told)
	}
}
