// Package middleware holds the HTTP middleware that knows nothing of the operations behind it. The
// public API, the control API of the simulator and the listeners use it.
package middleware

import (
	"net/http"
	"slices"
	"sync/atomic"
)

// Middleware wraps a handler.
type Middleware = func(http.Handler) http.Handler

// Chain wraps a handler in middleware. The first one is the outermost.
func Chain(h http.Handler, all ...Middleware) http.Handler {
	for _, wrap := range slices.Backward(all) {
		h = wrap(h)
	}
	return h
}

// Limiter bounds how many may hold a slot at once. It never blocks.
type Limiter struct {
	max  int64 // 0: unlimited
	held atomic.Int64
}

// NewLimiter returns a Limiter with limit slots, or with unlimited slots if limit is 0.
func NewLimiter(limit int) *Limiter { return &Limiter{max: int64(limit)} }

// Acquire takes n slots and reports whether there were enough.
func (l *Limiter) Acquire(n int64) bool {
	if l.held.Add(n) > l.max && l.max > 0 {
		l.held.Add(-n)
		return false
	}
	return true
}

// Release gives n slots back.
func (l *Limiter) Release(n int64) { l.held.Add(-n) }

// Held returns how many slots are taken.
func (l *Limiter) Held() int64 { return l.held.Load() }
