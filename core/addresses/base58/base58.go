// Package base58 decodes base58 without allocating, in the alphabets of Bitcoin and of the XRP
// Ledger and in the blocks of Monero.
package base58

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"github.com/btcsuite/btcd/btcutil/base58"

	"causeway/core/addresses/ascii"
	"causeway/core/addresses/codes"
)

// MaxText is the longest text decoded, in letters: the longest Byron address of Cardano fits, and
// the cost, which grows with the square of the length, stays below a microsecond or two.
const MaxText = 176

const (
	bitcoinLetters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	rippleLetters  = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
)

// The values of the letters of both alphabets.
var (
	Bitcoin = ascii.NewValues(bitcoinLetters, "")
	Ripple  = ascii.NewValues(rippleLetters, "")
)

// Decode decodes a text, ten letters at a time because 58^10 fits 64 bits.
func Decode(dst *[MaxText]byte, alphabet *ascii.Values, text string) (data []byte, reason string) {
	if text == "" || len(text) > MaxText {
		return nil, codes.BadLength
	}
	zeros := 0
	for zeros < len(text) && alphabet[text[zeros]] == 0 {
		zeros++
	}
	var limbs [(MaxText*3/4 + 7) / 8]uint64
	used := 0
	for rest := text[zeros:]; rest != ""; {
		chunk, factor := uint64(0), uint64(1)
		size := min(10, len(rest))
		for i := range size {
			v := alphabet[rest[i]]
			if v < 0 {
				return nil, codes.BadCharacter
			}
			chunk = chunk*58 + uint64(v)
			factor *= 58
		}
		rest = rest[size:]
		for i := range used {
			high, low := bits.Mul64(limbs[i], factor)
			sum, carry := bits.Add64(low, chunk, 0)
			limbs[i], chunk = sum, high+carry
		}
		if chunk != 0 {
			limbs[used] = chunk
			used++
		}
	}
	var big [len(limbs) * 8]byte
	for i := range used {
		binary.BigEndian.PutUint64(big[(used-1-i)*8:], limbs[i])
	}
	start := 0
	for start < used*8 && big[start] == 0 {
		start++
	}
	clear(dst[:zeros])
	return dst[:zeros+copy(dst[zeros:], big[start:used*8])], ""
}

// Checksum returns the first four bytes of the double SHA-256.
func Checksum(payload []byte) [4]byte {
	first := sha256.Sum256(payload)
	second := sha256.Sum256(first[:])
	return [4]byte(second[:4])
}

// Checked reports whether data ends in the checksum of what precedes it.
func Checked(data []byte) bool {
	return len(data) >= 5 && Checksum(data[:len(data)-4]) == [4]byte(data[len(data)-4:])
}

// EncodeCheck writes a payload and its checksum in Bitcoin's alphabet.
func EncodeCheck(payload []byte) string {
	sum := Checksum(payload)
	return base58.Encode(append(slices.Clip(payload), sum[:]...))
}

// EncodeRipple writes a payload and its checksum in the alphabet of the XRP Ledger.
func EncodeRipple(payload []byte) string {
	return strings.Map(func(c rune) rune { return rune(rippleLetters[Bitcoin[c&0x7f]]) }, EncodeCheck(payload))
}

// DecodeBlocks decodes Monero's base58: blocks of eleven letters to eight bytes each, and the last
// one of seven letters to five bytes.
func DecodeBlocks(dst []byte, text string) (data []byte, reason string) {
	n := 0
	for ; text != ""; text = text[min(11, len(text)):] {
		size := 8
		if len(text) < 11 {
			size = 5
		}
		value := uint64(0)
		for i := range min(11, len(text)) {
			v := Bitcoin[text[i]]
			if v < 0 {
				return nil, codes.BadCharacter
			}
			high, low := bits.Mul64(value, 58)
			sum, carry := bits.Add64(low, uint64(v), 0)
			if high+carry != 0 {
				return nil, codes.BadEncoding
			}
			value = sum
		}
		if size < 8 && value>>(8*size) != 0 {
			return nil, codes.BadEncoding
		}
		var block [8]byte
		binary.BigEndian.PutUint64(block[:], value)
		n += copy(dst[n:], block[8-size:])
	}
	return dst[:n], ""
}
