package addresses

import (
	"golang.org/x/crypto/blake2b"

	"causeway/core"
)

// readErgo reads base58 of a byte of network and kind, the content, and four bytes of a
// BLAKE2b-256. Kind 1 is a wallet's key; 2 and 3 are scripts.
func readErgo(w *workspace, text string) reading {
	b := w.decode58(bitcoinDialect, text)
	switch {
	case b.reason != "":
		return refused(b.reason, "")
	case b.n < 6:
		return refused(BadLength, "")
	}
	payload := b.payload()
	if kind := payload[0]; w.asking && (kind>>4 > 1 || kind&15 == 0 || kind&15 > 3) {
		return refused(BadVersion, "") // spares other networks' addresses the hash
	}
	sum := blake2b.Sum256(payload)
	if string(sum[:4]) != string(b.data[b.n-4:b.n]) {
		return refused(BadChecksum, "")
	}
	r := reading{environment: core.Mainnet, checksum: true, normalized: text}
	switch payload[0] >> 4 {
	case 0:
	case 1:
		r.environment = core.Testnet
	default:
		return refused(BadVersion, "")
	}
	return ergoKind(r, payload[0]&15, payload[1:])
}

func ergoKind(r reading, kind byte, content []byte) reading {
	switch {
	case kind == 1 && compressedKey(content):
		r.format = "p2pk"
	case kind == 2 && len(content) == 24:
		r.format, r.warnings = "p2sh", contractLike
	case kind == 3:
		r.format, r.warnings = "p2s", contractLike
	case kind == 1 || kind == 2:
		return refused(BadLength, "")
	default:
		return refused(BadVersion, "")
	}
	return r
}
