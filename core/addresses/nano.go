package addresses

import (
	"strings"

	"causeway/core"
	"causeway/core/addresses/blake2b"
)

// readNano reads nano_ or the older xrb_, 52 letters of the key and 8 of its BLAKE2b of five bytes,
// backwards.
func readNano(w *workspace, text string) reading {
	body, current := strings.CutPrefix(text, "nano_")
	body, old := strings.CutPrefix(body, "xrb_")
	switch {
	case current == old:
		return refused(BadVersion, "An address of Nano starts with nano_.")
	case len(body) != 60:
		return refused(BadLength, "")
	}
	for i := range len(body) {
		v := nanoValues[body[i]]
		if v < 0 {
			return refused(BadCharacter, "")
		}
		w.fives[i] = byte(v)
	}
	if w.fives[0] > 1 {
		return refused(BadEncoding, "")
	}
	key := w.nanoKey()
	sum := blake2b.Sum(5, "", key)
	check, _ := regroup(w.bytes[32:], w.fives[52:60])
	for i := range 5 {
		if check[i] != sum[4-i] {
			return refused(BadChecksum, "")
		}
	}
	r := reading{format: "account", environment: core.AnyEnvironment, checksum: true, normalized: text}
	if old {
		r.normalized, r.warnings = "nano_"+body, legacyFormat
	}
	if zeroed(key) {
		r.warnings |= burnAddress
	}
	return r
}

// nanoKey joins 52 values of five bits, 260 bits of which the first four are zero, to the 32 bytes
// of the key.
func (w *workspace) nanoKey() []byte {
	acc, held, n := uint32(w.fives[0]), 1, 0
	for _, v := range w.fives[1:52] {
		acc = acc<<5 | uint32(v)
		held += 5
		if held >= 8 {
			held -= 8
			w.bytes[n] = byte(acc >> held & 0xff)
			n++
		}
	}
	return w.bytes[:n]
}
