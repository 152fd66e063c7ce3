// Package f4jumble inverts F4Jumble, the transformation of Zcash's unified addresses (ZIP-316).
package f4jumble

import "causeway/core/addresses/blake2b"

// Invert undoes the transformation in place: four rounds of an unbalanced
// Feistel network over the two parts.
func Invert(data []byte) {
	half := min(64, len(data)/2)
	left, right := data[:half], data[half:]
	jumbleLeft(left, right, 1)
	jumbleRight(left, right, 1)
	jumbleLeft(left, right, 0)
	jumbleRight(left, right, 0)
}

func jumbleLeft(left, right []byte, round byte) {
	mask := blake2b.Sum(len(left), "UA_F4Jumble_H"+string([]byte{round, 0, 0}), right)
	for i := range left {
		left[i] ^= mask[i]
	}
}

func jumbleRight(left, right []byte, round byte) {
	for block := 0; block*64 < len(right); block++ {
		mask := blake2b.Sum(64, "UA_F4Jumble_G"+string([]byte{round, byte(block), 0}), left)
		for i := block * 64; i < min(len(right), block*64+64); i++ {
			right[i] ^= mask[i-block*64]
		}
	}
}
