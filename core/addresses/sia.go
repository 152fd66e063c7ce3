package addresses

import (
	"golang.org/x/crypto/blake2b"

	"causeway/core"
)

// readSia reads 32 bytes and six of their BLAKE2b-256, in hexadecimal digits.
func readSia(w *workspace, text string) reading {
	switch {
	case !isHex(text):
		return refused(BadCharacter, "")
	case len(text) != 76:
		return refused(BadLength, "")
	}
	data := w.unhex(text)
	sum := blake2b.Sum256(data[:32])
	if string(sum[:6]) != string(data[32:]) {
		return refused(BadChecksum, "")
	}
	r := reading{format: "account", environment: core.AnyEnvironment, checksum: true, normalized: lowered(text)}
	if zeroed(data[:32]) {
		r.warnings = burnAddress
	}
	return r
}
