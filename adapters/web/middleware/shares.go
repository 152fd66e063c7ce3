package middleware

import (
	"net/netip"
	"slices"
	"sync"
)

// Shares bounds what each client holds of something that all clients share.
type Shares struct {
	each   int64          // 0: unlimited
	exempt []netip.Prefix // clients without a bound

	mu   sync.Mutex
	held map[netip.Prefix]int64
}

// NewShares returns Shares of the size each, or unlimited ones if each is 0.
func NewShares(each int, exempt []netip.Prefix) *Shares {
	return &Shares{each: int64(each), exempt: exempt, held: map[netip.Prefix]int64{}}
}

// bounds reports whether a client has a bound. Callers with a key and connections without an address
// have none; both are the zero Prefix.
func (s *Shares) bounds(client netip.Prefix) bool {
	return s.each > 0 && client.IsValid() && !slices.ContainsFunc(s.exempt, client.Overlaps)
}

// Acquire takes n for a client, as Network returns it, and reports whether its share has room for it.
func (s *Shares) Acquire(client netip.Prefix, n int64) bool {
	if !s.bounds(client) {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[client]+n > s.each {
		return false
	}
	s.held[client] += n
	return true
}

// Release gives n back.
func (s *Shares) Release(client netip.Prefix, n int64) {
	if !s.bounds(client) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[client] -= n; s.held[client] <= 0 {
		delete(s.held, client)
	}
}
