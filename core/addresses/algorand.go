package addresses

import (
	"crypto/sha512"

	"causeway/core"
)

// readAlgorand reads base32 of a key of 32 bytes and the last four bytes of its SHA-512/256.
func readAlgorand(w *workspace, text string) reading {
	if len(text) != 58 {
		return refused(BadLength, "")
	}
	data, reason := w.decode32(text)
	if reason != "" {
		return refused(reason, "")
	}
	sum := sha512.Sum512_256(data[:32])
	if string(sum[28:]) != string(data[32:]) {
		return refused(BadChecksum, "")
	}
	r := reading{format: "account", environment: core.AnyEnvironment, checksum: true, normalized: text}
	if zeroed(data[:32]) {
		r.warnings = zeroAddress
	}
	return r
}
