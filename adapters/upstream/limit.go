package upstream

import (
	"context"
	"math"
	"time"

	"golang.org/x/time/rate"
)

// Month is the longest month: a limit that holds in any 31 days holds in every calendar month.
const Month = 31 * 24 * time.Hour

// Limit is the number of calls that a provider allows in any period of a length. Several may apply
// at once: ten per second and ten thousand per month. Polling uses four fifths of a limit on average
// and up to a fifth at once, so that no period has more calls than the limit. The rest is for calls
// that a client waits for, which are not limited here: the provider throttles them, and another one
// is called.
type Limit struct {
	Calls int           // or another unit of the provider; see Request.Cost
	Per   time.Duration // 1 s or more
}

// usable returns the calls that polling may use: four fifths of the limit.
func (l Limit) usable() float64 { return 0.8 * float64(l.Calls) }

// setLimits sets the rate limits of the provider.
func (g *gate) setLimits(limits []Limit) {
	g.limits = limits
	for _, l := range limits {
		g.buckets = append(g.buckets, rate.NewLimiter(rate.Limit(l.usable()/l.Per.Seconds()), max(1, l.Calls/5)))
	}
}

// takeTurn waits until the limits allow a call. It fails at once if that is after the deadline of
// the caller.
func (g *gate) takeTurn(ctx context.Context, cost int) (retryAfter time.Duration, err error) {
	for i, bucket := range g.buckets {
		err := bucket.WaitN(ctx, min(max(1, cost), bucket.Burst()))
		limit := g.limits[i]
		used := 0.8 - 0.8*bucket.Tokens()/float64(bucket.Burst())
		switch {
		case ctx.Err() != nil:
			return 0, interruption(ctx, true)
		case err != nil:
			g.setUsed(limit, 1)
			return time.Duration(float64(limit.Per) / limit.usable()), Fail(Quota, "the rate limit is used up")
		}
		g.setUsed(limit, min(used, 0.8))
	}
	return 0, nil
}

// exhaust shows all limits as used up, because the provider says so.
func (g *gate) exhaust() {
	for _, limit := range g.limits {
		g.setUsed(limit, 1)
	}
}

func (g *gate) setUsed(limit Limit, ratio float64) {
	g.metrics.quota.WithLabelValues(g.provider, limit.Per.String()).Set(ratio)
}

// MinInterval returns the shortest time between polls, in whole seconds, that keeps within the limits
// of the provider. A poll makes a number of calls, each of a cost (0: 1).
func (c *Client) MinInterval(calls, cost int) time.Duration {
	var seconds float64
	for _, l := range c.gate.limits {
		seconds = max(seconds, float64(calls*max(1, cost))/l.usable()*l.Per.Seconds())
	}
	return time.Duration(math.Ceil(seconds)) * time.Second
}
