package addresses

import (
	"encoding/hex"
	"math/bits"
	"strings"
)

// readMonero reads Monero's base58 in blocks: a network byte, two keys of 32 bytes, in integrated
// addresses a payment id of 8 bytes, and four bytes of a Keccak-256.
func readMonero(w *workspace, text string) reading {
	if len(text) != 95 && len(text) != 106 {
		return refused(BadLength, "")
	}
	data, reason := w.decodeBlocks(text)
	if reason != "" {
		return refused(reason, "")
	}
	n := len(data) - 4
	if string(w.keccak256(data[:n])[:4]) != string(data[n:]) {
		return refused(BadChecksum, "")
	}
	kind, ok := moneroKinds[data[0]]
	switch {
	case !ok:
		return refused(BadVersion, "")
	case (kind.format == "integrated") != (len(text) == 106):
		return refused(BadLength, "")
	}
	r := reading{format: kind.format, environment: kind.environment, checksum: true, normalized: text}
	if kind.format == "integrated" {
		r.memo, r.tag = memoInside, hex.EncodeToString(data[65:73])
	}
	return r
}

// decodeBlocks decodes blocks of eleven letters to eight bytes each, and the last one to what is
// left: seven letters to five bytes, as both lengths of addresses have it.
func (w *workspace) decodeBlocks(text string) (data []byte, reason string) {
	n := 0
	for ; text != ""; text = text[min(11, len(text)):] {
		size := 8
		if len(text) < 11 {
			size = 5
		}
		value := uint64(0)
		for i := range min(11, len(text)) {
			v := base58Values[bitcoinDialect][text[i]]
			if v < 0 {
				return nil, BadCharacter
			}
			high, low := bits.Mul64(value, 58)
			sum, carry := bits.Add64(low, uint64(v), 0)
			if high+carry != 0 {
				return nil, BadEncoding
			}
			value = sum
		}
		if size < 8 && value>>(8*size) != 0 {
			return nil, BadEncoding
		}
		for i := range size {
			w.bytes[n] = byte(value >> (8 * (size - 1 - i)) & 0xff)
			n++
		}
	}
	return w.bytes[:n], ""
}

// checkPaymentID: a payment id belongs into an integrated address; the network knows no other memo.
func checkPaymentID(memo, _ string, r *reading) (string, warnings) {
	switch {
	case r.memo == memoInside && strings.EqualFold(memo, r.tag):
		return "", 0
	case isHex(memo) && (len(memo) == 16 || len(memo) == 64):
		return MemoConflict, 0
	}
	return "", memoIgnored
}
