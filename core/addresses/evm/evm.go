// Package evm spells the addresses of the Ethereum family, whose letter case is their checksum.
package evm

import (
	"causeway/core/addresses/ascii"
	"causeway/core/addresses/keccak"
)

// Address is 40 hexadecimal digits. The zero value has no address.
type Address struct {
	digits  [40]byte // in lower case
	mixed   bool     // letters of both cases
	message [48]byte // what is hashed
}

// Set reads 40 hexadecimal digits.
func (a *Address) Set(digits string) {
	hasLower, hasUpper := ascii.Cases(digits)
	a.mixed = hasLower && hasUpper
	for i := range a.digits {
		a.digits[i] = ascii.Lower(digits[i])
	}
}

// Mixed reports whether the address was written in letters of both cases.
func (a *Address) Mixed() bool { return a.mixed }

// Digits returns the digits in lower case.
func (a *Address) Digits() []byte { return a.digits[:] }

// Spell returns the spelling of EIP-55, or the spelling of ERC-1191 if chain is a decimal chain ID
// of at most six digits: a letter is a capital where the hash of the digits has a four-bit group of
// 8 or more.
func (a *Address) Spell(h *keccak.Hasher, chain string) [42]byte {
	n := 0
	if chain != "" {
		n = copy(a.message[:], chain)
		n += copy(a.message[n:], "0x")
	}
	n += copy(a.message[n:], a.digits[:])
	hash := h.Sum(a.message[:n])
	spelling := [42]byte{'0', 'x'}
	for i, c := range a.digits {
		if c >= 'a' && hash[i/2]>>(4*(1-i&1))&0xf >= 8 {
			c -= 'a' - 'A'
		}
		spelling[2+i] = c
	}
	return spelling
}
