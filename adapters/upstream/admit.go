package upstream

import (
	"context"
	"time"
)

const (
	// longestTurn is the longest wait for room in a limit that is shorter than coming back: a limit a second is waited for, one a minute is not.
	longestTurn = 1500 * time.Millisecond
	// quietTime is the longest time for which limits count as used up after a provider throttled us without a Retry-After.
	quietTime = time.Minute

	usedUp = "its limit is used up"
)

// admit asks for permission to call: of what the provider told us, of its bulkhead, of its breakers, of its limits, in this order. A permitted call gives its
// permit back to the gate. Else there is a failure, and the time after which asking again makes sense.
//
// A question of polling waits for its turn as long as its context lasts, if turns come within longestTurn. An urgent one does not wait: whoever
// asked can ask another provider instead. Nor is there anything to wait for where the world's clock stands still.
func (c *Client) admit(ctx context.Context, q Question) (permit, time.Duration, error) {
	ledger := c.gate.ledger.Load()
	for {
		if c.patient {
			if wait := c.gate.held(c.cfg.MaxRetryAfter); wait > 0 {
				return permit{}, wait, Fail(Held, "it told us to wait")
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

// obey holds questions back after a failure, where the provider asked for that. One that throttles us says that its limits are used up,
// whatever our own count says.
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
