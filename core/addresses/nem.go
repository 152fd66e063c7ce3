package addresses

import (
	"crypto/sha3"
	"strings"

	"causeway/core"
)

// nem reads the addresses of NEM and Symbol: base32 of a network byte, 20 bytes and a checksum of
// Keccak-256 (NEM, four bytes) or SHA3-256 (Symbol, three). Dashes between the letters are for the
// eye.
type nem struct{ symbol bool }

func (n nem) read(w *workspace, text string) reading {
	plain := text
	if strings.IndexByte(text, '-') >= 0 {
		plain = strings.ReplaceAll(text, "-", "")
	}
	length, sum := 40, 4
	if n.symbol {
		length, sum = 39, 3
	}
	if len(plain) != length {
		return refused(BadLength, "")
	}
	data, reason := w.decode32(plain)
	if reason != "" {
		return refused(reason, "")
	}
	if !n.checked(w, data, sum) {
		return refused(BadChecksum, "")
	}
	r := reading{format: "base32", checksum: true, normalized: plain}
	switch data[0] {
	case 0x68:
		r.environment = core.Mainnet
	case 0x98:
		r.environment = core.Testnet
	default:
		return refused(BadVersion, "")
	}
	return r
}

func (n nem) checked(w *workspace, data []byte, size int) bool {
	if n.symbol {
		digest := sha3.Sum256(data[:21])
		return string(digest[:size]) == string(data[21:])
	}
	return string(w.keccak256(data[:21])[:size]) == string(data[21:])
}
