// Package base32 decodes texts whose letters carry five bits each.
package base32

import (
	"bytes"

	"causeway/core/addresses/ascii"
	"causeway/core/addresses/codes"
)

// The alphabets: of RFC 4648 in upper and in lower case, of Nano, and of SIP-005 (c32), which reads
// the letter O as 0, and L and I as 1.
var (
	Upper = ascii.NewValues("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "")
	Lower = ascii.NewValues("abcdefghijklmnopqrstuvwxyz234567", "")
	Nano  = ascii.NewValues("13456789abcdefghijkmnopqrstuwxyz", "")
	C32   = newC32()
)

func newC32() ascii.Values {
	values := ascii.NewValues("0123456789ABCDEFGHJKMNPQRSTVWXYZ", "")
	values['O'], values['L'], values['I'] = 0, 1, 1
	return values
}

// Values writes the values of the letters of a text to dst. It fails on a byte that is not in the
// alphabet.
func Values(dst []byte, alphabet *ascii.Values, text string) ([]byte, bool) {
	for i := range len(text) {
		v := alphabet[text[i]]
		if v < 0 {
			return nil, false
		}
		dst[i] = byte(v)
	}
	return dst[:len(text)], true
}

// Join joins values of five bits to bytes. dst and values may start at the same place. It fails
// where the bits left over are five or more, or not zero: such a text has a twin with the same
// bytes.
func Join(dst, values []byte) ([]byte, bool) {
	acc, held, n := uint32(0), 0, 0
	for _, v := range values {
		acc = acc<<5 | uint32(v)
		held += 5
		if held >= 8 {
			held -= 8
			dst[n] = byte(acc >> held) //nolint:gosec // the low eight bits are meant
			n++
		}
	}
	return dst[:n], held < 5 && acc&(1<<held-1) == 0
}

// Decode decodes upper-case RFC 4648 base32 without padding to dst, which is as long as the text at
// least. Letters that add no byte, and spare bits that are not zero, are refused.
func Decode(dst []byte, text string) (data []byte, reason string) {
	values, ok := Values(dst, &Upper, text)
	if !ok {
		return nil, codes.BadCharacter
	}
	data, ok = Join(dst, values)
	switch {
	case ok:
		return data, ""
	case len(text)%8 == 1 || len(text)%8 == 3 || len(text)%8 == 6:
		return nil, codes.BadLength
	}
	return nil, codes.BadEncoding
}

// JoinNumber joins values of c32 to the bytes of a number, after a zero byte for every leading
// zero. scratch has room for eight values more.
func JoinNumber(scratch, values []byte) []byte {
	number := bytes.TrimLeft(values, "\x00")
	zeros := len(values) - len(number)
	padding := (8 - len(number)%8) % 8
	padded := scratch[zeros : zeros+padding+len(number)]
	copy(padded[padding:], number)
	clear(padded[:padding])
	joined, _ := Join(padded, padded)
	joined = bytes.TrimLeft(joined, "\x00")
	clear(scratch[:zeros])
	return scratch[:zeros+copy(scratch[zeros:], joined)]
}
