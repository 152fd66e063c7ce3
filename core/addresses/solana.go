package addresses

import "causeway/core"

// readSolana reads an account of Solana: base58 of exactly 32 bytes, without a checksum. A point of
// the curve is a wallet's key; anything else was derived by a program.
func readSolana(w *workspace, text string) reading {
	b := w.decode58(bitcoinDialect, text)
	switch {
	case b.reason != "":
		return refused(b.reason, "")
	case b.n != 32:
		return refused(BadLength, "An address of Solana is 32 bytes, 32 to 44 letters of base58.")
	}
	r := reading{
		format: "account", environment: core.AnyEnvironment, normalized: text,
		warnings: checksumAbsent | solanaPrograms[text],
	}
	r.vague = r.warnings&^checksumAbsent == 0 && plainCase(text)
	if r.warnings&^checksumAbsent == 0 && !w.asking {
		if _, err := w.point.SetBytes(b.data[:32]); err != nil {
			r.warnings |= offCurve
		}
	}
	return r
}
