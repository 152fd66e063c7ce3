package addresses

import (
	"encoding/binary"
	"math/bits"
)

// blake2b64 is the BLAKE2b hash (RFC 7693) of any length up to 64 bytes and with a personalization,
// which the library does not offer. It allocates nothing.
func blake2b64(size int, person string, message []byte) [64]byte {
	var param [64]byte
	param[0], param[2], param[3] = byte(size), 1, 1 //nolint:gosec // size is at most 64
	copy(param[48:], person)
	var h [8]uint64
	for i := range h {
		h[i] = blake2bStart[i] ^ binary.LittleEndian.Uint64(param[8*i:])
	}
	var block [128]byte
	done := uint64(0)
	for len(message) > 128 {
		copy(block[:], message)
		message = message[128:]
		done += 128
		blake2bBlock(&h, &block, done, 0)
	}
	clear(block[copy(block[:], message):])
	blake2bBlock(&h, &block, done+uint64(len(message)), ^uint64(0))
	var digest [64]byte
	for i, v := range h {
		binary.LittleEndian.PutUint64(digest[8*i:], v)
	}
	clear(digest[size:])
	return digest
}

func blake2bBlock(h *[8]uint64, block *[128]byte, count, last uint64) {
	var m, v [16]uint64
	for i := range m {
		m[i] = binary.LittleEndian.Uint64(block[8*i:])
	}
	copy(v[:], h[:])
	copy(v[8:], blake2bStart[:])
	v[12] ^= count
	v[14] ^= last
	for round := range 12 {
		order := &blakeOrders[round%10]
		for i, q := range blakeColumns {
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
