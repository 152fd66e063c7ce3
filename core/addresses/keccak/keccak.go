// Package keccak computes Keccak-256, the hash of Ethereum, without allocating for each sum.
package keccak

import (
	"hash"
	"io"

	"golang.org/x/crypto/sha3"
)

// Hasher computes Keccak-256 with memory that it reuses. It is not safe for concurrent use.
type Hasher struct {
	state  hash.Hash
	digest [32]byte
}

// New returns a hasher.
func New() *Hasher { return &Hasher{state: sha3.NewLegacyKeccak256()} }

// Sum hashes data, which must not be on the caller's stack if nothing is to be allocated. The
// result is valid until the next sum.
func (h *Hasher) Sum(data []byte) []byte {
	h.state.Reset()
	_, _ = h.state.Write(data)
	_, _ = h.state.(io.Reader).Read(h.digest[:]) // reads the sponge in place; Sum would copy it
	return h.digest[:]
}
