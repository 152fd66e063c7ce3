package httpapi

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"causeway/adapters/web/apierror"
	"causeway/core"
)

// Limits are the rate limits. Every key and every address has limits of its own for each operation.
type Limits struct {
	Default    core.RateLimit            // zero: none
	Operations map[string]core.RateLimit // replace Default, by operation
}

// of returns the limit of an operation.
func (l Limits) of(operation string) core.RateLimit {
	if limit, set := l.Operations[operation]; set {
		return limit
	}
	return l.Default
}

// The headers of draft-ietf-httpapi-ratelimit-headers-10, and a header that existing clients read.
const (
	headerPolicy = "Ratelimit-Policy" // as net/http spells RateLimit-Policy
	headerLeft   = "Ratelimit"
	headerCalls  = "X-Rate-Limit"
)

// operation is what requests of one operation share.
type operation struct {
	id, route  string
	scope      string // of keys, instead of the ID; empty: none
	stream     bool
	policy     string // name of the rate limit, in quotes
	limit      core.RateLimit
	header     http.Header // describes the limit; all responses share it
	keyed      bool        // callers need a key
	documented bool
	query      []string // names of the documented query parameters
	durations  prometheus.Observer
}

func (a *API) newOperation(op core.Operation, policy string) *operation {
	policy, limit := strconv.Quote(policy), a.config.Limits.of(op.ID)
	return &operation{
		id: op.ID, route: op.Path, scope: op.Scope, stream: op.Stream, policy: policy, limit: limit,
		header:    limitHeader(policy, limit),
		keyed:     slices.Contains(a.config.Auth.Operations, op.ID),
		durations: a.metrics.durations.WithLabelValues(op.ID),
	}
}

// limitHeader returns the headers that describe a limit.
func limitHeader(policy string, limit core.RateLimit) http.Header {
	calls, seconds := strconv.Itoa(limit.Calls), strconv.FormatInt(max(1, int64(limit.Per/time.Second)), 10)
	return http.Header{headerCalls: {calls}, headerPolicy: {policy + ";q=" + calls + ";w=" + seconds}}
}

// take counts a call and sets the headers that say what is left. It returns an error for a call
// over the limit.
func (q *request) take(r *http.Request) error {
	op, cfg := q.operation, &instanceFrom(r.Context()).cfg
	limit, header := op.limit, op.header
	if len(r.Header["Authorization"]) > 0 {
		if c := q.callerOf(r); c.key != nil && !c.key.Limit.None() {
			limit, header = c.key.Limit, limitHeader(op.policy, c.key.Limit)
		}
	}
	if limit.None() {
		return nil
	}
	left := core.Allowance{OK: true, Remaining: limit.Calls}
	if cfg.Limiter != nil {
		if counted, err := cfg.Limiter.Take(r.Context(), op.id+" "+q.callerOf(r).id, limit, 1); err == nil {
			left = counted
		}
	}
	wait := left.Reset
	if !left.OK {
		wait = left.RetryAfter
	}
	h := q.Header()
	maps.Copy(h, header)
	h.Set(headerLeft, op.policy+";r="+strconv.Itoa(left.Remaining)+";t="+apierror.Seconds(wait))
	if left.OK {
		return nil
	}
	q.api.metrics.limited.WithLabelValues(op.id).Inc()
	e := apierror.New(apierror.TooManyRequests, "The limit is %d calls of %s in %s; retry in %s s", limit.Calls,
		op.id, limit.Per, apierror.Seconds(left.RetryAfter))
	e.RetryAfter = left.RetryAfter
	return e
}
