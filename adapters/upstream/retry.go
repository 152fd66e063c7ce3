package upstream

import (
	"context"
	"errors"
	"math/bits"
	"net/http"
	"time"

	"causeway/core"
)

// retry decides whether a question is asked again, and after which wait. Only questions come here (Do), so asking
// twice changes nothing at the provider; still only failures that say "not answered" are worth it. A time-out is
// not: it has used up what the client waits for.
type retry struct {
	most    int           // retries of one question
	delay   time.Duration // ceiling of the first wait
	longest time.Duration // wait that a caller is kept for
	reserve time.Duration // what must be left of the caller's time after the wait
	entropy core.Entropy
}

// next returns the wait before attempt number done+1, after done attempts of which the last came to err. told is the
// provider's Retry-After: it is waited for in full, or there is no retry.
func (r retry) next(ctx context.Context, done int, err error, told time.Duration) (time.Duration, bool) {
	if done > r.most || !again(err) {
		return 0, false
	}
	wait := max(r.jitter(done), told)
	return wait, told <= r.longest && leaves(ctx, wait+r.reserve)
}

// again reports whether a failure means that the question was not answered, and may be in a moment.
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

// jitter draws the wait after done attempts: anything between nothing and a ceiling that doubles from wait to wait ("full jitter"). Callers who
// failed together come back spread over all of that time; around a mean they would come back as a crowd again.
func (r retry) jitter(done int) time.Duration {
	ceiling := min(r.delay<<(done-1), r.longest)
	share, _ := bits.Mul64(r.entropy(), uint64(ceiling)) //nolint:gosec // Check refuses what is below 0
	return time.Duration(share)                          //nolint:gosec // share < ceiling
}

// pause waits, unless ctx ends first.
func pause(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// leaves reports whether ctx has more than d left. It compares deadlines, because the world's clock is not
// the one that contexts run by.
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
