package httpapi

import (
	"strconv"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Limits say how often a caller may ask for an operation. Every key and every address has limits of its own, for each operation.
type Limits struct {
	Default    core.RateLimit            // zero: none
	Operations map[string]core.RateLimit // by operation; there Default does not count
	Limiter    ports.RateLimiter         // nil: limits are told and not counted
}

// limitOf is the limit of an operation.
func (l Limits) limitOf(operation string) core.RateLimit {
	if limit, set := l.Operations[operation]; set {
		return limit
	}
	return l.Default
}

// told is a limit as headers tell it.
type told struct {
	core.RateLimit

	policy, calls []string
	name, quoted  string // the latter as headers have it
}

// tell puts a limit into words: a policy of the IETF draft ratelimit-headers-10, and X-Rate-Limit.
func tell(name string, limit core.RateLimit) told {
	calls := strconv.Itoa(limit.Calls)
	window := strconv.FormatInt(max(1, int64(limit.Per/time.Second)), 10)
	quoted := strconv.Quote(name)
	return told{RateLimit: limit, name: name, quoted: quoted, calls: []string{calls}, policy: []string{quoted + ";q=" + calls + ";w=" + window}}
}

// limit counts a call of an operation and tells the caller what is left. It refuses one that is too many.
func (x *exchange) limit(o *operation) error {
	limit := o.limit
	if len(x.r.Header[headerAuthorization]) > 0 {
		if c := x.who(); c.known && !c.key.Limit.None() {
			limit = tell(o.policy(), c.key.Limit)
		}
	}
	if limit.None() {
		return nil
	}
	left := core.Allowance{OK: true, Remaining: limit.Calls}
	if counter := x.in.limiter; counter != nil && (x.in.enforced == nil || x.in.enforced()) {
		counted, err := counter.Take(x.r.Context(), o.id+" "+x.who().id, limit.RateLimit, 1)
		if err == nil {
			left = counted
		}
	}
	x.tell(limit, left)
	if left.OK {
		return nil
	}
	x.api.metrics.limited.WithLabelValues(o.id).Inc()
	f := fail(tooManyRequests, "At most %d calls of %s in %s; please wait %s s", limit.Calls, o.id, limit.Per, seconds(left.RetryAfter))
	f.retryAfter = left.RetryAfter
	return f
}

// tell says what a caller has left of a limit.
func (x *exchange) tell(limit told, left core.Allowance) {
	h := x.w.Header()
	h[headerLimitPolicy], h[headerRateLimit] = limit.policy, limit.calls
	h[headerLimit] = []string{remaining(limit.quoted, left.Remaining, left.Reset)}
}

// remaining is the value of RateLimit: so many calls of a policy, by its quoted name, may follow at once, and more in a while.
func remaining(quoted string, calls int, more time.Duration) string {
	return quoted + ";r=" + strconv.Itoa(calls) + ";t=" + seconds(more)
}

// retell has an error tell a limit, whether or not the call was counted, and has that agree with Retry-After: who is asked to wait, since he or everybody
// asks too much, has nothing left until then.
func (x *exchange) retell(f *failure) {
	h, limit := x.w.Header(), x.op.limit
	if len(h[headerLimit]) == 0 {
		if limit.None() {
			return
		}
		x.tell(limit, core.Allowance{Remaining: limit.Calls})
	}
	if f.retryAfter > 0 && (f.name == tooManyRequests || x.crowded) {
		h[headerLimit] = []string{remaining(strconv.Quote(x.op.policy()), 0, f.retryAfter)}
	}
}
