package addresses

import (
	"golang.org/x/crypto/blake2b"

	"causeway/core"
)

// ss58 reads the accounts of Polkadot's family: base58 of a network prefix, 32 bytes and two bytes
// of a BLAKE2b hash. An account of another prefix is the same key elsewhere, and a common way to
// lose money.
type ss58 struct{ prefix uint16 }

// ss58Text is a text read as an account of any network of the family.
type ss58Text struct {
	text   string
	reason string
	prefix uint16
	zero   bool
}

func (s ss58) read(w *workspace, text string) reading {
	a := w.decodeSS58(text)
	switch {
	case a.reason != "":
		return refused(a.reason, "")
	case a.prefix != s.prefix:
		return refused(BadVersion, "The account has the prefix of another network of the Polkadot family.")
	}
	r := reading{format: "ss58", environment: core.AnyEnvironment, checksum: true, normalized: text}
	if a.zero {
		r.warnings = zeroAddress
	}
	return r
}

// decodeSS58 reads a text, or returns what it returned for the same text before.
func (w *workspace) decodeSS58(text string) *ss58Text {
	a := &w.ss58
	if a.text == text && text != "" {
		return a
	}
	*a = ss58Text{text: text}
	b := w.decode58(bitcoinDialect, text)
	if b.reason != "" {
		a.reason = b.reason
		return a
	}
	data, head := b.data[:b.n], 1
	switch {
	case b.n < 3 || data[0] >= 128:
		a.reason = BadLength
		return a
	case data[0] < 64:
		a.prefix = uint16(data[0])
	default: // two bytes, with the bits of the number in an order of its own
		head = 2
		a.prefix = uint16(data[0]&0x3f)<<2 | uint16(data[1])>>6 | uint16(data[1]&0x3f)<<8
	}
	if b.n != head+32+2 {
		a.reason = BadLength
		return a
	}
	n := copy(w.bytes[:], "SS58PRE")
	n += copy(w.bytes[n:], data[:b.n-2])
	sum := blake2b.Sum512(w.bytes[:n])
	if sum[0] != data[b.n-2] || sum[1] != data[b.n-1] {
		a.reason = BadChecksum
	}
	a.zero = zeroed(data[head : head+32])
	return a
}
