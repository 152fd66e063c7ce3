// Package core holds the nouns that every part of Causeway shares (banks, accounts, addresses,
// currencies, pairs, rates) and the one error type. It does no I/O and depends on no other package.
//
// Time, randomness and the network are injected: Clock and Entropy below, and the http.RoundTripper
// of the upstream client. Sandbox and production differ in these three only.
package core

import (
	"context"
	"time"
)

// Clock returns the current time: the machine's in production, the world's in the sandbox.
type Clock func() time.Time

// Entropy returns 64 random bits: from the operating system in production, derived from the world's
// seed in the sandbox. It is safe for concurrent use.
type Entropy func() uint64

// Below returns a random duration below limit, which is positive.
func (e Entropy) Below(limit time.Duration) time.Duration {
	return time.Duration(e() % uint64(limit)) //nolint:gosec // below a duration
}

// Repeat calls f until ctx is done, each time after the pause that the last call returned.
func Repeat(ctx context.Context, f func() time.Duration) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			timer.Reset(f())
		}
	}
}
