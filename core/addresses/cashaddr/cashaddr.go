// Package cashaddr decodes and encodes the text format with the 40-bit checksum that Bitcoin Cash
// introduced: a prefix, a colon and letters of five bits.
package cashaddr

import (
	"causeway/core/addresses/ascii"
	"causeway/core/addresses/base32"
	"causeway/core/addresses/bech32"
	"causeway/core/addresses/codes"
)

// maxText is the longest text decoded, in bytes.
const maxText = 200

// steps is the generator of the checksum for each value of the five bits shifted out.
var steps = newSteps([5]uint64{0x98f2bc8e61, 0x79b76d99e2, 0xf33e5fb3c4, 0xae2eabe2a8, 0x1e4f43e470})

func newSteps(rows [5]uint64) [32]uint64 {
	var steps [32]uint64
	for top := range steps {
		for bit, row := range rows {
			if top>>bit&1 == 1 {
				steps[top] ^= row
			}
		}
	}
	return steps
}

// Decode decodes the text after the prefix and the colon to dst, which has the length of the text
// at least.
func Decode(dst []byte, prefix, body string, alphabet *ascii.Values) (data []byte, reason string) {
	if len(body) < 9 || len(body) > maxText {
		return nil, codes.BadLength
	}
	values, ok := base32.Values(dst, alphabet, body)
	if !ok {
		return nil, codes.BadCharacter
	}
	sum := prefixSum(prefix)
	for _, v := range values {
		sum = step(sum, v)
	}
	if sum != 1 {
		return nil, codes.BadChecksum
	}
	data, ok = base32.Join(dst, values[:len(body)-8])
	if !ok {
		return nil, codes.BadEncoding
	}
	return data, ""
}

// Encode writes bytes with a prefix, in lower case.
func Encode(prefix string, data []byte) string {
	text, sum := []byte(prefix+":"), prefixSum(prefix)
	add := func(v byte) {
		sum = step(sum, v)
		text = append(text, bech32.Alphabet[v])
	}
	acc, held := uint32(0), 0
	for _, v := range data {
		acc = acc<<8 | uint32(v)
		for held += 8; held >= 5; held -= 5 {
			add(byte(acc >> (held - 5) & 31))
		}
	}
	if held > 0 {
		add(byte(acc << (5 - held) & 31))
	}
	for range 8 {
		sum = step(sum, 0)
	}
	sum ^= 1
	for i := range 8 {
		text = append(text, bech32.Alphabet[sum>>(5*(7-i))&31])
	}
	return string(text)
}

func prefixSum(prefix string) uint64 {
	sum := uint64(1)
	for i := range len(prefix) {
		sum = step(sum, prefix[i]&31)
	}
	return step(sum, 0)
}

func step(sum uint64, v byte) uint64 { return sum&0x07ffffffff<<5 ^ uint64(v) ^ steps[sum>>35] }
