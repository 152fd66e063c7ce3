package upstream

import (
	"context"
	"errors"
	"math/bits"
	"net/http"
	"time"

	"causeway/core"
)

// retry decides whether to repeat a request, and when. All requests are safe to repeat, but only
// failures without a response are worth it. A timeout is not: it has used up the time that the
// client waits.
type retry struct {
	most    int           // retries of one call
	delay   time.Duration // ceiling of the first wait
	longest time.Duration // longest wait
	reserve time.Duration // time that the caller must have left after the wait
	entropy core.Entropy
}

// next returns the wait before attempt done+1, where err is the error of attempt done. told is the
// Retry-After of the provider: next waits for all of it or does not retry.
func (r retry) next(ctx context.Context, done int, err error, told time.Duration) (time.Duration, bool) {
	if done > r.most || !again(err) {
		return 0, false
	}
	wait := max(r.jitter(done), told)
	return wait, told <= r.longest && leaves(ctx, wait+r.reserve)
}

// again reports whether a failure means that there was no response, and that there may be one soon.
func again(err error) bool {
	f, ok := errors.AsType[*Failure](err)
	if !ok {
		return false
	}
	switch f.Status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return f.Outcome == Unavailable
	default:
		return f.lost
	}
}

// jitter draws the wait after done attempts, uniformly between zero and a ceiling that doubles each
// time ("full jitter"). It spreads callers that failed at the same time.
func (r retry) jitter(done int) time.Duration {
	ceiling := min(r.delay<<(done-1), r.longest)
	share, _ := bits.Mul64(r.entropy(), uint64(ceiling)) //nolint:gosec // Check rejects negative values
	return time.Duration(share)                          //nolint:gosec // share < ceiling
}

// pause waits until the time is over or ctx ends.
func pause(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// leaves reports whether ctx has more than d left. It compares deadlines, because contexts do not
// run by the injected clock.
func leaves(ctx context.Context, d time.Duration) bool {
	deadline, limited := ctx.Deadline()
	if !limited {
		return true
	}
	probe, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	end, _ := probe.Deadline()
	return end.Before(deadline)
}
