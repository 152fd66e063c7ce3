package httpapi

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
	"causeway/ports"
)

// Limits are the rate limits. Every key and every address has limits of its own for each operation.
type Limits struct {
	Default    core.RateLimit            // zero: none
	Operations map[string]core.RateLimit // replace Default, by operation
	Limiter    ports.RateLimiter         // nil: limits are shown but not enforced
}

// of returns the limit of an operation.
func (l Limits) of(operation string) core.RateLimit {
	if limit, set := l.Operations[operation]; set {
		return limit
	}
	return l.Default
}

// The headers of draft-ietf-httpapi-ratelimit-headers-10, and the one that existing clients read.
const (
	headerPolicy = "Ratelimit-Policy" // as net/http spells RateLimit-Policy
	headerLeft   = "Ratelimit"
	headerCalls  = "X-Rate-Limit"
)

// policy is a rate limit with its headers.
type policy struct {
	core.RateLimit

	name          string
	header, calls []string // values that all responses share
}

func newPolicy(name string, limit core.RateLimit) policy {
	calls, window := strconv.Itoa(limit.Calls), strconv.FormatInt(max(1, int64(limit.Per/time.Second)), 10)
	return policy{
		RateLimit: limit, name: strconv.Quote(name), calls: []string{calls},
		header: []string{strconv.Quote(name) + ";q=" + calls + ";w=" + window},
	}
}

// limitRate is huma middleware that counts a call. It runs before authorization, so that attempts
// to guess a key count.
func (a *API) limitRate(ctx huma.Context, next func(huma.Context)) {
	id := ctx.Operation().OperationID
	r, w := unwrap(ctx)
	q := requestFrom(r.Context())
	q.operation, q.route = id, ctx.Operation().Path
	if a.take(w, r, id) {
		next(ctx)
	}
}

// take counts a call of an operation and sets the headers that say what is left. It refuses a call
// over the limit.
func (a *API) take(w http.ResponseWriter, r *http.Request, operation string) bool {
	q, instance, p := requestFrom(r.Context()), instanceFrom(r.Context()), a.policies[operation]
	if len(r.Header["Authorization"]) > 0 {
		if c := q.callerOf(r); c.hasKey && !c.key.Limit.None() {
			p = newPolicy(operation, c.key.Limit)
		}
	}
	if p.None() {
		return true
	}
	left := core.Allowance{OK: true, Remaining: p.Calls}
	if limiter := instance.env.Limiter; limiter != nil && (instance.env.Enforced == nil || instance.env.Enforced()) {
		if counted, err := limiter.Take(r.Context(), operation+" "+q.callerOf(r).id, p.RateLimit, 1); err == nil {
			left = counted
		}
	}
	h := w.Header()
	h[headerPolicy], h[headerCalls] = p.header, p.calls
	h.Set(headerLeft, p.name+";r="+strconv.Itoa(left.Remaining)+";t="+apierror.Seconds(left.Reset))
	if left.OK {
		return true
	}
	a.metrics.limited.WithLabelValues(operation).Inc()
	e := apierror.New(apierror.TooManyRequests, "The limit is %d calls of %s in %s; retry in %s s", p.Calls,
		operation, p.Per, apierror.Seconds(left.RetryAfter))
	e.RetryAfter = left.RetryAfter
	WriteError(w, r, e)
	return false
}

// exhaust makes the rate limit headers of a 429 agree with its Retry-After.
func exhaust(h http.Header, e *apierror.Error) {
	left := h.Get(headerLeft)
	if left == "" || e.RetryAfter <= 0 || e.Detail.Name != string(apierror.TooManyRequests) {
		return
	}
	name := left[:strings.LastIndex(left, ";r=")]
	h.Set(headerLeft, name+";r=0;t="+apierror.Seconds(e.RetryAfter))
}
