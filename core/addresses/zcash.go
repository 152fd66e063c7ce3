package addresses

import (
	"causeway/core"
	"causeway/core/addresses/blake2b"
)

// readZcash reads the transparent addresses in base58check, the transparent-source-only form of
// ZIP-320, Sapling's shielded addresses and the unified addresses of ZIP-316 (revisions 0 and 1).
func readZcash(w *workspace, text string) reading {
	b := w.decodeBech32(text)
	if b.prefix > 0 && b.prefix <= len("ztestsapling") {
		if kind, ok := zcashPrefixes[text[:b.prefix]]; ok {
			return readZcashBech32(w, b, kind)
		}
	}
	if hasFold(text, "zu1") || hasFold(text, "zutest1") {
		return refused(UnsupportedFormat, "This is a unified address of a draft (ZIP-316 revision 2), which wallets do not pay to yet.")
	}
	return zcashKinds.read(w, text)
}

// zcashPrefix is a prefix of Zcash in bech32.
type zcashPrefix struct {
	format      string
	variant     uint32
	environment core.Environment
}

func readZcashBech32(w *workspace, b *bech32Text, kind zcashPrefix) reading {
	switch {
	case b.reason != "":
		return refused(b.reason, "")
	case b.variant != kind.variant:
		return refused(BadChecksum, "The checksum is of the wrong kind: bech32 and bech32m were confused.")
	}
	data, ok := w.bytesOf(b, 0)
	if !ok {
		return refused(BadEncoding, "")
	}
	r := reading{format: kind.format, environment: kind.environment, checksum: true, normalized: b.canonical()}
	switch kind.format {
	case "tex":
		if len(data) != 20 {
			return refused(BadLength, "")
		}
	case "sapling":
		if len(data) != 43 {
			return refused(BadLength, "")
		}
		r.warnings = shieldedAddress
	default:
		r.warnings = shieldedAddress
		if reason := unifiedFault(data, b.text[:b.prefix]); reason != "" {
			return refused(reason, "")
		}
	}
	return r
}

// unifiedFault undoes F4Jumble and reads the receivers: type, length and bytes of each, in rising
// order of types, at least one of them shielded, then the prefix in 16 bytes.
func unifiedFault(data []byte, prefix string) string {
	if len(data) < 48 {
		return BadLength
	}
	unjumble(data)
	var padding [16]byte
	copy(padding[:], prefix)
	items := data[:len(data)-16]
	if string(data[len(items):]) != string(padding[:]) {
		return BadChecksum
	}
	return receiversFault(items)
}

func receiversFault(items []byte) string {
	last, shielded := -1, false
	for len(items) > 0 {
		kind, size, rest, ok := unifiedItem(items)
		if !ok || kind <= last || last == 0 && kind == 1 {
			return BadEncoding
		}
		if want, known := unifiedSizes[kind]; known && size != want || kind >= 0xe0 {
			return BadEncoding // types from 0xe0 on must be understood by the payer, or are experimental
		}
		last, shielded, items = kind, shielded || kind == 2 || kind == 3, rest
	}
	if !shielded {
		return BadVersion
	}
	return ""
}

// unifiedItem reads one receiver. Types and sizes are compactSize numbers; the canonical one-byte
// and three-byte forms hold whatever fits into an address of 512 letters.
func unifiedItem(items []byte) (kind, size int, rest []byte, ok bool) {
	kind, items, ok = compactSize(items)
	if !ok {
		return 0, 0, nil, false
	}
	size, items, ok = compactSize(items)
	if !ok || size > len(items) {
		return 0, 0, nil, false
	}
	return kind, size, items[size:], true
}

func compactSize(data []byte) (value int, rest []byte, ok bool) {
	switch {
	case len(data) >= 1 && data[0] < 0xfd:
		return int(data[0]), data[1:], true
	case len(data) >= 3 && data[0] == 0xfd:
		value = int(data[1]) | int(data[2])<<8
		return value, data[3:], value >= 0xfd
	}
	return 0, nil, false
}

// unjumble is the inverse of F4Jumble (ZIP-316), in place: four rounds of an unbalanced Feistel
// network over the two parts.
func unjumble(data []byte) {
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

// checkZcashMemo: shielded payments carry up to 512 bytes, transparent ones none.
func checkZcashMemo(memo, _ string, r *reading) (string, warnings) {
	if r.warnings&shieldedAddress == 0 {
		return MemoConflict, 0
	}
	return checkText(memo, 512), 0
}
