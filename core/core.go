// Package core holds the nouns that every part of Causeway shares (banks, accounts, addresses,
// currencies, pairs, rates) and the one error type. It does no I/O and knows nobody.
//
// Time, randomness and the network reach the rest of the program through three seams only: Clock and
// Entropy below, and the http.RoundTripper that the upstream client is given. Sandbox and production
// differ in exactly these three.
package core

import "time"

// Clock tells the time. Production reads the machine's clock; a simulated world has its own.
type Clock func() time.Time

// Entropy returns 64 random bits. It is safe for concurrent use. Production draws from the
// operating system; a simulated world draws from its seed.
type Entropy func() uint64
