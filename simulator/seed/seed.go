// Package seed derives reproducible 64-bit values from a seed. All of it is integer arithmetic, so that
// every architecture gets the same values.
package seed

import (
	"crypto/sha256"
	"encoding/binary"
)

// Mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xBF58476D1CE4E5B9
	x ^= x >> 27
	x *= 0x94D049BB133111EB
	return x ^ x>>31
}

// Hash turns a list of texts into 64 bits. Different lists have different encodings before hashing.
func Hash(texts ...string) uint64 {
	h := sha256.New()
	var size [8]byte
	for _, text := range texts {
		binary.BigEndian.PutUint64(size[:], uint64(len(text)))
		h.Write(size[:])
		h.Write([]byte(text))
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// Derive returns the seed of one named part of something with the given seed.
func Derive(seed uint64, texts ...string) uint64 { return Mix(seed ^ Hash(texts...)) }
