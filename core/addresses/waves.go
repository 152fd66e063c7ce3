package addresses

import (
	"golang.org/x/crypto/blake2b"

	"causeway/core"
)

// readWaves reads base58 of 26 bytes: version 1, the network, 20 bytes, and four bytes of a
// Keccak-256 of a BLAKE2b-256.
func readWaves(w *workspace, text string) reading {
	b := w.decode58(bitcoinDialect, text)
	switch {
	case b.reason != "":
		return refused(b.reason, "")
	case b.n != 26:
		return refused(BadLength, "")
	case b.data[0] != 1:
		return refused(BadVersion, "")
	}
	sum := blake2b.Sum256(b.data[:22])
	copy(w.bytes[:], sum[:])
	if string(w.keccak256(w.bytes[:32])[:4]) != string(b.data[22:26]) {
		return refused(BadChecksum, "")
	}
	r := reading{format: "base58", checksum: true, normalized: text}
	switch b.data[1] {
	case 'W':
		r.environment = core.Mainnet
	case 'T':
		r.environment = core.Testnet
	default:
		return refused(BadVersion, "")
	}
	return r
}
