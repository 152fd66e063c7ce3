// Package blake2b is the BLAKE2b hash (RFC 7693) of any length up to 64 bytes and with a
// personalization, which golang.org/x/crypto does not offer. It allocates nothing.
package blake2b

import (
	"encoding/binary"
	"math/bits"
)

// columns are the words that each step of a round mixes: four columns, then four diagonals.
var columns = [8][4]uint8{
	{0, 4, 8, 12},
	{1, 5, 9, 13},
	{2, 6, 10, 14},
	{3, 7, 11, 15},
	{0, 5, 10, 15},
	{1, 6, 11, 12},
	{2, 7, 8, 13},
	{3, 4, 9, 14},
}

// orders are the orders of the words of the message, one row for each round, repeated after
// ten.
var orders = [10][16]uint8{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}

// start is the initial state.
var start = [8]uint64{
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
}

// Sum returns the hash of a size. The other bytes of the digest are zero.
func Sum(size int, person string, message []byte) [64]byte {
	var param [64]byte
	param[0], param[2], param[3] = byte(size), 1, 1 //nolint:gosec // size is at most 64
	copy(param[48:], person)
	var h [8]uint64
	for i := range h {
		h[i] = start[i] ^ binary.LittleEndian.Uint64(param[8*i:])
	}
	var block [128]byte
	done := uint64(0)
	for len(message) > 128 {
		copy(block[:], message)
		message = message[128:]
		done += 128
		compress(&h, &block, done, 0)
	}
	clear(block[copy(block[:], message):])
	compress(&h, &block, done+uint64(len(message)), ^uint64(0))
	var digest [64]byte
	for i, v := range h {
		binary.LittleEndian.PutUint64(digest[8*i:], v)
	}
	clear(digest[size:])
	return digest
}

// compress mixes a block into the state. count is the number of bytes so far, and last has all bits set
// for the last block.
func compress(h *[8]uint64, block *[128]byte, count, last uint64) {
	var m, v [16]uint64
	for i := range m {
		m[i] = binary.LittleEndian.Uint64(block[8*i:])
	}
	copy(v[:], h[:])
	copy(v[8:], start[:])
	v[12] ^= count
	v[14] ^= last
	for round := range 12 {
		order := &orders[round%10]
		for i, q := range columns {
			a, b, c, d := v[q[0]], v[q[1]], v[q[2]], v[q[3]]
			a += b + m[order[2*i]]
			d = bits.RotateLeft64(d^a, -32)
			c += d
			b = bits.RotateLeft64(b^c, -24)
			a += b + m[order[2*i+1]]
			d = bits.RotateLeft64(d^a, -16)
			c += d
			b = bits.RotateLeft64(b^c, -63)
			v[q[0]], v[q[1]], v[q[2]], v[q[3]] = a, b, c, d
		}
	}
	for i := range h {
		h[i] ^= v[i] ^ v[i+8]
	}
}
