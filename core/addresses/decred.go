package addresses

import "github.com/decred/dcrd/crypto/blake256"

// readDecred reads base58 of a version of two bytes, 20 bytes, and four bytes of a double
// BLAKE-256.
func readDecred(w *workspace, text string) reading {
	b := w.decode58(bitcoinDialect, text)
	switch {
	case b.reason != "":
		return refused(b.reason, "")
	case b.n != 26:
		return refused(BadLength, "")
	}
	first := blake256.Sum256(b.data[:22])
	second := blake256.Sum256(first[:])
	if string(second[:4]) != string(b.data[22:26]) {
		return refused(BadChecksum, "")
	}
	for i := range decredKinds {
		if string(b.data[:2]) == decredKinds[i].prefix {
			return decredKinds[i].accept(b.data[:22], text)
		}
	}
	return refused(BadVersion, "")
}
