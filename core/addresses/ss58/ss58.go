// Package ss58 reads the accounts of the Polkadot family, decoded from base58: a network prefix of
// one or two bytes, 32 bytes and two bytes of a BLAKE2b hash.
package ss58

import (
	"golang.org/x/crypto/blake2b"

	"causeway/core/addresses/codes"
)

// Split checks the length and the checksum of data and splits it into prefix and account.
func Split(data []byte) (prefix uint16, account []byte, reason string) {
	head := 1
	switch {
	case len(data) < 3 || data[0] >= 128:
		return 0, nil, codes.BadLength
	case data[0] < 64:
		prefix = uint16(data[0])
	default: // the bits of the number are in an order of their own
		head = 2
		prefix = uint16(data[0]&0x3f)<<2 | uint16(data[1])>>6 | uint16(data[1]&0x3f)<<8
	}
	if len(data) != head+32+2 {
		return 0, nil, codes.BadLength
	}
	payload := data[:len(data)-2]
	var message [48]byte
	n := copy(message[:], "SS58PRE")
	n += copy(message[n:], payload)
	sum := blake2b.Sum512(message[:n])
	if [2]byte(sum[:2]) != [2]byte(data[len(data)-2:]) {
		reason = codes.BadChecksum
	}
	return prefix, payload[head:], reason
}
