package addresses

import (
	"encoding/binary"
	"math/bits"
)

// readDecred reads base58 of a version of two bytes, 20 bytes, and four bytes of a double
// BLAKE-256.
func readDecred(w *workspace, text string) reading {
	b := w.decode58(bitcoinDialect, text)
	switch {
	case b.reason != "":
		return refused(b.reason, "")
	case b.n != 26:
		return refused(BadLength, "")
	}
	first := blake256(b.data[:22])
	second := blake256(first[:])
	if string(second[:4]) != string(b.data[22:26]) {
		return refused(BadChecksum, "")
	}
	for i := range decredKinds {
		if string(b.data[:2]) == decredKinds[i].prefix {
			return decredKinds[i].accept(b.data[:22], text)
		}
	}
	return refused(BadVersion, "")
}

// blake256 is BLAKE-256 with 14 rounds, the SHA-3 finalist, for messages of at most 55 bytes: one
// block.
func blake256(message []byte) [32]byte {
	var block [64]byte
	block[copy(block[:], message)] = 0x80
	block[55] |= 1
	binary.BigEndian.PutUint64(block[56:], uint64(len(message))*8)
	var m [16]uint32
	for i := range m {
		m[i] = binary.BigEndian.Uint32(block[4*i:])
	}
	count := uint32(len(message)) * 8 //nolint:gosec // at most 440
	var v [16]uint32
	copy(v[:], blakeStart[:])
	copy(v[8:], blakeConstants[:8])
	v[12] ^= count
	v[13] ^= count
	for round := range 14 {
		blakeRound(&v, &m, &blakeOrders[round%10])
	}
	var digest [32]byte
	for i, h := range blakeStart {
		binary.BigEndian.PutUint32(digest[4*i:], h^v[i]^v[i+8])
	}
	return digest
}

func blakeRound(v, m *[16]uint32, order *[16]uint8) {
	for i, q := range blakeColumns {
		x, y := order[2*i], order[2*i+1]
		a, b, c, d := v[q[0]], v[q[1]], v[q[2]], v[q[3]]
		a += b + (m[x] ^ blakeConstants[y])
		d = bits.RotateLeft32(d^a, -16)
		c += d
		b = bits.RotateLeft32(b^c, -12)
		a += b + (m[y] ^ blakeConstants[x])
		d = bits.RotateLeft32(d^a, -8)
		c += d
		b = bits.RotateLeft32(b^c, -7)
		v[q[0]], v[q[1]], v[q[2]], v[q[3]] = a, b, c, d
	}
}
